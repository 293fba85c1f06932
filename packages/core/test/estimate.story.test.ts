import { type Story, stories } from '@mq/testkit';
import { afterEach, describe, expect, test } from 'vitest';
import type { Estimate, Instant, QueueSettings } from '../src/index.js';

const story = stories(afterEach);

const MINUTE = 60_000;
const tenMinutes = { mode: 'automatic', durationMs: 10 * MINUTE } as const;
const history = [101, 102, 103, 104, 105];
const past = `main+${history.join('+')}`;

/** A queue that has merged five pull requests one after another, each tested for ten minutes. */
const queueWithHistory = async (
  settings: Partial<QueueSettings> = {},
  setup: Parameters<typeof story>[1] = {},
): Promise<Story> => {
  const q = await story({}, { ci: tenMinutes, ...setup });
  for (const pr of history) {
    await q.submit(pr);
    await q.after('11m');
  }
  await q.configures(settings);
  return q;
};

const estimateOf = (q: Story, pr: number): Promise<Estimate> => q.world.mq.estimate({ ...q.world.ref, pr });

const whatIsFound = async (q: Story, prs: readonly number[]) => {
  const estimates = await q.world.mq.estimates({ ...q.world.ref, prs });
  return prs.map((pr) => {
    const estimate = estimates.get(pr);
    return estimate?.status === 'available' ? estimate.expectedMergeAt : estimate?.reason;
  });
};

const mergedAt = (q: Story, pr: number): Instant | undefined =>
  q.world.seen.submissions.get(pr)?.submission.landed?.at;

const minutesUntil = (q: Story, at: Instant | null): number | null =>
  at === null ? null : (at - q.world.clock.now()) / MINUTE;

describe('an estimate equals what happens if everything passes', () => {
  const five = [1, 2, 3, 4, 5];

  test.each<[string, Partial<QueueSettings>]>([
    ['in one line', { concurrency: 2 }],
    ['one after another', { concurrency: 1 }],
    ['in batches', { concurrency: 1, batch: true, batchingMinSize: 2 }],
    ['merging optimistically', { concurrency: 3, canOptimisticallyMerge: true, pendingFailureDepth: 1 }],
    ['while it drains, for those that have begun', { concurrency: 5 }],
  ])('%s', async (_, settings) => {
    const q = await queueWithHistory(settings);
    await q.submit(...five);
    if (settings.concurrency === 5) await q.drains();
    await q.after('3m');
    const estimated = await whatIsFound(q, five);

    await q.after('120m');
    expect(estimated).toEqual(five.map((pr) => mergedAt(q, pr)));
  });

  test('in lanes, with a pull request that connects two of them', async () => {
    const q = await queueWithHistory({ mode: 'parallel', concurrency: 2 });
    await q.opens(...five);
    for (const [pr, targets] of [
      [1, ['//api']],
      [2, ['//api']],
      [3, ['//web']],
      [4, ['//web', '//api']],
      [5, ['//docs']],
    ] as const)
      await q.touches(pr, targets);
    await q.submit(...five);
    await q.after('3m');
    const estimated = await whatIsFound(q, five);

    await q.after('120m');
    expect(estimated).toEqual(five.map((pr) => mergedAt(q, pr)));
  });

  test('an estimate equals what happens if everything passes with an urgent pull request that goes first', async () => {
    const q = await queueWithHistory({ concurrency: 1 });
    await q.submit(1, 2, 3);
    await q.submit(4, { skipTheLine: true });
    await q.after('3m');
    const estimated = await whatIsFound(q, [1, 2, 3, 4]);

    await q.after('60m');
    expect(estimated).toEqual([1, 2, 3, 4].map((pr) => mergedAt(q, pr)));
    expect(mergedAt(q, 4)).toBeLessThan(mergedAt(q, 1) ?? 0);
  });

  test('an estimate equals what happens if everything passes for the start and end of its tests, and the number ahead of it', async () => {
    const q = await queueWithHistory({ concurrency: 2 });
    await q.submit(...five);
    await q.after('4m');

    const estimate = await estimateOf(q, 5);
    if (estimate.status !== 'available') throw new Error(estimate.sentence);
    expect({
      testStart: minutesUntil(q, estimate.expectedTestStartAt),
      testEnd: minutesUntil(q, estimate.expectedTestEndAt),
      merge: minutesUntil(q, estimate.expectedMergeAt),
      pessimistic: minutesUntil(q, estimate.pessimisticMergeAt),
    }).toEqual({ testStart: 16, testEnd: 26, merge: 26, pessimistic: 26 });
    expect(estimate).toMatchObject({
      kind: 'merge',
      waitingBehind: 4,
      basedOnRuns: 5,
      expectedResolutionAt: null,
    });
  });
});

test('the estimate expects no tests of content that has passed already', async () => {
  const q = await queueWithHistory({ concurrency: 2 });
  await q.submit(1, 2);
  await q.refusesLandings({ class: 'wait', pr: 1, message: 'checks of the head are running' });
  await q.passes(`${past}+1`);
  q.hasReason(1, 'HOST_NOT_READY');

  await q.refusesLandings(null);
  const [first, second] = await whatIsFound(q, [1, 2]);
  await q.after('30m');
  expect([first, second]).toEqual([mergedAt(q, 1), mergedAt(q, 2)]);
  q.hasTested(`${past}+1`, 1);
});

test('the pessimistic time is that of the slowest tenth', async () => {
  const minutes = [10, 10, 10, 30, 30];
  let runs = 0;
  const durationMs = () => (minutes[runs++] ?? 10) * MINUTE;
  const q = await story({}, { ci: { mode: 'automatic', durationMs } });
  for (const pr of history) {
    await q.submit(pr);
    await q.after('31m');
  }
  await q.submit(1, 2);

  const estimate = await estimateOf(q, 2);
  if (estimate.status !== 'available') throw new Error(estimate.sentence);
  expect(minutesUntil(q, estimate.expectedMergeAt)).toBe(20);
  expect(minutesUntil(q, estimate.pessimisticMergeAt)).toBe(60);
});

test('a test run that takes longer than usual is expected to take as long again as it is overdue', async () => {
  let runs = 0;
  const durationMs = () => (++runs > history.length ? 30 : 10) * MINUTE;
  const q = await queueWithHistory({}, { ci: { mode: 'automatic', durationMs } });
  await q.submit(1);
  const mergesIn = async () => {
    const estimate = await estimateOf(q, 1);
    if (estimate.status !== 'available') throw new Error(estimate.sentence);
    return [estimate.expectedTestStartAt, estimate.expectedMergeAt].map((at) => minutesUntil(q, at));
  };

  await q.after('10m');
  expect(await mergesIn()).toEqual([-10, 1]);
  await q.after('5m');
  expect(await mergesIn()).toEqual([-15, 5]);
  await q.after('10m');
  expect(await mergesIn()).toEqual([-25, 15]);
});

describe('the estimate of a failed pull request', () => {
  test('the estimate of a failed pull request names the time at which its failure counts', async () => {
    const q = await queueWithHistory({ concurrency: 2 });
    await q.submit(1, 2);
    await q.after('4m');
    await q.fails(`${past}+1+2`);

    const estimate = await estimateOf(q, 2);
    if (estimate.status !== 'available') throw new Error(estimate.sentence);
    expect(estimate).toMatchObject({ kind: 'pendingFailureResolution', expectedMergeAt: null });
    expect(minutesUntil(q, estimate.expectedResolutionAt)).toBe(6);
    await q.after('6m');
    q.isIn({ 1: 'merged', 2: 'failed' });
  });

  test('the estimate of a failed pull request names the merge time if a pull request behind it may clear it', async () => {
    const q = await queueWithHistory({
      concurrency: 3,
      pendingFailureDepth: 2,
      canOptimisticallyMerge: true,
    });
    await q.submit(1, 2, 3);
    await q.after('4m');
    await q.fails(`${past}+1+2`);

    const estimate = await estimateOf(q, 2);
    if (estimate.status !== 'available') throw new Error(estimate.sentence);
    expect(estimate.kind).toBe('pendingFailureResolution');
    await q.after('7m');
    expect(estimate.expectedMergeAt).toBe(mergedAt(q, 2));
  });
});

describe('why there is no estimate', () => {
  const reasonOf = async (q: Story, pr: number) => {
    const estimate = await estimateOf(q, pr);
    return estimate.status === 'available' ? estimate : estimate.reason;
  };

  test('there is no estimate for a pull request that is not ready, was never ready, or has left', async () => {
    const q = await queueWithHistory({ concurrency: 1 });
    await q.opens({ number: 1, draft: true });
    await q.submit(1, 2, 3);
    await q.cancel(2);

    expect(await reasonOf(q, 1)).toBe('not_ready');
    expect(await reasonOf(q, 2)).toBe('ended');
    expect(await reasonOf(q, 101)).toBe('ended');
    expect(await reasonOf(q, 3)).toMatchObject({ status: 'available' });
  });

  test('there is no estimate in a queue that is paused or draining', async () => {
    const q = await queueWithHistory({ concurrency: 1 });
    await q.submit(1, 2);
    await q.drains();

    expect(await reasonOf(q, 2)).toBe('draining');
    expect(await reasonOf(q, 1)).toMatchObject({ status: 'available' });
    await q.pauses();
    expect(await reasonOf(q, 1)).toBe('paused');
  });

  test('there is no estimate in a queue that changes its mode and drains, where waiting pull requests do not start in the new mode either', async () => {
    const q = await queueWithHistory({ concurrency: 1 });
    await q.submit(1, 2);
    await q.drains();
    await q.configures({ mode: 'parallel' });
    q.queueIs('switching_modes');

    expect(await reasonOf(q, 2)).toBe('draining');
  });

  test('there is no estimate with too few recorded test runs', async () => {
    const q = await story({}, { ci: tenMinutes });
    await q.submit(1);
    await q.after('11m');
    await q.submit(2);

    expect(await estimateOf(q, 2)).toEqual({
      status: 'unavailable',
      reason: 'little_history',
      sentence: 'A forecast needs 5 passed test runs of this queue; 1 of the last ones passed.',
    });
  });

  test('there is no estimate for a member of a batch under bisection, while those behind it continue', async () => {
    const q = await queueWithHistory({ batch: true, batchingMinSize: 2, concurrency: 2 });
    await q.submit(1, 2, 3, 4);
    await q.after('1m');
    await q.fails(`${past}+1+2`);

    expect(await reasonOf(q, 1)).toBe('isolated');
    expect(await reasonOf(q, 2)).toBe('isolated');
    const behind = await estimateOf(q, 3);
    if (behind.status !== 'available') throw new Error(behind.sentence);
    await q.after('60m');
    expect(behind.expectedMergeAt).toBe(mergedAt(q, 3));
  });

  test('there is no estimate for a batch that would time out', async () => {
    const batches = { batch: true, batchingMinSize: 2, concurrency: 2, pendingFailureDepth: 1 };
    const q = await queueWithHistory({ ...batches, testingTimeoutMinutes: 8 });
    await q.submit(1, 2);
    await q.after('1m');
    await q.submit(3, 4);

    for (const pr of [1, 2])
      expect(await estimateOf(q, pr)).toMatchObject({
        reason: 'stuck',
        sentence: 'If nothing changes, it is not merged: Its tests timed out.',
      });
  });

  test('there is no estimate for a pull request that conflicts with one ahead of it', async () => {
    const q = await queueWithHistory({ concurrency: 2 });
    await q.opens(1, { number: 2, conflictsWith: 1 });
    await q.submit(1, 2);

    expect(await reasonOf(q, 2)).toBe('held');
  });

  test('there is no estimate while the code host does not answer', async () => {
    const q = await queueWithHistory();
    await q.submit(1);
    await q.goesDown();
    await q.after('3m');

    expect(await reasonOf(q, 1)).toBe('host_trouble');
    await q.comesBack();
  });
});

describe('asking for an estimate', () => {
  test('asking for an estimate changes nothing', async () => {
    const q = await queueWithHistory({ concurrency: 2 });
    await q.submit(1, 2, 3);
    const before = structuredClone(q.world.store.dump?.());

    await whatIsFound(q, [1, 2, 3]);
    expect(q.world.store.dump?.()).toEqual(before);
  });

  test('asking for an estimate for several pull requests gives each the same answer as alone, and none for an unknown one', async () => {
    const q = await queueWithHistory({ concurrency: 2 });
    await q.submit(1, 2, 3);
    const { mq, ref } = q.world;

    const estimates = await mq.estimates({ ...ref, prs: [9, 1, 2, 3] });
    expect([...estimates.keys()]).toEqual([1, 2, 3]);
    for (const pr of [1, 2, 3]) expect(estimates.get(pr)).toEqual(await estimateOf(q, pr));
    await expect(estimateOf(q, 9)).rejects.toMatchObject({ code: 'NOT_SUBMITTED' });
    const tooMany = Array.from({ length: 51 }, (_, index) => index + 1);
    await expect(mq.estimates({ ...ref, prs: tooMany })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  });
});
