import type { QueueSettings } from '@mq/core';
import { Random } from '@mq/random';
import { atMost, type Bench, type Findings, figure, percent } from '../bench.js';
import { errorOfRatio, sum } from '../numbers.js';
import {
  bestHalving,
  bestPrefixSize,
  entropy,
  optimum,
  PrefixPlan,
  prefixBisection,
  simulatedHalving,
} from '../theory.js';
import { Line, type Tally } from '../world/line.js';

const RATES = [0.02, 0.05, 0.1, 0.15, 0.2, 0.3] as const;
const WITHIN = 0.08;
const SEED = 2;
/** The number of batches in the queue at any time, with a backlog. */
const BACKLOG = 4;

const sizes = {
  full: { rates: RATES, part: 400, least: 10, most: 60, error: 0.01, halvedBatches: 50_000 },
  tiny: { rates: [0.1, 0.3], part: 30, least: 2, most: 2, error: 1, halvedBatches: 100 },
} as const;

interface GroupTestingSize {
  readonly rates: readonly number[];
  /** Pull requests per part, and the min and max number of parts. */
  readonly part: number;
  readonly least: number;
  readonly most: number;
  /** Measuring continues until the standard error is below this share of the result. */
  readonly error: number;
  readonly halvedBatches: number;
}

export const groupTesting: Bench = {
  name: 'group-testing',
  title: 'Test runs per pull request of bisection',
  parts: [
    (name, note) => {
      const size: GroupTestingSize = sizes[name];
      return findings(size.rates.map((rate) => compare(rate, size, note)));
    },
  ],
};

interface GroupTesting {
  readonly rate: number;
  readonly batchSize: number;
  readonly bound: number;
  readonly optimum: number;
  readonly formula: number;
  readonly ours: number;
  /** The raw count, with the randomness of the drawn changes. */
  readonly counted: number;
  readonly error: number;
  /** Baseline runs per pull request; part of `ours`. */
  readonly controls: number;
  readonly backlog: number;
  readonly halving: number;
  readonly halvingSize: number;
  readonly halvingSimulated: number;
  readonly pullRequests: number;
}

const compare = (rate: number, size: GroupTestingSize, note: (text: string) => void): GroupTesting => {
  const batchSize = bestPrefixSize(rate);
  note(`failure rate ${rate}, batches of ${batchSize}`);
  const ours = measure(rate, batchSize, batchSize, size);
  note(`failure rate ${rate}, batches of ${batchSize}, ${BACKLOG} of them waiting`);
  const backlog = measure(rate, batchSize, BACKLOG * batchSize, size);
  const halved = bestHalving(rate);
  return {
    rate,
    batchSize,
    bound: entropy(rate),
    optimum: optimum(rate).runs,
    formula: prefixBisection(rate, batchSize),
    ours: ours.runs,
    counted: ours.counted,
    error: ours.error,
    controls: ours.controls,
    backlog: backlog.runs,
    halving: halved.runs,
    halvingSize: halved.size,
    halvingSimulated: simulatedHalving(rate, halved.size, size.halvedBatches, new Random(SEED)),
    pullRequests: ours.decided,
  };
};

const settingsFor = (batchSize: number): Partial<QueueSettings> => ({
  mode: 'single',
  concurrency: 1,
  bisectionConcurrency: 1,
  batch: true,
  batchingMinSize: batchSize,
  batchingMaxWaitTimeMinutes: 10_080,
  optimizationMode: 'bisection_skip_redundant_tests',
});

interface Part {
  /** Test runs of the engine beyond those of the plan on the same changes. */
  readonly over: number;
  readonly runs: number;
  readonly under: number;
}

/**
 * Test runs per pull request of the engine. Engine and plan get the same changes, and the mean of the plan on all
 * changes is known, so only their difference is subject to randomness.
 */
const measure = (failureRate: number, batchSize: number, undecided: number, size: GroupTestingSize) => {
  const line = new Line({ failureRate, undecided, settings: settingsFor(batchSize), seed: SEED });
  const plan = new PrefixPlan(batchSize, (pr) => line.isBroken(pr));
  const formula = prefixBisection(failureRate, batchSize);
  const parts: Part[] = [];
  let before: Tally = { runs: 0, controls: 0, decided: 0, wronged: 0 };
  let planned = 0;
  let error = 1;
  while (parts.length < size.least || (error > size.error && parts.length < size.most)) {
    const now = line.advance(size.part);
    refuseInjustice(now);
    const plannedNow = plan.advanceTo(now.decided);
    const runs = now.runs - before.runs;
    parts.push({ over: runs - (plannedNow - planned), runs, under: now.decided - before.decided });
    [before, planned] = [now, plannedNow];
    error = errorOfRatio(parts) / formula;
  }
  const { decided } = before;
  const over = sum(parts.map((part) => part.over)) / decided;
  return {
    runs: formula + over,
    counted: before.runs / decided,
    error,
    decided,
    controls: before.controls / decided,
  };
};

const refuseInjustice = ({ wronged }: Tally): void => {
  if (wronged > 0)
    throw new Error(`${wronged} good pull requests were failed: the bench does not count such runs.`);
};

const findings = (compared: readonly GroupTesting[]): Findings => ({
  about:
    'Test runs of the engine per pull request, where each pull request is broken with the given probability, independently of the others. One batch is tested at a time, one part of it at a time, with `bisection_skip_redundant_tests` and the best batch size of the plan. ' +
    'A decided pull request is replaced in the same decision, so that no test is built on an undecided one; *with a backlog* 3 more batches wait, and a free slot tests them ahead. ' +
    'The engine and the plan that it follows get the same changes, and the mean of the plan is known: the error (one standard error) is that of the difference.',
  goals: compared.map((one) =>
    atMost(
      `${percent(one.rate)} broken: above the optimum`,
      100 * WITHIN,
      100 * (one.ours / one.optimum - 1),
      ' %',
    ),
  ),
  tables: [
    {
      head: [
        'broken',
        'batch',
        'lower bound',
        'optimum (R1)',
        'our plan',
        'the engine',
        'error',
        'of that baseline runs',
        'with a backlog',
        'bors halving (batch)',
        'simulated',
        'pull requests',
      ],
      rows: compared.map((one) => [
        percent(one.rate),
        figure(one.batchSize),
        one.bound.toFixed(3),
        one.optimum.toFixed(3),
        one.formula.toFixed(3),
        one.ours.toFixed(3),
        percent(one.error),
        one.controls.toFixed(3),
        one.backlog.toFixed(3),
        `${one.halving.toFixed(3)} (${one.halvingSize})`,
        one.halvingSimulated.toFixed(3),
        figure(one.pullRequests),
      ]),
    },
  ],
  data: compared,
});
