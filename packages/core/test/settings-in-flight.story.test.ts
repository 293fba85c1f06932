import { stories } from '@mq/testkit';
import { afterEach, describe, expect, test } from 'vitest';

const story = stories(afterEach);

describe('the time to become ready', () => {
  test('the time to become ready is that of the current setting, counted from the submit', async () => {
    const q = await story({ notReadyTimeoutHours: 2 });
    await q.opens({ number: 1, draft: true });
    await q.submit(1);
    await q.configures({ notReadyTimeoutHours: 0 });
    await q.after('48h');
    q.isIn({ 1: 'not_ready' });

    await q.configures({ notReadyTimeoutHours: 49 });
    q.isIn({ 1: 'not_ready' });
    await q.configures({ notReadyTimeoutHours: 1 });
    q.isIn({ 1: 'cancelled' });
    q.hasReason(1, 'NOT_READY_TIMEOUT_EXPIRED');
  });

  test('the time to become ready passes during a pause, and neither a push nor another submit extends it', async () => {
    const q = await story({ notReadyTimeoutHours: 2 });
    await q.opens({ number: 1, draft: true }, { number: 2, draft: true });
    await q.submit(1, 2);
    await q.pauses();
    await q.after('1h');
    await q.pushes(1);
    await q.submit(2);
    await q.after('1h');

    q.isIn({ 1: 'cancelled', 2: 'cancelled' });
  });

  test('the time to become ready restarts each time that readiness is lost', async () => {
    const q = await story({ notReadyTimeoutHours: 2 });
    await q.submit(1);
    for (const mergeability of ['not_mergeable', null, 'not_mergeable'] as const) {
      await q.saysMergeability(1, mergeability);
      await q.after('90m');
      q.isIn({ 1: mergeability === null ? 'testing' : 'pending' });
    }
    await q.after('30m');

    q.isIn({ 1: 'cancelled' });
  });
});

test('a check that becomes required during a landing is started after that landing has failed', async () => {
  const q = await story({ mode: 'parallel', concurrency: 2 });
  await q.touches(1, ['//api']);
  await q.touches(2, ['//web']);
  await q.submit(1, 2);
  await q.pauses();
  await q.passes('main+1');
  await q.passes('main+2');
  await q.refusesLandings({ class: 'wait', pr: null, message: 'Frozen.' });
  await q.beforeLanding(() => q.configures({ requiredStatuses: ['test', 'lint'] }));
  await q.resumes();

  q.isIn({ 1: 'testing', 2: 'testing' });
  await q.refusesLandings(null);
  await q.after('10m');
  q.hasMoved(0);
});

describe('the timeout of a test run', () => {
  test('the timeout of a test run is that of the current setting, also for what is under test', async () => {
    const q = await story({ testingTimeoutMinutes: 10 });
    await q.submit(1);
    await q.after('5m');
    await q.configures({ testingTimeoutMinutes: 30 });
    await q.after('20m');
    q.isTesting('main+1');

    await q.configures({ testingTimeoutMinutes: 0 });
    await q.after('20h');
    q.isTesting('main+1');
    await q.configures({ testingTimeoutMinutes: 60 });
    await q.after('1m'); // the checks are read once more behind the deadline
    q.isIn({ 1: 'failed' });
    q.hasReason(1, 'TEST_RUN_TIMEOUT');
  });

  test('the timeout of a test run ends during a pause, and pull requests behind are tested without it afterwards', async () => {
    const q = await story({ testingTimeoutMinutes: 10, concurrency: 2 });
    await q.submit(1, 2);
    await q.pauses();
    await q.after('11m');

    q.isTesting();
    q.isIn({ 1: 'pending_failure' });
    await q.resumes();
    q.isIn({ 1: 'failed' });
    q.isTesting('main+2');
  });
});

describe('required checks', () => {
  test('required checks fall back to those of the host when an override is dropped during a test, and what passed counts', async () => {
    const q = await story({ requiredStatuses: ['test'] }, { checks: ['lint', 'test'] });
    await q.submit(1);
    await q.configures({ requiredStatuses: null });
    await q.passes('main+1', 'test');
    q.isIn({ 1: 'testing' });

    await q.passes('main+1', 'lint');
    q.isIn({ 1: 'merged' });
    q.hasTested('main+1', 1);
  });

  test('required checks that are removed during a test let all pull requests land as built', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);
    await q.configures({ requiredStatuses: [] });

    q.hasLanded('main+1+2');
    const { items } = await q.world.mq.receipts(q.world.ref);
    expect(items.map(({ required, tested }) => [required.names, tested?.checks])).toEqual([
      [[], []],
      [[], []],
    ]);
  });
});

describe('a check that becomes required after a bisection test has passed', () => {
  const searching = async () => {
    const q = await story(
      {
        batch: true,
        batchingMinSize: 4,
        bisectionConcurrency: 1,
        optimizationMode: 'bisection_skip_redundant_tests',
        requiredStatuses: ['test'],
      },
      { checks: ['test', 'audit'], showsTip: false },
    );
    await q.submit(1, 2, 3, 4);
    await q.fails('main+1+2+3+4');
    return q;
  };

  test('after a check becomes required during a bisection, the rest is tested together on the tip, and no pull request fails before the tip is known to pass it', async () => {
    const q = await searching();
    await q.passes('main+1+2');
    await q.configures({ requiredStatuses: ['test', 'audit'] });
    q.isTesting('main+1+2+3+4');
    await q.fails('main+1+2+3+4', 'audit');
    await q.passes('main+1+2+3', 'test');
    await q.fails('main+1+2+3', 'audit');
    await q.fails('main+1+2', 'audit');
    await q.fails('main+1+2', 'audit');

    q.queueIs('paused');
    q.isIn({ 3: 'pending', 4: 'pending' });
  });

  test('a check that becomes required after a bisection test has passed tests the whole batch if nothing has landed yet', async () => {
    const q = await searching();
    await q.pauses();
    await q.passes('main+1+2');
    await q.configures({ requiredStatuses: ['test', 'audit'] });
    await q.resumes();

    q.isTesting('main+1+2+3+4');
    q.hasReason(3, 'CAPACITY_AVAILABLE');
  });

  test('a check that becomes required after a bisection test has passed leaves the bisection as it is, together with one that is no longer required', async () => {
    const q = await searching();
    await q.configures({ requiredStatuses: ['test', 'audit'] });
    await q.passes('main+1+2');
    q.hasLanded('main+1+2');
    await q.configures({ requiredStatuses: ['test'] });

    q.isTesting('main+1+2+3');
  });
});

describe('a pull request in a filling batch', () => {
  test('a pull request in a filling batch starts alone as soon as it sets noBatch, and the others still wait', async () => {
    const q = await story({ batch: true, batchingMinSize: 3, concurrency: 2 });
    await q.submit(1, 2);
    await q.submit(1, { noBatch: true });

    q.isTesting('main+1');
    q.waitsFor(2, 'batch');
  });

  test('a pull request in a filling batch starts at once when batching is switched off', async () => {
    const q = await story({ batch: true, batchingMinSize: 3, concurrency: 2 });
    await q.submit(1, 2);
    await q.configures({ batch: false });

    q.isTesting('main+1', 'main+1+2');
  });
});

describe('forceEnqueued', () => {
  test('forceEnqueued does not skip a draft, a base branch or targets', async () => {
    const q = await story({ mode: 'parallel', concurrency: 3 });
    await q.opens(1, { number: 2, draft: true }, { number: 3, base: 'main' });
    for (const pr of [1, 2, 3]) await q.saysMergeability(pr, 'not_mergeable');
    await q.submit(1, 2, 3, { forceEnqueued: true });
    q.waitsFor(1, 'impacted_targets');
    q.waitsFor(2, 'ready_for_review');
    await q.retargets(3, 'other');
    q.waitsFor(3, 'base_branch');

    await q.touches(1, ['//a']);
    q.isTesting('main+1');
  });

  test('forceEnqueued can be set and reset by another submit, and the receipt shows it', async () => {
    const q = await story();
    await q.saysMergeability(1, 'not_mergeable');
    await q.submit(1);
    await q.submit(1, { forceEnqueued: true });
    q.isTesting('main+1');
    await q.submit(1, { forceEnqueued: false });
    q.waitsFor(1, 'mergeable');
    q.hasReason(1, 'READINESS_LOST');

    await q.submit(1, { forceEnqueued: true });
    await q.passes('main+1');
    q.isIn({ 1: 'merged' });
    const { items } = await q.world.mq.receipts(q.world.ref);
    expect(items.map(({ submitted }) => submitted?.forced)).toEqual([true]);
  });
});
