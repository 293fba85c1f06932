import type { ReportGrant } from '../engine/report-tokens.js';
import type { Estimate } from '../model/estimate.js';
import type { TestRunId } from '../model/ids.js';
import type { Queue } from '../model/queue.js';
import type { RepoRef } from '../model/repo.js';
import type { SubmissionView } from '../model/view.js';
import type { HostEvent } from '../ports/code-host.js';
import type { HistoryItem, Page } from '../ports/store.js';
import type {
  CheckReported,
  ExpectedCheckView,
  ListExpectedChecksRequest,
  ReportCheckRequest,
} from '../validation/check-requests.js';
import type {
  Asking,
  CreateQueueRequest,
  ExplainRequest,
  Explanation,
  Followed,
  FollowRequest,
  FoundView,
  HistoryRequest,
  ListQueuesRequest,
  ListSubmissionsRequest,
  PullRequestRef,
  QueueRef,
  QueueUpdate,
  QueueView,
  ReceiptPage,
  ReceiptsRequest,
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
import type { MergeQueueEvents } from './events.js';

/**
 * The object that an embedder holds. Every method that asks for something answers once it is durable in the store, and
 * throws MergeQueueError where it was refused; then nothing was stored. Any other error means that the outcome is not
 * known: asking again with the same idempotency key tells. Safe for concurrent use.
 */
export interface MergeQueue {
  /** Refused (QUEUE_EXISTS) where the branch has one. The host is asked for repository and branch. */
  createQueue(request: CreateQueueRequest): Promise<QueueUpdate>;
  /** Changes settings, and pauses, drains or resumes (`state`). */
  updateQueue(request: UpdateQueueRequest): Promise<QueueUpdate>;
  /** Refused unless no submission is live. Deleting a queue that does not exist is no error. */
  deleteQueue(request: QueueRef & Asking): Promise<void>;
  getQueue(ref: QueueRef): Promise<QueueView>;
  /** At most `PAGE_LIMIT` a page. */
  listQueues(where: ListQueuesRequest): Promise<Page<Queue>>;
  /** Submitting one that is live re-prioritises it and keeps its place otherwise. */
  submit(request: SubmitRequest): Promise<SubmittedView>;
  /**
   * Takes it out of the queue. Refused while it is being landed (LANDING_UNDER_WAY), once it is merged (ALREADY_MERGED) or
   * failed (NOT_ACTIVE). A second cancel answers its present state.
   */
  cancel(request: PullRequestRef): Promise<SubmittedView>;
  /** Tests one that is under test, or whose failure is not judged yet, anew. Refused otherwise (NO_RUN_TO_RESTART). */
  restartTests(request: PullRequestRef): Promise<SubmittedView>;
  /**
   * Answers what is known of the head from then on. It may come before the pull request is submitted. Empty strings are
   * dropped; a list of nothing else counts as ALL, with a warning.
   */
  setImpactedTargets(request: SetImpactedTargetsRequest): Promise<TargetsStored>;
  /** By number, or by the head branch of a pull request that was submitted here. */
  getSubmission(request: SubmissionRef): Promise<FoundView>;
  /** At most `SUBMISSIONS_PER_READ` numbers. */
  getSubmissions(
    request: QueueRef & { readonly prs: readonly number[] },
  ): Promise<{ readonly found: readonly FoundView[]; readonly notFound: readonly number[] }>;
  /** Each as it is now. A page may be shorter than asked, and even empty, with more to come: who has moved on is left out. */
  listSubmissions(request: ListSubmissionsRequest): Promise<Page<SubmissionView>>;
  /**
   * Why a submission is not further on, or why it ended as it did: from the present rows and from its history. Throws
   * NOT_SUBMITTED for a pull request, or an attempt of it, that nothing is on record of.
   */
  explain(request: ExplainRequest): Promise<Explanation>;
  /**
   * When it would be merged if from now on everything passed and took as long as it usually does, or why that cannot be
   * told. The queue is driven forward in memory: costs up to some seconds of computing, one forecast at a time. Throws
   * NOT_SUBMITTED for one that was never submitted.
   */
  estimate(request: QueueRef & { readonly pr: number }): Promise<Estimate>;
  /** The same for at most `SUBMISSIONS_PER_READ` numbers by one forecast; those never submitted are left out. */
  estimates(request: QueueRef & { readonly prs: readonly number[] }): Promise<ReadonlyMap<number, Estimate>>;
  /** What happened to one pull request in this queue, newest first. */
  timeline(request: TimelineRequest): Promise<Page<HistoryItem>>;
  /** Everything that happened to a queue, alarms and settings included: the audit trail. At most `PAGE_LIMIT` a page. */
  history(request: HistoryRequest): Promise<Page<HistoryItem>>;
  /**
   * The history of queues as it grows, whichever process commits: each row once and in the order of its queue, at most
   * `FOLLOWED_QUEUES_LIMIT` queues. Queues that are created later join in. Ends with the signal, and with `close`. Throws
   * where the store fails: go on with the last cursor.
   */
  follow(request: FollowRequest): AsyncIterable<Followed>;
  /** What is on record for each landing, in the order of the chain; `verifyReceipts` checks it. At most `PAGE_LIMIT` a page. */
  receipts(request: ReceiptsRequest): Promise<ReceiptPage>;
  getRun(request: QueueRef & { readonly testRunId: TestRunId }): Promise<RunView>;
  /** The open runs in queue order, and then those that test the target itself; with `pr` only those that test it. */
  listRuns(request: QueueRef & { readonly pr?: number }): Promise<readonly RunView[]>;
  /** Ended runs, newest first, one entry per pull request and run. `offset` counts from the newest. */
  listTestingResults(
    request: TestingResultsRequest,
  ): Promise<{ readonly items: readonly TestingResult[]; readonly total: number }>;
  /**
   * The external checks that a reporter is asked for, those asked for first first; at most `PAGE_LIMIT`. The caller has made sure that
   * the reporter is who it claims to be.
   */
  listExpectedChecks(request: ListExpectedChecksRequest): Promise<readonly ExpectedCheckView[]>;
  /**
   * Takes in what a reporter says of a check of a test run. Answers once it is durable; the queue decides on it soon after. The same
   * report again changes nothing. Refused, and nothing changed, where the check has another source or names other reporters
   * (CHECK_NOT_REPORTABLE), where it is not expected (RUN_NOT_FOUND) or not any more (TEST_RUN_CLOSED), and where it is about
   * something else (REPORT_REFUSED).
   */
  reportCheck(request: ReportCheckRequest): Promise<CheckReported>;
  /** What a report token is good for; null for every text that is none of this service. */
  readReportToken(token: string): ReportGrant | null;
  /** The text exposition format 0.0.4 of all queues, or of those of one repository (REPOSITORY_NOT_FOUND without any). */
  metrics(where?: { readonly repo?: RepoRef }): Promise<string>;
  /**
   * The name under which queues of a repository are kept. Resolves aliases, and the letter case of hosts and aliases;
   * never asks the host. Every operation takes any name.
   */
  canonicalRepo(repo: RepoRef): RepoRef;
  /** Tells that something may have changed at the host. What did is asked for; nothing of the event is believed. */
  notice(event: HostEvent): Promise<void>;
  /** Calls the listener with what happens from now on, until the function that it gives is called. */
  on<Name extends keyof MergeQueueEvents>(name: Name, listener: MergeQueueEvents[Name]): () => void;
  /** One pass: decides what is due and carries out what is wished. For cron, serverless and tests. */
  tick(): Promise<void>;
  /**
   * Passes until nothing is left to do before the clock moves. Rejects after `SETTLE_PASSES_LIMIT` passes, and where another
   * process holds for long what is due.
   */
  settled(): Promise<void>;
  /** Runs by itself until the returned handle is closed. Starting twice is an error of the embedder. */
  start(): AsyncDisposable & { close(): Promise<void> };
  /**
   * Ends what `start` began, waits for what is carried out, and refuses further commands. A command that
   * still waits for a code host is refused as well (`CLOSED`). Does not close store or hosts.
   */
  close(): Promise<void>;
}
