import { bundle, type Mutant } from './bundle.js';
import { runSeeds } from './pool.js';
import type { Report } from './world/world.js';

export interface Hunt {
  readonly name: string;
  readonly why: string;
  /** The seed and the checker that caught it; null where it survived. */
  readonly caught: { readonly seed: number; readonly checker: string; readonly sentence: string } | null;
  readonly seeds: number;
}

export interface Budget {
  readonly from: number;
  readonly seeds: number;
  readonly workers: number;
}

/** Runs seeds with the bug planted until one shows it. Without a bug: until one shows that something is wrong. */
export const hunt = async (mutant: Mutant | null, budget: Budget): Promise<Hunt> => {
  await using planted = await bundle(mutant);
  await using sound = mutant === null ? null : await bundle(null);
  let seeds = 0;
  const caught: Report[] = [];
  await runSeeds({
    path: planted.path,
    ...budget,
    onReport: (report) => {
      seeds += 1;
      if (report.violations.length > 0) caught.push(report);
      return caught.length === 0;
    },
  });
  const first = caught.sort((one, other) => one.seed - other.seed)[0];
  if (first !== undefined && sound !== null) await refuseUnsound(sound.path, first.seed);
  const violation = first?.violations[0];
  return {
    name: mutant?.name ?? 'none',
    why: mutant?.why ?? '',
    caught: first === undefined || violation === undefined ? null : { seed: first.seed, ...violation },
    seeds,
  };
};

/** A seed that fails without the bug as well says nothing about it. */
const refuseUnsound = (path: string, seed: number): Promise<void> =>
  runSeeds({
    path,
    from: seed,
    seeds: 1,
    workers: 1,
    onReport: ({ violations: [violation] }) => {
      if (violation === undefined) return true;
      throw new Error(`Seed ${seed} fails without any bug: ${violation.checker}: ${violation.sentence}`);
    },
  });
