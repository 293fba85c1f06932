import { Worker } from 'node:worker_threads';
import type { TriggeredFault } from './weather.js';
import type { SeedToRun } from './worker.js';
import type { Report } from './world/world.js';

/** Real time after which a seed counts as endless; enough for the slowest machine. */
const SEED_WITHIN_MS = 600_000;

export interface SeedRange {
  /** The bundle to run. */
  readonly path: string;
  readonly seeds: readonly SeedToRun[];
  readonly workers: number;
  /** Called with each report as it arrives; false stops the run. */
  readonly onReport: (report: Report) => boolean;
  /** No seed starts after this instant of real time. */
  readonly untilMs?: number;
}

/** `count` seeds from `from`. `triggered` are those of each world; null lets each seed draw its own. */
export const seedsFrom = (
  from: number,
  count: number,
  triggered: readonly TriggeredFault[] | null,
): readonly SeedToRun[] => Array.from({ length: count }, (_, index) => ({ seed: from + index, triggered }));

/** Runs seeds in worker threads, one at a time in each. */
export const runSeeds = async (range: SeedRange): Promise<void> => {
  const seeds = range.seeds.values();
  let isOver = false;
  const take = (): SeedToRun | null => {
    const isLate = range.untilMs !== undefined && Date.now() >= range.untilMs;
    return isOver || isLate ? null : (seeds.next().value ?? null);
  };
  const lane = async (): Promise<void> => {
    let worker: Worker | null = null;
    try {
      for (let next = take(); next !== null; next = take()) {
        worker ??= new Worker(range.path);
        const report = await runOne(worker, next);
        if (report === null) {
          await worker.terminate();
          worker = null;
        }
        if (!range.onReport(report ?? endless(next.seed))) isOver = true;
      }
    } finally {
      await worker?.terminate();
    }
  };
  await Promise.all(Array.from({ length: Math.min(range.workers, range.seeds.length) }, lane));
};

/** Null if the seed does not end in time. */
const runOne = (worker: Worker, seed: SeedToRun): Promise<Report | null> =>
  new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      clearTimeout(timer);
      worker.off('message', arrived);
      worker.off('error', broken);
      settle();
    };
    const arrived = (report: Report) => end(() => resolve(report));
    const broken = (error: Error) => end(() => reject(error));
    const timer = setTimeout(() => end(() => resolve(null)), SEED_WITHIN_MS);
    worker.on('message', arrived);
    worker.on('error', broken);
    worker.postMessage(seed);
  });

const endless = (seed: number): Report => ({
  seed,
  violations: [
    { checker: 'no endless loops', sentence: `The seed did not end within ${SEED_WITHIN_MS / 1000} s.` },
  ],
  digest: '',
  events: 0,
  virtualMs: 0,
  counts: {},
  lines: [],
});
