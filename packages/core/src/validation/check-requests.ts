import type { Check } from '../model/checks.js';
import type { Instant, Sha, TestRunId } from '../model/ids.js';
import type { RepoRef } from '../model/repo.js';
import type { RequestOrigin } from './requests.js';

/** A request of a reporter for expected checks. */
export interface ListExpectedChecksRequest {
  /** Defaults to all repositories of this service. */
  readonly repo?: RepoRef;
  /** Only the checks of these repositories, under their canonical names; at most `REPOSITORIES_PER_QUERY`. */
  readonly repositories?: readonly RepoRef[];
  /** The token of the caller: its report tokens name it as `issuer`. */
  readonly issuer?: string;
  readonly reporter: string;
  /** Defaults to all checks that the reporter can report. */
  readonly checks?: readonly string[];
  /**
   * A check that the reporter has started is listed only if its last report is at least this old. Defaults to always.
   */
  readonly silentMs?: number;
  readonly take?: number;
}

/** A check of a test run that is requested from a reporter. */
export interface ExpectedCheckView {
  readonly repo: RepoRef;
  readonly targetBranch: string;
  readonly testRunId: TestRunId;
  /** The ref under which the code host keeps the commit, so that it can be fetched. */
  readonly ref: string;
  readonly commit: Sha;
  readonly check: string;
  /** `queued` until this reporter has started it. */
  readonly status: 'queued' | 'running';
  /** The sequence of the last report of this reporter; 0 before. */
  readonly sequence: number;
  readonly reportedAt: Instant | null;
  readonly askedAt: Instant;
  /** The time by which a reporter must start; null once one has. */
  readonly startBy: Instant | null;
  /** When the test run times out; later if the queue was held meanwhile. Null if the queue sets no timeout. */
  readonly deadlineAt: Instant | null;
  /** A secret that is valid only for this check of this test run. */
  readonly reportToken: string;
}

/** An http or https URL without user and password. It is shown to people and never fetched. */
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

export interface ReportCheckRequest extends Pick<RequestOrigin, 'idempotency'> {
  readonly repo: RepoRef;
  readonly reporter: string;
  readonly check: string;
  /** Defaults to the newest open test run of `commit`. */
  readonly testRunId?: TestRunId;
  /** With `testRunId`, it must be the commit of that test run. */
  readonly commit?: Sha;
  readonly status: Check['status'];
  /** Required with `completed`, not allowed otherwise. */
  readonly conclusion?: ReportedConclusion;
  /** True if part of it has failed and it is still running. */
  readonly failing?: boolean;
  /** The order of the reports of one reporter. Defaults to the order of arrival. */
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
  /** False if a later report of this reporter was stored already; nothing changed then. */
  readonly applied: boolean;
  /** The stored status after the report. */
  readonly status: Check['status'];
  readonly conclusion: Check['conclusion'];
  readonly sequence: number;
}
