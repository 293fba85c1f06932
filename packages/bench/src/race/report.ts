import { figure, type Table } from '../bench.js';
import { mean, sum } from '../numbers.js';
import { type Machine, machineText, tableText } from '../page.js';
import { goalRows } from './goals.js';
import { causes } from './ledger.js';
import type { Percentiles, Result } from './race.js';

/** The figures of a policy on a load: means over the seeds; counts are added up. */
export interface Summary extends Omit<Result, 'seed'> {
  readonly seeds: readonly number[];
}

/** In the order of the first result of each load, and of each policy within it. */
export const summaries = (results: readonly Result[]): readonly Summary[] => {
  const groups = groupedBy(results, ({ load, policy, flakeRate }) =>
    JSON.stringify([load, policy, flakeRate]),
  );
  return groups.map(summaryOf);
};

/** Groups items by key, in the order of first occurrence. */
export const groupedBy = <Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[][] => {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return [...groups.values()];
};

const summaryOf = (results: readonly Result[]): Summary => {
  const [first] = results;
  if (first === undefined) throw new Error('There is nothing to sum up.');
  const over = (of: (result: Result) => number): number => mean(results.map(of));
  const total = (of: (result: Result) => number): number => sum(results.map(of));
  const { seed: _, ...one } = first;
  return {
    ...one,
    seeds: results.map(({ seed }) => seed),
    changes: total(({ changes }) => changes),
    minutes: meanOf(results.map(({ minutes }) => minutes)),
    multiples: meanOf(results.map(({ multiples }) => multiples)),
    runsPerChange: over(({ runsPerChange }) => runsPerChange),
    ciMinutesPerChange: over(({ ciMinutesPerChange }) => ciMinutesPerChange),
    ciMultiple: over(({ ciMultiple }) => ciMultiple),
    runsByCause: Object.fromEntries(
      causes.map((cause) => [cause, over(({ runsByCause }) => runsByCause[cause] ?? 0)]),
    ),
    innocents: total(({ innocents }) => innocents),
    innocentsRejected: total(({ innocentsRejected }) => innocentsRejected),
    redMain: total(({ redMain }) => redMain),
    undecided: total(({ undecided }) => undecided),
    culpritsStayed: total(({ culpritsStayed }) => culpritsStayed),
    pauses: total(({ pauses }) => pauses),
    cpuSeconds: over(({ cpuSeconds }) => cpuSeconds),
  };
};

const meanOf = (all: readonly Percentiles[]): Percentiles => ({
  p50: mean(all.map(({ p50 }) => p50)),
  p95: mean(all.map(({ p95 }) => p95)),
  p99: mean(all.map(({ p99 }) => p99)),
});

const COLUMNS: readonly (readonly [string, (one: Summary) => string])[] = [
  ['policy', ({ policy }) => policy],
  ['P50', ({ multiples }) => twoDigits(multiples.p50)],
  ['P95', ({ multiples }) => twoDigits(multiples.p95)],
  ['P99', ({ multiples }) => twoDigits(multiples.p99)],
  ['P50 min', ({ minutes }) => figure(minutes.p50)],
  ['P95 min', ({ minutes }) => figure(minutes.p95)],
  ['test runs', ({ runsPerChange }) => twoDigits(runsPerChange)],
  ['CI min', ({ ciMinutesPerChange }) => twoDigits(ciMinutesPerChange)],
  ['innocents', ({ innocentsRejected }) => String(innocentsRejected)],
  ['red main', ({ redMain }) => String(redMain)],
  ['stayed', ({ culpritsStayed, undecided }) => `${culpritsStayed} of ${undecided}`],
  ['pauses', ({ pauses }) => String(pauses)],
  ['CPU s', ({ cpuSeconds }) => cpuSeconds.toFixed(1)],
];

/** Two decimals below 100, three significant digits above; a dash for NaN. */
const twoDigits = (value: number): string => (Math.abs(value) < 100 ? value.toFixed(2) : figure(value));

/** One Markdown section per load. */
export const raceText = (results: readonly Result[]): string => {
  const loads = groupedBy(summaries(results), ({ load, flakeRate }) => JSON.stringify([load, flakeRate]));
  return loads.map(sectionOf).join('\n\n');
};

/** The test runs per change of the engine, by why they were started. */
export const causesText = (results: readonly Result[]): string => {
  const shown = summaries(results).filter(({ runsByCause }) => (runsByCause.first ?? 0) > 0);
  const used = causes.filter((cause) => shown.some(({ runsByCause }) => (runsByCause[cause] ?? 0) > 0));
  const rows = shown.map((one) => [
    ...[one.load, `${figure(100 * one.flakeRate)} %`, one.policy, twoDigits(one.runsPerChange)],
    ...used.map((cause) => (one.runsByCause[cause] ?? 0).toFixed(3)),
  ]);
  return tableText({ head: ['load', 'flakes', 'policy', 'test runs', ...used], rows });
};

const sectionOf = (policies: readonly Summary[]): string => {
  const [first] = policies;
  if (first === undefined) return '';
  const { load, seeds, runners, changes, flakeRate } = first;
  const flakes = flakeRate === 0 ? '' : `, ${figure(100 * flakeRate)} % flakes`;
  const about = `${changes} pull requests, ${runners} runners, seeds ${seedsText(seeds)}.`;
  return `## ${load}${flakes}\n\n${about}\n\n${tableText(tableOf(policies))}`;
};

/** Seeds as a list, or a long row of them as a range. */
const seedsText = (seeds: readonly number[]): string => {
  const [first = 0, last = 0] = [seeds[0], seeds.at(-1)];
  return seeds.length > 4 && last - first === seeds.length - 1 ? `${first} to ${last}` : seeds.join(', ');
};

const tableOf = (policies: readonly Summary[]): Table => ({
  head: COLUMNS.map(([name]) => name),
  rows: policies.map((one) => COLUMNS.map(([, cell]) => cell(one))),
});

/** Landings that broke the target, by load and policy: there must be none. */
export const redMainOf = (results: readonly Result[]): readonly string[] =>
  results
    .filter(({ redMain }) => redMain > 0)
    .map(({ load, seed, policy, redMain }) => `${load} seed ${seed}, ${policy}: ${redMain}`);

/** The goals beside what was measured; nothing if there are no figures for any. */
const goalsText = (results: readonly Result[]): readonly string[] => {
  const rows = goalRows(summaries(results));
  if (rows.length === 0) return [];
  const head = ['load', 'policy', 'goal: P50/P95/P99 at test runs', 'measured', 'reached'];
  return ['## Goals', tableText({ head, rows }), WHAT_BOUNDS];
};

export const racePage = (
  results: readonly Result[],
  { machine, commands, picture }: { machine: Machine; commands: readonly string[]; picture: string },
): string =>
  [
    '# Policy race',
    ABOUT.replace('COMMANDS', () => commands.join('\n')).replace('MACHINE', machineText(machine)),
    `![Waits of each policy, as multiples of the oracle](${picture})`,
    ...goalsText(results),
    raceText(results),
  ]
    .join('\n\n')
    .concat('\n');

const WHAT_BOUNDS = `What bounds the goals that are not reached: there is one path. Each pull request is tested on what is expected to land, and no
second candidate exists for the case that one of these fails. [Limits](race-limits.md) has the experiments for each load, and the goals with flakes, with other
targets and with bursts. \`autoConcurrency\` trades waits for test runs.`;

const ABOUT = `The rules of the engine in virtual time, compared with models of other merge queues, on the same loads with the same verdicts. Generated by

\`\`\`
COMMANDS
\`\`\`

on MACHINE; only the column *CPU s* depends on the machine.

- **P50, P95, P99**: time from submitted to merged or rejected, as a multiple of the oracle's; mean of the seeds. The
  **oracle** knows every verdict, tests each pull request once, and decides in order among those with a common target.
- **test runs, CI min**: per pull request that was decided; cancelled test runs count for as long as they ran.
- **innocents**: pull requests rejected that pass on what has landed. **red main**: landings after which the target fails;
  must be 0. **stayed**: culprits among the pull requests that were undecided when the race was called off, a day
  after the last decision. **pauses**: how often the queue stopped; it is started again 10 min later.
- **engine** has the default settings in parallel mode, with \`concurrency\` and \`bisectionConcurrency\` equal to the
  number of runners, unless it is shown with settings.
- **serial**, **bors(B)** (batches of at most B, halved on failure), **github(c)** (a line of which c are tested at once),
  **zuul** (the same with a window that adapts, from 20) and **lanes** (one path, direct dependencies) are models, not the
  products. **bound** is the least number of test runs by information theory: H(p) for the share p that cannot pass.
- A test fails if what it holds, with what has landed, contains a bad pull request or two that conflict. It takes as
  long as the slowest of its batch. Hosts answer at once.

The loads are drawn by \`packages/bench/src/race/generated.ts\`, and are always the same for the same seed.`;
