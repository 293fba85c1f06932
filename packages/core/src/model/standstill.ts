import type { Instant } from './ids.js';

/**
 * Time that counts for no deadline: while the queue held for its host, or when the clock jumped. `until` is null while it
 * lasts. A freeze moves the deadlines of what is not ready only, and `until` is its planned end.
 */
export interface Standstill {
  readonly cause: 'held' | 'clock_jump' | 'freeze';
  readonly since: Instant;
  readonly until: Instant | null;
}

/** Standstills that are kept; of more the oldest are forgotten. */
export const STANDSTILLS_LIMIT = 50;

/** The standstills once a freeze ends at this instant: the one in force is prolonged or cut, and where none is, one begins. */
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
