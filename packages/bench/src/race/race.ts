import { cpuTimeMs } from '../cpu-time.js';
import { quantile, sum } from '../numbers.js';
import { entropy } from '../theory.js';
import { type Cause, Ledger, type Outcome, type RunsByCause } from './ledger.js';
import { oracle } from './peers/oracle.js';
import { BOUND, type Policy } from './policies.js';
import { Verdicts } from './verdicts.js';
import { truthOf, type Workload } from './workload.js';

/** The figures of one policy on one load. Waits are NaN if nothing waited. */
export interface Result {
  readonly load: string;
  readonly seed: number;
  readonly policy: string;
  readonly runners: number;
  readonly flakeRate: number;
  readonly changes: number;
  /** Waits from submission to decision. */
  readonly minutes: Percentiles;
  /** The same as multiples of those of the oracle. */
  readonly multiples: Percentiles;
  /** Tests per decided pull request. */
  readonly runsPerChange: number;
  readonly ciMinutesPerChange: number;
  /** The same, by why the engine started them. Empty for models. */
  readonly runsByCause: RunsByCause;
  /** CI minutes, relative to one test of each pull request. */
  readonly ciMultiple: number;
  /** Pull requests that can land. */
  readonly innocents: number;
  readonly innocentsRejected: number;
  readonly redMain: number;
  readonly undecided: number;
  readonly culpritsStayed: number;
  readonly pauses: number;
  readonly cpuSeconds: number;
}

export interface Percentiles {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

export interface RaceOptions {
  /** Share of the tests that fail although they should pass. */
  readonly flakeRate?: number;
  readonly onProgress?: (minute: number, decided: number) => void;
}

/** Races one policy on one load, and the oracle for comparison. */
export const race = (load: Workload, policy: Policy, options: RaceOptions = {}): Result => {
  const { flakeRate = 0, onProgress } = options;
  const verdicts = new Verdicts(load, flakeRate);
  const ledger = new Ledger(load, verdicts);
  const startedMs = cpuTimeMs();
  policy.race({
    load,
    ledger,
    verdicts,
    onProgress: (minute) => onProgress?.(minute, load.prs.length - ledger.undecided),
  });
  const cpuSeconds = (cpuTimeMs() - startedMs) / 1_000;
  return resultOf(load, policy.label, { flakeRate, cpuSeconds, outcome: ledger.outcome() });
};

/** The lower bound of every policy: H(p) tests per change for the share p that cannot pass. It does not bound waits. */
export const boundOf = (load: Workload): Result => {
  const truth = truthOf(load);
  const runs = entropy(truth.filter((passes) => !passes).length / truth.length) || 0;
  const mean = meanDuration(load);
  const outcome: Outcome = {
    ...{ waits: [], innocentsRejected: 0, redMain: 0, undecided: 0, culpritsStayed: 0, pauses: 0 },
    ...{ runsByCause: {}, innocents: truth.filter((passes) => passes).length },
    ...{ runs: runs * truth.length, ciMinutes: runs * mean * truth.length },
  };
  return resultOf(load, BOUND, { flakeRate: 0, cpuSeconds: 0, outcome });
};

const resultOf = (
  load: Workload,
  policy: string,
  { flakeRate, cpuSeconds, outcome }: { flakeRate: number; cpuSeconds: number; outcome: Outcome },
): Result => {
  const { waits, runs, ciMinutes, runsByCause, ...counts } = outcome;
  const decided = waits.length || load.prs.length;
  const minutes = percentilesOf(waits);
  const best = percentilesOf(oracleWaits(load));
  return {
    ...{ load: load.name, seed: load.seed, policy, runners: load.W, flakeRate, changes: load.prs.length },
    minutes,
    multiples: { p50: minutes.p50 / best.p50, p95: minutes.p95 / best.p95, p99: minutes.p99 / best.p99 },
    runsPerChange: runs / decided,
    runsByCause: perChange(runsByCause, decided),
    ciMinutesPerChange: ciMinutes / decided,
    ciMultiple: ciMinutes / decided / meanDuration(load),
    ...counts,
    cpuSeconds,
  };
};

const perChange = (runs: RunsByCause, changes: number): RunsByCause =>
  Object.fromEntries(
    (Object.entries(runs) as [Cause, number][]).map(([cause, count]) => [cause, count / changes]),
  );

const percentilesOf = (waits: readonly number[]): Percentiles => ({
  p50: quantile(waits, 0.5),
  p95: quantile(waits, 0.95),
  p99: quantile(waits, 0.99),
});

const meanDuration = ({ prs }: Workload): number => sum(prs.map(({ dur }) => dur)) / prs.length;

const oracleWaits = (load: Workload): readonly number[] => {
  const ledger = new Ledger(load, new Verdicts(load, 0));
  oracle(load, ledger);
  return ledger.outcome().waits;
};
