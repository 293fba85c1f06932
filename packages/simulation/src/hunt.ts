import { bundle, type Mutant, type NamedTest } from './bundle.js';
import { runNamedTest } from './named-test.js';
import { runSeeds, seedsFrom } from './pool.js';
import type { TriggeredFault } from './weather.js';
import type { Report } from './world/world.js';

export interface Hunt {
  readonly name: string;
  readonly why: string;
  /** The seed and the checker that caught it, or the test; null if it survived. */
  readonly caught: Violation | NamedTest | null;
  readonly seeds: number;
}

interface Violation {
  readonly seed: number;
  readonly checker: string;
  readonly sentence: string;
}

export interface Budget {
  readonly from: number;
  readonly seeds: number;
  readonly workers: number;
  readonly triggered?: TriggeredFaults;
}

/** The triggered faults of each world; null lets each seed draw its own. */
type TriggeredFaults = readonly TriggeredFault[] | null;

/** Runs the test that the bug names, or else seeds until one shows a violation. Null runs seeds without a bug. */
export const hunt = async (mutant: Mutant | null, budget: Budget): Promise<Hunt> => {
  if (mutant?.caughtBy === undefined) return huntBySeeds(mutant, budget);
  const isCaught = await failsBecauseOf(mutant, mutant.caughtBy);
  return { name: mutant.name, why: mutant.why, caught: isCaught ? mutant.caughtBy : null, seeds: 0 };
};

/** A test that also fails without the bug does not count. */
const failsBecauseOf = async (mutant: Mutant, test: NamedTest): Promise<boolean> =>
  (await runNamedTest(test, mutant)) === 'failed' && (await runNamedTest(test, null)) === 'passed';

const huntBySeeds = async (mutant: Mutant | null, budget: Budget): Promise<Hunt> => {
  await using planted = await bundle(mutant);
  await using sound = mutant === null ? null : await bundle(null);
  const end = budget.from + budget.seeds;
  // A seed that also fails without the bug does not count.
  const isCausedByBug = async (violation: Violation, triggered: TriggeredFaults): Promise<boolean> =>
    sound === null ||
    (await firstViolation(sound.path, { from: violation.seed, seeds: 1, workers: 1, triggered })) === null;
  const huntIn = async (
    from: number,
    seeds: number,
    triggered: TriggeredFaults,
  ): Promise<Violation | null> => {
    for (let next = from; next < from + seeds; ) {
      const seedsLeft = from + seeds - next;
      const found = await firstViolation(planted.path, {
        ...budget,
        triggered,
        from: next,
        seeds: seedsLeft,
      });
      if (found === null) return null;
      if (await isCausedByBug(found, triggered)) return found;
      next = found.seed + 1;
    }
    return null;
  };
  const [name, why] = [mutant?.name ?? 'none', mutant?.why ?? ''];
  const atItsSeed = mutant?.seed === undefined ? null : await huntIn(mutant.seed, 1, mutant.triggered ?? []);
  if (atItsSeed !== null) return { name, why, caught: atItsSeed, seeds: 1 };
  const caught = await huntIn(budget.from, budget.seeds, mutant?.triggered ?? null);
  return { name, why, caught, seeds: (caught === null ? end : caught.seed + 1) - budget.from };
};

const firstViolation = async (path: string, budget: Budget): Promise<Violation | null> => {
  const violating: Report[] = [];
  await runSeeds({
    path,
    workers: budget.workers,
    seeds: seedsFrom(budget.from, budget.seeds, budget.triggered ?? null),
    onReport: (report) => {
      if (report.violations.length > 0) violating.push(report);
      return violating.length === 0;
    },
  });
  const first = violating.sort((one, other) => one.seed - other.seed)[0];
  const violation = first?.violations[0];
  return first === undefined || violation === undefined ? null : { seed: first.seed, ...violation };
};
