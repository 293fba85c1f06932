import type { QueueStatus } from './queue.js';

/** What a queue may do by itself in each of its states. What runs already always runs to its end. */
const gates = {
  running: { begin: true, finish: true, land: true },
  paused: { begin: false, finish: false, land: false },
  draining: { begin: false, finish: true, land: true },
  switching_modes: { begin: false, finish: true, land: true },
} as const satisfies Record<QueueStatus, { begin: boolean; finish: boolean; land: boolean }>;

/** Whether tests of what was not tested before may start. */
export const mayBegin = (status: QueueStatus): boolean => gates[status].begin;

/** Whether more tests of what was begun may start. */
export const mayFinish = (status: QueueStatus): boolean => gates[status].finish;

/** Whether a test of one in line may start, which has a place once it was begun. */
export const mayTest = (status: QueueStatus, { place }: { readonly place: number | null }): boolean =>
  place === null ? mayBegin(status) : mayFinish(status);

export const mayLand = (status: QueueStatus): boolean => gates[status].land;
