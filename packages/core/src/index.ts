export {
  type CreateTokenRequest,
  type ListTokensRequest,
  type RevokeTokenRequest,
  type RotateTokenRequest,
  TOKEN_CHECKS_LIMIT,
  TOKEN_OVERLAP_DEFAULT_SECONDS,
  TOKEN_OVERLAP_LIMIT_SECONDS,
  TOKEN_REPOSITORIES_LIMIT,
} from './access/requests.js';
export {
  type KnownToken,
  type MadeToken,
  TOKENS_PER_MAKER_LIMIT,
  type TokenKeeper,
  type TokenKeeperOptions,
  tokenKeeper,
} from './access/token-keeper.js';
export { isTokenText, newTokenText } from './access/token-text.js';
export { createMergeQueue } from './api/create-merge-queue.js';
export { DIAGNOSED_QUEUES_LIMIT, FINDINGS_LIMIT } from './api/diagnoses.js';
export type { MergeQueueEvents } from './api/events.js';
export type { MergeQueue } from './api/merge-queue.js';
export { PREVIEWED_MERGES_LIMIT } from './api/previews.js';
export { STORY_ROWS_LIMIT, SUBMISSIONS_PER_READ } from './api/reads.js';
export { defaultPace, type Pace } from './decide/draft/context.js';
export { REPORTS_KEPT_MS } from './engine/external-checks.js';
export { COMMANDS_POLL_MS } from './engine/host-commands.js';
export { REPORT_TOKEN_PREFIX, type ReportGrant } from './engine/report-tokens.js';
export { openRunsOf, SWEEP_EVERY_MS, sweepCandidates } from './engine/sweep.js';
export { type ErrorCode, errorCodes, type Fault, MergeQueueError } from './errors.js';
export { diagnoseToken } from './explain/diagnose-token.js';
export { diagnoseWebhook } from './explain/diagnose-webhook.js';
export { type QueueHistoryRow, queueChangeSentence } from './explain/queue-change.js';
export { storiesOf } from './explain/story.js';
export { PREVIEW_ROWS_LIMIT } from './forecast/preview.js';
export {
  COMMAND_PREFIX_FAULT,
  COMMAND_PREFIXES_LIMIT,
  commandIn,
  defaultCommandPrefixes,
  isCommandPrefix,
} from './host-commands/grammar.js';
export { COMMENT_READ_LIMIT_CHARS } from './host-commands/readable-lines.js';
export { type InboundMessage, inboundFetch, inboundListener } from './inbound/handlers.js';
export {
  DELIVERIES_REMEMBERED,
  INBOUND_BODY_LIMIT_BYTES,
  type InboundAnswer,
  type InboundHeaders,
  type InboundOptions,
  type InboundReceiver,
  type InboundRequest,
  inboundReceiver,
} from './inbound/receiver.js';
export { type Actor, actorName, theQueue } from './model/actor.js';
export { type Adaptation, activeBatchSize, activeConcurrency, firstAdaptation } from './model/adaptation.js';
export {
  type Check,
  type Conclusion,
  conclusions,
  judgeChecks,
  type Outcome,
  type RequiredChecks,
  type StartDue,
  type Verdict,
} from './model/checks.js';
export { type CommitMessage, commitMessage } from './model/commit-message.js';
export {
  COAUTHORS_LIMIT,
  type Credits,
  creditsOf,
  type OwnCommit,
  type PullAuthor,
  squashMessage,
} from './model/credits.js';
export type * from './model/effect.js';
export { type Estimate, type EstimateObstacle, estimateObstacles } from './model/estimate.js';
export type {
  CheckSource,
  ExpectedCheck,
  ExternalCheckSource,
  ReportedExecution,
} from './model/external-check.js';
export {
  type Finding,
  type FindingKind,
  type QueueFindingCode,
  queueFindings,
  type Severity,
  severities,
  tokenFindings,
  webhookFindings,
  worstFirst,
} from './model/finding.js';
export type * from './model/history.js';
export { isUntestedPass, pullRequestsOf } from './model/history.js';
export * from './model/host-command.js';
export {
  type CommitId,
  type DeliveryId,
  type EffectId,
  type InputId,
  type Instant,
  isSha,
  type QueueId,
  type Sha,
  type SubmissionId,
  type TestRunId,
  type TokenId,
  type WebhookId,
} from './model/ids.js';
export {
  type ImpactedTargets,
  normalTargets,
  TARGET_BYTES_LIMIT,
  TARGET_CHARS_LIMIT,
  TARGETS_LIMIT,
  type TargetBook,
  type TargetSet,
  targetsAt,
} from './model/impacted-targets.js';
export type { Answer, Command, CommandResult, Fact, Input, Refusal, RefusalCode } from './model/input.js';
export { newQueue } from './model/new-queue.js';
export { nextSteps, nextStepsOtherwise, rebaseSteps } from './model/next-steps.js';
export type * from './model/outcomes.js';
export { type Position, positionOf, positionText } from './model/position.js';
export type * from './model/presence.js';
export type {
  CancelledRun,
  Preview,
  PreviewedMerge,
  PreviewedMove,
  PreviewedPosition,
  PreviewedRun,
} from './model/preview.js';
export {
  defaultPriority,
  PRIORITY_MAX,
  type Priority,
  type PriorityName,
  priorityClasses,
  priorityName,
} from './model/priority.js';
export type { Mergeability, PullRequest, PullRequestFault } from './model/pull-request.js';
export {
  type Landing,
  type LandingTerms,
  type Queue,
  type QueueStatus,
  queueStatuses,
  type RequestedState,
  STATUS_SENTENCE_LIMIT,
  type StatusReason,
  statusOf,
  type Target,
  type WantedStatus,
  wantedStatuses,
} from './model/queue.js';
export type { PastRun, PastSubmission, QueueAt } from './model/queue-at.js';
export type { Readiness } from './model/readiness.js';
export { type ReasonCode, reasons } from './model/reasons.js';
export {
  type ChainHead,
  emptyChain,
  type Receipt,
  type ReceiptBody,
  receiptHash,
  receiptSchema,
  sealed,
} from './model/receipt.js';
export {
  branchKey,
  isRepoName,
  isRepoOwner,
  isSameRepo,
  REPO_NAME_FAULT,
  REPO_NAME_PATTERN,
  REPO_OWNER_FAULT,
  REPO_OWNER_PATTERN,
  type RepoRef,
  repoKey,
  repoPathPattern,
  shownRepo,
} from './model/repo.js';
export {
  type RequiredStatusesSource,
  requiredChecksOf,
  requiredStatusesSources,
  unreportedChecks,
} from './model/required-checks.js';
export { type Restack, restackDetail, type StackedOn } from './model/restack.js';
export { type Scope, scopeMeanings, scopes } from './model/rights.js';
export {
  type Candidate,
  type CloseCause,
  failedChecksOf,
  isOpenRun,
  type Member,
  remainingMembers,
  type Step,
  type TestRun,
} from './model/run.js';
export {
  defaultSettings,
  isInstantSetting,
  type MergeMethod,
  mergeMethods,
  type QueueMode,
  type QueueSettings,
  queueModes,
  queueSettings,
  type WithInstantsAs,
  withInstantsAs,
} from './model/settings.js';
export { settingsTagOf } from './model/settings-tag.js';
export * from './model/snapshot.js';
export type { QueueState, Writes } from './model/state.js';
export { type AttemptStory, closeSentences, moveSentences, type StoryEvent } from './model/story.js';
export {
  isLive,
  isUrgent,
  liveStates,
  moves,
  priorityInForce,
  type Submission,
  type SubmissionState,
  submissionStates,
  terminalStates,
} from './model/submission.js';
export {
  ciCauseOf,
  HOUR_MS,
  type HourSummary,
  hourOf,
  isUsedRun,
  type Summary,
} from './model/summary.js';
export {
  hasLineCharacters,
  hasNameCharacters,
  NAME_CHARACTERS_FAULT,
  NAME_PATTERN,
  nameOf,
  oneLine,
  withAtMost,
} from './model/text.js';
export {
  bootstrapHolder,
  type Holder,
  type Maker,
  type Revocation,
  type Rights,
  type Token,
  type TokenState,
  tokenStateAt,
} from './model/token.js';
export {
  type ChainFaultCode,
  type ChainVerification,
  chainFaults,
  type ReceiptedLanding,
  type ReceiptFault,
  type VerifyOptions,
  verifyReceipts,
} from './model/verify-receipts.js';
export { CAUSES_LIMIT, type Cause, type SubmissionView, type Waiting } from './model/view.js';
export { type WaitCode, waits } from './model/waits.js';
export * from './model/webhook.js';
export {
  capabilitiesOf,
  type HostCapabilities,
  type HostCapability,
  hostCapabilities,
} from './ports/capabilities.js';
export {
  CHECKS_PER_RUN,
  type CheckStore,
  EXPECTED_CHECKS_PER_READ,
  type ExpectedCheckRef,
} from './ports/check-store.js';
export type { Clock } from './ports/clock.js';
export {
  type BranchState,
  type BuildCandidateRequest,
  CANDIDATES_PER_READ,
  COMMITS_PER_READ,
  type CodeHost,
  HostError,
  type HostEvent,
  type HostPullRequest,
  type InboundEvent,
  isReadable,
  type LandRequest,
  type OpenDraftRequest,
  PULL_REQUESTS_PER_READ,
  type PullRequestAnswer,
  type ReadOptions,
  type RepositoryIdentity,
  type StartChecksRequest,
  type UnreadablePullRequest,
} from './ports/code-host.js';
export type * from './ports/command-host.js';
export * from './ports/host-command-store.js';
export { type Logger, silentLogger } from './ports/logger.js';
export * from './ports/presence-host.js';
export * from './ports/presence-store.js';
export { defaultRetention, type Retention, retentionOf } from './ports/retention.js';
export * from './ports/service-store.js';
export * from './ports/store.js';
export * from './ports/summary-store.js';
export type * from './ports/webhook-store.js';
export { defaultWriteLimits, type WriteLimits } from './presence/budget.js';
export { stateLabels, statusName } from './presence/plan.js';
export * from './validation/check-requests.js';
export { compiled } from './validation/compiled.js';
export { issueMessage, narrowestOnly, nearestName, shownValue } from './validation/issue-message.js';
export { namesFault, type RepoAlias, type RepoScope } from './validation/names.js';
export {
  type CommandsOptions,
  type ExternalChecksOptions,
  type MergeQueueOptions,
  type PresenceOptions,
  systemClock,
} from './validation/options.js';
export { CURSOR_CHARS_LIMIT, cursorOf, type Key, type Listing, readCursor } from './validation/paging.js';
export * from './validation/requests.js';
export * from './validation/statistics.js';
export {
  type CreateWebhookRequest,
  type ListDeliveriesRequest,
  REPLAYED_IDS_LIMIT,
  type ReplayDeliveriesRequest,
  SECRET_OVERLAP_DEFAULT_SECONDS,
  SECRET_OVERLAP_LIMIT_SECONDS,
  type UpdateWebhookRequest,
  WEBHOOK_DESCRIPTION_CHARS_LIMIT,
  WEBHOOK_URL_CHARS_LIMIT,
} from './webhooks/requests.js';
export { bodyContext, SECRET_KEY_BYTES, SecretBox, secretContext } from './webhooks/secret-box.js';
export {
  type MadeWebhook,
  WEBHOOKS_PER_TOKEN_LIMIT,
  type WebhookKeeper,
  type WebhookKeeperOptions,
  webhookKeeper,
} from './webhooks/webhook-keeper.js';
export { TEST_EVENT_TYPE } from './webhooks/webhook-rules.js';
