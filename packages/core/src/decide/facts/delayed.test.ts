import { effectIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { answerTo, aQuietQueue, decided, NOW } from '../../../test/rules.js';
import type { Fact } from '../../model/input.js';

describe('a host that does not answer', () => {
  const delayed = (message: string): Fact => ({ ...answerTo(1), type: 'effect_delayed', message });
  const trouble = { effectId: effectIdOf(1), message: 'down', since: NOW - 5 };
  const troubleAfter = (fact: Fact, hostTrouble: typeof trouble | null) =>
    decided({ queue: aQuietQueue({}, { hostTrouble }) }, [fact]).queue.hostTrouble;

  test('is told of since it began, in its newest words', () => {
    expect(troubleAfter(delayed('down'), null)).toEqual({ ...trouble, since: NOW });
    expect(troubleAfter(delayed('still down'), trouble)).toEqual({ ...trouble, message: 'still down' });
  });

  test('is told of by what failed last, and from the first on', () => {
    const first = { ...trouble, effectId: effectIdOf(2) };

    expect(troubleAfter(delayed('down too'), first)).toEqual({ ...trouble, message: 'down too' });
  });

  test('is trouble no more once that very question was answered', () => {
    const other = { ...trouble, effectId: effectIdOf(2) };
    const answer: Fact = { ...answerTo(1), type: 'checks_seen', seen: [] };

    expect(troubleAfter(answer, trouble)).toBeNull();
    expect(troubleAfter(answer, other)).toEqual(other);
  });
});
