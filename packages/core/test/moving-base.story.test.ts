import { stories } from '@mq/testkit';
import { afterEach, describe, expect, test } from 'vitest';

const story = stories(afterEach);

describe('a target that is pushed to from outside', () => {
  test('every 10 s has few candidates built, says that it keeps moving, and lands once it is still', async () => {
    const q = await story({ concurrency: 1 }, { ciTakes: '1m' });
    await q.submit(1);
    for (let push = 0; push < 60; push += 1) {
      await q.pushesToTarget();
      await q.after('10s');
    }

    expect(q.world.asked.get('buildCandidate')).toBeLessThanOrEqual(5);
    q.waitsFor(1, 'moving_base');
    q.explains(1, /^`main` keeps moving: 3 rebuilds in 10 min\. #1 starts once .* for 30 s\.$/);

    await q.after('2m');
    q.isIn({ 1: 'merged' });
  });

  test('a target that is pushed to from outside before each new candidate ends doubles the wait of the next one', async () => {
    const q = await story({ concurrency: 1 });
    await q.submit(1);
    for (let rebuilds = 0; rebuilds < 3; rebuilds += 1) await q.pushesToTarget();
    q.waitsFor(1, 'moving_base');
    await q.after('29s');
    q.waitsFor(1, 'moving_base');
    await q.after('2s');
    q.isIn({ 1: 'testing' });

    await q.pushesToTarget();
    await q.after('59s');
    q.explains(1, /^`main` keeps moving: 4 rebuilds in 1 min/);
    await q.after('2s');
    q.isIn({ 1: 'testing' });
  });

  test('a target that is pushed to from outside is no longer awaited once a test has ended on it', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);
    for (let rebuilds = 0; rebuilds < 3; rebuilds += 1) await q.pushesToTarget();
    await q.after('31s');
    await q.fails('main+push+push+push+1+2');

    await q.pushesToTarget();

    q.isTesting('main+push+push+push+push+1', 'main+push+push+push+push+1+2');
  });

  test('faster than its tests end raises an alarm after an hour, with a remedy', async () => {
    const q = await story({ concurrency: 1 }, { ciTakes: '2m' });
    await q.submit(1);
    await q.after('3m');
    q.isIn({ 1: 'merged' });
    await q.submit(2);
    for (let push = 0; push < 63; push += 1) {
      await q.pushesToTarget();
      await q.after('1m');
    }

    q.hasOnRecord(
      /Nothing can land while `main` is pushed to every 1 min \(a test run takes 2 min\)\. Send these changes/,
    );
  });
});

describe('a clock that jumps', () => {
  test('a clock that jumps by 6 h fails nothing that is under test, and leaves a line in the history', async () => {
    const q = await story();
    await q.submit(1);
    await q.isDownFor('6h');

    q.isIn({ 1: 'testing' });
    q.hasOnRecord(/The clock jumped by 360 min between two decisions. The deadlines of open test runs \(1\)/);
    await q.passes('main+1');
    q.hasLanded('main+1');
  });

  test('a clock that jumps moves a deadline by the testing timeout at most, in total', async () => {
    const q = await story({ testingTimeoutMinutes: 30 });
    await q.submit(1);
    await q.isDownFor('25m');
    q.isIn({ 1: 'testing' });
    await q.isDownFor('30m');
    q.isIn({ 1: 'testing' });
    await q.isDownFor('30m');

    q.hasReason(1, 'TEST_RUN_TIMEOUT');
  });
});
