import { aMember, aRun, effectIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { answerTo, aQuietQueue, aTestedSubmission, decided, NOW } from '../../../../test/rules.js';
import type { Fact } from '../../../model/input.js';
import type { Poll } from '../../../model/polls.js';
import type { HostTrouble } from '../../../model/queue.js';

describe('a host that does not answer', () => {
  const delayed = (message: string): Fact => ({ ...answerTo(1), type: 'effect_delayed', message });
  const trouble = { effectId: effectIdOf(1), message: 'down', since: NOW - 5 };
  /** Eleven open effects with the ids 1 to 11: three reads, and the candidates of eight test runs. */
  const troubleAfter = (fact: Fact, hostTrouble: HostTrouble | null) => {
    const { polls } = aQuietQueue();
    const asking = (poll: Poll, id: number): Poll => ({ ...poll, asked: effectIdOf(id) });
    const queue = aQuietQueue(
      { concurrency: 8 },
      {
        hostTrouble,
        polls: {
          branch: asking(polls.branch, 11),
          pullRequests: asking(polls.pullRequests, 2),
          checks: asking(polls.checks, 1),
        },
      },
    );
    const prs = [3, 4, 5, 6, 7, 8, 9, 10];
    const runs = prs.map((pr) =>
      aRun(pr, {
        state: 'building',
        candidate: null,
        building: effectIdOf(pr),
        stack: prs.filter((below) => below < pr).map((below) => aMember(below)),
      }),
    );
    const submissions = prs.map((pr) => aTestedSubmission(pr));
    return decided({ queue, runs, submissions }, [fact]).queue.hostTrouble;
  };

  test('a host that does not answer is shown with the time since which it does not answer, and its newest message', () => {
    expect(troubleAfter(delayed('down'), null)).toEqual({ ...trouble, since: NOW });
    expect(troubleAfter(delayed('still down'), trouble)).toEqual({ ...trouble, message: 'still down' });
  });

  test('a host that does not answer is shown for the oldest open effect, and then for the next one', () => {
    const first = { ...trouble, effectId: effectIdOf(2) };
    const second = { ...trouble, message: 'down too', since: NOW };

    expect(troubleAfter(delayed('down too'), first)).toEqual({ ...first, later: [second] });
    expect(troubleAfter(delayed('down'), { ...first, later: [second] })).toMatchObject({
      later: [{ ...second, message: 'down' }],
    });
    const answer: Fact = { ...answerTo(2), type: 'checks_seen', seen: [] };
    expect(troubleAfter(answer, { ...first, later: [second] })).toEqual(second);
  });

  test('a host that does not answer is shown for at most ten effects', () => {
    const later = Array.from({ length: 9 }, (_, n) => ({ ...trouble, effectId: effectIdOf(3 + n) }));
    const full = { ...trouble, effectId: effectIdOf(2), later };

    expect(troubleAfter(delayed('down too'), full)).toEqual(full);
  });

  test('a host that does not answer is over once exactly that effect was answered', () => {
    const other = { ...trouble, effectId: effectIdOf(2) };
    const answer: Fact = { ...answerTo(1), type: 'checks_seen', seen: [] };

    expect(troubleAfter(answer, trouble)).toBeNull();
    expect(troubleAfter(answer, other)).toEqual(other);
  });

  test('a host that does not answer is ignored for effects that the queue does not wait for any more', () => {
    const withdrawn = { ...trouble, effectId: effectIdOf(12) };
    const answer: Fact = { ...answerTo(1), type: 'checks_seen', seen: [] };

    expect(troubleAfter({ ...answerTo(12), type: 'effect_delayed', message: 'down' }, null)).toBeNull();
    expect(troubleAfter(answer, withdrawn)).toBeNull();
  });
});
