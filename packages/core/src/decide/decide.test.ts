import { inputIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { aContext, aQuietQueue, aState, decided } from '../../test/rules.js';
import { viewOf } from '../explain/explain.js';
import type { Input } from '../model/input.js';
import { decide } from './decide.js';

describe('a decision', () => {
  test('keeps what only a newer release knows of', () => {
    const strange = { id: inputIdOf(1), type: 'eclipse_seen' } as unknown as Input;

    expect(decided({}, [strange]).queue.notUnderstood).toEqual([strange]);
  });

  test('of a queue that rests for ever asks to be made again by nobody', () => {
    const state = aState({ queue: aQuietQueue() });
    Object.assign(state, { isAtRest: true, restsUntil: Number.POSITIVE_INFINITY });

    expect(decide(state, [], aContext(), viewOf)).toMatchObject({ wakeAt: null, restsUntil: null });
  });
});
