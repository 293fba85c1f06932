import { effectIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { answerTo, aQuietQueue, decided, NOW } from '../../../test/rules.js';
import type { Fact } from '../../model/input.js';
import type { HostTrouble } from '../../model/queue.js';

describe('a host that does not answer', () => {
  const delayed = (message: string): Fact => ({ ...answerTo(1), type: 'effect_delayed', message });
  const trouble = { effectId: effectIdOf(1), message: 'down', since: NOW - 5 };
  const troubleAfter = (fact: Fact, hostTrouble: HostTrouble | null) =>
    decided({ queue: aQuietQueue({}, { hostTrouble }) }, [fact]).queue.hostTrouble;

  test('is told of since it began, in its newest words', () => {
    expect(troubleAfter(delayed('down'), null)).toEqual({ ...trouble, since: NOW });
    expect(troubleAfter(delayed('still down'), trouble)).toEqual({ ...trouble, message: 'still down' });
  });

  test('is told of by the oldest question that is open, and then by the next of them', () => {
    const first = { ...trouble, effectId: effectIdOf(2) };
    const second = { ...trouble, message: 'down too', since: NOW };

    expect(troubleAfter(delayed('down too'), first)).toEqual({ ...first, later: [second] });
    expect(troubleAfter(delayed('down'), { ...first, later: [second] })).toMatchObject({
      later: [{ ...second, message: 'down' }],
    });
    const answer: Fact = { ...answerTo(2), type: 'checks_seen', seen: [] };
    expect(troubleAfter(answer, { ...first, later: [second] })).toEqual(second);
  });

  test('is told of by ten questions at most', () => {
    const later = Array.from({ length: 9 }, (_, n) => ({ ...trouble, effectId: effectIdOf(3 + n) }));
    const full = { ...trouble, effectId: effectIdOf(2), later };

    expect(troubleAfter(delayed('down too'), full)).toEqual(full);
  });

  test('is trouble no more once that very question was answered', () => {
    const other = { ...trouble, effectId: effectIdOf(2) };
    const answer: Fact = { ...answerTo(1), type: 'checks_seen', seen: [] };

    expect(troubleAfter(answer, trouble)).toBeNull();
    expect(troubleAfter(answer, other)).toEqual(other);
  });
});
