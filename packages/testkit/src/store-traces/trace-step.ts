import type { Instant } from '@mq/core';

/** One step of a trace: an operation, and numbers from which its arguments are derived. */
export interface TraceStep {
  readonly kind: (typeof traceKinds)[number];
  /** One of `traceQueues`. */
  readonly queue: number;
  /** From 0 to 11, as is `two`. */
  readonly one: number;
  readonly two: number;
  /** Up to five numbers from 1 to 9. */
  readonly many: readonly number[];
}

export const traceQueues = [1, 2, 3] as const;

export const traceKinds = [
  'create',
  'commit',
  'commit',
  'commit',
  'commit',
  'push',
  'push',
  'lease',
  'renew',
  'settle',
  'postpone',
  'due',
  'wait',
  'load',
  'load',
  'lists',
  'history',
  'lookups',
] as const;

export const TRACE_START = Date.UTC(2026, 5, 1);

/** The state that all stores share while a trace runs. */
export interface Scene {
  readonly isStrict: boolean;
  now: Instant;
  /** The last number given to a commit or a history row. */
  count: number;
}

/** The result of a store, without parts that may differ: tokens, and the order of rows in a load. */
export type Seen = unknown;
