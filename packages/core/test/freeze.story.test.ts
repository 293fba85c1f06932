import { type Story, stories } from '@mq/testkit';
import { afterEach, expect, test } from 'vitest';

const story = stories(afterEach);

const HOUR_MS = 3_600_000;

const freezes = (q: Story, hours: number, others: { freezeAllowsUrgent?: boolean } = {}): Promise<void> =>
  q.configures({
    freezeUntil: q.world.clock.now() + hours * HOUR_MS,
    freezeReason: 'release 4.2',
    ...others,
  });

test('nothing starts before the end of a freeze, and everything starts at that instant', async () => {
  const q = await story({ concurrency: 2 });
  await freezes(q, 2);
  await q.submit(1);
  await q.submit(2, { skipTheLine: true });
  await q.after('119m');
  q.isIn({ 1: 'pending', 2: 'pending' });
  q.queueIs('running');
  q.waitsFor(1, 'queue_frozen');
  q.explains(1, /^Frozen until .*: release 4\.2\. Nothing starts or merges before then\.$/);

  await q.after('1m');
  q.isTesting('main+2', 'main+2+1');
});

test('a test run that has begun finishes during a freeze, and lands after it', async () => {
  const q = await story();
  await q.submit(1);
  await freezes(q, 2);
  q.isTesting('main+1');
  await q.passes('main+1');
  await q.after('119m');
  q.isIn({ 1: 'tests_passed' });
  q.waitsFor(1, 'queue_frozen');

  await q.after('1m');
  q.isIn({ 1: 'merged' });
});

test('a failed batch is bisected to its end during a freeze', async () => {
  const q = await story({ batch: true, batchingMinSize: 2 });
  await q.submit(1, 2);
  await freezes(q, 2);
  await q.fails('main+1+2');
  await q.fails('main+1');
  q.isIn({ 1: 'failed' });
  await q.passes('main+2');
  q.isIn({ 2: 'tests_passed' });
  await q.after('2h');
  q.isIn({ 2: 'merged' });
});

test('a test run without a verdict is repeated during a freeze', async () => {
  const q = await story();
  await q.submit(1);
  await freezes(q, 2);
  await q.concludes('main+1', 'cancelled');
  await q.after('1m');
  q.isTesting('main+1');
});

test('an urgent pull request starts and lands during a freeze that allows it, ahead of what was tested before', async () => {
  const q = await story({ concurrency: 2 });
  await q.submit(1);
  await freezes(q, 2, { freezeAllowsUrgent: true });
  await q.submit(2, { skipTheLine: true });
  await q.submit(3);
  q.isTesting('main+2', 'main+2+1');
  await q.passes('main+2');
  q.isIn({ 1: 'testing', 2: 'merged', 3: 'pending' });
  await q.passes('main+2+1');
  q.isIn({ 1: 'tests_passed' });
});

test('an urgent pull request in a batch with others is tested without them during a freeze that allows it', async () => {
  const q = await story({ batch: true, batchingMinSize: 2, concurrency: 2 });
  await q.submit(1, 2);
  await freezes(q, 2, { freezeAllowsUrgent: true });
  await q.submit(1, { skipTheLine: true });
  q.isTesting('main+1', 'main+1+2');
  await q.passes('main+1');
  q.isIn({ 1: 'merged', 2: 'testing' });
});

test('an instant in the past freezes nothing', async () => {
  const q = await story();
  await freezes(q, -1);
  await q.submit(1);
  await q.passes('main+1');
  q.isIn({ 1: 'merged' });
});

test('a freeze that is set to null ends at once', async () => {
  const q = await story();
  await freezes(q, 2);
  await q.submit(1);
  q.isIn({ 1: 'pending' });
  await q.configures({ freezeUntil: null });
  q.isTesting('main+1');
});

test('the time to become ready stands still during a freeze, and only as long as it lasted', async () => {
  const q = await story({ notReadyTimeoutHours: 2 });
  await q.opens({ number: 1, draft: true });
  await q.submit(1);
  await q.after('1h');
  await freezes(q, 9);
  await q.after('3h');
  await q.configures({ freezeUntil: null });
  await q.after('59m');
  q.isIn({ 1: 'not_ready' });

  await q.after('1m');
  q.isIn({ 1: 'cancelled' });
});

test('a paused queue shows the pause and the freeze', async () => {
  const q = await story();
  await freezes(q, 2);
  await q.pauses('an outage');
  await q.submit(1);
  const causes = q.world.seen.submissions.get(1)?.waiting?.causes ?? [];
  expect(causes.map(({ code }) => code)).toEqual(['queue_paused', 'queue_frozen']);
});
