import { aPullRequest, aSubmission, effectIdOf } from '@mq/testkit';
import { expect, test } from 'vitest';
import { answerTo, aQuietQueue, aTestedSubmission, decided, NOW } from '../../../../test/rules.js';
import type { PullRequestsSeen } from '../../../model/input.js';
import type { Poll } from '../../../model/polls.js';
import type { Queue } from '../../../model/queue.js';
import { defaultPace } from '../../draft/context.js';

const asking = (poll: Partial<Poll>): Queue => {
  const queue = aQuietQueue({}, { wanted: 'paused' });
  const asked = { asked: effectIdOf(1), upTo: null, askedAt: NOW - 5, again: false, dueAt: NOW };
  return { ...queue, polls: { ...queue.polls, pullRequests: { ...asked, ...poll } } };
};
const unseen = (...missing: readonly number[]): PullRequestsSeen => ({
  ...answerTo(1),
  type: 'pull_requests_seen',
  pulls: [],
  missing,
});

test('a pull request that is not shown and has left meanwhile changes nothing', () => {
  const outcome = decided({ queue: asking({}), submissions: [aTestedSubmission(1)] }, [unseen(77, 1)]);

  expect(outcome.pr(1).missingSince).toBe(NOW);
  expect(outcome.decision.writes.submissions.map(({ pr }) => pr)).toEqual([1]);
});

test('a missing pull request is given up only when it is still missing in a read after its grace time', () => {
  const missed = (missingSince: number | null) =>
    decided(
      {
        queue: asking({}),
        submissions: [aSubmission(1, { missingSince })],
      },
      [unseen(1)],
    ).pr(1);

  expect(missed(null)).toMatchObject({ missingSince: NOW, state: 'pending' });
  expect(missed(NOW - 5 - defaultPace.missingGraceMs + 1)).toMatchObject({ state: 'pending' });
  expect(missed(NOW - 5 - defaultPace.missingGraceMs)).toMatchObject({
    state: 'cancelled',
    reason: 'PR_NOT_FOUND',
  });
});

test('a pull request that was missing in one answer is read again when its grace time is over', () => {
  const since = NOW - defaultPace.missingGraceMs;
  const over = (poll: Partial<Poll>) =>
    decided({
      queue: asking({ dueAt: NOW + 9, ...poll }),
      submissions: [aSubmission(1, { missingSince: since })],
    });

  const silent = over({ asked: null });
  expect(silent.pr(1).state).toBe('pending');
  expect(silent.queue.polls.pullRequests).toMatchObject({
    asked: silent.decision.effects[0]?.id,
    askedAt: NOW,
  });
  expect(over({ askedAt: NOW - 1 }).queue.polls.pullRequests.again).toBe(true);
  expect(over({ askedAt: NOW }).queue.polls.pullRequests.again).toBe(false);
  expect(over({ asked: null, askedAt: NOW }).decision.effects).toEqual([]);
  // The page that was requested before may have included it.
  const halfPut = over({ asked: null, upTo: 1, askedAt: NOW - 1, dueAt: NOW });
  expect(halfPut.queue.polls.pullRequests).toMatchObject({ askedAt: NOW, again: true });
});

test('a pull request that is shown when it is read again stays', () => {
  const missing = aSubmission(1, { missingSince: NOW - defaultPace.missingGraceMs, isGone: true });
  const shown = { ...unseen(), pulls: [aPullRequest(1, { readAt: NOW })] };
  const outcome = decided({ queue: asking({}), submissions: [missing] }, [shown]);

  expect(outcome.pr(1)).toMatchObject({ state: 'pending', missingSince: null, isGone: false });
});
