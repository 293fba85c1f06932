import { gateOf, mayFinish } from '../../model/gates.js';
import type { TestRunId } from '../../model/ids.js';
import { requiredChecksOf } from '../../model/required-checks.js';
import type { Member } from '../../model/run.js';
import { allFailedChecksOf } from '../../model/run-evidence.js';
import type { Draft } from '../draft/draft.js';
import { beginRun } from '../moves/new-run.js';
import { type BisectedRun, bisectedRuns, isRestUntested, prefixRunsOf } from './bisection.js';
import { freeBisectionSlots } from './slots.js';

/**
 * Max prefixes of one batch that are tested at the same time, in idle slots. k of them divide the remaining members into
 * k + 1 ranges.
 */
const PREFIX_RUNS_AT_ONCE = 3;

/** Starts the next prefix runs of each bisection, in bisection slots. */
export const startPrefixRuns = (draft: Draft): void => {
  if (!mayFinish(gateOf(draft.queue))) return;
  for (const run of bisectedRuns(draft)) {
    const { retryAt } = run.bisection;
    if (prefixRunsOf(draft, run).some((prefixRun) => prefixRun.state !== 'ended')) continue;
    if (retryAt !== null && retryAt > draft.now) draft.wakeAt(retryAt);
    else startNext(draft, run, nextPrefixLengths(draft, run));
  }
};

/** The lengths of the next prefixes to test. */
const nextPrefixLengths = (draft: Draft, run: BisectedRun): readonly number[] => {
  const { passed, failed } = run.bisection;
  const freeRuns = Math.min(
    freeBisectionSlots(draft),
    draft.context.pace.bisectionRunLimit - run.bisection.parts,
  );
  if (freeRuns <= 0) return [];
  const endLength = longestPrefix(draft, run);
  if (isRestUntested(draft, run) && endLength >= failed) return [failed];
  const count = Math.min(freeRuns, PREFIX_RUNS_AT_ONCE, failed - passed - 1);
  const lengths = Array.from({ length: count }, (_, index) =>
    Math.min(endLength, passed + Math.round(((index + 1) * (failed - passed)) / (count + 1))),
  );
  return [...new Set(lengths)];
};

/**
 * The longest prefix that may be tested together. A member that is to be tested alone gets a prefix run of its own, on
 * top of those before it.
 */
const longestPrefix = (draft: Draft, { batch, bisection: { passed, failed } }: BisectedRun): number => {
  const isAlone = ({ submissionId }: Member) => draft.submission(submissionId)?.noBatch === true;
  const firstAlone = batch.slice(passed, failed).findIndex(isAlone);
  return firstAlone === -1 ? failed : passed + Math.max(firstAlone, 1);
};

const startNext = (draft: Draft, run: BisectedRun, lengths: readonly number[]): void => {
  if (lengths.length === 0) return;
  for (const length of lengths) startPrefixRun(draft, run, length);
  const runCount = run.bisection.parts + lengths.length;
  draft.changeRun(run, { bisection: { ...run.bisection, parts: runCount, retryAt: null } });
};

const startPrefixRun = (draft: Draft, run: BisectedRun, length: number): void => {
  const { base, passed } = run.bisection;
  const runId = draft.newId<TestRunId>();
  const batch = run.batch.slice(passed, length);
  for (const member of batch) {
    const submission = draft.submission(member.submissionId);
    if (submission?.state === 'pending')
      draft.move(submission, 'testing', { reason: 'BISECTION_TEST_STARTED', runId });
  }
  beginRun(draft, runId, {
    purpose: { kind: 'isolate', failed: run.id, checks: allFailedChecksOf(run) },
    batch,
    stack: run.batch.slice(0, passed).filter((member) => !run.landed.includes(member.pr)),
    without: [],
    base,
    requiredChecks: requiredChecksOf(draft.queue)?.names ?? run.requiredChecks,
    overtaken: run,
    beside: run.beside,
  });
};
