import type { Actor } from './actor.js';
import type { Outcome } from './checks.js';
import type { InputId, Instant, Sha, SubmissionId, TestRunId } from './ids.js';
import type { WantedStatus } from './queue.js';
import type { Lack } from './readiness.js';
import type { ReasonCode } from './reasons.js';
import type { Candidate, CloseCause, Purpose } from './run.js';
import type { QueueSettings } from './settings.js';
import type { SubmissionState } from './submission.js';

interface Entry {
  /** Rises by one with each row of a queue. */
  readonly sequence: number;
  readonly at: Instant;
  readonly settingsVersion: number;
}

/** A submission changed its state. `since` is when the state that it left began. */
export interface Moved extends Entry {
  readonly type: 'moved';
  readonly submissionId: SubmissionId;
  readonly pr: number;
  readonly attempt: number;
  readonly from: SubmissionState | null;
  readonly to: SubmissionState;
  readonly since: Instant;
  readonly admittedAt: Instant | null;
  /** Why it had come into the state that it left; null where that is not known. */
  readonly reasonBefore: ReasonCode | null;
  readonly reason: ReasonCode | null;
  readonly detail: string | null;
  readonly runId: TestRunId | null;
  readonly actor: Actor;
  /** As they were then. Left out in rows that release 0.1.0 wrote. */
  readonly title?: string;
  readonly author?: string;
  readonly priority?: number;
}

/**
 * One in line stood aside, since it could not be merged any more, or came back: it keeps its state, unless it was under test or had
 * passed, which a row of its own tells.
 */
export interface PutOnHold extends Entry {
  readonly type: 'aside';
  readonly submissionId: SubmissionId;
  readonly pr: number;
  readonly attempt: number;
  /** What it lacks; null where it lacks nothing any more. */
  readonly lack: Lack | null;
  /** What the code host said of that; null where it said nothing. */
  readonly detail: string | null;
  /** Where it came back, since when it had stood aside; null where it stands aside from now on. */
  readonly since: Instant | null;
}

/**
 * One had to come again later, as the code host did not build or land what holds it: told once in a row, and again where the words are
 * others. It keeps its state.
 */
export interface PutOff extends Entry {
  readonly type: 'put_off';
  readonly submissionId: SubmissionId;
  readonly pr: number;
  readonly attempt: number;
  readonly reason: ReasonCode;
  /** What the code host said, or what is known of it; null where nothing is. */
  readonly detail: string | null;
}

/** A run began, got its candidate, came to its end, or was let go. */
export interface RunChanged extends Entry {
  readonly type: 'run';
  readonly runId: TestRunId;
  readonly change: 'created' | 'testing' | 'ended' | 'closed';
  readonly purpose: Purpose['kind'];
  readonly prs: readonly number[];
  readonly attempts: readonly number[];
  readonly outcome: Outcome | null;
  readonly cause: CloseCause | null;
  readonly testingSince: Instant | null;
  /** False where the queue has had no check begun: of one that passed, nothing was left to be tested. */
  readonly isTested: boolean;
  /** What is tested; null until it was built. */
  readonly candidate: Pick<Candidate, 'commit' | 'tree'> | null;
  /** What it tests on top of: the base, and the pull requests ahead. Left out in rows that release 0.1.0 wrote, as is `ref`. */
  readonly base?: Sha;
  readonly stack?: readonly number[];
  /** Where the candidate can be fetched; null until it was built. */
  readonly ref?: string | null;
}

/** The settings or the wanted status were changed, and only what changed is named; the first row of a queue names all. */
export interface Configured extends Entry {
  readonly type: 'configured';
  readonly actor: Actor;
  readonly settings: Partial<QueueSettings>;
  readonly wanted: WantedStatus | null;
}

/** Somebody asked for something and it was done: the audit row of a command. */
export interface Commanded extends Entry {
  readonly type: 'commanded';
  readonly actor: Actor;
  readonly command: string;
  readonly inputId: InputId;
  readonly pr: number | null;
}

/** Something that an operator has to look at. */
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
}

/** One row of the append-only history of a queue. Timeline, metrics, events and audit read this, and only this. */
export type HistoryRow = Moved | PutOnHold | PutOff | RunChanged | Configured | Commanded | Alarmed;

/** The pull requests that a row is about, each once: by these a store finds the history of one. */
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
      return [];
  }
};

/** True of a run for which nothing was left to be tested. */
export const isUntestedPass = ({ outcome, purpose, isTested }: RunChanged): boolean =>
  outcome === 'passed' && purpose !== 'compose' && !isTested;
