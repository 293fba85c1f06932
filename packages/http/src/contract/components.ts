import type { z } from 'zod';
import * as checks from '../schemas/checks.js';
import * as common from '../schemas/common.js';
import * as diagnoses from '../schemas/diagnose.js';
import * as estimate from '../schemas/estimate.js';
import * as previews from '../schemas/preview.js';
import * as pullRequest from '../schemas/pull-request.js';
import * as queue from '../schemas/queue.js';
import * as past from '../schemas/queue-at.js';
import * as changes from '../schemas/queue-changes.js';
import * as receipts from '../schemas/receipts.js';
import * as settings from '../schemas/settings.js';
import * as snapshots from '../schemas/snapshot.js';
import * as statistics from '../schemas/statistics.js';
import * as targets from '../schemas/targets.js';
import * as testing from '../schemas/testing-details.js';
import * as timeline from '../schemas/timeline.js';
import * as tokens from '../schemas/tokens.js';
import * as warnings from '../schemas/warnings.js';
import * as webhooks from '../schemas/webhooks.js';
import { fieldFault, problem, problemCode } from './problem.js';

const receipt = receipts.receipt.shape;
const test = receipt.tested.unwrap().shape;
const queueFields = queue.queueAnswer.shape;
const run = testing.testingDetails.shape;
const result = testing.testingResult.shape;

/**
 * The named schemas of the document. Bodies and answers that are not listed here are named after their operation. Every
 * schema with the same shape becomes a reference to the named one, even if its description differs.
 */
export const components: Readonly<Record<string, z.ZodType>> = {
  Repository: common.repo,
  PullRequestNumber: common.pr,
  PullRequestHead: common.prWithHead,
  PullRequestBranch: pullRequest.prByBranch,
  PullRequestIdentifier: pullRequest.identifiedPr,
  PullRequestRequest: pullRequest.pullRequestRequest,
  PriorityName: common.priorityName,
  SubmissionState: common.submissionState,
  Actor: timeline.actor,

  QueueRequest: queue.getQueueRequest,
  QueueSettingsRequest: queue.queueSettingsRequest,
  Queue: queue.queueAnswer,
  QueueState: queueFields.state,
  WantedQueueState: queue.wantedState,
  QueueMode: queueFields.mode,
  MergeMethod: queueFields.mergeMethod,
  DirectMergeMode: queueFields.directMergeMode,
  OptimizationMode: queueFields.optimizationMode,
  TestBranchConstructionMode: queueFields.testBranchConstructionMode,
  RequiredStatusesSource: queueFields.requiredStatusesSource.unwrap(),
  BatchingRule: settings.batchingRule,
  BatchingRuleRequest: settings.batchingRuleRequest,
  QueueStateReason: queue.stateReason,
  QueueStateAskedFor: queue.stateAskedFor,
  StoppedQueueState: queue.stateAskedFor.shape.state,

  QueueCounts: snapshots.snapshotCounts,
  QueueAlarm: snapshots.snapshotAlarm,
  LandingInProgress: snapshots.snapshotLanding,
  SnapshotPullRequest: snapshots.snapshotPullRequest,
  SnapshotTestRun: snapshots.snapshotTestRun,
  SnapshotTestRunState: snapshots.snapshotTestRun.shape.state,
  SnapshotCheck: snapshots.snapshotCheck,
  SnapshotEndedPullRequest: snapshots.snapshotEnded,
  SnapshotPullRequests: snapshots.snapshotTables.pullRequestRows,
  SnapshotTestRuns: snapshots.snapshotTables.testRunRows,
  SnapshotEndedPullRequests: snapshots.snapshotTables.endedRows,

  QueueChange: changes.queueChange,
  QueueChangeKind: changes.queueChangeKind,
  PastPullRequest: past.pastPullRequest,
  PastTestRun: past.pastTestRun,
  StatisticsOfSpan: statistics.statisticsOfSpan,
  StatisticsBucket: statistics.bucket,
  TimeInQueue: statistics.timeInQueue,
  CiMinutes: statistics.ciMinutes,
  CheckStatistics: statistics.checkStatistics,

  SubmittedPullRequest: pullRequest.submittedPullRequest,
  FoundPullRequest: pullRequest.foundPullRequest,
  EnqueuedPullRequest: pullRequest.enqueuedPullRequest,
  Readiness: pullRequest.readiness,
  Mergeability: pullRequest.mergeability,
  WaitingFor: pullRequest.waitingFor,
  Cause: pullRequest.cause,
  Reason: pullRequest.reason,
  Failure: pullRequest.failure,
  FailingCheck: pullRequest.failingCheck,
  Attempt: pullRequest.attempt,
  AttemptDurations: pullRequest.attempt.shape.spentMs,
  StoryEntry: pullRequest.storyEntry,
  EstimatedTimeToMerge: estimate.estimatedTimeToMerge,
  AvailableEstimate: estimate.estimates.available,
  UnavailableEstimate: estimate.estimates.unavailable,
  EstimateKind: estimate.estimates.available.shape.kind,
  EstimateObstacle: estimate.estimates.unavailable.shape.reason,

  TimelineEntry: timeline.timelineEntry,
  TimelineMove: timeline.steps.moved,
  TimelineMoveByActor: timeline.steps.movedBy,
  TimelineMoveByTestRun: timeline.steps.movedByRun,
  TimelineMerge: timeline.steps.merged,
  TimelineHold: timeline.aside,
  TimelineTestRun: timeline.timelineRun,
  TimelineTestRunChange: timeline.timelineRun.shape.change,
  TimelineCommand: timeline.timelineCommand,
  TimelinePullRequest: timeline.timelineRun.shape.testedPullRequests.element,

  TestingDetails: testing.testingDetails,
  TestPurpose: run.purpose,
  TestStatus: run.status,
  TestOutcome: run.outcome.unwrap(),
  HostStatusesSource: run.requiredStatusesSource.unwrap(),
  ExpectedCheck: checks.expectedCheck,
  ExpectedCheckStatus: checks.expectedCheckStatus,
  ReportedStatus: checks.reportedStatus,
  ReportedConclusion: checks.reportedConclusion,
  CheckSuite: testing.checkSuite,
  CheckRun: testing.checkRun,
  CheckRunStatus: testing.checkRun.shape.status,
  StatusCheck: testing.statusCheck,
  FailureCausingStatus: testing.failureCausingStatus,
  TestedPullRequest: testing.testedPullRequest,
  TestingResult: testing.testingResult,
  TestingResultOutcome: result.outcome,
  CycleConclusion: result.cycleConclusion,

  Receipt: receipts.receipt,
  ReceiptSubmission: receipt.submitted.unwrap(),
  ReceiptActor: receipt.submitted.unwrap().shape.by,
  ReceiptRequirement: receipt.required,
  ReceiptTest: receipt.tested.unwrap(),
  ReceiptMember: test.batch.element,
  ReceiptCommit: test.trial,
  ReceiptCheck: test.checks.element,
  CheckConclusion: test.checks.element.shape.conclusion.unwrap(),
  ReceiptLanding: receipt.landed,
  ReceiptBetween: receipt.between.element,
  ReceiptChain: receipts.chainHead,

  PreviewUpdate: previews.previewed.update,
  PreviewSubmit: previews.previewed.submit,
  PreviewCancel: previews.previewed.cancel,
  PreviewRestart: previews.previewed.restart,
  PreviewedTestRun: previews.previewedRun,
  PreviewedCancellation: previews.previewedCancellation,
  PreviewedMove: previews.previewedMove,
  PreviewedPosition: previews.previewedPosition,
  PreviewedMerge: previews.previewedMerge,
  PreviewedRefusal: previews.previewedRefusal,

  ImpactedTargets: targets.impactedTargets,
  Warning: warnings.warning,
  WarningCode: warnings.warning.shape.code,

  Token: tokens.token,
  TokenScope: tokens.scope,
  TokenState: tokens.tokenState,
  TokenRevocation: tokens.revocation,
  CreatedToken: tokens.createdToken,

  Webhook: webhooks.webhook,
  CreatedWebhook: webhooks.createdWebhook,
  WebhookEventType: webhooks.eventType,
  WebhookFormat: webhooks.format,
  WebhookRequest: webhooks.oneWebhookRequest,
  DisabledWebhook: webhooks.disabledWebhook,
  WebhookStopReason: webhooks.stopReason,
  WebhookDelivery: webhooks.delivery,
  WebhookDeliveryState: webhooks.deliveryState,
  WebhookDeliveryTry: webhooks.deliveryTry,
  OwnToken: tokens.whoamiAnswer,
  Finding: diagnoses.finding,
  Severity: diagnoses.severity,

  Problem: problem,
  ProblemCode: problemCode,
  FieldFault: fieldFault,
};
