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
import type { Poll, Polls } from '../../model/polls.js';
import { defaultPace } from '../draft/context.js';
import { askSoon, ignorePendingAnswer } from '../moves/polls.js';
import { NOTICED_LIMIT } from './apply.js';
import { PULL_REQUESTS_LIMIT } from './ask.js';

const due: Poll = { asked: null, upTo: null, askedAt: BUILT_AT, again: false, dueAt: NOW };
const later: Poll = { ...due, dueAt: NOW + 60_000 };
const underWay: Poll = { ...due, asked: effectIdOf(7) };
const polls = (override: Partial<Polls>): { polls: Polls } => ({
  polls: { branch: later, pullRequests: later, checks: later, ...override },
});

describe('reading the host', () => {
  test('the queue reads the target, and names the last known head', () => {
    const outcome = decided({
      queue: aQuietQueue({}, polls({ branch: due })),
      submissions: [aSubmission(1)],
    });
    const [effect] = outcome.effects('read_branch');

    expect(effect).toMatchObject({ branch: 'main', known: TIP });
    expect(outcome.queue.polls.branch).toEqual({
      asked: effect?.id,
      upTo: null,
      askedAt: NOW,
      again: false,
      isHinted: false,
      dueAt: NOW,
    });
  });

  test('the queue reads all live pull requests at once', () => {
    const queue = aQuietQueue({}, polls({ pullRequests: due }));
    const outcome = decided({ queue, submissions: [aSubmission(1), aSubmission(2, { state: 'not_ready' })] });

    expect(outcome.effects('read_pull_requests').map((effect) => effect.prs)).toEqual([[1, 2]]);
    expect(outcome.queue.polls.pullRequests.askedAt).toBe(NOW);
  });

  describe('a hint that names a pull request', () => {
    const hintOf = (pr: number) =>
      ({ id: inputIdOf(pr), type: 'noticed', what: 'pull_requests', pr }) as const;
    const submissions = [1, 2, 3].map((pr) => aSubmission(pr, { state: 'not_ready' }));
    const hinted = (poll: Partial<Poll>, ...prs: readonly number[]) =>
      decided(
        { queue: aQuietQueue({}, polls({ pullRequests: { ...later, ...poll } })), submissions },
        prs.map(hintOf),
      );

    test('a hint that names a pull request reads that one, and leaves the next read of all where it was', () => {
      const outcome = hinted({}, 2);
      const [effect] = outcome.effects('read_pull_requests');
      expect(effect?.prs).toEqual([2]);
      expect(outcome.queue.polls.pullRequests).toMatchObject({ asked: effect?.id, dueAt: later.dueAt });

      const seen = { type: 'pull_requests_seen', pulls: [], missing: [], effectId: effectIdOf(7) } as const;
      const queue = aQuietQueue(
        {},
        polls({ pullRequests: { ...later, asked: effectIdOf(7), isPart: true } }),
      );
      const answered = decided({ queue, submissions }, [{ ...seen, id: inputIdOf(1) }]);
      expect(answered.queue.polls.pullRequests).toMatchObject({ asked: null, dueAt: later.dueAt });
    });

    test('a hint that names a pull request reads nothing if it is not in the queue', () => {
      expect(hinted({}, 4).effects('read_pull_requests')).toEqual([]);
    });

    test('a hint that names a pull request that comes during a read waits for it, and reads the named ones then', () => {
      const meanwhile = hinted({ asked: effectIdOf(7) }, 2, 3, 2);
      expect(meanwhile.effects('read_pull_requests')).toEqual([]);
      expect(meanwhile.queue.polls.pullRequests.noticed).toEqual([2, 3]);
      expect(
        hinted({ noticed: [2] }, 3)
          .effects('read_pull_requests')
          .map(({ prs }) => prs),
      ).toEqual([[2, 3]]);
    });

    test('a hint that names a pull request is kept while later pages of a read of all are requested', () => {
      const outcome = decided({
        queue: aQuietQueue({}, polls({ pullRequests: { ...due, upTo: 1, noticed: [1] } })),
        submissions,
      });
      expect(outcome.effects('read_pull_requests').map(({ prs }) => prs)).toEqual([[2, 3]]);
      expect(outcome.queue.polls.pullRequests.noticed).toEqual([1]);
    });

    test('a hint that names a pull request makes a read of all when there are too many', () => {
      const noticed = Array.from({ length: NOTICED_LIMIT }, (_, n) => n + 10);
      expect(
        hinted({ noticed }, 2)
          .effects('read_pull_requests')
          .map(({ prs }) => prs),
      ).toEqual([[1, 2, 3]]);
    });
  });

  describe('reading more pull requests than one read holds', () => {
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

    test('a queue with more pull requests than one read holds reads the smallest numbers first', () => {
      const outcome = asking({});
      const [effect] = outcome.effects('read_pull_requests');

      expect([effect?.prs.length, effect?.prs.at(-1)]).toEqual([PULL_REQUESTS_LIMIT, PULL_REQUESTS_LIMIT]);
      expect(outcome.queue.polls.pullRequests.upTo).toBe(PULL_REQUESTS_LIMIT);
    });

    test('a queue with more pull requests than one read holds reads the next page as soon as the first is answered', () => {
      const outcome = answering({ upTo: PULL_REQUESTS_LIMIT });

      expect(outcome.effects('read_pull_requests').map(({ prs }) => prs)).toEqual([[last - 1, last]]);
      expect(outcome.queue.polls.pullRequests.upTo).toBeNull();
    });

    test('a queue with more pull requests than one read holds reads all pages again when something happens meanwhile, and leaves out none', () => {
      const hint = { id: inputIdOf(2), type: 'noticed', what: 'pull_requests' } as const;
      const queue = aQuietQueue({}, polls({ pullRequests: { ...underWay, upTo: PULL_REQUESTS_LIMIT } }));
      expect(decided({ queue, submissions }, [hint]).queue.polls.pullRequests).toMatchObject({ again: true });

      const rest = answering({ upTo: PULL_REQUESTS_LIMIT, again: true });
      expect(rest.effects('read_pull_requests').map(({ prs }) => prs)).toEqual([[last - 1, last]]);
      expect(rest.queue.polls.pullRequests.again).toBe(true);

      const [next] = answering({ again: true }).effects('read_pull_requests');
      expect(next?.prs[0]).toBe(1);
    });

    test('a queue with more pull requests than one read holds reads the remaining pages at their own time', () => {
      const [first, rest] = [asking({}), asking({ upTo: PULL_REQUESTS_LIMIT, askedAt: NOW - 9_000 })];

      expect([first, rest].map(({ queue }) => queue.polls.pullRequests.askedAt)).toEqual([NOW, NOW]);
    });

    test('a pull request is not gone when it is missing in a read that was requested before its grace time ended', () => {
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

    test('a queue with more pull requests than one read holds reads all pages again when an answer no longer counts', () => {
      const draft = aDraft({ queue: aQuietQueue({}, polls({ pullRequests: { ...underWay, upTo: 1 } })) });
      ignorePendingAnswer(draft, 'pullRequests');

      expect(draft.queue.polls.pullRequests).toMatchObject({ asked: null, upTo: null, dueAt: NOW });
    });

    test('a queue with more pull requests than one read holds reads all pages again when the pull requests of the next page have left', () => {
      expect(asking({ upTo: last }).effects('read_pull_requests')[0]?.prs[0]).toBe(1);
    });
  });

  test('the queue reads the checks of all runs under test at once', () => {
    const outcome = decided({
      queue: aQuietQueue({ concurrency: 3 }, polls({ checks: due })),
      submissions: [aTestedSubmission(1), aTestedSubmission(2), aTestedSubmission(3)],
      runs: [aRunOn([1]), aRunOn([1, 2]), aRunOn([1, 2, 3], { state: 'building', candidate: null })],
    });

    expect(outcome.effects('read_checks').map((effect) => effect.runs.map((run) => run.runId))).toEqual([
      [runIdOf(1), runIdOf(2)],
    ]);
  });

  test('the queue reads nothing before its interval, and asks to decide again then', () => {
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

  test('the queue does not repeat a read that is under way', () => {
    const queue = aQuietQueue({}, polls({ branch: underWay, pullRequests: underWay, checks: underWay }));
    const outcome = decided({ queue, submissions: [aTestedSubmission(1)], runs: [aRunOn([1])] });

    expect(outcome.effects('read_branch')).toEqual([]);
    expect(outcome.effects('read_pull_requests')).toEqual([]);
    expect(outcome.effects('read_checks')).toEqual([]);
  });

  test('the queue reads in one page when there are exactly as many pull requests as it holds', () => {
    const submissions = Array.from({ length: PULL_REQUESTS_LIMIT }, (_, index) => aSubmission(index + 1));
    const queue = aQuietQueue({}, { wanted: 'paused', ...polls({ pullRequests: due }) });
    const outcome = decided({ queue, submissions });

    expect(outcome.effects('read_pull_requests')[0]?.prs).toHaveLength(PULL_REQUESTS_LIMIT);
    expect(outcome.queue.polls.pullRequests.upTo).toBeNull();
  });

  test('the queue reads the next page, and all pages again only when that was requested', () => {
    const again = (before: boolean) =>
      decided({
        queue: aQuietQueue({}, polls({ pullRequests: { ...due, upTo: 1, again: before } })),
        submissions: [aSubmission(2)],
      }).queue.polls.pullRequests.again;

    expect([again(true), again(false)]).toEqual([true, false]);
  });

  test('the queue reads all pages again when a read is requested after half of them', () => {
    const half = { ...later, upTo: 1 };
    const draft = aDraft({ queue: aQuietQueue({}, polls({ pullRequests: half })) });
    askSoon(draft, 'pullRequests');
    askSoon(draft, 'checks');

    expect(draft.queue.polls.pullRequests).toEqual({ ...half, dueAt: NOW, again: true });
    expect(draft.queue.polls.checks).toEqual({ ...later, dueAt: NOW, again: false });
  });

  test('the queue reads nothing for an empty queue', () => {
    const outcome = decided({
      queue: aQuietQueue({}, polls({ branch: due, pullRequests: due, checks: due })),
    });

    expect(outcome.decision.effects).toEqual([]);
    expect(outcome.decision.wakeAt).toBeNull();
  });

  test('the queue does not read the target during a landing', () => {
    const [one, run] = aPassed([1]);
    const landing = aLanding(run);
    const outcome = decided({
      queue: aQuietQueue({}, { ...polls({ branch: due, pullRequests: due }), landing }),
      submissions: [one],
      runs: [run],
    });

    expect(outcome.effects('read_branch')).toEqual([]);
    expect(outcome.effects('read_pull_requests')).toHaveLength(1);
  });
});
