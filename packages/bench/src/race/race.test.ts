import { readFile } from 'node:fs/promises';
import type { QueueSettings } from '@mq/core';
import { describe, expect, test } from 'vitest';
import { replay } from './engine/replay.js';
import { Ledger, type Outcome } from './ledger.js';
import { Verdicts } from './verdicts.js';
import { type Arrival, parseWorkload, type Workload } from './workload.js';

const mini = async (): Promise<Workload> =>
  parseWorkload(JSON.parse(await readFile(new URL('./workloads/mini-1.json', import.meta.url), 'utf8')));

interface End {
  readonly pr: number;
  readonly state: string;
  readonly minute: number;
}

const raced = (
  load: Workload,
  settings: Partial<QueueSettings> = {},
): { readonly ends: readonly End[]; readonly outcome: Outcome } => {
  const verdicts = new Verdicts(load, 0);
  const ledger = new Ledger(load, verdicts);
  const ends: End[] = [];
  const onEnd = ({ pr, state }: { pr: number; state: string }, minute: number) =>
    ends.push({ pr, state, minute });
  replay(load, ledger, verdicts, { settings, onEnd });
  return { ends, outcome: ledger.outcome() };
};

const loadOf = (prs: readonly Partial<Arrival>[], W = 20): Workload => {
  const plain = { arr: 0, dur: 10, bad: false, tg: [1], conf: [] };
  return { name: 'test', seed: 1, W, tipDur: 5, prs: prs.map((one, i) => ({ ...plain, ...one, i })) };
};

const endOf = (ends: readonly End[], pr: number): End | undefined => ends.find((one) => one.pr === pr);
const POLL_MINUTES = 0.5;
/** #3 is submitted at minute 7, and its tests fail at minute 17. */
const FAILED_AT = 17;

describe('a culprit under steady traffic that touches the same', () => {
  test('a culprit fails with its tests if the tip was combined from passes', async () => {
    const { ends, outcome } = raced(await mini());
    const culprit = endOf(ends, 3);

    expect(culprit?.state).toBe('failed');
    expect(culprit?.minute).toBeCloseTo(FAILED_AT, 0);
    expect(ends.filter(({ state }) => state !== 'merged')).toEqual([culprit]);
    expect([ends.length, outcome.pauses]).toEqual([33, 0]);
  });

  test('a culprit fails after at most one baseline run if the tip is not known to pass', async () => {
    const { prs, tipDur, ...load } = await mini();
    const late = prs.filter(({ i }) => i >= 2).map((one, i) => ({ ...one, i }));
    const { ends, outcome } = raced({ ...load, tipDur, prs: late });
    const culprit = endOf(ends, 1);

    expect(culprit?.state).toBe('failed');
    expect(culprit?.minute).toBeLessThanOrEqual(FAILED_AT + tipDur + POLL_MINUTES);
    expect(ends.filter(({ state }) => state !== 'merged')).toEqual([culprit]);
    expect([ends.length, outcome.pauses]).toEqual([31, 0]);
  });

  test('a culprit does not delay pull requests resubmitted without it by more than one test', async () => {
    const { prs, ...load } = await mini();
    const { ends } = raced({ ...load, prs });
    const waits = prs
      .filter(({ i, arr }) => i !== 2 && arr >= FAILED_AT)
      .map(({ i, arr, dur }) => (endOf(ends, i + 1)?.minute ?? Number.POSITIVE_INFINITY) - arr - dur);

    expect(Math.max(...waits)).toBeLessThanOrEqual(POLL_MINUTES);
  });
});

describe('a replay of the engine', () => {
  test('a replay rejects the later of two conflicting pull requests with a common target', () => {
    const { ends, outcome } = raced(loadOf([{}, { arr: 1, conf: [0] }, { arr: 2 }]));

    expect(ends.filter(({ state }) => state === 'failed').map(({ pr }) => pr)).toEqual([2]);
    expect([outcome.redMain, outcome.innocentsRejected, outcome.undecided]).toEqual([0, 0, 0]);
  });

  test('a replay counts a broken target for two conflicting pull requests without a common target', () => {
    const { outcome } = raced(loadOf([{ tg: [1] }, { tg: [2], conf: [0] }]));

    expect([outcome.redMain, outcome.undecided]).toEqual([1, 0]);
  });

  test('a replay with one runner tests each pull request once, one after another', () => {
    const { ends, outcome } = raced(loadOf([{ dur: 10 }, { dur: 20 }, { dur: 30 }], 1));

    expect(ends.map(({ minute }) => Math.round(minute))).toEqual([10, 30, 60]);
    expect([outcome.runs, outcome.ciMinutes]).toEqual([3, 60]);
  });

  test('a replay tests a batch once, for the duration of its slowest pull request', () => {
    const settings = { batch: true, batchingMinSize: 3, mode: 'single' } as const;
    const { ends, outcome } = raced(loadOf([{ dur: 10 }, { dur: 20 }, { dur: 30 }], 1), settings);

    expect(ends.map(({ minute }) => Math.round(minute))).toEqual([30, 30, 30]);
    expect([outcome.runs, outcome.ciMinutes]).toEqual([1, 30]);
  });

  test('a replay counts a cancelled test for the time that it ran', () => {
    const { outcome } = raced(loadOf([{ dur: 10, bad: true }, { dur: 60 }]));

    expect(outcome.runs).toBe(3);
    expect(outcome.ciMinutes).toBeCloseTo(10 + 10 + 60, 1);
  });

  test('a replay says why each test run was started', () => {
    const prs = [{ dur: 10, bad: true }, { dur: 60 }];

    expect(raced(loadOf(prs)).outcome.runsByCause).toEqual({ first: 2, again: 1 });
    expect(raced(loadOf(prs), { confirmBeforeFailing: true }).outcome.runsByCause).toEqual({
      ...{ first: 2, again: 1, 'culprit confirmed': 1 },
    });
  });

  test('a replay is deterministic', async () => {
    const load = await mini();

    expect(raced(load)).toEqual(raced(load));
  });

  test('a replay is called off when nothing more is decided, and counts the undecided culprits', () => {
    // A test that far outlives its timeout has no verdict; the runner that it blocks never becomes free.
    const load = loadOf([{ dur: 1_000_000, bad: true }, { dur: 1_000_000 }], 1);
    const { outcome } = raced(load, { testingTimeoutMinutes: 0 });

    expect([outcome.undecided, outcome.culpritsStayed]).toEqual([2, 1]);
  });
});
