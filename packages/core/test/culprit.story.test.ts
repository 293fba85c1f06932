import { anActor, stories } from '@mq/testkit';
import { afterEach, describe, expect, test } from 'vitest';

const story = stories(afterEach);
const skipping = 'bisection_skip_redundant_tests';
const parallel = { mode: 'parallel', concurrency: 3 } as const;

describe('confirmBeforeFailing', () => {
  /** #1 failed and is tested once more on the old tip, where #2 from behind has landed first. */
  const overtaken = async () => {
    const q = await story({ ...parallel, confirmBeforeFailing: true });
    for (const pr of [1, 2]) await q.touches(pr, ['//a']);
    await q.submit(1, 2);
    await q.fails('main+1');
    await q.passes('main+2');
    q.hasLanded('main+2');
    q.isTesting('main+1');
    return q;
  };

  test('confirmBeforeFailing clears a pull request that passes the second test run', async () => {
    const q = await story({ confirmBeforeFailing: true });
    await q.submit(1);
    await q.fails('main+1');
    q.isIn({ 1: 'testing' });
    q.isTesting('main+1');
    q.hasTested('main+1', 2);

    await q.passes('main+1');

    q.isIn({ 1: 'merged' });
  });

  test('confirmBeforeFailing fails a pull request that fails the second test run too', async () => {
    const q = await story({ confirmBeforeFailing: true, concurrency: 2 });
    await q.submit(1, 2);
    await q.fails('main+1');
    q.isTesting('main+1', 'main+2');

    await q.fails('main+1');

    q.isIn({ 1: 'failed', 2: 'testing' });
    q.hasReason(1, 'TEST_RUN_REQUIRED_STATUS_FAILED');
    q.isTesting('main+2');
    q.hasTested('main+1', 2);
    q.hasTested('main+2', 1);
  });

  test('confirmBeforeFailing holds up no pull request behind it: they are tested without it, and may land first', async () => {
    const q = await story({ ...parallel, confirmBeforeFailing: true });
    for (const pr of [1, 2, 3]) await q.touches(pr, ['//a']);
    await q.submit(1, 2);
    await q.fails('main+1');
    await q.submit(3);
    q.isTesting('main+1', 'main+2', 'main+2+3');
    q.explains(2, /#2 is in test run \S+ without #1 \(failed, and tested once more\)/);

    await q.passes('main+2');
    q.hasLanded('main+2');
    q.isTesting('main+1', 'main+2+3');
    await q.fails('main+1');
    await q.passes('main+2+3');

    q.isIn({ 1: 'failed', 2: 'merged', 3: 'merged' });
    q.hasTested('main+1', 2);
    q.hasTested('main+2+3', 1);
  });

  test('confirmBeforeFailing tests a pull request a third time if it passes the second test after an overlapping one from behind has landed', async () => {
    const q = await overtaken();
    await q.passes('main+1');

    q.isIn({ 1: 'testing', 2: 'merged' });
    q.isTesting('main+2+1');
    await q.passes('main+2+1');
    q.hasLanded('main+2+1');
  });

  test('confirmBeforeFailing starts the second test again in single mode if a pull request from behind lands first', async () => {
    const q = await story({ concurrency: 3, confirmBeforeFailing: true });
    await q.submit(1, 2);
    await q.fails('main+1');
    q.isTesting('main+1', 'main+2');

    await q.passes('main+2');

    q.hasLanded('main+2');
    q.isTesting('main+2+1');
    await q.fails('main+2+1');
    q.isIn({ 1: 'failed' });
  });

  test('confirmBeforeFailing starts the second test again when an urgent pull request comes ahead', async () => {
    const q = await overtaken();
    await q.touches(4, ['//a']);
    await q.submit(4, { skipTheLine: true });

    q.isTesting('main+2+4', 'main+2+4+1');
    await q.fails('main+2+4+1');
    q.isIn({ 1: 'pending_failure', 4: 'testing' });
  });

  test('with optimistic merging confirmBeforeFailing keeps those behind stacked on it, since their passes clear it', async () => {
    const q = await story({ ...parallel, confirmBeforeFailing: true, canOptimisticallyMerge: true });
    for (const pr of [1, 2]) await q.touches(pr, ['//a']);
    await q.submit(1, 2);
    await q.fails('main+1');
    q.isTesting('main+1', 'main+1+2');

    await q.passes('main+1+2');
    q.hasLanded('main+1+2');
  });

  test('confirmBeforeFailing fails no pull request before a third failure of a check that often fails by chance', async () => {
    const q = await story({ confirmBeforeFailing: true });
    await q.submit(1);
    await q.fails('main+1');
    await q.passes('main+1');
    q.isIn({ 1: 'merged' });

    await q.submit(2);
    await q.fails('main+1+2');
    expect(q.world.seen.submissions.get(2)?.waiting?.remedy).toMatch(
      /if they fail again, they run once more, since a check that failed is flaky/,
    );
    await q.fails('main+1+2');
    q.isIn({ 2: 'testing' });
    q.explains(2, /a second time/);
    expect(q.world.seen.submissions.get(2)?.waiting?.remedy).toMatch(
      /if they fail again, #2 is failed unless another test clears it/,
    );
    await q.fails('main+1+2');
    q.isIn({ 2: 'failed' });
    q.hasTested('main+1+2', 3);
  });

  test('confirmBeforeFailing runs before a baseline run', async () => {
    const q = await story({ confirmBeforeFailing: true, concurrency: 2 }, { showsTip: false });
    await q.submit(1, 2);
    await q.fails('main+1');
    q.isTesting('main+1', 'main+2');

    await q.passes('main+1');
    await q.passes('main+1+2');

    q.isIn({ 1: 'merged', 2: 'merged' });
    q.hasTested('main', 0);
  });

  test('confirmBeforeFailing is followed by a baseline run if the second test run fails too, before a pull request is failed', async () => {
    const q = await story({ confirmBeforeFailing: true }, { showsTip: false });
    await q.submit(1);
    await q.fails('main+1');
    await q.fails('main+1');
    q.isIn({ 1: 'pending_failure' });
    q.isTesting('main');

    await q.fails('main');
    await q.fails('main');

    q.isIn({ 1: 'pending_failure' });
    q.queueIs('paused');
  });

  test('confirmBeforeFailing asks again for a pull request whose first failure was on a broken target', async () => {
    const q = await story({ confirmBeforeFailing: true }, { showsTip: false });
    await q.submit(1);
    await q.fails('main+1');
    await q.fails('main+1');
    await q.fails('main');
    await q.fails('main');
    await q.pushesToTarget();
    await q.resumes();

    await q.fails('main+push+1');

    q.isIn({ 1: 'testing' });
    q.isTesting('main+push+1');
    q.hasTested('main+push+1', 2);
  });

  test('confirmBeforeFailing tests a pull request behind those that passed without it, which land', async () => {
    const held = { concurrency: 3, canOptimisticallyMerge: true, pendingFailureDepth: 1 } as const;
    const q = await story({ ...held, confirmBeforeFailing: true });
    await q.submit(1, 2, 3);
    await q.fails('main+1');
    q.isTesting('main+1+2', 'main+2+3');

    await q.passes('main+2+3');

    q.hasLanded('main+2+3');
    q.isTesting('main+2+3+1');
    await q.fails('main+2+3+1');
    q.isIn({ 1: 'failed' });
    q.hasTested('main+2+3', 1);
  });

  test('confirmBeforeFailing tests it behind those that passed even if they have not landed because of a pause', async () => {
    const held = { concurrency: 3, canOptimisticallyMerge: true, pendingFailureDepth: 1 } as const;
    const q = await story({ ...held, confirmBeforeFailing: true });
    await q.submit(1, 2, 3);
    await q.fails('main+1');
    await q.pauses();
    await q.passes('main+2+3');
    q.isIn({ 1: 'pending', 2: 'tests_passed', 3: 'tests_passed' });

    await q.resumes();

    q.hasLanded('main+2+3');
    q.isTesting('main+2+3+1');
    await q.passes('main+2+3+1');
    q.isIn({ 1: 'merged' });
  });

  test('confirmBeforeFailing tests the culprit of a batch alone', async () => {
    const q = await story({ confirmBeforeFailing: true, batch: true, batchingMinSize: 2 });
    await q.opens(1, { number: 2, broken: true });
    await q.submit(1, 2);
    await q.finishes('main+1+2');
    await q.finishes('main+1');
    q.isIn({ 1: 'merged' });
    q.isTesting('main+1+2');

    await q.finishes('main+1+2');
    if (q.world.seen.submissions.get(2)?.submission.state === 'testing') await q.finishes('main+1+2');

    q.isIn({ 2: 'failed' });
    q.hasLanded('main+1');
  });
});

describe('the baseline run', () => {
  const untested = { showsTip: false };

  test('the baseline run comes before the first member of a batch is failed, unless a part of the batch has passed', async () => {
    const settings = { batch: true, batchingMinSize: 2, optimizationMode: skipping } as const;
    const first = await story(settings, untested);
    await first.submit(1, 2);
    await first.fails('main+1+2');
    await first.fails('main+1');
    first.isTesting('main');
    await first.fails('main');
    first.isIn({ 1: 'pending' });

    const second = await story(settings, untested);
    await second.submit(1, 2);
    await second.fails('main+1+2');
    await second.passes('main+1');
    second.isIn({ 1: 'merged', 2: 'failed' });
  });

  test('the baseline run comes before the first failure if no test run has tested the tip', async () => {
    const q = await story({}, untested);
    await q.submit(1);
    await q.fails('main+1');
    q.isIn({ 1: 'pending_failure' });
    q.isTesting('main');

    await q.passes('main');

    q.isIn({ 1: 'failed' });
    q.hasReason(1, 'TEST_RUN_REQUIRED_STATUS_FAILED');
  });

  test('the baseline run covers the check that had not ended at the timeout', async () => {
    const q = await story({ testingTimeoutMinutes: 10 }, { ...untested, checks: ['build', 'test'] });
    await q.submit(1);
    await q.passes('main+1', 'build');
    await q.after('11m');
    q.isIn({ 1: 'pending_failure' });
    q.isTesting('main');

    await q.after('11m');
    q.queueIs('running');
    await q.after('11m');

    q.queueIs('paused');
    q.explains(1, /main itself does not finish test in time/);
    q.hasReason(1, 'TEST_RUN_TIMEOUT');
  });

  test('the baseline run pauses the queue if it fails, and fails no pull request', async () => {
    const q = await story({}, untested);
    await q.submit(1);
    await q.fails('main+1');

    await q.fails('main');
    q.queueIs('running');
    q.isTesting('main');
    await q.fails('main');

    q.queueIs('paused');
    q.isIn({ 1: 'pending_failure' });
    expect(q.world.seen.history.some((row) => row.type === 'alarm' && row.code === 'BASE_BROKEN')).toBe(true);
    await q.pushesToTarget();
    await q.resumes();
    await q.passes('main+push+1');
    q.hasLanded('main+push+1');
  });

  test('the baseline run is repeated when an unrelated pull request fails the same check on the same tip', async () => {
    const q = await story(parallel);
    await q.after('1m');
    await q.touches(1, ['//a']);
    await q.touches(2, ['//b']);
    await q.submit(1, 2);
    await q.fails('main+1');
    q.isIn({ 1: 'failed' });
    q.hasTested('main', 0);

    await q.fails('main+2');
    q.isIn({ 2: 'pending_failure' });
    q.isTesting('main');
    await q.passes('main');

    q.isIn({ 2: 'failed' });
    q.queueIs('running');
  });

  test('the baseline run is not repeated for a check that it has confirmed', async () => {
    const q = await story(parallel);
    await q.after('1m');
    for (const pr of [1, 2, 3]) await q.touches(pr, [`//${pr}`]);
    await q.submit(1, 2, 3);
    await q.fails('main+1');
    await q.fails('main+2');
    await q.passes('main');

    await q.fails('main+3');

    q.isIn({ 3: 'failed' });
    q.hasTested('main', 1);
  });

  test('the baseline run without a verdict blocks no pull request for long', async () => {
    const q = await story({}, untested);
    await q.submit(1);
    await q.fails('main+1');
    await q.breaksDown('main');
    q.isTesting();
    const { waiting } = await q.world.mq.explain({ ...q.world.ref, pr: 1 });
    expect(waiting?.causes.at(-1)).toMatchObject({
      code: 'control_retry',
      sentence: 'The last test of main itself ended without a verdict; 1 of 2 retries is used.',
      untilAt: q.world.clock.now() + 30_000,
    });
    await q.after('30s');
    await q.breaksDown('main');
    await q.after('59s');
    q.isTesting();
    await q.after('1s');
    q.isIn({ 1: 'pending_failure' });
    await q.breaksDown('main');

    q.isIn({ 1: 'failed' });
  });
});

describe('an old tip of the target', () => {
  const untested = { showsTip: false };
  const ofTwoLanes = async (given = untested) => {
    const q = await story(parallel, given);
    for (const pr of [1, 3]) await q.touches(pr, [`//${pr}`]);
    return q;
  };
  const remedyOf = (q: Awaited<ReturnType<typeof story>>, pr: number) =>
    q.world.seen.submissions.get(pr)?.waiting?.remedy;

  test('a tip combined from several lanes counts as passing what each lane passed, until a second pull request fails it', async () => {
    const q = await story(parallel, untested);
    await q.opens(1, { number: 2, clashesWith: 1 }, 3, 4);
    for (const pr of [1, 2, 3, 4]) await q.touches(pr, [`//${pr}`]);
    await q.submit(1, 2);
    await q.finishes('main+1');
    await q.finishes('main+2');
    q.hasLanded('main+1+2');
    await q.submit(3, 4);
    await q.finishes('main+1+2+3');
    q.isIn({ 3: 'failed' });
    await q.finishes('main+1+2+4');
    q.isIn({ 4: 'pending_failure' });
    q.isTesting('main+1+2');

    await q.finishes('main+1+2');
    await q.fails('main+1+2');

    q.queueIs('paused');
    q.isIn({ 4: 'pending_failure' });
  });

  test('an old tip of the target passes the checks that passed on top of it, also after others have landed', async () => {
    const q = await story(parallel, untested);
    for (const pr of [1, 3]) await q.touches(pr, [`//${pr}`]);
    await q.submit(1, 3);
    await q.passes('main+1');
    await q.fails('main+3');

    q.isIn({ 1: 'merged', 3: 'failed' });
    q.hasTested('main', 0);
  });

  test('an old tip of the target passes the checks that a pull request passed on top of it, even if that one leaves', async () => {
    const q = await story({ ...parallel, pendingFailureDepth: 1 }, untested);
    for (const pr of [1, 3]) await q.touches(pr, [`//${pr}`]);
    await q.submit(1, 3);
    await q.pauses();
    await q.passes('main+1');
    await q.cancel(1);
    await q.resumes();
    await q.fails('main+3');

    q.isIn({ 1: 'cancelled', 3: 'failed' });
    q.hasTested('main', 0);
  });

  test('an old tip of the target that fails once by chance pauses nothing, and the culprit is failed once the tip has passed', async () => {
    const q = await story(parallel, untested);
    for (const pr of [1, 3]) await q.touches(pr, [`//${pr}`]);
    await q.submit(1, 3);
    await q.fails('main+3');
    await q.fails('main');
    q.explains(3, /main itself is tested for test at \S+ once more, as its first test failed/);
    q.queueIs('running');
    q.isTesting('main', 'main+1');
    await q.passes('main');

    q.isIn({ 3: 'failed', 1: 'testing' });
    q.queueIs('running');
    q.hasTested('main', 2);
  });

  test('an old tip of the target is tested to the end for a failure while overlapping pull requests behind it land', async () => {
    const q = await story(parallel, untested);
    for (const pr of [1, 2, 3]) await q.touches(pr, ['//a']);
    await q.submit(1, 2);
    await q.fails('main+1');
    q.isTesting('main', 'main+2');
    await q.passes('main+2');
    await q.submit(3);
    await q.passes('main+2+3');
    q.isIn({ 1: 'pending_failure', 2: 'merged', 3: 'merged' });
    q.isTesting('main');
    await q.passes('main');

    q.isIn({ 1: 'failed' });
    q.hasTested('main+1', 1);
  });

  test('an old tip of the target stops counting for a failure once an overlapping urgent pull request has landed ahead of it', async () => {
    const q = await story(parallel, untested);
    for (const pr of [1, 9]) await q.touches(pr, ['//a']);
    await q.submit(1);
    await q.fails('main+1');
    await q.submit(9, { skipTheLine: true });
    await q.passes('main+9');

    q.isIn({ 1: 'testing', 9: 'merged' });
    q.isTesting('main+9+1');
  });

  test('an old tip of the target that fails by itself fails no pull request tested on it, also if another lane has fixed it', async () => {
    const q = await story(parallel, untested);
    await q.pushesToTarget({ 'bad.txt': '!broken\n' });
    await q.opens({ number: 1, commits: [{ 'bad.txt': null }] }, { number: 3 }, { number: 4 });
    for (const pr of [1, 3, 4]) await q.touches(pr, [`//${pr}`]);
    await q.submit(1, 3, 4);
    await q.finishes('main+push+3');
    q.isIn({ 3: 'pending_failure' });
    await q.finishes('main+push+1');
    q.isIn({ 1: 'merged', 3: 'pending_failure' });
    q.isTesting('main+push', 'main+push+4');
    await q.finishes('main+push');
    q.isTesting('main+push', 'main+push+4');
    await q.finishes('main+push');
    q.queueIs('running');
    q.hasReason(3, 'CAPACITY_AVAILABLE');
    q.isTesting('main+push+4', 'main+push+1+3');

    await q.finishes('main+push+4');
    q.hasTested('main+push', 2);
    q.isTesting('main+push+1+3', 'main+push+1+4');
    await q.finishes('main+push+1+3');
    await q.finishes('main+push+1+4');
    q.isIn({ 1: 'merged', 3: 'merged', 4: 'merged' });
  });

  test('an old tip of the target continues to be tested by itself, and no pull request is failed before it has passed', async () => {
    const q = await ofTwoLanes();
    await q.submit(1, 3);
    await q.fails('main+3');
    q.isTesting('main', 'main+1');
    expect(remedyOf(q, 3)).toMatch(
      /if main fails, it is tested once more, and if it fails again, the queue is paused and no pull request is failed\./,
    );
    await q.passes('main+1');
    q.isIn({ 1: 'merged', 3: 'pending_failure' });
    q.isTesting('main');
    expect(remedyOf(q, 3)).toMatch(
      /if it fails again, no pull request is failed, and what failed on it is tested again on the current tip\./,
    );

    await q.passes('main');

    q.isIn({ 3: 'failed' });
    q.hasTested('main', 1);
  });

  test('an old tip of the target is not tested again if it failed as the tip and the owner set the queue running', async () => {
    const q = await ofTwoLanes();
    await q.submit(1, 3);
    await q.fails('main+3');
    await q.fails('main');
    await q.fails('main');
    await q.passes('main+1');
    await q.resumes();

    q.isIn({ 1: 'merged', 3: 'testing' });
    q.isTesting('main+1+3');
    q.hasTested('main', 2);
  });

  test('an old tip of the target is not tested again if it is known to pass', async () => {
    const q = await ofTwoLanes({ showsTip: true });
    await q.after('1m');
    await q.submit(1, 3);
    await q.passes('main+1');
    await q.fails('main+3');

    q.isIn({ 1: 'merged', 3: 'failed' });
    q.hasTested('main', 0);
  });
});

describe('witnesses', () => {
  const depth = { concurrency: 3, pendingFailureDepth: 2 };

  test('witnesses are not awaited when they leave', async () => {
    const q = await story(depth);
    await q.submit(1, 2, 3);
    await q.fails('main+1');
    await q.cancel(2);
    q.isIn({ 1: 'pending_failure' });

    await q.pushes(3);

    q.isIn({ 1: 'failed', 2: 'cancelled', 3: 'cancelled' });
  });

  test('witnesses are the pull requests behind it at the time of the failure, not later ones', async () => {
    const q = await story(depth);
    await q.submit(1, 2);
    await q.fails('main+1');
    await q.submit(3);
    q.isTesting('main+1+2', 'main+2+3');

    await q.fails('main+1+2');

    q.isIn({ 1: 'failed', 2: 'testing', 3: 'testing' });
  });

  test('witnesses clear a failed pull request only with optimistic merging', async () => {
    const q = await story(depth);
    await q.submit(1, 2);
    await q.fails('main+1');
    await q.passes('main+1+2');

    q.isIn({ 1: 'failed', 2: 'testing' });
    q.isTesting('main+2');
  });

  test('witnesses continue when one of them is tested without the failed pull request', async () => {
    const q = await story({ concurrency: 3, pendingFailureDepth: 2 });
    await q.submit(1, 2, 3);
    await q.fails('main+1');

    await q.passes('main+1+2');
    q.isTesting('main+2', 'main+1+2+3');
    q.hasTested('main+1+2+3', 1);
    await q.fails('main+1+2+3');

    q.isIn({ 1: 'failed' });
    q.isTesting('main+2', 'main+2+3');
    q.hasTested('main+2', 1);
  });

  test('witnesses are not awaited while the queue is paused and they have no test run', async () => {
    const q = await story({ concurrency: 1, pendingFailureDepth: 2 });
    await q.submit(1, 2, 3);
    await q.passes('main+1');
    await q.pauses();

    await q.fails('main+1+2');

    q.isIn({ 2: 'failed', 3: 'pending' });
  });

  test('witnesses in a batch land everything below it together, with optimistic merging', async () => {
    const q = await story({
      batch: true,
      batchingMinSize: 2,
      concurrency: 2,
      canOptimisticallyMerge: true,
      pendingFailureDepth: 2,
    });
    await q.submit(1, 2, 3, 4);
    await q.fails('main+1+2');
    q.isIn({ 1: 'pending_failure', 2: 'pending_failure', 3: 'testing' });
    q.isTesting('main+1+2+3+4');

    await q.passes('main+1+2+3+4');

    q.isIn({ 1: 'merged', 2: 'merged', 3: 'merged', 4: 'merged' });
    q.hasMoved(1);
    q.isTesting();
  });
});

describe('an infrastructure failure', () => {
  test('an infrastructure failure of unrelated pull requests together uses up no retries', async () => {
    const q = await story({ ...parallel, concurrency: 2 });
    await q.touches(1, ['//a']);
    await q.touches(2, ['//b']);
    await q.submit(1, 2);
    for (let rounds = 0; rounds < 5; rounds += 1) {
      await q.breaksDown('main+1');
      await q.breaksDown('main+2');
      if (rounds > 0) await q.breaksDown('main');
      q.isIn({ 1: 'testing', 2: 'testing' });
      await q.after('6m');
      q.isTesting('main+1', 'main+2');
    }

    await q.passes('main+1');
    await q.passes('main+2');
    q.isIn({ 1: 'merged', 2: 'merged' });
  });

  test('an infrastructure failure that keeps all checks from starting is no timeout, however short that is', async () => {
    const q = await story({ testingTimeoutMinutes: 10 }, { showsTip: false });
    await q.startsChecks('silence');
    await q.submit(1);
    for (const minutes of ['11m', '13m'] as const) {
      await q.after(minutes);
      q.isIn({ 1: 'testing' });
    }
    q.hasTested('main', 0);

    await q.after('1h');

    q.isIn({ 1: 'failed' });
    q.hasReason(1, 'TEST_RUN_INFRASTRUCTURE');
    q.queueIs('running');
  });

  test('an infrastructure failure of one pull request alone uses up its retries', async () => {
    const q = await story({ ...parallel, concurrency: 2 });
    await q.touches(1, ['//a']);
    await q.touches(2, ['//b']);
    await q.submit(1, 2);
    for (let rounds = 0; rounds < 3; rounds += 1) {
      await q.breaksDown('main+1');
      await q.after('6m');
    }

    q.isIn({ 1: 'failed', 2: 'testing' });
    q.hasReason(1, 'TEST_RUN_INFRASTRUCTURE');
  });
});

describe('a baseline run that is no longer needed', () => {
  test.each([
    ['is cancelled', 'cancel'],
    ['is closed', 'closes'],
    ['is pushed to', 'pushes'],
  ] as const)(
    'a baseline run that is no longer needed ends with the attempt that it was started for: it %s',
    async (_, verb) => {
      const q = await story({}, { showsTip: false });
      await q.submit(1);
      await q.fails('main+1');
      q.isTesting('main');

      await q[verb](1);

      q.isTesting();
    },
  );

  test('a baseline run that is no longer needed is awaited by a resubmitted pull request that fails the same check meanwhile', async () => {
    const q = await story(parallel);
    await q.after('1m');
    await q.touches(1, ['//a']);
    await q.touches(2, ['//b']);
    await q.submit(1, 2);
    await q.fails('main+1');
    await q.fails('main+2');
    q.isTesting('main');
    await q.submit(1);
    await q.fails('main+1');
    q.isIn({ 1: 'pending_failure', 2: 'pending_failure' });

    await q.fails('main');
    await q.fails('main');

    q.queueIs('paused');
    q.isIn({ 1: 'pending_failure', 2: 'pending_failure' });
  });
});

describe('a reported push to the target', () => {
  test('a reported push to the target is read before a pull request is failed for a failure below it', async () => {
    const q = await story();
    await q.submit(1);
    q.world.faults.set('getBranch', 'fails_before');
    await q.unseen(() => q.fails('main+1'));
    await q.pushesToTarget();
    q.isIn({ 1: 'pending_failure' });
    q.waitsFor(1, 'target_unread');

    await q.after('2m');

    q.isTesting('main+push+1');
  });
});

test('an urgent pull request that is tested once more waits for the landing of those that passed without it', async () => {
  const q = await story({
    concurrency: 3,
    pendingFailureDepth: 1,
    canOptimisticallyMerge: true,
    confirmBeforeFailing: true,
  });
  await q.submit(1, { skipTheLine: true });
  await q.submit(2, 3);
  await q.fails('main+1');
  await q.pauses('a release is under way');
  await q.passes('main+2+3');
  q.isIn({ 1: 'pending_failure', 2: 'tests_passed', 3: 'tests_passed' });
  q.waitsFor(1, 'passed_without');
  q.explains(1, /and #2 and #3, which passed without it, merge before it is tested once more\..*is paused/);

  await q.resumes();

  q.isIn({ 2: 'merged', 3: 'merged' });
  q.isTesting('main+2+3+1');
  await q.passes('main+2+3+1');
  q.isIn({ 1: 'merged' });
});

test('an urgent culprit of a failed batch waits for the landing of those that passed without it', async () => {
  const q = await story({
    concurrency: 3,
    batch: true,
    batchingMinSize: 2,
    confirmBeforeFailing: true,
  });
  await q.submit(1);
  await q.submit(2, { skipTheLine: true });
  await q.submit(3, { noBatch: true });
  await q.fails('main+2+1');
  await q.pauses('a release is under way');
  await q.passes('main+3');
  await q.fails('main+2');
  q.isIn({ 3: 'tests_passed' });
  const codes = q.world.seen.submissions.get(2)?.waiting?.causes.map(({ code }) => code);
  expect(codes).toEqual(['isolation', 'passed_without', 'queue_paused']);

  await q.resumes();

  q.isIn({ 3: 'merged' });
});

describe('a queue that paused by itself', () => {
  test('a queue that paused by itself shows a target that turns out broken, with its remedy', async () => {
    const q = await story({ mode: 'parallel', concurrency: 3 }, { showsTip: false });
    await q.touches(1, ['x']);
    await q.touches(2, ['y']);
    await q.submit(1, 2);
    await q.fails('main+2');
    await q.fails('main');
    await q.refusesLandings({ class: 'setting', pr: null, message: 'the branch is frozen' });
    await q.passes('main+1');
    await q.fails('main');

    const waiting = q.world.seen.submissions.get(2)?.waiting;
    expect(waiting?.sentence).toMatch(/main itself fails test at .* Besides: .*the branch is frozen/);
    expect(waiting?.remedy).toBe(
      'Fix the target branch (#1 has passed on it, and merges next once the queue runs), then set the queue running.',
    );
    q.isIn({ 2: 'pending_failure' });
    await q.refusesLandings(null);
  });

  test('a queue that paused by itself shows a note of its owner, which is no pause by a user', async () => {
    const q = await story({ concurrency: 1 }, { showsTip: false });
    await q.submit(1);
    await q.fails('main+1');
    await q.fails('main');
    await q.fails('main');
    await q.world.mq.updateQueue({ ...q.world.ref, actor: anActor, stateReason: 'Ann is on it.' });
    await q.after('1m');

    const waiting = q.world.seen.submissions.get(1)?.waiting;
    expect(waiting?.sentence).toMatch(
      /by the merge queue, since .*: main itself .* Its owner adds: Ann is on it/,
    );
    expect(waiting?.remedy).toBe(
      'Fix the target branch (push to it, or make the pull request with the fix urgent), then set the queue running.',
    );
  });
});
