import type { Check } from '../model/checks.js';
import type { Instant, Sha, TestRunId } from '../model/ids.js';
import type { RepoRef } from '../model/repo.js';

/** Which checks a reporter asks for. */
export interface ListExpectedChecksRequest {
  /** Left out: all repositories that this service knows. */
  readonly repo?: RepoRef;
  readonly reporter: string;
  /** Left out: all that the reporter may report. */
  readonly checks?: readonly string[];
  /** A check that the reporter has begun is listed only where its last report is at least this old; left out, always. */
  readonly silentMs?: number;
  readonly take?: number;
}

/** A check of a test run that a reporter is asked for. */
export interface ExpectedCheckView {
  readonly repo: RepoRef;
  readonly targetBranch: string;
  readonly testRunId: TestRunId;
  /** The name under which the code host keeps the commit, to fetch it by. */
  readonly ref: string;
  readonly commit: Sha;
  readonly check: string;
  /** `queued` until this reporter has begun. */
  readonly status: 'queued' | 'running';
  /** Of the last report of this reporter; 0 before. */
  readonly sequence: number;
  readonly reportedAt: Instant | null;
  readonly askedAt: Instant;
  /** By when a reporter has to have begun; null once one has. */
  readonly startBy: Instant | null;
  /** When the test run is given up; later where the queue was held meanwhile. Null where the queue sets no timeout. */
  readonly deadlineAt: Instant | null;
  /** Good for this check of this test run alone. A secret. */
  readonly reportToken: string;
}

/** An http or https address without user and password. It is shown to people, and never fetched. */
export const webAddress =
  /^https?:\/\/(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?(?:[/?#][!-~]*)?$/;

export const reportedConclusions = [
  'success',
  'failure',
  'neutral',
  'skipped',
  'cancelled',
  'timed_out',
  'action_required',
  'infrastructure',
] as const;
export type ReportedConclusion = (typeof reportedConclusions)[number];

export interface ReportCheckRequest {
  readonly repo: RepoRef;
  readonly reporter: string;
  readonly check: string;
  /** Left out: the newest test run of `commit` that is not closed. */
  readonly testRunId?: TestRunId;
  /** With `testRunId` it must be the commit of that test run. */
  readonly commit?: Sha;
  readonly status: Check['status'];
  /** With `completed`, and only then. */
  readonly conclusion?: ReportedConclusion;
  /** True where it has failed in part and still runs. */
  readonly failing?: boolean;
  /** Reports of one reporter count in this order. Left out: in the order in which they come. */
  readonly sequence?: number;
  readonly startedAt?: Instant;
  readonly completedAt?: Instant;
  readonly url?: string;
  readonly summary?: string;
}

export interface CheckReported {
  readonly testRunId: TestRunId;
  readonly check: string;
  readonly reporter: string;
  /** False where a later report of this reporter is known: then nothing was changed. */
  readonly applied: boolean;
  /** As known now. */
  readonly status: Check['status'];
  readonly conclusion: Check['conclusion'];
  readonly sequence: number;
}
