import type { ReasonCode } from './reasons.js';
import type { SubmissionState } from './submission.js';

/** What can be done after an attempt has ended, by why it did: one sentence. `{it}` is the pull request. */
export const nextSteps = {
  TEST_RUN_REQUIRED_STATUS_FAILED:
    'Mend what the check found and push, then submit {it} again; submitted as it is, it is tested anew.',
  TEST_RUN_FAILED_BY_OPTIMIZATION:
    'Mend what the check found and push, then submit {it} again; with noBatch it is tested by itself.',
  TEST_RUN_TIMEOUT:
    'See why the checks did not end in time, or raise testingTimeoutMinutes, then submit {it} again.',
  TEST_RUN_INFRASTRUCTURE: 'Repair the CI, then submit {it} again: nothing is held against its change.',
  TEST_RUN_CANCELLED:
    'See what cancels the checks in the CI, then submit {it} again: nothing is held against its change.',
  START_TEST_RUN_MERGE_CONFLICT:
    'Resolve the conflict with the target branch and push, then submit {it} again.',
  REBASE_WOULD_LOSE_MERGE_CONTENT:
    'Flatten the branch onto its target branch, without merge commits, and push, then submit {it} again; or have the merge method of the queue changed to squash or merge_commit.',
  START_TEST_RUN_NO_REQUIRED_STATUSES:
    'Name the required checks, in the rules of the branch or as requiredStatuses of the queue, then submit {it} again.',
  START_TEST_RUN_REFUSED: 'Change what the code host objects to, then submit {it} again.',
  GITHUB_API_MERGE_PR_FAILED: 'Change what the code host objects to, then submit {it} again.',
  USER_REQUESTED: 'Submit {it} again if it is to land after all.',
  PR_CLOSED: 'Reopen {it}, then submit it again.',
  PR_NOT_FOUND: 'Restore {it} at the code host or open another pull request, and submit that.',
  PR_MERGED_INTO_OTHER_BRANCH:
    'Open another pull request if the change is wanted on the target branch too, and submit that.',
  PR_PUSHED_TO: 'Submit {it} again: its new head is tested from the start.',
  PR_BASE_BRANCH_CHANGED:
    'Change the base branch of {it} back and submit it again, or submit it to the queue of its new base branch.',
  PR_CONVERTED_TO_DRAFT: 'Mark {it} as ready for review, then submit it again.',
  QUEUE_DRAINING: 'Submit {it} again once the queue runs, or submit it to another queue.',
  NOT_READY_TIMEOUT_EXPIRED: 'See to what it waited for, then submit {it} again.',
} as const satisfies Partial<Record<ReasonCode, string>>;

/** Where nothing more particular is known. */
export const nextStepsOtherwise = {
  merged: 'Nothing has to be done: it is merged.',
  merged_otherwise:
    'Find out how what was landed with {it} came to differ from what was tested: the receipts of that landing name both.',
  failed: 'See to what made it fail, then submit {it} again.',
  cancelled: 'Submit {it} again if it is to land after all.',
} as const satisfies Partial<Record<SubmissionState | 'merged_otherwise', string>>;
