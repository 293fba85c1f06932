import type { QueueMode } from '@mq/core';
import { defaultPace, forecast, type Learnt } from '@mq/core/internals';
import { atMost, type Bench, type Findings, figure } from '../bench.js';
import { timed } from '../cpu-time.js';
import { mean, median, sum } from '../numbers.js';
import { Traffic } from '../world/traffic.js';

const loads = [
  { mode: 'single', concurrency: 5 },
  { mode: 'single', concurrency: 50 },
  { mode: 'parallel', concurrency: 50 },
] as const satisfies { mode: QueueMode; concurrency: number }[];

/** `asked`: the number of pull requests per forecast, as many as a page of a list has. */
const sizes = {
  full: { submissions: 300, asked: 50, rounds: 5, stepsPerRound: 400 },
  tiny: { submissions: 20, asked: 5, rounds: 2, stepsPerRound: 40 },
} as const;
type EstimateSize = (typeof sizes)[keyof typeof sizes];

export const estimate: Bench = {
  name: 'estimate',
  title: 'One forecast',
  parts: [
    (size, note) =>
      findings(
        sizes[size],
        loads.map((load) => measure(load, sizes[size], note)),
      ),
  ],
};

interface Measured {
  readonly mode: QueueMode;
  readonly concurrency: number;
  readonly forecastMs: number;
  readonly decisions: number;
  /** The decision of the queue itself, before the forecast. */
  readonly ownDecisionUs: number;
  /** The cost of a decision of the forecast, relative to one of the queue. */
  readonly ratio: number;
}

const measure = (
  load: (typeof loads)[number],
  size: EstimateSize,
  note: (text: string) => void,
): Measured => {
  const world = new Traffic({ submissions: size.submissions, settings: load, seed: 1 });
  const rounds: { readonly ownMs: number; readonly forecastMs: number; readonly decisions: number }[] = [];
  for (let round = 0; round <= size.rounds; round += 1) {
    note(`${load.mode}, ${load.concurrency} concurrent test runs: round ${round} of ${size.rounds}`);
    const ownMs = mean(Array.from({ length: size.stepsPerRound }, () => world.stepWithin(0).tookMs));
    let decisions = 0;
    const forecastMs = timed(() => {
      decisions = decisionsOf(world, size.asked);
    });
    if (round > 0) rounds.push({ ownMs, forecastMs, decisions });
  }
  return {
    ...load,
    forecastMs: median(rounds.map((one) => one.forecastMs)),
    decisions: median(rounds.map((one) => one.decisions)),
    ownDecisionUs: 1_000 * median(rounds.map((one) => one.ownMs)),
    ratio: median(rounds.map((one) => one.forecastMs / one.decisions / one.ownMs)),
  };
};

const durations = {
  buildingMs: 250,
  testingMs: { test: 600_000, isolate: 600_000, control: 600_000 },
  landingMs: 250,
};
const learnt: Learnt = { basedOnRuns: 100, typical: durations, slow: durations };

/** Runs one forecast for the pull requests submitted first; returns the number of decisions. */
const decisionsOf = ({ replica: { state } }: Traffic, asked: number): number => {
  const prs = [...state.byPr.keys()].slice(0, asked);
  const context = {
    now: state.queue.decidedAt,
    pace: defaultPace,
    recalled: { submissions: [], targets: [] },
  };
  const steps = forecast({ state, context, prs, learnt, past: [] });
  let count = 0;
  while (!steps.next().done) count += 1;
  return count;
};

const findings = (size: EstimateSize, measured: readonly Measured[]): Findings => ({
  about:
    `A forecast for the first ${size.asked} of a queue of ${size.submissions}, with tests of ten minutes: the engine decides on a copy of the queue, once with usual durations and once with slow ones, until each of these pull requests has an end. ` +
    'The reference is the mean decision of the queue itself under load, in the same state, right before the forecast. A forecast decides less often and changes more per decision, since everything that ends at the same time is one decision.',
  goals: measured.map(({ mode, concurrency, ratio }) =>
    atMost(
      `${mode}, ${concurrency} concurrent test runs: a decision of the forecast, as a multiple of one of the queue`,
      5,
      ratio,
    ),
  ),
  tables: [
    {
      head: [
        'mode',
        'concurrent test runs',
        'ms per forecast',
        'decisions',
        'µs per decision',
        'µs per decision of the queue',
        'ratio',
      ],
      rows: measured.map((one) => [
        one.mode,
        figure(one.concurrency),
        figure(one.forecastMs),
        figure(one.decisions),
        figure((1_000 * one.forecastMs) / one.decisions),
        figure(one.ownDecisionUs),
        figure(one.ratio),
      ]),
    },
  ],
  data: { size, measured, decisions: sum(measured.map(({ decisions }) => decisions)) },
});
