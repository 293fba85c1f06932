import type { Instant } from '../model/ids.js';

const FIRST_MS = 500;
const LONGEST_MS = 60_000;

/** The delay before the retry of an effect after its n-th failure (n >= 1). */
export const backoffMs = (tries: number): number =>
  Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(tries - 1, 20));

/** The longest delay that `retryAt` of a host can cause: its clock or ours may be wrong. */
const LONGEST_HOST_DELAY_MS = 900_000;

/**
 * The delay before the retry of an effect after its n-th failure (n >= 1): until `retryAt`, if the host names a time that is
 * ahead, else `backoffMs`. There is always a pause, even if the clocks disagree.
 */
export const retryDelayMs = (tries: number, retryAt: Instant | null, now: Instant): number =>
  retryAt === null || retryAt <= now
    ? backoffMs(tries)
    : Math.min(Math.max(FIRST_MS, retryAt - now), LONGEST_HOST_DELAY_MS);

const FIRST_HOLD_MS = 10_000;

/** The delay before the retry of an effect after the host refused it for the n-th time (n >= 1). */
export const holdPauseMs = (tries: number): number =>
  Math.min(LONGEST_MS, FIRST_HOLD_MS * 2 ** Math.min(tries - 1, 20));
