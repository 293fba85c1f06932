import type { Check } from '../../model/checks.js';
import { requiredChecksOf } from '../../model/required-checks.js';
import { isOnTip, type TestRun } from '../../model/run.js';
import type { Draft } from '../draft/draft.js';
import { askSoon } from '../moves/polls.js';

/**
 * The shown checks that count for a test run. A check that ran on the merge of the candidate with the target ran on the
 * candidate itself only if the target stood on the test run's stack (its base, or a step of it that has landed) from the
 * beginning until the check started. Any other is stale. Where the target was not read since, that is not known yet: it is
 * left out until then.
 */
export const countedChecks = (draft: Draft, run: TestRun, shown: readonly Check[]): readonly Check[] => {
  const counted = shown.filter((check) => doesCount(draft, run, check));
  if (counted.length === shown.length) return shown;
  if (run.onto === draft.queue.target.head && isOnTip(run)) askSoon(draft, 'branch');
  return counted;
};

const doesCount = ({ queue: { target } }: Draft, run: TestRun, check: Check): boolean => {
  if (check.isOnMerge !== true || check.status === 'queued') return true;
  const hadBegun = run.checks.some(({ id, status }) => id === check.id && status !== 'queued');
  const isRead = target.readAt !== null && target.readAt > check.startedAt;
  return hadBegun || (isRead && run.onto === target.head && isOnTip(run));
};

/**
 * Makes a test run stale whose required check ran on a merge with what landed beside it: the candidate is built on the
 * present target then, and tested again.
 */
export const overtakeIfStale = (draft: Draft, run: TestRun, shown: readonly Check[]): void => {
  const beside = run.beside.at(-1)?.prs[0];
  if (beside === undefined || run.overtakenBy !== null || run.state === 'ended') return;
  const counted = new Set(run.checks.map(({ name }) => name));
  const required = requiredChecksOf(draft.queue)?.names ?? run.requiredChecks;
  const isStale = ({ name, isOnMerge, status }: Check) =>
    isOnMerge === true && status !== 'queued' && required.includes(name) && !counted.has(name);
  if (shown.some(isStale)) draft.changeRun(run, { overtakenBy: beside });
};
