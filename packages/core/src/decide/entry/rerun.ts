import { isOpenRun, type TestRun } from '../../model/run.js';
import { doubtsOf } from '../../model/run-evidence.js';
import type { Submission } from '../../model/submission.js';
import type { Draft } from '../draft/draft.js';
import type { Because } from '../draft/history-rows.js';
import { isProven } from '../line/proof.js';
import { takeRunFromLanding } from '../moves/landing.js';
import { requeue, requeueUnlessTested } from '../moves/leave.js';
import { verdictBy } from './expire.js';

/** Max re-runs of checks in one attempt after its pass. After that the pull request is tested again instead. */
export const RERUNS_LIMIT = 3;

/**
 * Reopens a passed test run of which a check was run again. The run is under test again, with a new deadline and
 * without a slot. False if a landing that depends on the run may be under way; then nothing changes.
 */
export const reopen = (draft: Draft, run: TestRun): boolean => {
  if (!takeRunFromLanding(draft, run)) return false;
  for (const doubt of doubtsOf(run)) draft.putVerdict(doubt);
  for (const combined of draft.openRuns())
    if (combined.purpose.kind === 'compose' && combined.purpose.vouchers.includes(run.id))
      draft.closeRun(combined, 'superseded');
  const members = draft
    .membersOf(run)
    .map((submission) => draft.change(submission, { reruns: submission.reruns + 1, isRepeated: false }));
  const isTooOften = run.purpose.kind !== 'test' || members.some(({ reruns }) => reruns >= RERUNS_LIMIT);
  if (isTooOften) testAgain(draft, run, members);
  else waitForRerun(draft, run, members);
  return true;
};

const waitForRerun = (draft: Draft, run: TestRun, members: readonly Submission[]): void => {
  draft.changeRun(run, {
    state: 'testing',
    outcome: null,
    decidedBy: null,
    endedAt: null,
    expired: null,
    testingSince: draft.now,
    deadlineAt: verdictBy(draft, draft.now),
    rerunSince: draft.now,
  });
  for (const submission of members)
    if (submission.state === 'tests_passed')
      draft.move(submission, 'testing', { reason: 'CHECK_RUN_AGAIN', runId: run.id });
};

/**
 * Closes the run and tests its members again, except those that another run proves. A prefix run whose pass is in doubt,
 * or a run that is reopened again and again, proves nothing.
 */
const testAgain = (draft: Draft, run: TestRun, members: readonly Submission[]): void => {
  draft.closeRun(run, 'tests_incomplete');
  for (const submission of members) {
    const isTooOften = submission.reruns >= RERUNS_LIMIT;
    const because = { reason: isTooOften ? 'CHECKS_RUN_AGAIN_OFTEN' : 'PROOF_LOST', runId: run.id } as const;
    if (run.purpose.kind === 'test' && !isTooOften) requeueUnlessTested(draft, submission.id, because);
    else draft.change(requeueUnlessProven(draft, submission, because), { alone: true });
  }
  const failed = run.purpose.kind === 'isolate' ? draft.run(run.purpose.failed) : undefined;
  if (failed === undefined || !isOpenRun(failed)) return;
  draft.closeRun(failed, 'isolation_interrupted');
  for (const submission of draft.membersOf(failed)) draft.change(submission, { alone: true });
};

const requeueUnlessProven = (draft: Draft, submission: Submission, because: Because): Submission =>
  isProven(draft, submission) ? submission : requeue(draft, submission, because);
