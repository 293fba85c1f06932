import type { ReportGrant } from '../engine/report-tokens.js';
import type { Estimate } from '../model/estimate.js';
import type { TestRunId } from '../model/ids.js';
import type { Preview } from '../model/preview.js';
import type { Queue } from '../model/queue.js';
import type { QueueAt } from '../model/queue-at.js';
import type { RepoRef } from '../model/repo.js';
import type { QueueSnapshot } from '../model/snapshot.js';
import type { SubmissionView } from '../model/view.js';
import type { InboundEvent } from '../ports/code-host.js';
import type { HistoryItem, Page } from '../ports/store.js';
import type {
  CheckReported,
  ExpectedCheckView,
  ListExpectedChecksRequest,
  ReportCheckRequest,
} from '../validation/check-requests.js';
import type {
  CreateQueueRequest,
  DiagnoseRequest,
  Diagnosis,
  ExplainRequest,
  Explanation,
  Followed,
  FollowRequest,
  FoundView,
  HistoryRequest,
  ListQueuesRequest,
  ListSubmissionsRequest,
  MetricsRequest,
  PreviewRequest,
  PullRequestRef,
  QueueAtRequest,
  QueueRef,
  QueueSnapshotRequest,
  QueueUpdate,
  QueueView,
  ReceiptPage,
  ReceiptsRequest,
  RequestOrigin,
  RunView,
  SetImpactedTargetsRequest,
  SubmissionRef,
  SubmitRequest,
  SubmittedView,
  TargetsStored,
  TestingResult,
  TestingResultsRequest,
  TimelineRequest,
  UpdateQueueRequest,
} from '../validation/requests.js';
import type { Statistics, StatisticsRequest } from '../validation/statistics.js';
import type { MergeQueueEvents } from './events.js';

/**
 * The public API for embedders. A command resolves once its result is durable in the store. It throws a
 * MergeQueueError if it was refused; nothing was stored then. Any other error means that the outcome is unknown: repeat
 * the request with the same idempotency key to find out. Safe for concurrent use.
 */
export interface MergeQueue {
  /** Creates a queue, after reading repository and branch from the host. Throws QUEUE_EXISTS if the branch has one. */
  createQueue(request: CreateQueueRequest): Promise<QueueUpdate>;
  /** Changes settings; pauses, drains or resumes the queue (`state`). */
  updateQueue(request: UpdateQueueRequest): Promise<QueueUpdate>;
  /** Deletes a queue. Throws QUEUE_NOT_EMPTY while submissions are live. Idempotent. */
  deleteQueue(request: QueueRef & RequestOrigin): Promise<void>;
  getQueue(ref: QueueRef): Promise<QueueView>;
  /**
   * What the page of a queue shows, or what has changed in it since a version that was answered before. Up to a second old.
   * `TableChange` says how to apply it.
   */
  queueSnapshot(request: QueueSnapshotRequest): Promise<QueueSnapshot>;
  /**
   * What a queue did over time, in buckets: from hourly summaries, which outlive the history, and the history since. Throws
   * INVALID_REQUEST for more than `STATISTICS_BUCKETS_LIMIT` buckets.
   */
  statistics(request: StatisticsRequest): Promise<Statistics>;
  /** Whether the queue exists and may be read by anyone (`publicRead`). */
  isPublic(ref: QueueRef): Promise<boolean>;
  /**
   * The whole queue at a past moment, folded from its history. Throws HISTORY_GONE before the history that is kept. Reads that
   * history from the beginning: up to some seconds, one at a time.
   */
  queueAt(request: QueueAtRequest): Promise<QueueAt>;
  /** Lists queues, at most `PAGE_LIMIT` per page. */
  listQueues(where: ListQueuesRequest): Promise<Page<Queue>>;
  /** Submits a pull request. If it is live already, changes its priority and otherwise keeps its place. */
  submit(request: SubmitRequest): Promise<SubmittedView>;
  /**
   * Removes a pull request from the queue. Throws LANDING_UNDER_WAY while it is being landed, ALREADY_MERGED, or
   * NOT_ACTIVE once it failed. Repeated, it answers the current state.
   */
  cancel(request: PullRequestRef): Promise<SubmittedView>;
  /**
   * Restarts the tests of a pull request that is under test or in `pending_failure`. Throws NO_RUN_TO_RESTART
   * otherwise.
   */
  restartTests(request: PullRequestRef): Promise<SubmittedView>;
  /**
   * Stores impacted targets, also before the pull request is submitted, and answers those in force for the head. Empty
   * strings are dropped; a list with nothing else counts as ALL, with a warning.
   */
  setImpactedTargets(request: SetImpactedTargetsRequest): Promise<TargetsStored>;
  /** Reads a submission by number, or by the head branch of a pull request submitted here. */
  getSubmission(request: SubmissionRef): Promise<FoundView>;
  /** Reads at most `SUBMISSIONS_PER_READ` submissions. */
  getSubmissions(
    request: QueueRef & { readonly prs: readonly number[] },
  ): Promise<{ readonly found: readonly FoundView[]; readonly notFound: readonly number[] }>;
  /**
   * Lists submissions in their current state. A page may have fewer rows than `take`, or none, although more follow:
   * rows whose state has changed meanwhile are left out.
   */
  listSubmissions(request: ListSubmissionsRequest): Promise<Page<SubmissionView>>;
  /**
   * Explains why a submission waits, or how it ended, from the current rows and its history. Throws NOT_SUBMITTED if
   * nothing is recorded about the pull request or attempt.
   */
  explain(request: ExplainRequest): Promise<Explanation>;
  /**
   * Estimates when it would merge if every test passed from now on and took as long as usual, or says why there is no
   * estimate. Runs the queue forward in memory: up to some seconds of computing, one forecast at a time. Throws
   * NOT_SUBMITTED.
   */
  estimate(request: QueueRef & { readonly pr: number }): Promise<Estimate>;
  /** The same for at most `SUBMISSIONS_PER_READ` pull requests in one forecast. Leaves out those never submitted. */
  estimates(request: QueueRef & { readonly prs: readonly number[] }): Promise<ReadonlyMap<number, Estimate>>;
  /**
   * What a command would do if it were decided now: the same decision on a copy, and nothing is written. It covers
   * what the decision does besides, for facts that wait and times that have passed. Throws as the command does if it
   * would not be decided at all, e.g. PULL_REQUEST_NOT_FOUND; a refusal by the queue is `refusal`.
   */
  preview(request: PreviewRequest): Promise<Preview>;
  /**
   * Findings about what is wrong with queues, or soon will be: conflicting settings, checks that were never reported,
   * hosts that fail.
   */
  diagnose(request: DiagnoseRequest): Promise<Diagnosis>;
  /** The history of one pull request in this queue, newest first. */
  timeline(request: TimelineRequest): Promise<Page<HistoryItem>>;
  /** The audit trail of a queue, with alarms and settings. At most `PAGE_LIMIT` rows per page. */
  history(request: HistoryRequest): Promise<Page<HistoryItem>>;
  /**
   * The history of queues as it grows, whichever process commits: each row once and in the order of its queue, of any
   * number of queues. Queues that are created later join in. Ends with the signal, and with `close`. Throws if the
   * store fails: continue with the last cursor.
   */
  follow(request: FollowRequest): AsyncIterable<Followed>;
  /** The receipts of landings, in chain order. `verifyReceipts` checks them. At most `PAGE_LIMIT` per page. */
  receipts(request: ReceiptsRequest): Promise<ReceiptPage>;
  getRun(request: QueueRef & { readonly testRunId: TestRunId }): Promise<RunView>;
  /** Lists open test runs in queue order, then baseline runs. With `pr`, only test runs of that pull request. */
  listRuns(request: QueueRef & { readonly pr?: number }): Promise<readonly RunView[]>;
  /** Lists ended test runs, newest first, one entry per pull request and test run. `offset` counts from the newest. */
  listTestingResults(
    request: TestingResultsRequest,
  ): Promise<{ readonly items: readonly TestingResult[]; readonly total: number }>;
  /**
   * Lists the external checks requested from a reporter, oldest request first, at most `PAGE_LIMIT`. The caller must have
   * authenticated the reporter.
   */
  listExpectedChecks(request: ListExpectedChecksRequest): Promise<readonly ExpectedCheckView[]>;
  /**
   * Stores a reporter's result of a check of a test run. Resolves once it is durable; the queue decides on it soon after.
   * Idempotent. Throws CHECK_NOT_REPORTABLE if the check has another source or other reporters, RUN_NOT_FOUND if it was
   * never expected, TEST_RUN_CLOSED if it no longer is, and REPORT_REFUSED if the report is about something else.
   */
  reportCheck(request: ReportCheckRequest): Promise<CheckReported>;
  /** The rights of a report token; null if the text is not a token of this service. */
  readReportToken(token: string): ReportGrant | null;
  /**
   * Metrics in text exposition format 0.0.4, of all queues, of one repository (REPOSITORY_NOT_FOUND if it has no queue), or
   * of several.
   */
  metrics(where?: MetricsRequest): Promise<string>;
  /**
   * The name under which the queues of a repository are stored. Resolves aliases, and the letter case of hosts and
   * aliases, without asking the host. Every operation accepts any of these names.
   */
  canonicalRepo(repo: RepoRef): RepoRef;
  /**
   * Takes an event of a host. A hint causes a read; it is not trusted. A comment or label that is a command is stored: it
   * is durable when this resolves, and carried out soon after. Idempotent.
   */
  notice(event: InboundEvent): Promise<void>;
  /** Subscribes to events from now on. Returns the function that unsubscribes. */
  on<Name extends keyof MergeQueueEvents>(name: Name, listener: MergeQueueEvents[Name]): () => void;
  /** Runs one pass: decides due queues and performs effects. For cron, serverless and tests. */
  tick(): Promise<void>;
  /**
   * Runs passes until nothing is left to do at the current time. Rejects after `SETTLE_PASSES_LIMIT` passes, or if
   * another process holds due work for too long.
   */
  settled(): Promise<void>;
  /** Runs the loop until the returned handle is closed. Throws if it is running already. */
  start(): AsyncDisposable & { close(): Promise<void> };
  /**
   * Stops the loop, waits for effects in progress, and refuses further commands. A command that still waits for a code
   * host is rejected with `CLOSED`. Does not close store or hosts.
   */
  close(): Promise<void>;
}
