import type { Instant } from '@mq/core';

/** One step of a trace: what is done, and numbers that say with what. They mean the same for every store. */
export interface TraceStep {
  readonly kind: (typeof traceKinds)[number];
  /** One of `traceQueues`. */
  readonly queue: number;
  /** From 0 to 11, both. */
  readonly one: number;
  readonly two: number;
  /** Up to five, from 1 to 9. */
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

/** What stays the same for all stores while a trace is carried out. */
export interface Scene {
  readonly isStrict: boolean;
  now: Instant;
  /** Numbers each commit, and each row of history. */
  count: number;
}

/** What a store gave, without what may differ: tokens, and the order of rows in a load. */
export type Seen = unknown;
