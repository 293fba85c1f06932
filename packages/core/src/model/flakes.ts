import type { Queue } from './queue.js';

/** The tests of a required check, and how many of them failed by chance: the same pull request passed right after. */
export interface FlakeCount {
  readonly tests: number;
  readonly flakes: number;
}

/** By the name of the check. */
export type FlakeCounts = Readonly<Record<string, FlakeCount>>;

/** From this share of failures by chance on, two in a row are too frequent to fail a pull request for. */
const FLAKY_SHARE = 1 / 50;
/** Tests after which both counts are halved, so that later ones count more. */
const TESTS_LIMIT = 500;

type Counted = Pick<Queue, 'flakeCounts'>;

/** Whether the measured rate of failures by chance asks for a second confirmation. */
export const isFlaky = ({ flakeCounts }: Counted, check: string): boolean => {
  const count = flakeCounts?.[check];
  return count !== undefined && count.flakes > 0 && count.flakes >= count.tests * FLAKY_SHARE;
};

/** The counts with a test of each of these checks added. Counts of checks that are no longer required are dropped. */
export const withTests = (
  { flakeCounts = {} }: Counted,
  checks: readonly string[],
  required: readonly string[],
): FlakeCounts =>
  Object.fromEntries(
    [...new Set([...required, ...checks])].flatMap((check) => {
      const before = flakeCounts[check];
      if (!checks.includes(check)) return before === undefined ? [] : [[check, before]];
      const { tests, flakes } = before ?? { tests: 0, flakes: 0 };
      const weight = tests >= TESTS_LIMIT ? 1 / 2 : 1;
      return [[check, { tests: tests * weight + 1, flakes: flakes * weight }]];
    }),
  );

/** The counts with a failure by chance of each of these checks added. */
export const withFlakes = ({ flakeCounts = {} }: Counted, checks: readonly string[]): FlakeCounts =>
  Object.fromEntries(
    Object.entries(flakeCounts).map(([check, { tests, flakes }]) => [
      check,
      { tests, flakes: checks.includes(check) ? flakes + 1 : flakes },
    ]),
  );
