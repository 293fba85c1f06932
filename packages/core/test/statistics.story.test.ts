import { memorySummaryStore } from '@mq/store-memory';
import { stories } from '@mq/testkit';
import { afterEach, expect, test } from 'vitest';
import { Summaries } from '../src/engine/summaries.js';
import { HOUR_MS } from '../src/model/summary.js';
import { silentLogger } from '../src/ports/logger.js';

const story = stories(afterEach);

test('statistics count landings, failures, time in queue, CI time by cause and failures of checks', async () => {
  const q = await story({ concurrency: 2 });
  await q.submit(1, 2, 3);
  await q.cancel(3);
  await q.after('10m');
  await q.fails('main+1');
  await q.after('20m');
  await q.passes('main+2');
  await q.after('1h');

  const { total, buckets } = await q.world.mq.statistics({
    ...q.world.ref,
    since: q.world.clock.now(),
    bucket: 'day',
  });
  expect(buckets).toEqual([total]);
  expect(total).toMatchObject({ landed: 1, failed: 1, cancelled: 1 });
  const { median = 0, p95 = 0 } = total.timeInQueueMs ?? {};
  for (const ms of [median, p95]) expect(Math.abs(ms - 1_800_000)).toBeLessThan(90_000);
  expect(total.checks).toEqual([{ name: 'test', tests: 2, failures: 1, flakes: 0 }]);
  const minutes = total.ci.map(({ cause, isUsed, ms }) => [cause, isUsed, Math.round(ms / 60_000)]);
  expect(minutes).toContainEqual(['landed', true, 20]);
});

test('a failure that passes when it is tested again counts as a flake of its check', async () => {
  const q = await story({ confirmBeforeFailing: true });
  await q.submit(1);
  await q.fails('main+1');
  await q.passes('main+1');

  const { total } = await q.world.mq.statistics({ ...q.world.ref, since: q.world.clock.now() });
  expect(total.checks).toEqual([{ name: 'test', tests: 2, failures: 1, flakes: 1 }]);
});

test('statistics come from hourly summaries once the history is gone, and are the same', async () => {
  const q = await story();
  const { store, clock, ref } = q.world;
  const kept = memorySummaryStore();
  const { queue } = await q.world.mq.getQueue(ref);
  const summaries = new Summaries({ store, summaries: kept, clock, logger: silentLogger });
  for (const pr of [1, 2, 3]) {
    await q.submit(pr);
    await q.after('50m');
    await q.passes(['main', 1, 2, 3].slice(0, pr + 1).join('+'));
  }
  const before = await summaries.recent(queue.id);
  await q.after('2h');
  await summaries.recent(queue.id);
  const since = clock.now() - 24 * HOUR_MS;
  const hours = await kept.read({ queueId: queue.id, since, until: clock.now() });
  expect(new Map(hours.map(({ hour, ...summary }) => [hour, summary]))).toEqual(before.hours);
  expect(hours.reduce((sum, { landed }) => sum + landed, 0)).toBe(3);
  expect((await summaries.recent(queue.id)).hours).toEqual(new Map());
});

test('an hour that is not over for ten minutes is not stored', async () => {
  const q = await story();
  const { store, clock, ref } = q.world;
  const kept = memorySummaryStore();
  const { queue } = await q.world.mq.getQueue(ref);
  const summaries = new Summaries({ store, summaries: kept, clock, logger: silentLogger });
  await q.submit(1);
  await q.passes('main+1');
  await q.after('69m');
  await summaries.recent(queue.id);
  expect(await kept.lastHour(queue.id)).toBeNull();

  await q.after('2m');
  await summaries.recent(queue.id);
  expect(await kept.lastHour(queue.id)).not.toBeNull();
});

test.each([
  ['an end before its beginning', { since: 10 * HOUR_MS, until: HOUR_MS }],
  ['more buckets than the limit', { since: 0, until: 402 * HOUR_MS, bucket: 'hour' }],
  ['more days than the limit', { since: 0, until: 10_000 * HOUR_MS, bucket: 'week' }],
] as const)('statistics with %s are refused', async (_what, span) => {
  const q = await story();
  await expect(q.world.mq.statistics({ ...q.world.ref, ...span })).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
  });
});
