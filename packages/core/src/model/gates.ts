import type { Instant } from './ids.js';
import { heldByTrouble, type Queue, type QueueStatus, statusOf } from './queue.js';
import { isUrgent, type Submission } from './submission.js';

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

/** A queue at an instant. */
export interface Moment {
  readonly queue: Pick<Queue, 'settings'>;
  readonly now: Instant;
}

/** The end of the freeze in force; null where none is. */
export const freezeEndOf = ({ queue: { settings }, now }: Moment): Instant | null =>
  settings.freezeUntil !== null && settings.freezeUntil > now ? settings.freezeUntil : null;

/** True while nothing but urgent pull requests starts and lands. */
export const isForUrgentOnly = (moment: Moment): boolean =>
  moment.queue.settings.freezeAllowsUrgent && freezeEndOf(moment) !== null;

/** Before which instant this one neither starts nor lands; null where no freeze applies to it. */
export const frozenUntil = (
  moment: Moment,
  submission: Pick<Submission, 'skipTheLine' | 'priority'>,
): Instant | null =>
  moment.queue.settings.freezeAllowsUrgent && isUrgent(submission) ? null : freezeEndOf(moment);

/** Whether tests of one that was not tested before may start. */
export const mayBeginFor = (
  status: Gate,
  moment: Moment,
  submission: Pick<Submission, 'skipTheLine' | 'priority'>,
): boolean => mayBegin(status) && frozenUntil(moment, submission) === null;

/** Whether a test of one in line may start. Once begun it has a place, and a freeze lets it finish. */
export const mayTest = (
  status: Gate,
  moment: Moment,
  submission: Pick<Submission, 'place' | 'skipTheLine' | 'priority'>,
): boolean => (submission.place === null ? mayBeginFor(status, moment, submission) : mayFinish(status));

export const mayLand = (status: Gate): boolean => gates[status].land;
