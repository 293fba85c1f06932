/**
 * Every reason for which a submission changes its state, with the sentence that people read.
 * The codes are those of the public interface where it has one. Documentation is generated from this table.
 */
export const reasons = {
  API_REQUESTED: 'It was submitted over the API.',
  USER_REQUESTED: 'Somebody asked for it.',
  MERGE_ITEM_NOW_READY: 'It became ready and joined the line.',
  CAPACITY_AVAILABLE: 'A slot was free and its tests were started.',
  TEST_RUN_PASSED: 'All required checks passed.',
  PASSED_BY_OPTIMIZATION: 'It needed no test: nothing that is required of it was left to be tested.',
  SUCCESSOR_TEST_RUN_PASSED: 'A submission behind it passed together with it.',
  TEST_RUN_FAILED_BY_OPTIMIZATION:
    'Its batch failed and everything before it in the batch passed: it is the one that fails.',
  BISECTION_REQUIRED: 'Its batch failed, and which of the batch is to blame had to be found out.',
  BISECTION_TEST_STARTED: 'A part of its failed batch is being tested.',
  BISECTION_TEST_RUN_PASSED:
    'It passed in a part of its failed batch, and is tested again once the one to blame is found.',
  CHECK_RUN_AGAIN:
    'A required check was run again after its pass: that is awaited before the pull request is merged.',
  CHECKS_RUN_AGAIN_OFTEN:
    'Required checks were run again three times after their pass: the pull request is tested again, alone.',
  BISECTION_SKIPPED:
    'What its batch had failed was skipped in a part of it: the pull requests of that part are tested alone.',
  BISECTION_INCONCLUSIVE: 'Its batch failed and then passed: each of the batch is tested alone.',
  BISECTION_LIMIT_REACHED:
    'Too many tests would be needed to find out which of its batch is to blame: each is tested alone.',
  BISECTION_INTERRUPTED: 'Parts of its failed batch could not be tested: each of the batch is tested alone.',
  BATCH_REFUSED:
    'The code host refused to land its batch, and named nobody of it: each of the batch is tested alone.',
  CONFIRMATION_REQUIRED: 'Its tests failed; one more run is to confirm it, by setting of the queue.',
  SKIP_THE_LINE_INTERRUPTED: 'An urgent submission went ahead of it.',
  OVERTAKEN:
    'Others that it was tested without landed first, and touch the same, or are too many to be kept in mind.',
  BASE_BROKEN: 'It was tested on a tip that fails by itself, and others have landed since.',
  PROOF_LOST: 'The run that vouched for it no longer counts.',
  CONFLICT_WITH_OTHER_LANE: 'It conflicts with what another lane landed after it had passed.',
  TEST_RUN_REQUIRED_STATUS_FAILED: 'A required check failed.',
  TEST_RUN_TIMEOUT: 'Its tests did not end in time.',
  TEST_RUN_INFRASTRUCTURE: 'Its tests could not be run; that was tried as often as allowed.',
  TEST_RUN_CANCELLED: 'Its tests were cancelled by the CI; they were repeated as often as allowed.',
  TESTS_RESTARTED_BY_API_REQUEST: 'Somebody asked for its tests to be run again.',
  PREREQUISITE_MERGE_ITEM_FAILED: 'A submission that it was tested with failed.',
  PREREQUISITE_MERGE_ITEM_CANCELLED: 'A submission that it was tested with left the queue.',
  PREREQUISITE_MERGE_ITEM_MANUALLY_MERGED:
    'A submission that it was tested with was merged by somebody else.',
  PREREQUISITE_MERGE_ITEM_PENDING:
    'A submission has come to stand ahead of it, or one that it was tested with stands elsewhere now or has to be tested again.',
  MANUAL_PUSH_TO_TARGET_BRANCH: 'The target branch was moved by somebody else.',
  MERGE_METHOD_CHANGED:
    'The merge method of the queue was changed: what would be landed has to be built anew.',
  DIRECT_MERGE_OFF:
    'Direct merges were switched off: only its own checks had passed, and it has to be tested by the queue.',
  RUN_NOT_BUILT: 'The commit to be tested could not be built as planned, and is planned anew.',
  REQUIRED_STATUSES_CHANGED: 'The required checks changed and its tests do not cover them.',
  CONFLICT_WITH_SUBMISSION_AHEAD: 'It conflicts with an undecided submission ahead of it.',
  MERGE_NOT_COMPUTABLE_AHEAD:
    'The code host cannot compute its merge with an undecided pull request ahead of it.',
  CHANGE_ALREADY_AHEAD: 'A submission ahead of it already brings its change.',
  TRIAL_GONE: 'The commit that was tested is no longer kept by the code host and has to be built again.',
  LANDING_PUT_OFF: 'The code host could not land it a moment ago: it is tried again.',
  HOST_NOT_READY: 'The code host asked to wait before landing it.',
  READINESS_LOST: 'The code host no longer allows it to be merged.',
  START_TEST_RUN_MERGE_CONFLICT: 'It conflicts with the target branch.',
  REBASE_WOULD_LOSE_MERGE_CONTENT:
    'A merge commit of its branch holds content of its own, which the merge method rebase would lose.',
  PULL_REQUEST_UNREADABLE:
    'The code host cannot read it, and can read others. Push a head that it can read, and submit it again.',
  MERGE_NOT_COMPUTABLE:
    'The code host cannot compute its merge with the target branch, and can compute others. Rebase or split it, and submit it again.',
  START_TEST_RUN_NO_REQUIRED_STATUSES:
    'No required check is known, neither to the queue nor to the code host.',
  START_TEST_RUN_REFUSED: 'The code host cannot build the commit to be tested.',
  GITHUB_API_MERGE_PR_FAILED: 'The code host refused to land it.',
  MERGE_GRAPH_MERGE: 'It was landed by the queue.',
  MERGE_GRAPH_DIRECT_MERGE:
    'It was up to date and alone, and its own checks had passed: it was landed without another test.',
  MANUAL_MERGE: 'It was merged by somebody else.',
  NOTHING_TO_LAND: 'The target branch already holds its change.',
  PR_CLOSED: 'The pull request was closed.',
  PR_NOT_FOUND: 'The code host no longer knows the pull request.',
  PR_MERGED_INTO_OTHER_BRANCH: 'The pull request was merged into another branch.',
  PR_PUSHED_TO: 'The pull request was pushed to.',
  PR_BASE_BRANCH_CHANGED: 'The base branch of the pull request was changed.',
  PR_CONVERTED_TO_DRAFT: 'The pull request was converted to a draft.',
  QUEUE_DRAINING: 'The queue is being emptied: what has no test run is cancelled.',
  NOT_READY_TIMEOUT_EXPIRED: 'It did not become ready in time.',
} as const;

export type ReasonCode = keyof typeof reasons;
