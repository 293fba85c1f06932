import type { Instant } from '../../model/ids.js';
import {
  hitsOf,
  type InfrastructureFailure,
  isInfrastructureDown,
} from '../../model/infrastructure-failure.js';
import { remainingBatch, remainingMembers, remainingStack, type TestRun } from '../../model/run.js';
import type { Submission } from '../../model/submission.js';
import type { Draft } from '../draft/draft.js';
import { staleReasonOf } from '../line/proof.js';
import { leave, requeue } from '../moves/leave.js';
import { delayAfter } from '../moves/retry.js';
import { detailOf } from './culprit.js';

/**
 * Retries an inconclusive run in place until the retry budget of the attempt is spent. If unrelated pull requests fail
 * in the same way within a short time, the infrastructure is at fault, and no retry is charged.
 */
export const retryInconclusive = (draft: Draft, run: TestRun): void => {
  if (remainingStack(run).length > 0) return repeatUncharged(draft, run);
  // The queue did not ask for the re-run. If it was inconclusive, it is repeated once without a charge.
  if (run.rerunSince !== null && draft.membersOf(run).every(({ isRepeated }) => !isRepeated))
    return repeatUncharged(draft, run);
  const rounds = infrastructureRounds(draft, run);
  const isUnrelatedToBatch = rounds > 0;
  const members = draft.membersOf(run);
  const isBudgetSpent = members.some(({ retries }) => retries >= draft.context.pace.retryLimit);
  if (isBudgetSpent && !isUnrelatedToBatch) return giveUp(draft, run, members);
  draft.closeRun(run, 'judged');
  const charged = members.flatMap(({ id }) => draft.submission(id) ?? []);
  // All members get the same delay, so that they are tested together again.
  const tries = isUnrelatedToBatch ? rounds : Math.max(...charged.map(({ retries }) => retries));
  const retryAt = draft.now + delayAfter(draft, tries);
  for (const submission of charged)
    draft.change(submission, {
      retries: submission.retries + (isUnrelatedToBatch ? 0 : 1),
      isRepeated: false,
      retryAt,
      reasonDetail: detailOf(run),
    });
};

/** The number of infrastructure failures in a row that hit unrelated pull requests; 0 if the batch itself may be the cause. */
const infrastructureRounds = (draft: Draft, run: TestRun): number => {
  if (run.outcome !== 'infrastructure') return 0;
  return run.failedAfter === undefined
    ? countInfrastructureFailure(draft, run)
    : roundsOfWaiting(draft, run, run.failedAfter);
};

/**
 * The same for a run that had to wait for its stack. It was counted when it ended, and is judged by what failed before
 * and after that. It is not counted again: a verdict may have come since.
 */
const roundsOfWaiting = (draft: Draft, run: TestRun, before: InfrastructureFailure | null): number => {
  if (isUnrelatedTo(draft, run, before)) return before.rounds + 1;
  const last = draft.queue.infrastructureFailure;
  if (last?.runId === run.id) {
    draft.changeQueue({ infrastructureFailure: { ...last, charged: chargedBy(run) } });
    return 0;
  }
  if (!isUnrelatedTo(draft, run, last)) return 0;
  refundRetries(draft, last.charged);
  const rounds = last.rounds + 1;
  draft.changeQueue({ infrastructureFailure: { ...last, charged: [], rounds } });
  return rounds;
};

/**
 * An inconclusive run with an undecided stack is not charged. It is repeated once, and then stays open until its stack
 * has landed or changed. If the stack has changed already, the line closes the run.
 */
const repeatUncharged = (draft: Draft, run: TestRun): void => {
  const members = draft.membersOf(run);
  if (staleReasonOf(draft, run) !== null) return;
  if (members.some(({ isRepeated }) => isRepeated)) {
    if (run.failedAfter !== undefined) return;
    draft.changeRun(run, { failedAfter: draft.queue.infrastructureFailure });
    if (run.outcome === 'infrastructure') countInfrastructureFailure(draft, run);
    return;
  }
  const rounds = run.outcome === 'infrastructure' ? countInfrastructureFailure(draft, run) : 0;
  draft.closeRun(run, 'judged');
  const retryAt = draft.now + delayAfter(draft, rounds);
  for (const { id } of members) {
    const submission = draft.submission(id);
    if (submission !== undefined)
      draft.change(submission, { isRepeated: true, retryAt, reasonDetail: detailOf(run) });
  }
};

/**
 * Fails a single pull request. The members of a batch are tested one by one, which shows the one that cannot be tested.
 */
const giveUp = (draft: Draft, run: TestRun, members: readonly Submission[]): void => {
  const reason = run.outcome === 'cancelled' ? 'TEST_RUN_CANCELLED' : 'TEST_RUN_INFRASTRUCTURE';
  const because = { reason, detail: detailOf(run), runId: run.id } as const;
  const [only, ...others] = members;
  if (only !== undefined && others.length === 0) {
    leave(draft, draft.change(only, { failedRunId: run.id }), 'failed', because);
    return;
  }
  draft.closeRun(run, 'judged');
  for (const submission of members)
    draft.change(requeue(draft, submission, because, 'place'), { alone: true, retries: 0, retryAt: null });
};

/**
 * True if the infrastructure is at fault: unrelated pull requests were hit since the last verdict, or the previous failure
 * hit other pull requests shortly before this one, or after it.
 */
const isUnrelatedTo = (
  draft: Draft,
  run: TestRun,
  before: InfrastructureFailure | null,
): before is InfrastructureFailure => {
  if (before === null || before.runId === run.id) return false;
  const prs = prsOf(run);
  if (wereHitBefore(prs, before)) return false;
  if (isInfrastructureDown(before)) return true;
  return isRecent(draft, run, before) && before.prs.length > 0 && !before.prs.some((pr) => prs.includes(pr));
};

const prsOf = (run: TestRun): readonly number[] => remainingMembers(run).map((member) => member.pr);

/** A test run that had to wait for its stack is judged long after it ended. */
const endOf = (draft: Draft, run: TestRun): Instant => run.endedAt ?? draft.now;

/** True if the run was under test at the time of the previous failure, or within the window before or after it. */
const isRecent = (draft: Draft, run: TestRun, before: InfrastructureFailure): boolean => {
  const { infrastructureWindowMs } = draft.context.pace;
  return (
    run.createdAt <= before.at + infrastructureWindowMs &&
    endOf(draft, run) >= before.at - infrastructureWindowMs
  );
};

/** True if all of these were hit before the last verdict. */
const wereHitBefore = (prs: readonly number[], { hitBeforeVerdict }: InfrastructureFailure): boolean =>
  prs.every((pr) => hitBeforeVerdict?.includes(pr));

/**
 * The number of infrastructure failures since the last verdict that hit unrelated pull requests; 0 if the batch itself may be
 * the cause.
 */
const countInfrastructureFailure = (draft: Draft, run: TestRun): number => {
  const before = draft.queue.infrastructureFailure;
  const prs = prsOf(run);
  const isUnrelated = isUnrelatedTo(draft, run, before);
  const narrowed = narrowedBy(draft, run, before);
  // While the infrastructure is known to be at fault, it is one more failure of that.
  if (narrowed !== null && !isUnrelated) {
    draft.changeQueue({ infrastructureFailure: narrowed });
    return 0;
  }
  const rounds = (before?.rounds ?? 0) + (isUnrelated ? 1 : 0);
  if (isUnrelated) refundRetries(draft, before.charged);
  const isItsOwn = before !== null && wereHitBefore(prs, before);
  draft.changeQueue({
    infrastructureFailure: {
      runId: run.id,
      prs,
      earlier: before === null ? [] : hitsOf(before),
      charged: isUnrelated || isItsOwn || remainingStack(run).length > 0 ? [] : chargedBy(run),
      at: endOf(draft, run),
      rounds,
      ...(before === null ? {} : keptOf(draft, before, isUnrelated ? null : prs)),
    },
  });
  return isUnrelated ? rounds : 0;
};

/**
 * The previous failure with only the pull requests that may have caused this one too: on top of an undecided stack the same
 * failure shows no more than that. Null if there are none.
 */
const narrowedBy = (
  draft: Draft,
  run: TestRun,
  before: InfrastructureFailure | null,
): InfrastructureFailure | null => {
  if (remainingStack(run).length === 0 || before === null || !isRecent(draft, run, before)) return null;
  const prs = prsOf(run);
  const inBoth = before.prs.filter((pr) => prs.includes(pr));
  if (inBoth.length === 0) return null;
  return { ...before, prs: inBoth, renewed: [], at: Math.max(before.at, endOf(draft, run)) };
};

/**
 * What is kept from the previous failure. `hitNow` is null when unrelated pull requests are hit: then
 * `hitBeforeVerdict` is dropped.
 */
const keptOf = (
  draft: Draft,
  { hitBeforeVerdict, probe }: InfrastructureFailure,
  hitNow: readonly number[] | null,
): Partial<InfrastructureFailure> => ({
  ...(hitBeforeVerdict === undefined || hitNow === null
    ? {}
    : { hitBeforeVerdict: hitBeforeVerdict.filter((pr) => !hitNow.includes(pr)) }),
  ...(probe === undefined || draft.run(probe)?.closedAt !== null ? {} : { probe }),
});

/** In a bisection no pull request is charged. */
const chargedBy = (run: TestRun): readonly number[] =>
  run.purpose.kind === 'test' ? remainingBatch(run).map((member) => member.pr) : [];

/** The rounds of the infrastructure failure that a prefix run of a bisection is part of; 0 if it has to be charged. */
export const roundsUncharged = (draft: Draft, prefixRun: TestRun): number =>
  prefixRun.outcome === 'infrastructure' ? countInfrastructureFailure(draft, prefixRun) : 0;

/** Returns the retry that was charged for the first of these failures. */
const refundRetries = (draft: Draft, prs: readonly number[]): void => {
  for (const pr of prs) {
    const submission = draft.liveSubmission(pr);
    if (submission !== undefined && submission.retries > 0)
      draft.change(submission, { retries: submission.retries - 1 });
  }
};
