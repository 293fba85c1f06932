import { intervalOfShare, mean, sum } from '../numbers.js';
import type { Result } from './race.js';
import { groupedBy, type Summary } from './report.js';
import type { Variant } from './workload.js';

/** What the engine has to reach on a load with seeds 1–4: multiples of the oracle and test runs per change. */
interface Goal {
  readonly load: string;
  readonly policy: string;
  readonly waits: readonly [p50: number, p95: number, p99: number];
  readonly runs: number;
}

const AUTO = 'engine(autoConcurrency=true)';

const goals: readonly Goal[] = [
  { load: 'E2a', policy: 'engine', waits: [1.15, 1.48, 1.6], runs: 1.45 },
  { load: 'E2c', policy: AUTO, waits: [5, 7, 7.5], runs: 6 },
  { load: 'E3burst', policy: 'engine', waits: [1.9, 2.7, 2.8], runs: 4 },
  { load: 'E3burst', policy: AUTO, waits: [1.9, 2.7, 2.8], runs: 4 },
  { load: 'E3h4', policy: 'engine', waits: [1.4, 2.4, 2.6], runs: 2.7 },
  { load: 'E3h4', policy: AUTO, waits: [1.4, 2.4, 2.6], runs: 2.7 },
  { load: 'E1x100', policy: 'engine', waits: [1.5, 2.2, 2.3], runs: 2.3 },
  { load: 'E1x100', policy: AUTO, waits: [1.5, 2.2, 2.3], runs: 2.3 },
];

/**
 * For E4, with one runner and batches of 16: test runs relative to the bound, and the median wait relative to
 * bors(16).
 */
const FEW = { load: 'E4', runs: 1.08, wait: 0.6 };

export type GoalRow = readonly [
  load: string,
  policy: string,
  goal: string,
  measured: string,
  reached: string,
];

/** The goals for which there are figures. */
export const goalRows = (all: readonly Summary[]): readonly GoalRow[] => [
  ...goals.flatMap((goal) => {
    const one = all.find(({ load, policy }) => load === goal.load && policy === goal.policy);
    return one === undefined ? [] : [rowOf(goal, one)];
  }),
  ...fewRows(all.filter(({ load }) => load === FEW.load)),
];

const rowOf = ({ load, policy, waits, runs }: Goal, { multiples, runsPerChange }: Summary): GoalRow => {
  const measured = [multiples.p50, multiples.p95, multiples.p99];
  const isReached = runsPerChange <= runs && measured.every((value, index) => value <= (waits[index] ?? 0));
  return [load, policy, textOf(waits, runs), textOf(measured, runsPerChange), yesOrNo(isReached)];
};

const textOf = (waits: readonly number[], runs: number): string =>
  `${waits.map((value) => value.toFixed(2)).join('/')} at ${runs.toFixed(2)}`;

const fewRows = (all: readonly Summary[]): readonly GoalRow[] => {
  const bound = all.find(({ policy }) => policy === 'bound')?.runsPerChange;
  const bors = all.find(({ policy }) => policy === 'bors(16)')?.minutes.p50;
  if (bound === undefined || bors === undefined) return [];
  return all
    .filter(({ policy }) => policy.startsWith('engine'))
    .map(({ load, policy, runsPerChange, minutes }) => {
      const [runs, wait] = [runsPerChange / bound, minutes.p50 / bors];
      const measured = `${runs.toFixed(2)} × H(p), P50 ${wait.toFixed(2)} × bors(16)`;
      const isReached = runs <= FEW.runs && wait <= FEW.wait;
      return [load, policy, `${FEW.runs} × H(p), P50 ${FEW.wait} × bors(16)`, measured, yesOrNo(isReached)];
    });
};

const yesOrNo = (isReached: boolean): string => (isReached ? 'yes' : 'no');

/** With flakes and confirmation: innocents rejected, the upper end of their interval, and test runs relative to those without flakes. */
const FLAKES = { load: 'E2a', rate: 0.05, share: 0.002, most: 0.003, runs: 1.25 };

/** The goal with flakes. Test runs are compared on the seeds for which there are figures with and without. */
export const flakeRows = (results: readonly Result[]): readonly GoalRow[] => {
  const ofLoad = results.filter(
    ({ load, policy }) => load === FLAKES.load && policy.includes('confirmBeforeFailing=true'),
  );
  const flaked = groupedBy(
    ofLoad.filter(({ flakeRate }) => flakeRate === FLAKES.rate),
    ({ policy }) => policy,
  );
  return flaked.flatMap((group) => {
    const without = ofLoad.filter(({ policy, flakeRate }) => policy === group[0]?.policy && flakeRate === 0);
    return without.length === 0 ? [] : [flakeRow(group, without)];
  });
};

const flakeRow = (flaked: readonly Result[], without: readonly Result[]): GoalRow => {
  const innocents = sum(flaked.map((one) => one.innocents));
  const rejected = sum(flaked.map((one) => one.innocentsRejected));
  const [low, high] = intervalOfShare(rejected, innocents);
  const both = flaked.filter(({ seed }) => without.some((one) => one.seed === seed));
  const same = without.filter(({ seed }) => both.some((one) => one.seed === seed));
  const runs = mean(both.map((one) => one.runsPerChange)) / mean(same.map((one) => one.runsPerChange));
  const isReached = rejected / innocents <= FLAKES.share && high <= FLAKES.most && runs <= FLAKES.runs;
  const goal = `${percent(FLAKES.share)} innocents rejected (interval to ${percent(FLAKES.most)}), ${FLAKES.runs} × the test runs without flakes`;
  const found = `${percent(rejected / innocents)} (${percent(low)} to ${percent(high)}), ${runs.toFixed(2)} ×`;
  return [`${FLAKES.load}, 5 % flakes`, flaked[0]?.policy ?? '', goal, found, yesOrNo(isReached)];
};

const percent = (share: number): string => `${(100 * share).toFixed(2)} %`;

/** Loads on which the engine must not be worse than a line by more than this. */
const VARIED: readonly string[] = (['all', 'none', 'hourly'] satisfies Variant[]).flatMap((variant) => [
  `E2a/${variant}`,
  `E2c/${variant}`,
]);
const WORSE = 1.05;

export const peerRows = (all: readonly Summary[]): readonly GoalRow[] =>
  all
    .filter(({ load, policy }) => VARIED.includes(load) && policy.startsWith('engine'))
    .flatMap((one) => {
      const peer = (name: string) => all.find(({ load, policy }) => load === one.load && policy === name);
      const [github, zuul] = [peer('github(W)'), peer('zuul')];
      return github === undefined || zuul === undefined ? [] : [peerRow(one, github, zuul)];
    });

const peerRow = (one: Summary, github: Summary, zuul: Summary): GoalRow => {
  const waits = [github, zuul].map(({ minutes }) => one.minutes.p95 / minutes.p95);
  const ci = one.ciMinutesPerChange / github.ciMinutesPerChange;
  const [ofGithub = 0, ofZuul = 0] = waits;
  const goal = `P95 ${WORSE} × github(W) and zuul, CI min ${WORSE} × github(W)`;
  const found = `P95 ${ofGithub.toFixed(2)} × and ${ofZuul.toFixed(2)} ×, CI min ${ci.toFixed(2)} ×`;
  const isReached = [...waits, ci].every((ratio) => ratio <= WORSE);
  return [one.load, one.policy, goal, found, yesOrNo(isReached)];
};
