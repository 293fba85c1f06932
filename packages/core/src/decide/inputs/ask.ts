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
 * What has to be asked again. Nothing is asked for a queue in which nobody waits, nothing of the target while we move
 * it, and nothing twice at a time: one question covers all runs, or all pull requests.
 */
export const ask = (draft: Draft): void => {
  const isAnybodyThere = draft.liveCount > 0;
  const { branch, landing } = draft.queue;
  if (isAnybodyThere && landing === null && isDue(draft, 'branch'))
    put(draft, 'branch', draft.wish({ type: 'read_branch', branch, known: lastHead(draft) }));
  if (isAnybodyThere && isDue(draft, 'pullRequests')) askAfterPullRequests(draft);
  const isHinted = draft.queue.polls.checks.isHinted === true;
  const toRead = draft.openRuns().filter((run) => isUnderTest(run) || (isHinted && hasPassed(run)));
  if (toRead.length > 0 && isDue(draft, 'checks'))
    put(draft, 'checks', draft.wish({ type: 'read_checks', runs: toRead.flatMap(readOf) }));
};

/** A run that has passed is read right before it lands, and where the host says that checks have changed. */
const hasPassed = ({ outcome, purpose }: TestRun): boolean =>
  outcome === 'passed' && purpose.kind !== 'compose';

const isUnderTest = (run: TestRun): boolean => run.state === 'testing' && run.candidate !== null;

/** Pull requests that one question asks after. More of them are asked after in parts, by their numbers. */
export const PULL_REQUESTS_LIMIT = 1_000;

const askAfterPullRequests = (draft: Draft): void => {
  const rest = numbersAbove(draft, draft.queue.polls.pullRequests.upTo ?? 0);
  const left = rest.length === 0 ? numbersAbove(draft, 0) : rest;
  const prs = left.slice(0, PULL_REQUESTS_LIMIT);
  const upTo = left.length > PULL_REQUESTS_LIMIT ? (prs.at(-1) ?? null) : null;
  put(draft, 'pullRequests', draft.wish({ type: 'read_pull_requests', prs, ...mergingOf(draft, prs) }), upTo);
};

/** Merging costs the host: it is asked for only where the answer decides something. */
const mergingOf = (draft: Draft, prs: readonly number[]): Pick<ReadPullRequests, 'merging'> => {
  const needed = prs.filter((pr) => {
    const submission = draft.liveSubmission(pr);
    return submission !== undefined && isMergeabilityNeeded(submission, lackOf(draft, submission));
  });
  return needed.length === 0 ? {} : { merging: { prs: needed, method: draft.queue.settings.mergeMethod } };
};

const lackOf = (draft: Draft, submission: Submission) =>
  submission.state === 'not_ready' ? lacking(draft, submission) : null;

/** As many as one question asks after, and one more where there are more. */
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

/** One on which the host failed is asked about as soon as its backoff is over, and not more than once for that. */
const faultDueAt = (draft: Draft, askedAt: Instant): Instant => {
  const retryAt = nextFaultRetry(draft);
  return retryAt === null || askedAt >= retryAt ? Number.POSITIVE_INFINITY : retryAt;
};

const put = (draft: Draft, topic: Topic, asked: EffectId, upTo: number | null = null): void => {
  const poll = draft.queue.polls[topic];
  const isFirstPart = poll.upTo === null;
  const again = !isFirstPart && poll.again;
  setPoll(draft, topic, { asked, upTo, askedAt: draft.now, again, isHinted: false });
};
