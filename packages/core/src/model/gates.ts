import type { QueueStatus } from './queue.js';

/** What a queue may do by itself in each of its states. What runs already always runs to its end. */
const gates = {
  running: { begin: true, finish: true, land: true },
  paused: { begin: false, finish: false, land: false },
  draining: { begin: false, finish: true, land: true },
  switching_modes: { begin: false, finish: true, land: true },
} as const satisfies Record<QueueStatus, { begin: boolean; finish: boolean; land: boolean }>;

/** Whether a run may start: `isRepeat` where it repeats a test that was begun. */
export const mayStart = (status: QueueStatus, isRepeat: boolean): boolean =>
  isRepeat ? gates[status].finish : gates[status].begin;

export const mayLand = (status: QueueStatus): boolean => gates[status].land;
