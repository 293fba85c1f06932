import type { Instant } from './ids.js';

/**
 * A period that no deadline counts: the queue was on hold because of its host, or the clock jumped. `until` is null while
 * it lasts. A freeze extends only the deadline to become ready, and its `until` is the planned end.
 */
export interface Standstill {
  readonly cause: 'held' | 'clock_jump' | 'freeze';
  readonly since: Instant;
  readonly until: Instant | null;
}

/** Standstills kept per queue; the oldest are dropped first. */
export const STANDSTILLS_LIMIT = 50;

/** The standstills with a freeze until `freezeUntil`: changes the end of the freeze in force, or starts one. Null ends it now. */
export const withFreeze = (
  standstills: readonly Standstill[],
  freezeUntil: Instant | null,
  now: Instant,
): readonly Standstill[] => {
  const until = Math.max(freezeUntil ?? now, now);
  const present = standstills.find((one) => one.cause === 'freeze' && one.until !== null && one.until > now);
  if (present !== undefined) return standstills.map((one) => (one === present ? { ...one, until } : one));
  if (until === now) return standstills;
  return [...standstills, { cause: 'freeze', since: now, until } as const].slice(-STANDSTILLS_LIMIT);
};
