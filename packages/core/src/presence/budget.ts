import type { Instant } from '../model/ids.js';
import type { SpentWrites, WriteBudget } from '../model/presence.js';

/** Max writes to one installation of a code host. */
export interface WriteLimits {
  readonly perMinute: number;
  readonly perHour: number;
}

export const defaultWriteLimits: WriteLimits = { perMinute: 20, perHour: 300 };
/**
 * The share of each limit for routine writes, which are all except those about ends of attempts. The rest, 180 writes an
 * hour by default, is enough for the comment, status and labels of one landing a minute.
 */
export const ROUTINE_SHARE = 0.4;

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

export const emptyBudget = (installation: string): WriteBudget => ({ installation, version: 0, spent: [] });

export type Spending =
  | { readonly kind: 'spent'; readonly budget: WriteBudget }
  /** When the writes fit, if nothing else is spent until then. */
  | { readonly kind: 'refused'; readonly freeAt: Instant };

/** Returns the budget after these writes, or the time when they fit. Writes beyond a whole limit count as that limit. */
export const spend = (budget: WriteBudget, wanted: SpentWrites, limits: WriteLimits): Spending => {
  const { at } = wanted;
  // A write dated further ahead was made before the clock of the store was set back.
  const spent = budget.spent.filter((one) => one.at > at - HOUR_MS && one.at <= at + MINUTE_MS);
  const frees = [
    freeAt(spent, wanted, limits.perMinute, MINUTE_MS),
    freeAt(spent, wanted, limits.perHour, HOUR_MS),
  ];
  if (wanted.isRoutine) {
    const routine = spent.filter(({ isRoutine }) => isRoutine);
    frees.push(freeAt(routine, wanted, routineOf(limits.perMinute), MINUTE_MS));
    frees.push(freeAt(routine, wanted, routineOf(limits.perHour), HOUR_MS));
  }
  const free = Math.max(...frees);
  if (free > at) return { kind: 'refused', freeAt: free };
  return { kind: 'spent', budget: { ...budget, version: budget.version + 1, spent: [...spent, wanted] } };
};

const routineOf = (limit: number): number => Math.max(1, Math.floor(limit * ROUTINE_SHARE));

/** The earliest time at which the sliding window has room for the wanted writes. */
const freeAt = (
  spent: readonly SpentWrites[],
  { at, writes }: SpentWrites,
  limit: number,
  windowMs: number,
): Instant => {
  const inWindow = spent.filter((one) => one.at > at - windowMs);
  let room = limit - inWindow.reduce((sum, one) => sum + one.writes, 0);
  if (room >= Math.min(writes, limit)) return at;
  for (const one of inWindow) {
    room += one.writes;
    if (room >= Math.min(writes, limit)) return one.at + windowMs;
  }
  return at + windowMs;
};
