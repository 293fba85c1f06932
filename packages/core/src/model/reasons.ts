/**
 * Every reason for a change of state of a submission, with the sentence that users read. The codes are part of the
 * public API. A page of the reference is generated from this table.
 */
export const reasons = {
  API_REQUESTED: 'It was submitted over the API.',
  USER_REQUESTED: 'A user requested it.',
  MERGE_ITEM_NOW_READY: 'It became ready and joined the queue.',
  CAPACITY_AVAILABLE: 'A test slot was free and its tests started.',
  TEST_RUN_PASSED: 'All required checks passed.',
  PASSED_BY_OPTIMIZATION: 'It needed no test: all required checks had already passed.',
  SUCCESSOR_TEST_RUN_PASSED: 'A pull request behind it passed together with it.',
  TEST_RUN_FAILED_BY_OPTIMIZATION:
    'Its batch failed and everything before it in the batch passed: it is the culprit.',
  BISECTION_REQUIRED: 'Its batch failed, and the queue searches the batch for the culprit.',
  BISECTION_TEST_STARTED:
    'Its batch failed, and some pull requests of the batch are being tested to find the culprit.',
  BISECTION_TEST_RUN_PASSED:
    'It passed in a bisection of its failed batch, and is tested again once the culprit is found.',
  CHECK_RUN_AGAIN:
    'A required check was started again after it had passed; the pull request is merged once that has passed.',
  CHECKS_RUN_AGAIN_OFTEN:
    'Required checks were started again three times after they had passed: it is tested again, alone.',
  BISECTION_SKIPPED:
    'The check that its batch failed was skipped in a test of the bisection: the pull requests of that test are tested alone.',
  BISECTION_INCONCLUSIVE: 'Its batch failed and then passed: each pull request of the batch is tested alone.',
  BISECTION_LIMIT_REACHED:
    'Finding the culprit of its batch would take too many tests: each pull request of the batch is tested alone.',
  BISECTION_INTERRUPTED:
    'The tests of the bisection kept ending without a verdict: each pull request of the batch is tested alone.',
  BATCH_REFUSED:
    'The code host refused to merge its batch without naming a pull request: each of the batch is tested alone.',
  CONFIRMATION_REQUIRED: 'Its tests failed; one more test run has to confirm that (confirmBeforeFailing).',
  SKIP_THE_LINE_INTERRUPTED: 'An urgent pull request preempted it.',
  OVERTAKEN:
    'Pull requests that it was tested without merged first, and overlap with it or are too many to track.',
  BASE_BROKEN:
    'It was tested on a commit of the target branch that fails by itself, and the branch has moved since.',
  PROOF_LOST: 'The test run that it had passed no longer counts.',
  CONFLICT_WITH_OTHER_LANE: 'It conflicts with what another lane merged after it had passed.',
  TEST_RUN_REQUIRED_STATUS_FAILED: 'A required check failed.',
  TEST_RUN_TIMEOUT: 'Its tests timed out.',
  TEST_RUN_INFRASTRUCTURE: 'Its tests could not be run because of the CI, and all retries are used.',
  TEST_RUN_CANCELLED: 'Its tests were cancelled by the CI, and all retries are used.',
  TESTS_RESTARTED_BY_API_REQUEST: 'A user restarted its tests.',
  PREREQUISITE_MERGE_ITEM_FAILED: 'A pull request that it was tested with failed.',
  PREREQUISITE_MERGE_ITEM_CANCELLED: 'A pull request that it was tested with left the queue.',
  PREREQUISITE_MERGE_ITEM_MANUALLY_MERGED:
    'A pull request that it was tested with was merged outside of the queue.',
  PREREQUISITE_MERGE_ITEM_PENDING:
    'Another pull request is ahead of it now, or one that it was tested with has moved in the queue or is tested again.',
  STACK_INCOMPLETE:
    'It failed in a test without a pull request that one below it builds on. Both have merged since, and it is tested again.',
  MANUAL_PUSH_TO_TARGET_BRANCH: 'The target branch was moved from outside of the queue.',
  MERGE_METHOD_CHANGED:
    'The merge method of the queue was changed: the commit to merge has to be built again.',
  DIRECT_MERGE_OFF:
    'Direct merges were switched off: only its own checks had passed, and the queue has to test it.',
  RUN_NOT_BUILT: 'The commit to test could not be built; the queue retries.',
  REQUIRED_STATUSES_CHANGED: 'The required checks changed, and its tests do not cover them.',
  CONFLICT_WITH_SUBMISSION_AHEAD: 'It conflicts with an undecided pull request ahead of it.',
  MERGE_NOT_COMPUTABLE_AHEAD:
    'The code host cannot compute its merge with an undecided pull request ahead of it.',
  CHANGE_ALREADY_AHEAD: 'An undecided pull request ahead of it already contains its change.',
  TRIAL_GONE: 'The code host no longer has the commit that was tested: it has to be built again.',
  LANDING_PUT_OFF: 'The code host could not merge it a moment ago; the queue retries.',
  LANDING_UNANSWERED:
    'The code host answered none of the tries to merge it: other pull requests are tried before it.',
  HOST_NOT_READY: 'The code host asked the queue to wait before merging it.',
  READINESS_LOST: 'The code host no longer allows it to be merged.',
  START_TEST_RUN_MERGE_CONFLICT: 'It conflicts with the target branch.',
  REBASE_WOULD_LOSE_MERGE_CONTENT:
    'A merge commit of its branch has content of its own, which the merge method rebase would lose.',
  PULL_REQUEST_UNREADABLE:
    'The code host cannot read it, but can read others. Push a head that it can read, and submit it again.',
  MERGE_NOT_COMPUTABLE:
    'The code host cannot compute its merge with the target branch, but can compute others. Rebase or split it, and submit it again.',
  START_TEST_RUN_NO_REQUIRED_STATUSES:
    'No required checks are known, neither to the queue nor to the code host.',
  START_TEST_RUN_REFUSED: 'The code host cannot build the commit to test.',
  GITHUB_API_MERGE_PR_FAILED: 'The code host refused to merge it.',
  MERGE_GRAPH_MERGE: 'The queue merged it.',
  MERGE_GRAPH_DIRECT_MERGE:
    'It was up to date and alone in the queue, and its own checks had passed: it was merged without another test.',
  MANUAL_MERGE: 'It was merged outside of the queue.',
  NOTHING_TO_LAND: 'The target branch already contains its change.',
  PR_CLOSED: 'The pull request was closed.',
  PR_NOT_FOUND: 'The code host no longer finds the pull request.',
  PR_MERGED_INTO_OTHER_BRANCH: 'The pull request was merged into another branch.',
  PR_PUSHED_TO: 'The pull request was pushed to.',
  PR_BASE_BRANCH_CHANGED: 'The base branch of the pull request was changed.',
  PR_CONVERTED_TO_DRAFT: 'The pull request was converted to a draft.',
  QUEUE_DRAINING: 'The queue is being drained: pull requests without a test run are cancelled.',
  NOT_READY_TIMEOUT_EXPIRED: 'It did not become ready in time.',
} as const;

export type ReasonCode = keyof typeof reasons;
