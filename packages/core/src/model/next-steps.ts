import type { ReasonCode } from './reasons.js';
import type { SubmissionState } from './submission.js';

/** What a user can do after an attempt has ended, by the reason of its end. `{it}` is the pull request. */
export const nextSteps = {
  TEST_RUN_REQUIRED_STATUS_FAILED:
    'Fix the failing check, push, and submit {it} again. (Submitting it unchanged reruns the tests.)',
  TEST_RUN_FAILED_BY_OPTIMIZATION:
    'Fix the failing check, push, and submit {it} again. (With noBatch it is tested alone.)',
  TEST_RUN_TIMEOUT:
    'Find out why the checks did not finish in time, or raise testingTimeoutMinutes, then submit {it} again.',
  TEST_RUN_INFRASTRUCTURE: 'Repair the CI, then submit {it} again; its change did not fail.',
  TEST_RUN_CANCELLED:
    'Find out what cancels the checks in the CI, then submit {it} again; its change did not fail.',
  START_TEST_RUN_MERGE_CONFLICT:
    'Resolve the conflict with the target branch and push, then submit {it} again.',
  REBASE_WOULD_LOSE_MERGE_CONTENT:
    'Rebase the branch onto its target branch, without merge commits, and push, then submit {it} again; or change the merge method of the queue to squash or merge_commit.',
  START_TEST_RUN_NO_REQUIRED_STATUSES:
    'Name the required checks, in the rules of the branch or as requiredStatuses of the queue, then submit {it} again.',
  START_TEST_RUN_REFUSED: 'Fix what the code host objects to, then submit {it} again.',
  GITHUB_API_MERGE_PR_FAILED: 'Fix what the code host objects to, then submit {it} again.',
  USER_REQUESTED: 'To merge {it} after all, submit it again.',
  PR_CLOSED: 'Reopen {it}, then submit it again.',
  PR_NOT_FOUND: 'Restore {it} at the code host, or open another pull request and submit that.',
  PR_MERGED_INTO_OTHER_BRANCH:
    'If the change is wanted on the target branch too, open another pull request and submit that.',
  PR_PUSHED_TO: 'Submit {it} again to test its new head.',
  PR_BASE_BRANCH_CHANGED:
    'Change the base branch of {it} back and submit it again, or submit it to the queue of its new base branch.',
  PR_CONVERTED_TO_DRAFT: 'Mark {it} as ready for review, then submit it again.',
  QUEUE_DRAINING: 'Submit {it} again once the queue runs, or submit it to another queue.',
  NOT_READY_TIMEOUT_EXPIRED: 'Resolve what {it} waited for, then submit it again.',
} as const satisfies Partial<Record<ReasonCode, string>>;

/**
 * What precedes the step above if the tests failed on top of other pull requests, since the failure may not show without them:
 * `merged` if these have merged by then, `merging` if some are still to merge.
 */
export const rebaseSteps = {
  merged:
    'The tests of {it} failed on top of {others}, which {have} merged since. Rebase on {branch} to see the failure.',
  merging:
    'The tests of {it} failed on top of {others}. Once {others} {have} merged, rebase on {branch} to see the failure.',
} as const;

/** For the reasons that have no entry above, by the final state. */
export const nextStepsOtherwise = {
  merged: '{it} is merged.',
  merged_otherwise:
    'Find out why what was merged with {it} differs from what was tested: the receipts of that merge name both.',
  failed: 'Fix what made it fail, then submit {it} again.',
  cancelled: 'To merge {it} after all, submit it again.',
} as const satisfies Partial<Record<SubmissionState | 'merged_otherwise', string>>;
