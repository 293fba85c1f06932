import type { Instant } from './ids.js';
import { heldByTrouble, type Queue, type QueueStatus, statusOf } from './queue.js';
import { isUrgent, type Submission } from './submission.js';
import type { WaitCode } from './waits.js';

/** Decides what may start: the state of the queue, or `held` while its host permanently refuses to answer. */
export type Gate = QueueStatus | 'held';

export const gateOf = (queue: Pick<Queue, 'wanted' | 'nextMode' | 'hostTrouble'>): Gate =>
  heldByTrouble(queue) === null ? statusOf(queue) : 'held';

/** What a queue may start in each state. Test runs that have started always run to their end. */
const gates = {
  running: { begin: true, finish: true, land: true },
  paused: { begin: false, finish: false, land: false },
  draining: { begin: false, finish: true, land: true },
  switching_modes: { begin: false, finish: true, land: true },
  held: { begin: false, finish: false, land: false },
} as const satisfies Record<Gate, { begin: boolean; finish: boolean; land: boolean }>;

/** True if pull requests that have not started may be tested. */
export const mayBegin = (status: Gate): boolean => gates[status].begin;

/** True if pull requests that have started may be tested again. */
export const mayFinish = (status: Gate): boolean => gates[status].finish;

export interface Moment {
  readonly queue: Pick<Queue, 'settings'>;
  readonly now: Instant;
}

/** The end of the freeze in force; null without one. */
export const freezeEndOf = ({ queue: { settings }, now }: Moment): Instant | null =>
  settings.freezeUntil !== null && settings.freezeUntil > now ? settings.freezeUntil : null;

/** True while only urgent pull requests start and land. */
export const isForUrgentOnly = (moment: Moment): boolean =>
  moment.queue.settings.freezeAllowsUrgent && freezeEndOf(moment) !== null;

/** The instant until which this pull request neither starts nor lands; null if no freeze applies to it. */
export const frozenUntil = (
  moment: Moment,
  submission: Pick<Submission, 'skipTheLine' | 'priority'>,
): Instant | null =>
  moment.queue.settings.freezeAllowsUrgent && isUrgent(submission) ? null : freezeEndOf(moment);

/** Keeps a pull request from landing until an instant. Its wait in `waits` says so. */
export interface Hold {
  readonly code: HoldCode;
  readonly untilAt: Instant;
}

export type HoldCode = Extract<WaitCode, 'queue_frozen'>;

/** All that keeps this pull request from landing now and ends by time alone, the last to end first. */
export const landingHolds = (
  moment: Moment,
  submission: Pick<Submission, 'skipTheLine' | 'priority'>,
): readonly Hold[] => {
  const ends: Readonly<Record<HoldCode, Instant | null>> = {
    queue_frozen: frozenUntil(moment, submission),
  };
  return Object.entries(ends)
    .flatMap(([code, untilAt]) => (untilAt === null ? [] : [{ code: code as HoldCode, untilAt }]))
    .sort((one, other) => other.untilAt - one.untilAt);
};

/** True if this pull request, which has not started, may be tested. */
export const mayBeginFor = (
  status: Gate,
  moment: Moment,
  submission: Pick<Submission, 'skipTheLine' | 'priority'>,
): boolean => mayBegin(status) && frozenUntil(moment, submission) === null;

/** True if a test of this pull request may start. One that has started has a place, and a freeze lets it finish. */
export const mayTest = (
  status: Gate,
  moment: Moment,
  submission: Pick<Submission, 'place' | 'skipTheLine' | 'priority'>,
): boolean => (submission.place === null ? mayBeginFor(status, moment, submission) : mayFinish(status));

export const mayLand = (status: Gate): boolean => gates[status].land;
