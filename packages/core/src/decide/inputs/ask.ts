import type { ReadPullRequests } from '../../model/effect.js';
import type { EffectId, Instant } from '../../model/ids.js';
import { readOf } from '../../model/landing-proof.js';
import type { TestRun } from '../../model/run.js';
import type { Submission } from '../../model/submission.js';
import type { Draft } from '../draft/draft.js';
import { lacking } from '../moves/admit.js';
import { isMergeabilityNeeded, nextFaultRetry } from '../moves/faults.js';
import { setPoll, type Topic } from '../moves/polls.js';
import { lastHead } from './facts/branch.js';

/**
 * Requests the reads that are due. Nothing is read for an empty queue, and the target is not read during a landing.
 * Each topic has at most one read at a time, which covers all runs or all pull requests.
 */
export const ask = (draft: Draft): void => {
  const hasLive = draft.liveCount > 0;
  const { branch, landing } = draft.queue;
  if (hasLive && landing === null && isDue(draft, 'branch'))
    setPending(draft, 'branch', draft.request({ type: 'read_branch', branch, known: lastHead(draft) }));
  if (hasLive && isDue(draft, 'pullRequests')) readPullRequests(draft);
  readNoticed(draft);
  const isHinted = draft.queue.polls.checks.isHinted === true;
  const toRead = draft.openRuns().filter((run) => isUnderTest(run) || (isHinted && hasPassed(run)));
  if (toRead.length > 0 && isDue(draft, 'checks'))
    setPending(draft, 'checks', draft.request({ type: 'read_checks', runs: toRead.flatMap(readOf) }));
};

/** A passed run is read right before it lands, and when the host hints that checks have changed. */
const hasPassed = ({ outcome, purpose }: TestRun): boolean =>
  outcome === 'passed' && purpose.kind !== 'compose';

const isUnderTest = (run: TestRun): boolean => run.state === 'testing' && run.candidate !== null;

/**
 * Reads only the pull requests of which the host has hinted a change, once no other read is under way: that one may
 * have been too early to show the change.
 */
const readNoticed = (draft: Draft): void => {
  const { asked, upTo, noticed = [] } = draft.queue.polls.pullRequests;
  if (noticed.length === 0 || asked !== null || upTo !== null) return;
  const prs = noticed.filter((pr) => draft.liveSubmission(pr) !== undefined);
  if (prs.length === 0) return setPoll(draft, 'pullRequests', { noticed: [] });
  const read = draft.request({ type: 'read_pull_requests', prs, ...mergingOf(draft, prs) });
  setPoll(draft, 'pullRequests', { asked: read, askedAt: draft.now, noticed: [], isPart: true });
};

/** Max pull requests in one read. More of them are read in pages, by their numbers. */
export const PULL_REQUESTS_LIMIT = 1_000;

const readPullRequests = (draft: Draft): void => {
  const nextPage = numbersAbove(draft, draft.queue.polls.pullRequests.upTo ?? 0);
  const numbers = nextPage.length === 0 ? numbersAbove(draft, 0) : nextPage;
  const prs = numbers.slice(0, PULL_REQUESTS_LIMIT);
  const upTo = numbers.length > PULL_REQUESTS_LIMIT ? (prs.at(-1) ?? null) : null;
  setPending(
    draft,
    'pullRequests',
    draft.request({ type: 'read_pull_requests', prs, ...mergingOf(draft, prs) }),
    upTo,
  );
};

/** Mergeability costs the host, so it is requested only if the answer decides something. */
const mergingOf = (draft: Draft, prs: readonly number[]): Pick<ReadPullRequests, 'merging'> => {
  const needed = prs.filter((pr) => {
    const submission = draft.liveSubmission(pr);
    return submission !== undefined && isMergeabilityNeeded(submission, lackOf(draft, submission));
  });
  return needed.length === 0 ? {} : { merging: { prs: needed, method: draft.queue.settings.mergeMethod } };
};

const lackOf = (draft: Draft, submission: Submission) =>
  submission.state === 'not_ready' ? lacking(draft, submission) : null;

/** One page of the numbers above this one, and one number more if it is not the last page. */
const numbersAbove = (draft: Draft, number: number): readonly number[] => {
  const first = draft.numbers.findIndex((one) => one > number);
  return first === -1 ? [] : draft.numbers.slice(first, first + PULL_REQUESTS_LIMIT + 1);
};

const isDue = (draft: Draft, topic: Topic): boolean => {
  const poll = draft.queue.polls[topic];
  if (poll.asked !== null) return false;
  const dueAt = Math.min(poll.dueAt, topic === 'pullRequests' ? faultDueAt(draft, poll.askedAt) : poll.dueAt);
  if (dueAt <= draft.now) return true;
  draft.wakeAt(dueAt);
  return false;
};

/** A pull request on which the host failed is read again once its backoff is over, once for each backoff. */
const faultDueAt = (draft: Draft, askedAt: Instant): Instant => {
  const retryAt = nextFaultRetry(draft);
  return retryAt === null || askedAt >= retryAt ? Number.POSITIVE_INFINITY : retryAt;
};

const setPending = (draft: Draft, topic: Topic, asked: EffectId, upTo: number | null = null): void => {
  const poll = draft.queue.polls[topic];
  const isFirstPart = poll.upTo === null;
  const again = !isFirstPart && poll.again;
  const noticed = topic === 'pullRequests' && isFirstPart ? { noticed: [] } : {};
  setPoll(draft, topic, { asked, upTo, askedAt: draft.now, again, isHinted: false, ...noticed });
};
