import type { Check, Outcome, RequiredChecks } from './checks.js';
import type { Estimate } from './estimate.js';
import type { Alarmed } from './history.js';
import type { Instant, Sha, TestRunId } from './ids.js';
import type { Queue } from './queue.js';
import type { ReasonCode } from './reasons.js';
import type { Purpose, TestRun } from './run.js';
import type { Landed, SubmissionState } from './submission.js';
import type { Waiting } from './view.js';

/** Max pull requests of a snapshot: the first of the line, then those that are not ready. */
export const SNAPSHOT_SUBMISSIONS_LIMIT = 1_000;
/** Max test runs of a snapshot: those of the front of the line, then baseline runs. */
export const SNAPSHOT_RUNS_LIMIT = 200;
/** Max checks of one test run of a snapshot. */
export const SNAPSHOT_CHECKS_LIMIT = 100;
/** Max pull requests of a snapshot that have left the queue, the newest. */
export const SNAPSHOT_ENDED_LIMIT = 50;
/** Max alarms of a snapshot, the newest. */
export const SNAPSHOT_ALARMS_LIMIT = 20;
/** Alarms that are older are left out of a snapshot. */
export const SNAPSHOT_ALARMS_MS = 24 * 3_600_000;
/** Max pull requests of a snapshot with an estimate: the first of the line. */
export const SNAPSHOT_ESTIMATES_LIMIT = 50;

/** The queue itself, with what is counted in it. */
export interface SnapshotQueue {
  readonly queue: Queue;
  readonly requiredChecks: RequiredChecks | null;
  readonly unreportedChecks: readonly string[];
  /** Admitted pull requests; those of them under test or tested; those that are not ready. */
  readonly enqueued: number;
  readonly begun: number;
  readonly notReady: number;
  /** Test runs that use a slot, of the queue's own and of bisection. */
  readonly slotsInUse: number;
  readonly bisectionSlotsInUse: number;
  /** The move of the target branch in progress; null if there is none. */
  readonly landing: {
    readonly prs: readonly number[];
    readonly runId: TestRunId;
    readonly since: Instant;
  } | null;
}

export interface SnapshotSubmission {
  readonly pr: number;
  readonly title: string;
  readonly author: string;
  readonly url: string;
  readonly head: Sha;
  readonly attempt: number;
  readonly state: SubmissionState;
  readonly stateSince: Instant;
  readonly submittedAt: Instant;
  readonly priority: number;
  readonly isUrgent: boolean;
  readonly noBatch: boolean;
  /** Its rank in the order of getQueue, from 1; null if it is not admitted. */
  readonly position: number | null;
  /** The first pull request of its lane; null if it is not admitted. */
  readonly lane: number | null;
  /** Its newest open test run; null if it has none. */
  readonly runId: TestRunId | null;
  /** What it waits for, without the chain of causes. */
  readonly waiting: Omit<Waiting, 'causes'> | null;
  /** Null if there is none yet, and behind the first `SNAPSHOT_ESTIMATES_LIMIT`. */
  readonly estimate: Estimate | null;
}

export interface SnapshotRun {
  readonly id: TestRunId;
  readonly purpose: Purpose['kind'];
  readonly state: TestRun['state'];
  readonly outcome: Outcome | null;
  /** The pull requests that it tests, and those below them that have not landed, in order. */
  readonly prs: readonly number[];
  readonly stack: readonly number[];
  readonly base: Sha;
  readonly commit: Sha | null;
  readonly ref: string | null;
  readonly createdAt: Instant;
  readonly testingSince: Instant | null;
  readonly deadlineAt: Instant | null;
  readonly endedAt: Instant | null;
  /** The failed test run whose culprit it searches for; null if it is not part of a bisection. */
  readonly bisects: TestRunId | null;
  readonly requiredChecks: readonly string[];
  /** At most `SNAPSHOT_CHECKS_LIMIT`. */
  readonly checks: readonly SnapshotCheck[];
  /** What it waits for, or how it ended: one sentence. */
  readonly explanation: string;
}

export type SnapshotCheck = Pick<
  Check,
  'name' | 'source' | 'status' | 'conclusion' | 'startedAt' | 'completedAt' | 'summary'
> & {
  /** Whether it has a page or a log for people. */
  readonly hasLog: boolean;
};

/** A pull request that has left the queue. */
export interface SnapshotEnd {
  readonly pr: number;
  readonly title: string;
  readonly author: string;
  readonly url: string;
  readonly state: SubmissionState;
  readonly endedAt: Instant;
  readonly submittedAt: Instant;
  readonly reason: ReasonCode | null;
  readonly detail: string | null;
  readonly landed: Landed | null;
  readonly failedRunId: TestRunId | null;
  readonly head: Sha;
}

export type SnapshotAlarm = Pick<Alarmed, 'at' | 'code' | 'sentence' | 'sequence'>;

/** The rows of a table that are new or have changed, and the keys of those that are gone. */
export interface TableChange<Key, Row> {
  readonly rows: readonly Row[];
  readonly removed: readonly Key[];
  /** The keys of all rows, in order; null if that is as before. */
  readonly order: readonly Key[] | null;
  /** How many more there are than the limit of the table. */
  readonly more: number;
}

/** One queue as its page shows it, or what has changed in it since an earlier version. */
export interface QueueSnapshot {
  /** To be sent with the next request, to any replica. */
  readonly version: string;
  /** The version that this differs from; null if it is whole. */
  readonly since: string | null;
  readonly computedAt: Instant;
  /** Null if it has not changed. */
  readonly queue: SnapshotQueue | null;
  readonly alarms: readonly SnapshotAlarm[] | null;
  readonly submissions: TableChange<number, SnapshotSubmission>;
  readonly runs: TableChange<TestRunId, SnapshotRun>;
  readonly ended: TableChange<number, SnapshotEnd>;
}
