import type { CheckSource, ExpectedCheck } from '../model/external-check.js';
import { cutName, listed } from './phrases.js';

/**
 * Test runs per reporter before one without a report counts as silent. If the reporters take up the test runs by chance, one
 * of them gets none of `5 × reporters` test runs less than once in a hundred times.
 */
const RUNS_PER_REPORTER = 5;

/** A sentence about the reporters of a check that have reported none of its last test runs, while others have. */
export const silentAmongSeveral = (
  source: CheckSource,
  expected: readonly ExpectedCheck[],
): readonly string[] => {
  if (source.source !== 'external' || source.reporters.length < 2) return [];
  const { name, reporters } = source;
  const reportersOf = ({ executions }: ExpectedCheck): ReadonlySet<string> =>
    new Set(executions.map(({ reporter }) => reporter).filter((one) => reporters.includes(one)));
  const needed = RUNS_PER_REPORTER * reporters.length;
  const last = expected
    .filter((one) => one.name === name && reportersOf(one).size > 0)
    .sort((one, other) => other.askedAt - one.askedAt)
    .slice(0, needed)
    .map(reportersOf);
  if (last.length < needed) return [];
  const silent = reporters.filter((one) => !last.some((of) => of.has(one)));
  if (silent.length === 0) return [];
  const counts = reporters
    .filter((one) => !silent.includes(one))
    .map((one) => `${one} ${last.filter((of) => of.has(one)).length}`);
  return [
    `${cutName(name)}: ${listed(silent)} reported none of its last ${needed} test runs, ${listed(counts)}.`,
  ];
};
