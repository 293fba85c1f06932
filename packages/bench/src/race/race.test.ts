import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { type End, race, type Workload } from './race.js';

const mini = async (): Promise<Workload> =>
  JSON.parse(await readFile(new URL('./workloads/mini-1.json', import.meta.url), 'utf8')) as Workload;

const endOf = (ends: readonly End[], pr: number): End | undefined => ends.find((one) => one.pr === pr);
const POLL_MINUTES = 0.5;
/** #3 is submitted at 7, and its tests fail at 17. */
const FAILED_AT = 17;

describe('a culprit under steady traffic that touches the same', () => {
  test('fails as soon as its tests do where the tip was composed of what passed', async () => {
    const { ends, pauses } = race(await mini());
    const culprit = endOf(ends, 3);

    expect(culprit?.state).toBe('failed');
    expect(culprit?.minute).toBeCloseTo(FAILED_AT, 0);
    expect(ends.filter(({ state }) => state !== 'merged')).toEqual([culprit]);
    expect([ends.length, pauses]).toEqual([33, 0]);
  });

  test('fails no later than a baseline run takes where the tip is not known to pass', async () => {
    const { prs, tipDur, ...load } = await mini();
    const { ends, pauses } = race({ ...load, tipDur, prs: prs.filter(({ i }) => i >= 2) });
    const culprit = endOf(ends, 3);

    expect(culprit?.state).toBe('failed');
    expect(culprit?.minute).toBeLessThanOrEqual(FAILED_AT + tipDur + POLL_MINUTES);
    expect(ends.filter(({ state }) => state !== 'merged')).toEqual([culprit]);
    expect([ends.length, pauses]).toEqual([31, 0]);
  });

  test('does not keep those behind it from landing one test after they are submitted again without it', async () => {
    const { prs, ...load } = await mini();
    const { ends } = race({ ...load, prs });
    const waits = prs
      .filter(({ i, arr }) => i !== 2 && arr >= FAILED_AT)
      .map(({ i, arr, dur }) => (endOf(ends, i + 1)?.minute ?? Number.POSITIVE_INFINITY) - arr - dur);

    expect(Math.max(...waits)).toBeLessThanOrEqual(POLL_MINUTES);
  });
});
