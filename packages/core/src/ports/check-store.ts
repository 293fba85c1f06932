import type { ExpectedCheck } from '../model/external-check.js';
import type { Instant, Sha, TestRunId } from '../model/ids.js';
import type { RepoRef } from '../model/repo.js';

export interface ExpectedCheckRef {
  readonly repo: RepoRef;
  readonly runId: TestRunId;
  readonly name: string;
}

/**
 * Stores the checks requested from external reporters, and their reports, for all replicas. Every method is atomic,
 * safe for concurrent use, and durable once it resolves. An exception means that the outcome is unknown.
 */
export interface CheckStore {
  /** Adds checks in one write. Checks that exist already are not changed. */
  add(checks: readonly ExpectedCheck[]): Promise<void>;
  /** Replaces a check if the stored version is lower by exactly 1. Otherwise changes nothing and answers false. */
  replace(check: ExpectedCheck): Promise<boolean>;
  /** Reads one check; null if there is none. */
  find(ref: ExpectedCheckRef): Promise<ExpectedCheck | null>;
  /** Lists the checks of a test run, closed or not, ordered by name. At most `CHECKS_PER_RUN`. */
  ofRun(repo: RepoRef, runId: TestRunId): Promise<readonly ExpectedCheck[]>;
  /** Lists the checks of these commits, closed or not, newest request first. At most `EXPECTED_CHECKS_PER_READ`. */
  ofCommits(repo: RepoRef, commits: readonly Sha[]): Promise<readonly ExpectedCheck[]>;
  /**
   * Lists open checks, of one repository or of all, ordered by time of the request, then test run and name. At most
   * `limit`.
   */
  open(where: { readonly repo?: RepoRef; readonly limit: number }): Promise<readonly ExpectedCheck[]>;
  /** Removes checks that were closed before this instant. */
  prune(closedBefore: Instant): Promise<void>;
  /** Closes the store. Idempotent. Every later call of another method rejects with the `code` CLOSED. */
  close(): Promise<void>;
}

export const CHECKS_PER_RUN = 1_000;
export const EXPECTED_CHECKS_PER_READ = 10_000;
