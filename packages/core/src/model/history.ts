import type { Actor } from './actor.js';
import type { Outcome } from './checks.js';
import type { FailedOnTopOf } from './failed-on-top.js';
import type { InputId, Instant, Sha, SubmissionId, TestRunId } from './ids.js';
import type { WantedStatus } from './queue.js';
import type { Lack } from './readiness.js';
import type { ReasonCode } from './reasons.js';
import type { Restack } from './restack.js';
import type { Candidate, CloseCause, Purpose } from './run.js';
import type { QueueSettings } from './settings.js';
import type { SubmissionState } from './submission.js';

interface Entry {
  /** Increases by one with each row of a queue. */
  readonly sequence: number;
  readonly at: Instant;
  readonly settingsVersion: number;
  /**
   * In the last row of a decision: the pull requests whose standing it has changed, and the rest of the order if it has changed.
   * Left out if nothing has.
   */
  readonly standings?: readonly RecordedStanding[];
  readonly line?: RecordedLine;
}

/** What the order of the line depends on, of one pull request at the end of a decision. */
export interface RecordedStanding {
  readonly pr: number;
  readonly place: number | null;
  readonly admittedRank: number | null;
  readonly priority: number;
  /** Ahead of all that wait: it is urgent, or tested with an urgent one. */
  readonly isFirst: boolean;
}

/**
 * The other inputs of the order of the line: the current landing, and whether waiting urgent pull requests are ahead
 * of those that have begun.
 */
export interface RecordedLine {
  readonly landing: readonly number[];
  readonly isUrgentFirst: boolean;
}

/** A submission changed its state. `since` is when the previous state began. */
export interface Moved extends Entry {
  readonly type: 'moved';
  readonly submissionId: SubmissionId;
  readonly pr: number;
  readonly attempt: number;
  readonly from: SubmissionState | null;
  readonly to: SubmissionState;
  readonly since: Instant;
  readonly admittedAt: Instant | null;
  /** The reason of the previous state; null if unknown. */
  readonly reasonBefore: ReasonCode | null;
  readonly reason: ReasonCode | null;
  readonly detail: string | null;
  readonly runId: TestRunId | null;
  readonly actor: Actor;
  /** As they were then. */
  readonly title: string;
  readonly author: string;
  readonly priority: number;
  /** In the row of an end, the last candidate that it was tested with. Left out if there was none. */
  readonly tested?: Pick<Candidate, 'ref' | 'commit'>;
  /** Checks whose failure was by chance, since they passed when they were tested again. Left out if there is none. */
  readonly flakes?: readonly string[];
  /** The landed pull request whose original commits caused the conflict that it failed with. Left out if there is none. */
  readonly restack?: Restack;
  /** What the test run that failed it was on top of. Left out if that was the target alone. */
  readonly failedOnTopOf?: FailedOnTopOf;
}

/**
 * An admitted submission was put on hold because it is temporarily not mergeable, or became ready again. Its state does
 * not change by this row; if it was under test or had passed, a `moved` row records that.
 */
export interface PutOnHold extends Entry {
  readonly type: 'aside';
  readonly submissionId: SubmissionId;
  readonly pr: number;
  readonly attempt: number;
  /** What it lacks; null if it is ready again. */
  readonly lack: Lack | null;
  /** The code host's message about that; null if there is none. */
  readonly detail: string | null;
  /** If it is ready again, since when it was on hold; else null. */
  readonly since: Instant | null;
}

/**
 * A submission has to wait because the code host did not build or land its candidate. Its state does not change.
 * Repeated delays in a row are recorded once, and again when the message changes.
 */
export interface PutOff extends Entry {
  readonly type: 'put_off';
  readonly submissionId: SubmissionId;
  readonly pr: number;
  readonly attempt: number;
  readonly reason: ReasonCode;
  /** The code host's message, or a description of the cause; null if there is none. */
  readonly detail: string | null;
}

/** A test run was created, got its candidate, ended, or was closed. */
export interface RunChanged extends Entry {
  readonly type: 'run';
  readonly runId: TestRunId;
  readonly change: 'created' | 'testing' | 'ended' | 'closed';
  readonly purpose: Purpose['kind'];
  readonly prs: readonly number[];
  readonly attempts: readonly number[];
  /**
   * Title and author of each of `prs` when its test began; null if it had left the queue. Only in the row of that
   * start.
   */
  readonly pulls?: readonly ({ readonly title: string; readonly author: string } | null)[];
  readonly outcome: Outcome | null;
  readonly cause: CloseCause | null;
  readonly testingSince: Instant | null;
  /** False if the queue started no check for it; if it passed then, nothing was left to test. */
  readonly isTested: boolean;
  /** The tested commit; null until it was built. */
  readonly candidate: Pick<Candidate, 'commit' | 'tree'> | null;
  /** What it tests on top of: the base, and the pull requests ahead. */
  readonly base: Sha;
  readonly stack: readonly number[];
  /** Where the candidate can be fetched; null until it was built. */
  readonly ref: string | null;
  /** CI time so far, as `ciMsOf` counts it. Left out before its end. */
  readonly ciMs?: number;
  /** The checks that it started and that passed or failed, at most `ENDED_CHECKS_LIMIT` each. Only in the row of its end; left out if there is none. */
  readonly passedChecks?: readonly string[];
  readonly failedChecks?: readonly string[];
}

/** Max checks of one kind in the row of the end of a test run. */
export const ENDED_CHECKS_LIMIT = 100;

/** The settings or the wanted status changed. Names only what changed; the first row of a queue names all. */
export interface Configured extends Entry {
  readonly type: 'configured';
  readonly actor: Actor;
  readonly settings: Partial<QueueSettings>;
  readonly wanted: WantedStatus | null;
}

/** The audit row of a command that was applied. */
export interface Commanded extends Entry {
  readonly type: 'commanded';
  readonly actor: Actor;
  readonly command: string;
  readonly inputId: InputId;
  readonly pr: number | null;
}

/** Something that an operator has to check. */
export interface Alarmed extends Entry {
  readonly type: 'alarm';
  readonly code:
    | 'TREE_MISMATCH'
    | 'POISONED_INPUT'
    | 'TARGET_REWOUND'
    | 'LANDED_AFTER_LEAVING'
    | 'HOST_REFUSED'
    | 'REPOSITORY_GONE'
    | 'CLOCK_JUMPED'
    | 'BASE_KEEPS_MOVING'
    | 'BASE_BROKEN';
  readonly sentence: string;
  /** True if the queue paused itself for it. */
  readonly pauses?: true;
}

/** `autoConcurrency` or `autoBatching` has changed what is in force: test runs at once, or pull requests in a full batch. */
export interface Adapted extends Entry {
  readonly type: 'adapted';
  readonly what: 'concurrency' | 'batch_size';
  readonly from: number;
  readonly to: number;
  /** Why, in one sentence. */
  readonly sentence: string;
}

/** One row of the append-only history of a queue. Timeline, metrics, events and audit read only this. */
export type HistoryRow = Moved | PutOnHold | PutOff | RunChanged | Configured | Commanded | Alarmed | Adapted;

/** The pull requests that a row is about, without duplicates. Stores index the history by them. */
export const pullRequestsOf = (row: HistoryRow): readonly number[] => {
  switch (row.type) {
    case 'moved':
    case 'aside':
    case 'put_off':
      return [row.pr];
    case 'run':
      return [...new Set(row.prs)];
    case 'commanded':
      return row.pr === null ? [] : [row.pr];
    case 'configured':
    case 'alarm':
    case 'adapted':
      return [];
  }
};

/** Whether a test run passed with nothing left to test. */
export const isUntestedPass = ({ outcome, purpose, isTested }: RunChanged): boolean =>
  outcome === 'passed' && purpose !== 'compose' && !isTested;
