import type { Summary } from './report.js';

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

/** Of E4, with one runner and batches of 16: test runs relative to the bound, and the median wait to that of bors(16). */
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
