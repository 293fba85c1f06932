const FIRST_MS = 500;
const LONGEST_MS = 60_000;

/** The delay before the retry of an effect after its n-th failure (n >= 1). */
export const backoffMs = (tries: number): number =>
  Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(tries - 1, 20));

const FIRST_HOLD_MS = 10_000;

/** The delay before the retry of an effect after the host refused it for the n-th time (n >= 1). */
export const holdPauseMs = (tries: number): number =>
  Math.min(LONGEST_MS, FIRST_HOLD_MS * 2 ** Math.min(tries - 1, 20));
