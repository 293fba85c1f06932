import { gateOf, mayFinish } from '../../model/gates.js';
import type { TestRunId } from '../../model/ids.js';
import { requiredChecksOf } from '../../model/required-checks.js';
import type { Member } from '../../model/run.js';
import { allFailedChecksOf } from '../../model/run-evidence.js';
import type { Draft } from '../draft/draft.js';
import { beginRun } from '../moves/new-run.js';
import { type BisectedRun, bisectedRuns, isRestUntested, partsOf } from './bisection.js';
import { freeBisectionSlots } from './slots.js';

/** Parts of one batch that are tested side by side where slots are idle: k of them cut the rest into k + 1. */
const PARTS_AT_ONCE = 3;

/** Has the next parts tested, in the slots kept for that. */
export const testParts = (draft: Draft): void => {
  if (!mayFinish(gateOf(draft.queue))) return;
  for (const run of bisectedRuns(draft)) {
    const { retryAt } = run.bisection;
    if (partsOf(draft, run).some((part) => part.state !== 'ended')) continue;
    if (retryAt !== null && retryAt > draft.now) draft.wakeAt(retryAt);
    else testNext(draft, run, cuts(draft, run));
  }
};

/** Up to where the next parts go. */
const cuts = (draft: Draft, run: BisectedRun): readonly number[] => {
  const { passed, failed } = run.bisection;
  const free = Math.min(
    freeBisectionSlots(draft),
    draft.context.pace.isolationRunLimit - run.bisection.parts,
  );
  if (free <= 0) return [];
  const end = endOfPart(draft, run);
  if (isRestUntested(draft, run) && end >= failed) return [failed];
  const count = Math.min(free, PARTS_AT_ONCE, failed - passed - 1);
  const lengths = Array.from({ length: count }, (_, index) =>
    Math.min(end, passed + Math.round(((index + 1) * (failed - passed)) / (count + 1))),
  );
  return [...new Set(lengths)];
};

/** Up to where one part may go: one that asked to be alone since is tested by itself, on those before it. */
const endOfPart = (draft: Draft, { batch, bisection: { passed, failed } }: BisectedRun): number => {
  const isAlone = ({ submissionId }: Member) => draft.submission(submissionId)?.noBatch === true;
  const together = batch.slice(passed, failed).findIndex(isAlone);
  return together === -1 ? failed : passed + Math.max(together, 1);
};

const testNext = (draft: Draft, run: BisectedRun, lengths: readonly number[]): void => {
  if (lengths.length === 0) return;
  for (const length of lengths) testPart(draft, run, length);
  const parts = run.bisection.parts + lengths.length;
  draft.changeRun(run, { bisection: { ...run.bisection, parts, retryAt: null } });
};

const testPart = (draft: Draft, run: BisectedRun, length: number): void => {
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
