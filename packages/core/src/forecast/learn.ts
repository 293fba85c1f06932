import type { HistoryRow, Moved, RunChanged } from '../model/history.js';
import type { Instant, TestRunId } from '../model/ids.js';

/** Passed test runs that a forecast needs, and max test runs that it learns from, the newest. */
export const RUNS_NEEDED = 5;
const RUNS_LEARNT_FROM = 100;

type Tested = 'test' | 'isolate' | 'control';

/** Durations of each step, counted from its request. */
export interface Durations {
  readonly buildingMs: number;
  readonly testingMs: Readonly<Record<Tested, number>>;
  readonly landingMs: number;
}

export interface Learnt {
  readonly basedOnRuns: number;
  /** `typical`: medians. `slow`: 90th percentiles. */
  readonly typical: Durations;
  readonly slow: Durations;
}

/** Learns durations from history rows, newest first. Passes without a test are ignored. */
export const learn = (rows: readonly HistoryRow[]): Learnt => {
  const runs = rows.filter((row) => row.type === 'run');
  const tested = testingOf(runs).slice(0, RUNS_LEARNT_FROM);
  const seen = {
    building: buildingOf(runs).slice(0, RUNS_LEARNT_FROM),
    tested,
    landing: landingOf(rows.filter((row) => row.type === 'moved')).slice(0, RUNS_LEARNT_FROM),
  };
  const basedOnRuns = tested.filter(({ purpose }) => purpose === 'test').length;
  return { basedOnRuns, typical: durationsAt(seen, 0.5), slow: durationsAt(seen, 0.9) };
};

interface Seen {
  readonly building: readonly number[];
  readonly tested: readonly { readonly purpose: RunChanged['purpose']; readonly ms: number }[];
  readonly landing: readonly number[];
}

const durationsAt = ({ building, tested, landing }: Seen, share: number): Durations => {
  const ofPurpose = (wanted: Tested) =>
    tested.filter(({ purpose }) => purpose === wanted).map((one) => one.ms);
  const test = quantile(ofPurpose('test'), share) ?? 0;
  return {
    buildingMs: quantile(building, share) ?? 0,
    testingMs: {
      test,
      isolate: quantile(ofPurpose('isolate'), share) ?? test,
      control: quantile(ofPurpose('control'), share) ?? test,
    },
    landingMs: quantile(landing, share) ?? 0,
  };
};

/** The smallest value that at least this share of the values does not exceed; null without values. */
const quantile = (values: readonly number[], share: number): number | null => {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
};

const testingOf = (runs: readonly RunChanged[]): Seen['tested'] =>
  runs.flatMap(({ change, outcome, purpose, testingSince, at }) =>
    change === 'ended' && outcome === 'passed' && testingSince !== null && at > testingSince
      ? [{ purpose, ms: at - testingSince }]
      : [],
  );

const buildingOf = (runs: readonly RunChanged[]): readonly number[] => {
  const created = new Map<TestRunId, Instant>();
  for (const { change, runId, at } of runs) if (change === 'created') created.set(runId, at);
  return runs.flatMap(({ change, runId, at }) => {
    const since = change === 'testing' ? created.get(runId) : undefined;
    return since === undefined ? [] : [at - since];
  });
};

/** Durations of landings. Pull requests that landed together count once, from when the last of them had passed. */
const landingOf = (moves: readonly Moved[]): readonly number[] => {
  const begun = new Map<Instant, Instant>();
  for (const { from, to, runId, since, at } of moves)
    if (from === 'tests_passed' && to === 'merged' && runId !== null)
      begun.set(at, Math.max(since, begun.get(at) ?? since));
  return [...begun].map(([at, since]) => at - since);
};
