import type { ExpectedCheck } from '../model/external-check.js';
import type { Instant, Sha, TestRunId } from '../model/ids.js';
import type { RepoRef } from '../model/repo.js';

export interface ExpectedCheckRef {
  readonly repo: RepoRef;
  readonly runId: TestRunId;
  readonly name: string;
}

/**
 * Keeps the checks that reporters are asked for, with their reports, for all replicas. Each method is atomic and, where it
 * writes, durable once it answers. An error means that the outcome is not known. Safe for concurrent use.
 */
export interface CheckStore {
  /** Adds those that are absent, in one step; one that is there stays as it is. */
  add(checks: readonly ExpectedCheck[]): Promise<void>;
  /** Replaces a check where the stored version is one less than its own. False, and nothing changed, otherwise. */
  replace(check: ExpectedCheck): Promise<boolean>;
  /** Null without one. */
  find(ref: ExpectedCheckRef): Promise<ExpectedCheck | null>;
  /** Of one test run, closed or not, in the order of their names; at most `CHECKS_PER_RUN`. */
  ofRun(repo: RepoRef, runId: TestRunId): Promise<readonly ExpectedCheck[]>;
  /** Of these commits, closed or not, asked for last first; at most `EXPECTED_CHECKS_PER_READ`. */
  ofCommits(repo: RepoRef, commits: readonly Sha[]): Promise<readonly ExpectedCheck[]>;
  /** Those that are not closed, of one repository or of all, asked for first first, then by run and name; at most `limit`. */
  open(where: { readonly repo?: RepoRef; readonly limit: number }): Promise<readonly ExpectedCheck[]>;
  /** Removes those that were closed before this instant. */
  prune(closedBefore: Instant): Promise<void>;
  /** Afterwards every call rejects, with the `code` CLOSED. Twice is no error. */
  close(): Promise<void>;
}

export const CHECKS_PER_RUN = 1_000;
export const EXPECTED_CHECKS_PER_READ = 10_000;
