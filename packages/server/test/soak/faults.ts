import { setTimeout as wait } from 'node:timers/promises';
import type { Random } from '@mq/random';
import type { SoakDatabase } from './database.js';
import type { Replica } from './replica.js';

/** Longer than the lease of an effect, 15 s: what a replica held is taken over while it stands still. */
export const STILL_MS = 18_000;
/** How often the rest happens, in kills; none of it more often than this. */
const EVERY = { stop: 4, cut: 2, end: 3 };
const LEAST_EVERY_MS = { stop: 45_000, cut: 5_000, end: 10_000 };
/** The intervals in a run without kills. */
const QUIET_EVERY_MS = { stop: 300_000, cut: 60_000, end: 120_000 };
/** The share of the kills that hit all replicas at once. */
const ALL_AT_ONCE = 0.1;
const CUT_RATE = 0.7;

export class FaultCounts {
  kills = 0;
  allAtOnce = 0;
  ends = 0;
  stops = 0;
  cuts = 0;
  connectionsCut = 0;
  restarts = 0;
}

export interface FaultParts {
  readonly replicas: readonly Replica[];
  readonly database: SoakDatabase;
  readonly random: Random;
  /** Zero: never. */
  readonly killEverySeconds: number;
  readonly counts: FaultCounts;
  /** When the database is restarted. */
  readonly restartsAfter: () => boolean;
  /** Calls for an end of it all: of these there is none while it lasts. */
  readonly signal: AbortSignal;
}

/** Kills, ends, stops, cuts and restarts until the signal; then all stopped replicas continue. */
export const makeTrouble = async (parts: FaultParts): Promise<void> => {
  const killEveryMs = parts.killEverySeconds * 1_000;
  const every = (fault: keyof typeof EVERY) =>
    killEveryMs === 0 ? QUIET_EVERY_MS[fault] : Math.max(LEAST_EVERY_MS[fault], EVERY[fault] * killEveryMs);
  const kills = killEveryMs === 0 ? [] : [again(parts, killEveryMs, kill)];
  await Promise.all([
    ...kills,
    again(parts, every('stop'), stop),
    again(parts, every('cut'), cut),
    again(parts, every('end'), end),
    restart(parts),
  ]);
  for (const replica of parts.replicas) replica.goOn();
};

const again = async (
  parts: FaultParts,
  everyMs: number,
  fault: (parts: FaultParts) => Promise<void>,
): Promise<void> => {
  const { random, signal } = parts;
  while (await passes(everyMs * (0.5 + random.next()), signal)) await fault(parts);
};

/** False if the signal came first. */
const passes = (ms: number, signal: AbortSignal): Promise<boolean> =>
  wait(ms, true, { signal }).catch(() => false);

const kill = async ({ replicas, random, counts }: FaultParts): Promise<void> => {
  const isForAll = replicas.length > 1 && random.chance(ALL_AT_ONCE);
  const one = random.pick(replicas);
  const killed = (isForAll ? replicas : replicas.filter((replica) => replica === one)).filter((replica) =>
    replica.kill(),
  );
  counts.kills += killed.length;
  if (killed.length > 1) counts.allAtOnce += 1;
};

const end = async ({ replicas, random, counts }: FaultParts): Promise<void> => {
  if (random.pick(replicas).end()) counts.ends += 1;
};

const stop = async ({ replicas, random, counts, signal }: FaultParts): Promise<void> => {
  const replica = random.pick(replicas);
  if (!replica.stop()) return;
  counts.stops += 1;
  await passes(STILL_MS, signal);
  replica.goOn();
};

const cut = async ({ database, counts }: FaultParts): Promise<void> => {
  // It may be restarting: then all of them are cut anyway.
  const count = await database.cut(CUT_RATE).catch(() => 0);
  if (count > 0) counts.cuts += 1;
  counts.connectionsCut += count;
};

const RESTART_LOOK_MS = 250;

const restart = async ({ database, counts, restartsAfter, signal }: FaultParts): Promise<void> => {
  while (!restartsAfter() && (await passes(RESTART_LOOK_MS, signal)));
  // It may be over before the first look: then it is time as well.
  if (restartsAfter() && (await database.restart())) counts.restarts += 1;
};
