import { aSubmission, BUILT_AT, effectIdOf, inputIdOf, runIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aDraft,
  aLanding,
  aPassed,
  aQuietQueue,
  aRunOn,
  aTestedSubmission,
  decided,
  NOW,
  TIP,
} from '../../../test/rules.js';
import type { Poll, Polls } from '../../model/queue.js';
import { defaultPace } from '../draft/context.js';
import { askSoon, ignorePendingAnswer } from '../moves/polls.js';
import { PULL_REQUESTS_LIMIT } from './ask.js';

const due: Poll = { asked: null, upTo: null, askedAt: BUILT_AT, again: false, dueAt: NOW };
const later: Poll = { ...due, dueAt: NOW + 60_000 };
const underWay: Poll = { ...due, asked: effectIdOf(7) };
const polls = (override: Partial<Polls>): { polls: Polls } => ({
  polls: { branch: later, pullRequests: later, checks: later, ...override },
});

describe('asking the host', () => {
  test('where the target is, naming what is known', () => {
    const outcome = decided({
      queue: aQuietQueue({}, polls({ branch: due })),
      submissions: [aSubmission(1)],
    });
    const [wish] = outcome.wishes('read_branch');

    expect(wish).toMatchObject({ branch: 'main', known: TIP });
    expect(outcome.queue.polls.branch).toEqual({
      asked: wish?.id,
      upTo: null,
      askedAt: NOW,
      again: false,
      isHinted: false,
      dueAt: NOW,
    });
  });

  test('after all live pull requests with one question', () => {
    const queue = aQuietQueue({}, polls({ pullRequests: due }));
    const outcome = decided({ queue, submissions: [aSubmission(1), aSubmission(2, { state: 'not_ready' })] });

    expect(outcome.wishes('read_pull_requests').map((wish) => wish.prs)).toEqual([[1, 2]]);
    expect(outcome.queue.polls.pullRequests.askedAt).toBe(NOW);
  });

  describe('after more pull requests than one question holds', () => {
    const submissions = Array.from({ length: PULL_REQUESTS_LIMIT + 2 }, (_, index) =>
      aSubmission(index + 1, { state: 'not_ready' }),
    );
    const asking = (poll: Partial<Poll>) =>
      decided({ queue: aQuietQueue({}, polls({ pullRequests: { ...due, ...poll } })), submissions });
    const answering = (poll: Partial<Poll>) => {
      const queue = aQuietQueue({}, polls({ pullRequests: { ...underWay, dueAt: NOW + 9_000, ...poll } }));
      const seen = { type: 'pull_requests_seen', pulls: [], missing: [] } as const;
      return decided({ queue, submissions }, [{ ...seen, id: inputIdOf(1), effectId: effectIdOf(7) }]);
    };
    const last = PULL_REQUESTS_LIMIT + 2;

    test('those with the smallest numbers come first', () => {
      const outcome = asking({});
      const [wish] = outcome.wishes('read_pull_requests');

      expect([wish?.prs.length, wish?.prs.at(-1)]).toEqual([PULL_REQUESTS_LIMIT, PULL_REQUESTS_LIMIT]);
      expect(outcome.queue.polls.pullRequests.upTo).toBe(PULL_REQUESTS_LIMIT);
    });

    test('the others are asked after as soon as these have been answered', () => {
      const outcome = answering({ upTo: PULL_REQUESTS_LIMIT });

      expect(outcome.wishes('read_pull_requests').map(({ prs }) => prs)).toEqual([[last - 1, last]]);
      expect(outcome.queue.polls.pullRequests.upTo).toBeNull();
    });

    test('what happens meanwhile has all of them asked after again, and none of them left out', () => {
      const hint = { id: inputIdOf(2), type: 'noticed', what: 'pull_requests' } as const;
      const queue = aQuietQueue({}, polls({ pullRequests: { ...underWay, upTo: PULL_REQUESTS_LIMIT } }));
      expect(decided({ queue, submissions }, [hint]).queue.polls.pullRequests).toMatchObject({ again: true });

      const rest = answering({ upTo: PULL_REQUESTS_LIMIT, again: true });
      expect(rest.wishes('read_pull_requests').map(({ prs }) => prs)).toEqual([[last - 1, last]]);
      expect(rest.queue.polls.pullRequests.again).toBe(true);

      const [next] = answering({ again: true }).wishes('read_pull_requests');
      expect(next?.prs[0]).toBe(1);
    });

    test('the others are asked after at a time of their own', () => {
      const [first, rest] = [asking({}), asking({ upTo: PULL_REQUESTS_LIMIT, askedAt: NOW - 9_000 })];

      expect([first, rest].map(({ queue }) => queue.polls.pullRequests.askedAt)).toEqual([NOW, NOW]);
    });

    test('one is not gone that is missing in an answer to what was asked before its grace time was over', () => {
      const missing = (askedAt: number) => {
        const missingSince = NOW - 2 * defaultPace.missingGraceMs;
        const poll = { ...underWay, upTo: PULL_REQUESTS_LIMIT, askedAt };
        const queue = aQuietQueue({}, { wanted: 'paused', ...polls({ pullRequests: poll }) });
        const seen = { type: 'pull_requests_seen', pulls: [], missing: [1] } as const;
        return decided({ queue, submissions: [aSubmission(1, { missingSince })] }, [
          { ...seen, id: inputIdOf(1), effectId: effectIdOf(7) },
        ]).pr(1).state;
      };
      const graceEnd = NOW - defaultPace.missingGraceMs;

      expect([missing(graceEnd - 1), missing(graceEnd)]).toEqual(['pending', 'cancelled']);
    });

    test('whose answers count no more, all are asked after anew', () => {
      const draft = aDraft({ queue: aQuietQueue({}, polls({ pullRequests: { ...underWay, upTo: 1 } })) });
      ignorePendingAnswer(draft, 'pullRequests');

      expect(draft.queue.polls.pullRequests).toMatchObject({ asked: null, upTo: null, dueAt: NOW });
    });

    test('where the others have left, all are asked after anew', () => {
      expect(asking({ upTo: last }).wishes('read_pull_requests')[0]?.prs[0]).toBe(1);
    });
  });

  test('after the checks of all runs that are being tested with one question', () => {
    const outcome = decided({
      queue: aQuietQueue({ concurrency: 3 }, polls({ checks: due })),
      submissions: [aTestedSubmission(1), aTestedSubmission(2), aTestedSubmission(3)],
      runs: [aRunOn([1]), aRunOn([1, 2]), aRunOn([1, 2, 3], { state: 'building', candidate: null })],
    });

    expect(outcome.wishes('read_checks').map((wish) => wish.runs.map((run) => run.runId))).toEqual([
      [runIdOf(1), runIdOf(2)],
    ]);
  });

  test('not before it is due; the queue is woken then', () => {
    const outcome = decided({
      queue: aQuietQueue({ notReadyTimeoutHours: 0 }, polls({ branch: { ...later, dueAt: NOW + 500 } })),
      submissions: [
        aSubmission(1, {
          state: 'not_ready',
          admittedAt: null,
          forceEnqueued: false,
          pull: { ...aSubmission(1).pull, draft: true },
        }),
      ],
    });

    expect(outcome.decision.effects).toEqual([]);
    expect(outcome.decision.wakeAt).toBe(NOW + 500);
  });

  test('not while the same question is under way', () => {
    const queue = aQuietQueue({}, polls({ branch: underWay, pullRequests: underWay, checks: underWay }));
    const outcome = decided({ queue, submissions: [aTestedSubmission(1)], runs: [aRunOn([1])] });

    expect(outcome.wishes('read_branch')).toEqual([]);
    expect(outcome.wishes('read_pull_requests')).toEqual([]);
    expect(outcome.wishes('read_checks')).toEqual([]);
  });

  test('in one part where there are exactly as many pull requests as one question asks after', () => {
    const submissions = Array.from({ length: PULL_REQUESTS_LIMIT }, (_, index) => aSubmission(index + 1));
    const queue = aQuietQueue({}, { wanted: 'paused', ...polls({ pullRequests: due }) });
    const outcome = decided({ queue, submissions });

    expect(outcome.wishes('read_pull_requests')[0]?.prs).toHaveLength(PULL_REQUESTS_LIMIT);
    expect(outcome.queue.polls.pullRequests.upTo).toBeNull();
  });

  test('for the next part, and all of it again only where somebody wants that', () => {
    const again = (before: boolean) =>
      decided({
        queue: aQuietQueue({}, polls({ pullRequests: { ...due, upTo: 1, again: before } })),
        submissions: [aSubmission(2)],
      }).queue.polls.pullRequests.again;

    expect([again(true), again(false)]).toEqual([true, false]);
  });

  test('again where somebody wants it soon of whom half was asked already', () => {
    const half = { ...later, upTo: 1 };
    const draft = aDraft({ queue: aQuietQueue({}, polls({ pullRequests: half })) });
    askSoon(draft, 'pullRequests');
    askSoon(draft, 'checks');

    expect(draft.queue.polls.pullRequests).toEqual({ ...half, dueAt: NOW, again: true });
    expect(draft.queue.polls.checks).toEqual({ ...later, dueAt: NOW, again: false });
  });

  test('nothing for a queue in which nobody waits', () => {
    const outcome = decided({
      queue: aQuietQueue({}, polls({ branch: due, pullRequests: due, checks: due })),
    });

    expect(outcome.decision.effects).toEqual([]);
    expect(outcome.decision.wakeAt).toBeNull();
  });

  test('nothing of the target while the queue moves it', () => {
    const [one, run] = aPassed([1]);
    const landing = aLanding(run);
    const outcome = decided({
      queue: aQuietQueue({}, { ...polls({ branch: due, pullRequests: due }), landing }),
      submissions: [one],
      runs: [run],
    });

    expect(outcome.wishes('read_branch')).toEqual([]);
    expect(outcome.wishes('read_pull_requests')).toHaveLength(1);
  });
});
