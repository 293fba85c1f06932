import type { Input, QueueMode } from '@mq/core';
import { atMost, type Bench, type Findings, figure, percent, type Table } from '../bench.js';
import { timed } from '../cpu-time.js';
import { mean, median } from '../numbers.js';
import { type Step, Traffic } from '../world/traffic.js';

const modes = ['single', 'parallel'] as const satisfies QueueMode[];
const CONCURRENCY = 50;

const sizes = {
  full: { few: 1_000, many: 10_000, warmUp: 2_000, rounds: 5, stepsPerRound: 400 },
  tiny: { few: 20, many: 40, warmUp: 40, rounds: 2, stepsPerRound: 40 },
} as const;
type EventCostSize = (typeof sizes)[keyof typeof sizes];

export const eventCost: Bench = {
  name: 'event-cost',
  title: 'The cost of one input in a long queue',
  parts: [(size, note) => findings(modes.map((mode) => measure(mode, sizes[size], note)))],
};

interface Measured {
  readonly kind: string;
  readonly tookMs: number;
}

interface EventCost {
  readonly mode: QueueMode;
  readonly ratio: number;
  readonly ratios: readonly number[];
  /** The mean cost of one input at 1,000, relative to writing all rows of that queue as JSON once. */
  readonly overJson: number;
  readonly kinds: readonly {
    readonly kind: string;
    readonly share: number;
    readonly fewUs: number;
    readonly manyUs: number;
  }[];
}

/** Measures one input at a time, in rounds that alternate between a short and a long queue, after a warm-up. */
const measure = (mode: QueueMode, size: EventCostSize, note: (text: string) => void): EventCost => {
  const settings = { mode, concurrency: CONCURRENCY } as const;
  const worlds = [size.few, size.many].map((submissions) => {
    note(`${mode}: filling a queue of ${figure(submissions)}`);
    return new Traffic({ submissions, settings, seed: 1 });
  });
  for (const world of worlds) for (let step = 0; step < size.warmUp; step += 1) world.step();
  const rounds = worlds.map((): Measured[][] => []);
  const jsonMs: number[] = [];
  for (let round = 1; round <= size.rounds; round += 1) {
    note(`${mode}: round ${round} of ${size.rounds}`);
    for (const [index, world] of worlds.entries()) {
      const measured = Array.from({ length: size.stepsPerRound }, () => {
        const step = world.step();
        return { kind: kindOf(step), tookMs: step.tookMs };
      });
      rounds[index]?.push(measured);
    }
    jsonMs.push(...worlds.slice(0, 1).map(jsonMsOf));
  }
  return summary(mode, rounds[0] ?? [], rounds[1] ?? [], median(jsonMs));
};

const JSON_REPEATS = 20;

/** The time to write all rows of a queue as JSON once. */
const jsonMsOf = ({ replica: { state } }: Traffic): number => {
  const rows = [
    state.queue,
    ...state.submissions.values(),
    ...state.runs.values(),
    ...state.targets.values(),
  ];
  return (
    timed(() => {
      for (let time = 0; time < JSON_REPEATS; time += 1) JSON.stringify(rows);
    }) / JSON_REPEATS
  );
};

const kindOf = ({ inputs }: Step): string => {
  const [input] = inputs;
  return input === undefined ? 'time passed' : nameOf(input);
};

const nameOf = (input: Input): string => {
  if (input.type !== 'checks_seen') return input.type;
  const hasVerdict = input.seen.some(({ checks }) => checks.some(({ status }) => status === 'completed'));
  return hasVerdict ? 'checks_seen, with a verdict' : 'checks_seen, without a verdict';
};

const summary = (
  mode: QueueMode,
  few: readonly Measured[][],
  many: readonly Measured[][],
  jsonMs: number,
): EventCost => {
  const shares = sharesOf([...few.flat(), ...many.flat()]);
  const ratios = few.map((round, index) => ratioOf(round, many[index] ?? [], shares));
  return {
    mode,
    ratio: median(ratios),
    ratios,
    overJson: median(few.map((round) => mean(timesOf(round)))) / jsonMs,
    kinds: [...shares].map(([kind, share]) => ({
      kind,
      share,
      fewUs: 1_000 * mean(timesOf(few.flat(), kind)),
      manyUs: 1_000 * mean(timesOf(many.flat(), kind)),
    })),
  };
};

const timesOf = (measured: readonly Measured[], kind?: string): readonly number[] =>
  measured.filter((one) => kind === undefined || one.kind === kind).map(({ tookMs }) => tookMs);

const sharesOf = (measured: readonly Measured[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const { kind } of measured) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const sorted = [...counts].sort(([, one], [, other]) => other - one);
  return new Map(sorted.map(([kind, count]) => [kind, count / measured.length]));
};

/** The ratio of the mean costs of one input, over the kinds that occurred in both queues in this round. */
const ratioOf = (
  few: readonly Measured[],
  many: readonly Measured[],
  shares: ReadonlyMap<string, number>,
): number => {
  let [costFew, costMany] = [0, 0];
  for (const [kind, share] of shares) {
    const [timesFew, timesMany] = [timesOf(few, kind), timesOf(many, kind)];
    if (timesFew.length === 0 || timesMany.length === 0) continue;
    costFew += share * mean(timesFew);
    costMany += share * mean(timesMany);
  }
  return costMany / costFew;
};

const findings = (costs: readonly EventCost[]): Findings => ({
  about:
    'The time to decide one input (`decide`) and to apply its rows, in a queue of 1,000 and in one of 10,000, where a new pull request replaces each one that leaves; ' +
    `${CONCURRENCY} concurrent test runs, 20 impacted targets per pull request out of 5,000 (drawn by the square of a random number), 2 % of the pull requests broken, 5 % cancelled. The first ratio compares the same mix of inputs; its reference is the queue of 1,000. The reference of the second is all rows of that queue written as JSON once. Measured after 2,000 inputs of each queue, when V8 has compiled most of the code.`,
  goals: costs.flatMap(({ mode, ratio, overJson }) => [
    atMost(`${mode}: one input at 10,000, as a multiple of one at 1,000`, 12, ratio),
    atMost(`${mode}: one input at 1,000, as a multiple of the queue written as JSON`, 1, overJson),
  ]),
  tables: costs.map(tableOf),
  data: costs,
});

const tableOf = ({ mode, kinds }: EventCost): Table => ({
  head: [`input, ${mode} mode`, 'share', 'µs at 1,000', 'µs at 10,000'],
  rows: kinds.map(({ kind, share, fewUs, manyUs }) => [kind, percent(share), figure(fewUs), figure(manyUs)]),
});
