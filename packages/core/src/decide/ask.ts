import type { EffectId } from '../model/ids.js';
import type { Run, Trial } from '../model/run.js';
import type { Draft } from './draft.js';
import { lastHead } from './facts/branch.js';
import { setPoll, type Topic } from './polls.js';

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
  if (draft.openRuns().some(isUnderTest) && isDue(draft, 'checks')) {
    const tested = draft.openRuns().filter(isUnderTest);
    const runs = tested.map(({ id, trial }) => ({ runId: id, commit: trial.commit }));
    put(draft, 'checks', draft.wish({ type: 'read_checks', runs }));
  }
};

const isUnderTest = (run: Run): run is Run & { readonly trial: Trial } =>
  run.state === 'testing' && run.trial !== null;

/** Pull requests that one question asks after. More of them are asked after in parts, by their numbers. */
export const PULL_REQUESTS_LIMIT = 1_000;

const askAfterPullRequests = (draft: Draft): void => {
  const rest = numbersAbove(draft, draft.queue.polls.pullRequests.upTo ?? 0);
  const left = rest.length === 0 ? numbersAbove(draft, 0) : rest;
  const prs = left.slice(0, PULL_REQUESTS_LIMIT);
  const upTo = left.length > PULL_REQUESTS_LIMIT ? (prs.at(-1) ?? null) : null;
  put(draft, 'pullRequests', draft.wish({ type: 'read_pull_requests', prs }), upTo);
};

/** As many as one question asks after, and one more where there are more. */
const numbersAbove = (draft: Draft, number: number): readonly number[] => {
  const first = draft.numbers.findIndex((one) => one > number);
  return first === -1 ? [] : draft.numbers.slice(first, first + PULL_REQUESTS_LIMIT + 1);
};

const isDue = (draft: Draft, topic: Topic): boolean => {
  const poll = draft.queue.polls[topic];
  if (poll.asked !== null) return false;
  if (poll.dueAt <= draft.now) return true;
  draft.wakeAt(poll.dueAt);
  return false;
};

const put = (draft: Draft, topic: Topic, asked: EffectId, upTo: number | null = null): void => {
  const poll = draft.queue.polls[topic];
  const isFirstPart = poll.upTo === null;
  setPoll(draft, topic, { asked, upTo, askedAt: draft.now, again: !isFirstPart && poll.again });
};
