import {
  type HistoryItem,
  MergeQueueError,
  type QueueView,
  type Sha,
  type SubmittedView,
  type TestRunId,
} from '@mq/core';
import type { Duration } from '../scenarios/driver.js';
import type { QueueWorld } from './queue-world.js';
import { timelineOf } from './timeline.js';

/** The queue as last read, after everything had settled. */
export interface Seen {
  readonly queue: QueueView | null;
  readonly submissions: ReadonlyMap<number, SubmittedView>;
  readonly history: readonly HistoryItem[];
}

/** A check that the queue requested from the CI, started or not. */
export interface SeenCheck {
  readonly runId: TestRunId;
  readonly commit: Sha;
  readonly isRunning: boolean;
}

export interface SeenCommit {
  readonly parents: readonly Sha[];
  readonly message: string;
  readonly files: Readonly<Record<string, string>>;
}

export const nothing: Seen = { queue: null, submissions: new Map(), history: [] };

/** Another queue of the same story. */
export interface OtherQueue {
  look(): Promise<void>;
  faults(): Promise<readonly string[]>;
  hasRun(runId: TestRunId | null): boolean;
}

/** What the verbs and assertions of one queue need of its world. */
export type QueueSeat = Pick<
  QueueWorld,
  | 'ref'
  | 'mq'
  | 'store'
  | 'clock'
  | 'seen'
  | 'queue'
  | 'queueIds'
  | 'said'
  | 'asked'
  | 'act'
  | 'open'
  | 'headOf'
  | 'contentOf'
  | 'checks'
  | 'tip'
  | 'commit'
  | 'evidence'
  | 'error'
>;

export const errorOf = (sentence: string, world: Pick<QueueWorld, 'seen' | 'contentOf'>): Error => {
  const timeline = timelineOf(world.seen.history, (commit) => world.contentOf(commit));
  return new Error(`${sentence}\n\nWhat happened:\n${timeline}\n`);
};

const units = { s: 1000, m: 60_000, h: 3_600_000 } as const;

export const msOf = (duration: Duration): number => {
  const [, count, unit] = /^(\d+)([smh])$/.exec(duration) ?? [];
  if (unit === undefined) throw new Error(`${duration} is not a duration. Write it as 90s, 30m or 2h.`);
  return Number(count) * units[unit as keyof typeof units];
};

/** Null if the queue does not exist; every other error is rethrown. */
export const nullWithoutQueue = (error: unknown): null => {
  if (error instanceof MergeQueueError && error.code === 'QUEUE_NOT_FOUND') return null;
  throw error;
};
