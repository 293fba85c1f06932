import type { Input, QueueMode } from '@mq/core';
import { aSubmission } from '@mq/testkit';
import { atLeast, type Bench, type Findings, figure, percent } from '../bench.js';
import { collect } from '../collect.js';
import { timed } from '../cpu-time.js';
import { median, sum } from '../numbers.js';
import { Replica } from '../world/replica.js';
import { type Step, Traffic } from '../world/traffic.js';

const loads = [
  { mode: 'single', concurrency: 1 },
  { mode: 'single', concurrency: 5 },
  { mode: 'single', concurrency: 50 },
  { mode: 'parallel', concurrency: 5 },
  { mode: 'parallel', concurrency: 50 },
] as const satisfies { mode: QueueMode; concurrency: number }[];

/** A hundred times the load of the busiest public queues. */
const WANTED_PER_SECOND = 1_500;

const sizes = {
  full: { submissions: 300, warmUp: 5, rounds: 5, stepsPerRound: 1_000 },
  tiny: { submissions: 20, warmUp: 1, rounds: 2, stepsPerRound: 40 },
} as const;
type ThroughputSize = (typeof sizes)[keyof typeof sizes];

export const throughput: Bench = {
  name: 'throughput',
  title: 'Inputs decided per second',
  parts: loads.map((load) => (size, note) => findings(measure(load, sizes[size], note))),
};

interface Throughput {
  readonly mode: QueueMode;
  readonly concurrency: number;
  readonly inputsPerSecond: number;
  readonly inputsPerDecision: number;
  /** Decisions without an input, caused by time. */
  readonly idleShare: number;
  readonly decisionUs: number;
  /** The time relative to that of the reference for the same inputs. */
  readonly ratio: number;
}

const measure = (
  load: (typeof loads)[number],
  size: ThroughputSize,
  note: (text: string) => void,
): Throughput => {
  const world = new Traffic({ submissions: size.submissions, settings: load, seed: 1 });
  const replica = new Replica(load);
  decideAll(replica, world.filling);
  const rows = new Map<string, object>();
  const rounds: Round[] = [];
  const name = `${load.mode}, ${testsOf(load)}`;
  note(`${name}: what V8 needs before the first round`);
  for (let round = 1 - size.warmUp; round <= size.rounds; round += 1) {
    if (round >= 1) note(`${name}: round ${round} of ${size.rounds}`);
    const steps = Array.from({ length: size.stepsPerRound }, () => world.stepWithin(0));
    putAway();
    const tookMs = timed(() => decideAll(replica, steps));
    const inputs = steps.flatMap((step) => step.inputs);
    const referenceMs = timed(() => keepRows(rows, inputs));
    const idle = steps.filter((step) => step.inputs.length === 0).length;
    if (round >= 1) rounds.push({ inputs: inputs.length, idle, tookMs, referenceMs });
  }
  const decisions = size.rounds * size.stepsPerRound;
  return {
    ...load,
    inputsPerSecond: median(rounds.map(({ inputs, tookMs }) => (1_000 * inputs) / tookMs)),
    inputsPerDecision: sum(rounds.map(({ inputs }) => inputs)) / decisions,
    idleShare: sum(rounds.map(({ idle }) => idle)) / decisions,
    decisionUs: (1_000 * sum(rounds.map(({ tookMs }) => tookMs))) / decisions,
    ratio: median(rounds.map((round) => round.tookMs / round.referenceMs)),
  };
};

/** Decides without keeping results, so that the next round does not pay for their garbage collection. */
interface Round {
  readonly inputs: number;
  /** Decisions without an input. */
  readonly idle: number;
  readonly tookMs: number;
  readonly referenceMs: number;
}

/**
 * Generates the inputs of a whole round beforehand, and lets V8 move them to the old generation: otherwise it would
 * scan them twice during the measurement, which a server does not experience.
 */
const putAway = (): void => {
  collect('young');
  collect('young');
};

/** Repeats the decisions of the world on another replica, so that only decisions are timed. */
const decideAll = (replica: Replica, steps: readonly Step[]): void => {
  for (const { inputs, now } of steps) replica.decide(inputs, now);
};

const testsOf = ({ concurrency }: { readonly concurrency: number }): string =>
  concurrency === 1 ? 'one test run at a time, the default' : `${concurrency} concurrent test runs`;

/** The reference: the minimal work to remember something about each input. */
const keepRows = (rows: Map<string, object>, inputs: readonly Input[]): void => {
  for (const { id } of inputs) {
    rows.set(id, structuredClone(row));
    const [oldest] = rows.size > 300 ? rows.keys() : [];
    if (oldest !== undefined) rows.delete(oldest);
  }
};
const row = aSubmission(1);

const findings = (measured: Throughput): Findings => ({
  about:
    'A queue of 300 in virtual time, decided as in a replica: inputs of the same time are one decision, and its rows are applied. ' +
    'Decisions without an input, made because time had passed, count in the time and not in the inputs. Each load runs in a process of its own. A second replica decides the recorded inputs again without a break, so that the simulated world and the clock are not measured, and after a garbage collection. It is measured from the 5,000th decision on, when V8 has compiled most of the code. The reference puts one cloned row (`structuredClone`) per input into a `Map` and removes the oldest. The busiest public queues see fewer than 15 events a second; a hundred times that is wanted.',
  goals: [
    atLeast(
      `${measured.mode}, ${testsOf(measured)}`,
      WANTED_PER_SECOND,
      measured.inputsPerSecond,
      ' inputs a second',
    ),
  ],
  tables: [
    {
      head: [
        'mode',
        'concurrent test runs',
        'inputs a second',
        'inputs per decision',
        'without input',
        'µs per decision',
        'times the reference',
      ],
      rows: [
        [
          measured.mode,
          figure(measured.concurrency),
          figure(measured.inputsPerSecond),
          figure(measured.inputsPerDecision),
          percent(measured.idleShare),
          figure(measured.decisionUs),
          figure(measured.ratio),
        ],
      ],
    },
  ],
  data: measured,
});
