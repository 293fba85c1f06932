import { type Story, stories } from '@mq/testkit';
import { afterEach, describe, test } from 'vitest';

const story = stories(afterEach);

describe('a queue', () => {
  test('nothing lands during a pause, and what is still valid lands afterwards', async () => {
    const q = await story();
    await q.submit(1);
    await q.pauses('release 1.2');

    await q.passes('main+1');
    q.isIn({ 1: 'tests_passed' });
    q.explains(1, /paused.*release 1\.2/);
    q.hasLanded('main');

    await q.resumes();
    q.hasLanded('main+1');
    q.hasTested('main+1', 1);
  });

  test('draining with cancelPending cancels pull requests without a test run, also later ones, and lands the rest', async () => {
    const q = await story({ concurrency: 1 });
    await q.submit(1, 2);
    await q.world.act(async () => {
      await q.world.mq.updateQueue({ ...q.world.ref, state: 'draining', cancelPending: true });
    });
    q.isIn({ 1: 'testing', 2: 'cancelled' });
    q.hasReason(2, 'QUEUE_DRAINING');

    await q.submit(3);
    q.hasReason(3, 'QUEUE_DRAINING');
    await q.passes('main+1');
    q.hasLanded('main+1');
    await q.deletesQueue();
  });

  const drainsAll = (q: Story) =>
    q.world.act(async () => {
      await q.world.mq.updateQueue({ ...q.world.ref, state: 'draining', cancelPending: true });
    });

  test('draining with cancelPending empties the queue while the infrastructure of the tests fails', async () => {
    const q = await story(
      { mode: 'parallel', concurrency: 2 },
      { ci: { mode: 'automatic', durationMs: 60_000, says: () => 'infrastructure' } },
    );
    for (const pr of [1, 2]) await q.touches(pr, [`//${pr}`]);
    await q.submit(1);
    await q.after('40s');
    await q.submit(2);
    await q.after('40s');
    q.waitsFor(1, 'retry');
    await drainsAll(q);
    q.isIn({ 1: 'cancelled', 2: 'testing' });
    q.hasReason(1, 'QUEUE_DRAINING');

    await q.after('1m');
    q.hasReason(2, 'QUEUE_DRAINING');
    await q.deletesQueue();
  });

  test('draining with cancelPending cancels what waits between two test runs', async () => {
    const q = await story({ concurrency: 2, canOptimisticallyMerge: true, confirmBeforeFailing: true });
    await q.submit(1, 2);
    await q.submit(9, { skipTheLine: true });
    q.isIn({ 9: 'testing', 2: 'pending' });
    await drainsAll(q);
    q.isIn({ 1: 'testing', 2: 'cancelled' });
    await q.passes('main+9');
    await q.fails('main+9+1');
    q.hasReason(1, 'QUEUE_DRAINING');
    q.hasLanded('main+9');
    await q.deletesQueue();
  });

  test('draining with cancelPending lands a pull request that the test run of another has proven', async () => {
    const q = await story({ concurrency: 2, canOptimisticallyMerge: true });
    await q.submit(1, 2);
    await q.configures({ freezeUntil: q.world.clock.now() + 3_600_000 });
    await q.passes('main+1+2');
    await drainsAll(q);
    q.isIn({ 1: 'tests_passed', 2: 'tests_passed' });
    await q.after('61m');
    q.hasLanded('main+1+2');
  });

  test('draining finishes what is under test and starts nothing else', async () => {
    const q = await story();
    await q.submit(1, 2);
    await q.drains();

    await q.passes('main+1');

    q.hasLanded('main+1');
    q.isTesting();
    q.explains(2, /draining/);
  });

  test('a queue that becomes parallel needs impacted targets only of later pull requests', async () => {
    const q = await story({ concurrency: 2 });
    await q.drafts(1);
    await q.submit(1);
    await q.after('1m');
    await q.configures({ mode: 'parallel' });
    await q.submit(2);

    await q.marksReady(1);

    q.isTesting('main+1');
    q.isIn({ 2: 'not_ready' });
    q.waitsFor(2, 'impacted_targets');
  });

  test('a change of mode during a test takes effect when that has settled', async () => {
    const q = await story();
    await q.submit(1);

    await q.configures({ mode: 'parallel' });
    q.queueIs('switching_modes');
    await q.passes('main+1');

    q.queueIs('running');
    q.hasLanded('main+1');
  });

  test('deletion is refused while a pull request is in the queue, also one that is not ready', async () => {
    const q = await story();
    await q.drafts(1);
    await q.submit(1);

    await q.isRefused('QUEUE_NOT_EMPTY', () => q.deletesQueue());
    await q.cancel(1);
    await q.deletesQueue();

    await q.isRefused('QUEUE_NOT_FOUND', () => q.submit(2));
  });

  test('a push from outside makes test runs on the old tip stale, and ends no attempt', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);

    await q.pushesToTarget();

    q.isTesting('main+push+1', 'main+push+1+2');
    q.isOnAttempt(1, 1);
    q.isOnAttempt(2, 1);
  });

  test('more required checks have to pass before anything lands', async () => {
    const q = await story({ requiredStatuses: ['test'] }, { checks: ['lint', 'test'] });
    await q.submit(1);
    await q.pauses();
    await q.passes('main+1', 'test');
    q.isIn({ 1: 'tests_passed' });

    await q.configures({ requiredStatuses: ['lint', 'test'] });
    await q.resumes();
    q.hasLanded('main');
    q.isTesting('main+1');

    await q.passes('main+1', 'lint');
    q.hasLanded('main+1');
  });

  test('everything works without hints, only slower', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);

    await q.unseen(async () => {
      await q.passes('main+1');
      await q.fails('main+1+2');
    });
    await q.after('5m');

    q.isIn({ 1: 'merged', 2: 'failed' });
  });

  test('while the host is down no pull request leaves, and a submit is refused without a trace', async () => {
    const q = await story();
    await q.submit(1);
    await q.goesDown();

    await q.isRefused('HOST_UNREACHABLE', () => q.submit(2));
    await q.after('1h');
    q.isIn({ 1: 'testing' });
    q.isUnknown(2);

    await q.comesBack();
    await q.after('15m');
    await q.passes('main+1');
    q.hasLanded('main+1');
  });

  test('a restart of the tests collects new results in the same place', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);

    await q.restart(1);

    q.isTesting('main+1', 'main+1+2');
    q.hasTested('main+1', 2);
    await q.passes('main+1');
    q.hasLanded('main+1');
  });

  test('an engine that takes over finds the same state', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);

    await q.crashes();
    q.isTesting('main+1', 'main+1+2');
    q.hasTested('main+1', 1);

    await q.passes('main+1');
    await q.crashes();
    await q.passes('main+1+2');
    q.hasLanded('main+1+2');
  });
});
