import { Lanes } from '@mq/core/internals';
import { Random } from '@mq/random';
import { atLeast, atMost, type Bench, type Findings, figure } from '../bench.js';
import { timed } from '../cpu-time.js';
import { median } from '../numbers.js';
import { drawTargets } from '../world/targets.js';

const sizes = {
  full: { lengths: [2_000, 4_000, 10_000], rounds: 5 },
  tiny: { lengths: [20, 40], rounds: 2 },
} as const;
type LaneLookupSize = (typeof sizes)[keyof typeof sizes];

export const laneLookup: Bench = {
  name: 'lane-lookup',
  title: 'Lookup of lanes',
  parts: [(size, note) => findings(measure(sizes[size], note))],
};

interface LaneLookup {
  readonly shortest: number;
  /** Overlapping pairs in the shortest line. */
  readonly pairs: number;
  readonly pairwiseUs: number;
  readonly ratio: number;
  readonly lines: readonly { readonly length: number; readonly joinUs: number }[];
}

const measure = (size: LaneLookupSize, note: (text: string) => void): LaneLookup => {
  const random = new Random(1);
  const targets = Array.from({ length: Math.max(...size.lengths) }, () => drawTargets(random));
  const [shortest] = size.lengths;
  const rounds: { readonly pairwiseMs: number; readonly joinMs: readonly number[] }[] = [];
  let pairs = 0;
  for (let round = 0; round <= size.rounds; round += 1) {
    note(`round ${round} of ${size.rounds}`);
    const pairwiseMs = timed(() => {
      pairs = pairwise(targets.slice(0, shortest));
    });
    const joinMs = size.lengths.map((length) => timed(() => joined(targets.slice(0, length))));
    if (round > 0) rounds.push({ pairwiseMs, joinMs });
  }
  return {
    shortest,
    pairs,
    pairwiseUs: (1_000 * median(rounds.map(({ pairwiseMs }) => pairwiseMs))) / shortest,
    ratio: median(rounds.map(({ pairwiseMs, joinMs }) => pairwiseMs / (joinMs[0] ?? Number.NaN))),
    lines: size.lengths.map((length, index) => ({
      length,
      joinUs: (1_000 * median(rounds.map(({ joinMs }) => joinMs[index] ?? Number.NaN))) / length,
    })),
  };
};

const joined = (line: readonly (readonly string[])[]): void => {
  const lanes = new Lanes();
  for (const targets of line) lanes.join(targets);
};

/** The reference: compares the targets of each with those of all before it. */
const pairwise = (line: readonly (readonly string[])[]): number => {
  const sets: ReadonlySet<string>[] = [];
  let pairs = 0;
  for (const targets of line) {
    for (const before of sets) if (targets.some((target) => before.has(target))) pairs += 1;
    sets.push(new Set(targets));
  }
  return pairs;
};

const findings = (found: LaneLookup): Findings => {
  const first = found.lines[0];
  const last = found.lines.at(-1);
  return {
    about:
      'Pull requests with 20 targets each join a queue one after another (`Lanes.join`), compared with the pairwise intersection of sets. ' +
      `The targets are drawn from 5,000 by the square of a random number: ${figure(found.pairs)} pairs among the first ${figure(found.shortest)} have a common target.`,
    goals: [
      atLeast(`times as fast as pairwise sets at ${figure(found.shortest)}`, 150, found.ratio),
      atMost(
        `one join at ${figure(last?.length ?? Number.NaN)}, as a multiple of one at ${figure(found.shortest)}`,
        1.5,
        (last?.joinUs ?? Number.NaN) / (first?.joinUs ?? Number.NaN),
      ),
    ],
    tables: [
      {
        head: ['queue', 'µs per pull request', 'pairwise sets'],
        rows: found.lines.map(({ length, joinUs }, index) => [
          figure(length),
          figure(joinUs),
          index === 0 ? figure(found.pairwiseUs) : '–',
        ]),
      },
    ],
    data: found,
  };
};
