import type { Check } from '../../model/checks.js';
import { stillPasses } from '../../model/landing-proof.js';
import { requiredChecksOf } from '../../model/required-checks.js';
import { isOnTip, type TestRun } from '../../model/run.js';
import type { Draft } from '../draft/draft.js';
import { proofsBy } from '../landing/land.js';
import { askSoon } from '../moves/polls.js';
import { doesStillPass } from './conclude.js';

/**
 * The shown checks that count for a test run. A check of a merge with the target tested the candidate itself only if the
 * target had not left the test run's base and stack when the check started. Otherwise it is stale and left out. It is also
 * left out until a read of the target after the start of the check shows which it is.
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
 * Marks a test run as overtaken if a required check ran on a merge with what landed beside it, and the run waits for that
 * check or, after its pass, would not land by it. Its batch is tested again on the present target.
 */
export const overtakeIfStale = (draft: Draft, run: TestRun, shown: readonly Check[]): void => {
  const beside = run.beside.at(-1)?.prs[0];
  if (beside === undefined || run.overtakenBy !== null) return;
  const isStale = run.outcome === 'passed' || run.rerunSince !== null ? isRefutedByStale : isWithoutCounted;
  if (isStale(draft, run, shown)) draft.changeRun(run, { overtakenBy: beside });
};

/** True if a run that has not ended lacks a check that counts and shows one on a merge. */
const isWithoutCounted = (draft: Draft, run: TestRun, shown: readonly Check[]): boolean => {
  if (run.state === 'ended') return false;
  const required = requiredChecksOf(draft.queue)?.names ?? run.requiredChecks;
  const counted = new Set(run.checks.map(({ name }) => name));
  return shown.some(
    ({ name, isOnMerge, status }) =>
      isOnMerge === true && status !== 'queued' && required.includes(name) && !counted.has(name),
  );
};

/** True if a run passes by the checks that count, but a landing would not accept it with all checks shown. */
const isRefutedByStale = (draft: Draft, run: TestRun, shown: readonly Check[]): boolean =>
  doesStillPass(draft, run) && !wouldLandWith(draft, run, shown);

/** Whether a landing accepts a passed run if the host shows these checks. */
export const wouldLandWith = (draft: Draft, run: TestRun, shown: readonly Check[]): boolean =>
  proofsBy(draft, run).every((proof) => stillPasses(proof, shown));
