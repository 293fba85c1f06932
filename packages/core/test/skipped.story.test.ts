// A check that was skipped passes its own pull request and is no evidence about another.
import { type Story, stories } from '@mq/testkit';
import { afterEach, describe, expect, test } from 'vitest';

const story = stories(afterEach);

describe('optimistic merging', () => {
  test('optimistic merging does not land the pull request ahead on a skipped check of its follower', async () => {
    const q = await story({ concurrency: 2, canOptimisticallyMerge: true });
    await q.submit(1, 2);
    await q.concludes('main+1+2', 'skipped');
    q.isIn({ 1: 'testing', 2: 'tests_passed' });

    await q.passes('main+1');
    q.isIn({ 1: 'merged', 2: 'merged' });
  });

  test('optimistic merging does not land the batch ahead on a skipped check of the batch behind it', async () => {
    const q = await story({ batch: true, batchingMinSize: 2, concurrency: 2, canOptimisticallyMerge: true });
    await q.submit(1, 2, 3, 4);
    await q.concludes('main+1+2+3+4', 'skipped');
    q.isIn({ 1: 'testing', 2: 'testing', 3: 'tests_passed', 4: 'tests_passed' });

    await q.passes('main+1+2');
    q.hasLanded('main+1+2+3+4');
  });

  test('optimistic merging does not add up the successes of two followers that each skipped another check', async () => {
    const checks = ['unit', 'lint'];
    const q = await story({ concurrency: 3, canOptimisticallyMerge: true }, { checks });
    await q.submit(1, 2, 3);
    await q.passes('main+1+2', 'unit');
    await q.concludes('main+1+2', 'skipped', 'lint');
    await q.concludes('main+1+2+3', 'skipped', 'unit');
    await q.passes('main+1+2+3', 'lint');
    q.isIn({ 1: 'testing', 2: 'tests_passed', 3: 'tests_passed' });
    q.hasLanded('main');
  });

  test('optimistic merging does not clear a failure that is being confirmed by a skipped check of its follower', async () => {
    const q = await story({ concurrency: 2, canOptimisticallyMerge: true, confirmBeforeFailing: true });
    await q.submit(1, 2);
    await q.fails('main+1');
    await q.concludes('main+1+2', 'skipped');
    q.waitsFor(1, 'confirmation');

    await q.fails('main+1');
    q.isIn({ 1: 'failed' });
    q.isTesting('main+2');
  });

  test('optimistic merging does not save a failed pull request by a neutral check of its follower', async () => {
    const q = await story({ concurrency: 2, canOptimisticallyMerge: true, pendingFailureDepth: 1 });
    await q.submit(1, 2);
    await q.fails('main+1');
    q.isIn({ 1: 'pending_failure' });
    await q.concludes('main+1+2', 'neutral');
    q.isIn({ 1: 'failed', 2: 'testing' });
  });

  test('optimistic merging asks for a success of each required check, not of one of them', async () => {
    const q = await story({ concurrency: 2, canOptimisticallyMerge: true }, { checks: ['lint', 'test'] });
    await q.submit(1, 2);
    await q.passes('main+1+2', 'test');
    await q.concludes('main+1+2', 'skipped', 'lint');
    q.isIn({ 1: 'testing', 2: 'tests_passed' });
  });
});

describe('a bisection test', () => {
  const four = {
    batch: true,
    batchingMinSize: 4,
    batchingMaxWaitTimeMinutes: 1,
    concurrency: 2,
    bisectionConcurrency: 1,
    optimizationMode: 'bisection_skip_redundant_tests',
  } as const;

  test('a bisection test gives no verdict if the failing check was skipped: its members are tested alone', async () => {
    const q = await story(four);
    await q.submit(1, 2, 3, 4);
    await q.fails('main+1+2+3+4');
    q.isTesting('main+1+2');
    await q.concludes('main+1+2', 'skipped');
    q.isTesting('main+1', 'main+1+2');
    q.hasReason(3, 'BISECTION_SKIPPED');
    q.hasLanded('main');

    await q.passes('main+1');
    await q.fails('main+1+2');
    q.isIn({ 1: 'merged', 2: 'failed' });
    await q.after('2m');
    q.isTesting('main+1+3+4');
  });

  test('a bisection test is cleared if the failing check succeeded and another was skipped', async () => {
    const q = await story(four, { checks: ['lint', 'test'] });
    await q.submit(1, 2, 3, 4);
    await q.fails('main+1+2+3+4', 'test');
    await q.concludes('main+1+2', 'skipped', 'lint');
    await q.passes('main+1+2', 'test');
    q.hasLanded('main+1+2');
    q.isTesting('main+1+2+3');
  });

  test('a bisection test is not cleared if only one of two failing checks succeeded', async () => {
    const q = await story(four, { checks: ['lint', 'test'] });
    await q.submit(1, 2, 3, 4);
    await q.unseen(async () => {
      await q.fails('main+1+2+3+4', 'lint');
      await q.fails('main+1+2+3+4', 'test');
    });
    await q.after('2m');
    await q.passes('main+1+2', 'test');
    await q.concludes('main+1+2', 'skipped', 'lint');
    q.hasLanded('main');
    q.isTesting('main+1', 'main+1+2');
  });
});

describe('a check that was skipped in the part of a batch that passed', () => {
  const checks = { checks: ['lint', 'unit'], showsTip: false };
  const three = { batch: true, batchingMinSize: 3, concurrency: 3, batchingMaxWaitTimeMinutes: 1 } as const;
  const modes = ['off', 'bisection_skip_redundant_tests'] as const;

  /** #1 passes with one check skipped, and #2 fails that check on top of #1. */
  const skippedBelow = async (q: Story) => {
    await q.fails('main+1+2+3', 'lint');
    await q.passes('main+1', 'lint');
    await q.concludes('main+1', 'skipped', 'unit');
    await failsOnTop(q);
  };
  const failsOnTop = async (q: Story) => {
    await q.passes('main+1+2', 'lint');
    await q.fails('main+1+2', 'unit');
    // With the optimisation off, #2 is tested once more by itself.
    const { optimizationMode } = q.world.seen.queue?.queue.settings ?? {};
    if (optimizationMode === 'off') await q.fails('main+1+2', 'unit');
  };

  test.each(modes)(
    'a check that was skipped in the part of a batch that passed needs a baseline run before the culprit is failed (%s)',
    async (optimizationMode) => {
      const q = await story({ ...three, optimizationMode }, checks);
      await q.submit(1, 2, 3);
      await skippedBelow(q);
      q.isIn({ 1: 'merged', 2: 'pending' });
      q.isTesting('main+1');

      await q.passes('main+1', 'unit');
      q.isIn({ 2: 'failed' });
    },
  );

  test.each(modes)(
    'a check that was skipped in the part of a batch that passed fails no pull request on a base that fails it too (%s)',
    async (optimizationMode) => {
      const q = await story({ ...three, optimizationMode }, checks);
      await q.submit(1, 2, 3);
      await skippedBelow(q);
      await q.fails('main+1', 'unit');
      await q.after('2m');
      await q.fails('main+1', 'unit');
      q.queueIs('paused');
      q.isIn({ 2: 'pending', 3: 'pending' });
    },
  );

  test.each(modes)(
    'a check that was skipped in the part of a batch that passed fails no pull request behind it before that part lands (%s)',
    async (optimizationMode) => {
      const q = await story({ ...three, optimizationMode }, checks);
      await q.submit(1, 2, 3);
      await q.configures({ freezeUntil: q.world.clock.now() + 3_600_000 });
      await skippedBelow(q);
      q.isIn({ 1: 'tests_passed', 2: 'pending' });
      expect(q.world.seen.submissions.get(2)?.waiting?.causes.map(({ code }) => code)).toEqual([
        'isolation',
        'verdicts_ahead',
        'queue_frozen',
      ]);
      q.isTesting();

      await q.after('61m');
      q.isIn({ 1: 'merged', 2: 'pending' });
      await q.passes('main+1', 'unit');
      q.isIn({ 2: 'failed' });
    },
  );

  test.each(modes)(
    'a check that was skipped in the part of a batch that passed sends that part to be tested alone if it cannot land (%s)',
    async (optimizationMode) => {
      const q = await story({ ...three, optimizationMode, bisectionConcurrency: 3 }, checks);
      await q.submit(1, 2, 3);
      await q.fails('main+1+2+3', 'lint');
      await q.submit(9, { skipTheLine: true });
      await q.passes('main+9', 'lint');
      await q.passes('main+9', 'unit');
      await q.passes('main+1', 'lint');
      await q.concludes('main+1', 'skipped', 'unit');
      await failsOnTop(q);
      q.hasOnRecord(/#2 .* pending \(BISECTION_SKIPPED/);
      q.isTesting('main+9+1', 'main+9+1+2+3');
    },
  );
});

describe('the kept verdict of a tree', () => {
  test('the kept verdict of a tree is not reused if the check was skipped for another stack', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);
    await q.unseen(() => q.concludes('main+1+2', 'skipped'));
    await q.pauses();
    await q.cancel(1);
    await q.cancel(2);
    await q.configures({ batch: true, batchingMinSize: 2 });
    await q.resumes();
    await q.submit(1, 2);
    q.isTesting('main+1+2');
    q.hasTested('main+1+2', 2);
  });

  test('the kept verdict of a tree is reused by the same batch on the same stack, also if it was skipped', async () => {
    const q = await story({}, { checks: ['lint', 'test'] });
    await q.submit(1);
    await q.concludes('main+1', 'skipped', 'lint');
    await q.concludes('main+1', 'cancelled', 'test');
    await q.after('2m');
    await q.passes('main+1', 'test');
    q.isIn({ 1: 'merged' });
  });
});

describe('a baseline run', () => {
  test('a baseline run that was skipped twice leaves the failure to the last landed success of the check', async () => {
    const q = await story({}, { showsTip: false });
    await q.submit(1);
    await q.passes('main+1');
    await q.pushesToTarget();
    await q.submit(2);
    await q.fails('main+1+push+2');
    q.isTesting('main+1+push');
    await q.concludes('main+1+push', 'skipped');
    q.isIn({ 2: 'pending_failure' });
    await q.after('2m');
    q.isTesting('main+1+push');
    await q.concludes('main+1+push', 'skipped');
    q.isIn({ 2: 'failed' });
    q.queueIs('running');
  });

  test('a baseline run that was skipped twice says in the reason that the base was not confirmed', async () => {
    const q = await story({}, { showsTip: false });
    await q.submit(1);
    await q.fails('main+1');
    await q.concludes('main', 'skipped');
    await q.after('2m');
    await q.concludes('main', 'neutral');
    q.isIn({ 1: 'failed' });
    q.explains(1, /the base was not confirmed/i);
    q.queueIs('running');
  });

  test('a baseline run that failed once and was skipped in both repetitions leaves the failure to the pull request', async () => {
    const q = await story({}, { showsTip: false });
    await q.submit(1);
    await q.fails('main+1');
    await q.fails('main');
    q.isIn({ 1: 'pending_failure' });
    await q.after('2m');
    await q.concludes('main', 'skipped');
    await q.after('2m');
    await q.concludes('main', 'skipped');
    q.isIn({ 1: 'failed' });
    q.explains(1, /the base was not confirmed/i);
    q.queueIs('running');
  });

  test('a baseline run is started after a landing whose check was skipped', async () => {
    const q = await story({}, { showsTip: false });
    await q.submit(1);
    await q.concludes('main+1', 'skipped');
    await q.submit(2);
    await q.fails('main+1+2');
    q.isTesting('main+1');
  });
});

test('a skipped confirmation acquits no suspect', async () => {
  const q = await story({ confirmBeforeFailing: true });
  await q.submit(1);
  await q.fails('main+1');
  q.isTesting('main+1');
  await q.concludes('main+1', 'skipped');
  q.isIn({ 1: 'testing' });
  q.hasLanded('main');
  await q.after('2m');
  await q.passes('main+1');
  q.isIn({ 1: 'merged' });
});

describe('a skipped confirmation run without retries left', () => {
  const suspect = async () => {
    const q = await story({ confirmBeforeFailing: true }, { showsTip: false, pace: { retryLimit: 0 } });
    await q.submit(1);
    await q.fails('main+1');
    return q;
  };

  test('a skipped confirmation run without retries left lets the failure stand only once the base has passed the check', async () => {
    const q = await suspect();
    await q.concludes('main+1', 'skipped');
    q.isTesting('main');
    q.isIn({ 1: 'testing' });
    await q.passes('main');
    q.isIn({ 1: 'failed' });
    q.hasReason(1, 'TEST_RUN_REQUIRED_STATUS_FAILED');
    q.explains(1, /skipped in the confirmation run/);
  });

  test('a skipped confirmation run without retries left lets a timeout stand as a timeout', async () => {
    const q = await story({ confirmBeforeFailing: true }, { showsTip: false, pace: { retryLimit: 0 } });
    await q.submit(1);
    await q.timesOut('main+1');
    await q.concludes('main+1', 'skipped');
    await q.passes('main');
    q.isIn({ 1: 'failed' });
    q.hasReason(1, 'TEST_RUN_TIMEOUT');
  });

  test('a skipped confirmation run without retries left does not fail the pull request on a base that fails the check itself', async () => {
    const q = await suspect();
    await q.concludes('main+1', 'skipped');
    await q.fails('main');
    await q.after('2m');
    await q.fails('main');
    q.queueIs('paused');
    q.isIn({ 1: 'tests_passed' });
  });

  test('a skipped confirmation run without retries left passes the pull request if the failure was on an earlier base', async () => {
    const q = await suspect();
    await q.pushesToTarget();
    q.isTesting('main+push+1');
    await q.concludes('main+push+1', 'skipped');
    q.isIn({ 1: 'merged' });
  });
});

test('a skipped check passes its own pull request, alone and in a batch', async () => {
  const q = await story({ batch: true, batchingMinSize: 2 });
  await q.submit(1, 2);
  await q.concludes('main+1+2', 'skipped');
  q.isIn({ 1: 'merged', 2: 'merged' });
  q.hasLanded('main+1+2');
});

test('a check that the tip shows as skipped does not prove the base: a baseline run comes before the failure', async () => {
  const q = await story({}, { showsTip: false });
  await q.world.act(() => q.world.repository.reportTipChecks('main', { test: 'skipped' }));
  await q.submit(1);
  await q.fails('main+1');
  q.isIn({ 1: 'pending_failure' });
  q.isTesting('main');

  await q.passes('main');
  q.isIn({ 1: 'failed' });
});
