export type { AfterLandingOptions } from './after-landing.js';
export { CANDIDATE_BRANCHES, runOfCandidateBranch } from './candidate-branches.js';
export { type CheckUser, canReach, findCheckUser } from './checks/check-user.js';
export type { CiOptions } from './checks/ci.js';
export {
  CHECK_COMMAND_LIMIT_CHARS,
  CHECK_NAME_LIMIT_CHARS,
  CHECK_TIMEOUT_DEFAULT_SECONDS,
  CHECK_TIMEOUT_LIMIT_SECONDS,
  CHECKS_LIMIT,
  type CheckDefinition,
} from './checks/config.js';
export { checkLogFile } from './checks/log.js';
export { isAlive, markOf, type ProcessMark, processMark } from './checks/owner.js';
export { KILL_GRACE_MS, LOG_LIMIT_BYTES } from './checks/process.js';
export { CI_SOURCE } from './checks/results.js';
export { RESULTS_KEPT } from './checks/sweep.js';
export { checkGit, MINIMUM_GIT } from './git.js';
export { type GitHost, type GitHostOptions, gitHost } from './host.js';
export type { Mergeable } from './mergeability.js';
export { branchFault, isPullNumber } from './names.js';
export { runCommand } from './pulls/command.js';
export { type PullRequests, pullRequestsOf } from './pulls/pull-requests.js';
export {
  type NewPullRequest,
  type PullRequestEdit,
  PullRequestError,
  type PullRequestErrorCode,
  pullRequestErrorCodes,
} from './pulls/write.js';
export { PICKS_LIMIT } from './rebase.js';
export type { Unavailable, WantedCommit } from './remote/fetches.js';
export type { LandingSight, Landings } from './remote/landings.js';
export {
  Mirror,
  type MirrorOptions,
  openMirror,
} from './remote/mirror.js';
export { connectionsOfOneServer, type PushOutcome, type RemoteAccess } from './remote/transport.js';
export type { RepositoryFolders } from './repositories.js';
export { answersOrElse } from './settled.js';
export { RECEIPTS_LIMIT_BYTES, runVerifyCommand, type VerifyInput } from './verify/command.js';
export { type GitFault, type GitFaultCode, gitFaults, type PastTheQueue } from './verify/landed.js';
export type { Tip } from './verify/repository.js';
export { type LandingsVerification, type VerifyLandings, verifyLandings } from './verify/verify.js';
export { VerifyError, type VerifyErrorCode } from './verify/verify-error.js';
