import { heldByTrouble, type Queue, type QueueStatus, statusOf } from './queue.js';

/** The state that counts for what may start: that of the queue, or `held` while its host never answers. */
export type Gate = QueueStatus | 'held';

export const gateOf = (queue: Pick<Queue, 'wanted' | 'nextMode' | 'hostTrouble'>): Gate =>
  heldByTrouble(queue) === null ? statusOf(queue) : 'held';

/** What a queue may do by itself in each of its states. What runs already always runs to its end. */
const gates = {
  running: { begin: true, finish: true, land: true },
  paused: { begin: false, finish: false, land: false },
  draining: { begin: false, finish: true, land: true },
  switching_modes: { begin: false, finish: true, land: true },
  held: { begin: false, finish: false, land: false },
} as const satisfies Record<Gate, { begin: boolean; finish: boolean; land: boolean }>;

/** Whether tests of what was not tested before may start. */
export const mayBegin = (status: Gate): boolean => gates[status].begin;

/** Whether more tests of what was begun may start. */
export const mayFinish = (status: Gate): boolean => gates[status].finish;

/** Whether a test of one in line may start, which has a place once it was begun. */
export const mayTest = (status: Gate, { place }: { readonly place: number | null }): boolean =>
  place === null ? mayBegin(status) : mayFinish(status);

export const mayLand = (status: Gate): boolean => gates[status].land;
