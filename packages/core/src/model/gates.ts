import type { QueueStatus } from './queue.js';

/** What a queue may do by itself in each of its states. What runs already always runs to its end. */
const gates = {
  running: { start: true, land: true },
  paused: { start: false, land: false },
  draining: { start: false, land: true },
  switching_modes: { start: false, land: true },
} as const satisfies Record<QueueStatus, { start: boolean; land: boolean }>;

export const mayStart = (status: QueueStatus): boolean => gates[status].start;
export const mayLand = (status: QueueStatus): boolean => gates[status].land;
