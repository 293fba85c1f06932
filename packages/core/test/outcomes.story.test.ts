import { type Story, stories } from '@mq/testkit';
import { afterEach, describe, expect, test } from 'vitest';

const story = stories(afterEach);
const remedyOf = (q: Story, pr: number) => q.world.seen.submissions.get(pr)?.waiting?.remedy;

describe('a check that ends', () => {
  test.each([
    ['neutral', 'merged'],
    ['skipped', 'merged'],
    ['action_required', 'failed'],
    ['timed_out', 'failed'],
    ['stale', 'testing'],
    ['unknown', 'testing'],
  ] as const)('a check that ends with %s leaves the pull request %s', async (conclusion, state) => {
    const q = await story();
    await q.submit(1);
    await q.concludes('main+1', conclusion);
    q.isIn({ 1: state });
  });

  test('a check that ends with success after the pull request was failed changes nothing', async () => {
    const q = await story();
    await q.submit(1);
    await q.fails('main+1');
    await q.reports('main+1', 'test', 'success');
    await q.after('5m');
    q.isIn({ 1: 'failed' });
    q.hasLanded('main');
  });

  test('a check that ends with failure after a preemption says nothing of the pull request', async () => {
    const q = await story();
    await q.cancelsChecks(false);
    await q.submit(1);
    await q.submit(9, { skipTheLine: true });
    await q.fails('main+1');
    await q.passes('main+9');
    q.isTesting('main+9+1');
    await q.passes('main+9+1');
    q.hasLanded('main+9+1');
  });

  test('a check that ends in any order lets all pass, each tested once', async () => {
    for (const order of [
      [2, 1, 3],
      [2, 3, 1],
      [3, 1, 2],
      [3, 2, 1],
    ]) {
      const q = await story({ concurrency: 3 });
      await q.submit(1, 2, 3);
      const contents = order.map((n) => ['main', ...[1, 2, 3].slice(0, n)].join('+'));
      for (const content of contents) await q.passes(content);
      q.hasLanded('main+1+2+3');
      for (const content of contents) q.hasTested(content, 1);
    }
  });
});

describe('the retries after tests without a verdict', () => {
  const withoutVerdict = async (q: Awaited<ReturnType<typeof story>>, times: number) => {
    for (let tries = 0; tries < times; tries += 1) {
      await q.isCancelledByCi('main+1');
      await q.after('5m');
    }
  };

  test('the retries after tests without a verdict are shared by both kinds, and a real failure afterwards has its own code', async () => {
    const q = await story();
    await q.submit(1);
    await q.isCancelledByCi('main+1');
    await q.after('5m');
    await q.breaksDown('main+1');
    await q.after('5m');
    await q.fails('main+1');
    q.hasReason(1, 'TEST_RUN_REQUIRED_STATUS_FAILED');
  });

  test('the retries after tests without a verdict are reset by a restart of the tests', async () => {
    const q = await story();
    await q.submit(1);
    await withoutVerdict(q, 2);
    await q.restart(1);
    await withoutVerdict(q, 2);
    q.isIn({ 1: 'testing' });
    await q.passes('main+1');
    q.hasLanded('main+1');
  });

  test('the retries after tests without a verdict do not affect those behind: their tests continue, and land behind it', async () => {
    const q = await story({ concurrency: 3 });
    await q.submit(1, 2, 3);
    await q.breaksDown('main+1');
    await q.after('1m');
    await q.passes('main+1+2');
    await q.passes('main+1');
    q.hasLanded('main+1+2');
    q.hasTested('main+1+2', 1);
    q.hasTested('main+1+2+3', 1);
  });

  test('the retries after tests without a verdict keep the slot from those behind while a pull request waits for its retry', async () => {
    const q = await story({ concurrency: 1 });
    await q.submit(1, 2);
    await q.breaksDown('main+1');

    q.isTesting();
    q.isIn({ 1: 'testing', 2: 'pending' });
    q.waitsFor(2, 'turn');
    q.explains(2, /1 of 1 in use, by #1\); it is next/);
    await q.after('1m');
    q.isTesting('main+1');
    await q.passes('main+1');
    q.hasLanded('main+1');
  });

  test('the retries after tests without a verdict keep the slot of a batch too, and an urgent pull request waits for neither', async () => {
    const q = await story({ concurrency: 1, batch: true, batchingMinSize: 2 });
    await q.submit(1, 2, 3, 4);
    await q.breaksDown('main+1+2');
    q.isTesting();
    q.explains(3, /by the batch of #1 and #2/);

    await q.submit(9, { priority: 0 });
    q.isTesting('main+9');
    await q.after('1m');
    q.isTesting('main+9');
    await q.passes('main+9');
    q.isTesting('main+9+1+2');
  });

  test('the retries after tests without a verdict, once used up, let those behind be tested without it', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);
    await withoutVerdict(q, 3);
    q.isIn({ 1: 'failed' });
    q.hasReason(1, 'TEST_RUN_CANCELLED');
    q.isTesting('main+2');
  });

  test('tests without a verdict use up no retries while the infrastructure of two lanes fails, however long that lasts', async () => {
    const q = await story({ mode: 'parallel', concurrency: 3 });
    for (const pr of [1, 2]) await q.touches(pr, [`//${pr}`]);
    await q.submit(1, 2);
    for (let tries = 0; tries < 6; tries += 1) {
      for (const content of ['main+1', 'main+2']) await q.breaksDown(content);
      await q.after('6m');
    }
    await q.passes('main+1');
    await q.passes('main+2');
    q.hasLanded('main+1+2');
  });
});

describe('the test run that confirms a failure', () => {
  const suspected = async () => {
    const q = await story({ confirmBeforeFailing: true, concurrency: 2 });
    await q.submit(1, 2);
    await q.fails('main+1');
    q.isTesting('main+1', 'main+2');
    return q;
  };

  test('the test run that confirms a failure is repeated if it ends without a verdict', async () => {
    const q = await suspected();
    await q.breaksDown('main+1');
    await q.after('1m');
    q.isTesting('main+1', 'main+2');
    await q.fails('main+1');
    q.isIn({ 1: 'failed' });
    q.hasTested('main+1', 3);
  });

  test('the test run that confirms a failure gives the attempt its code if it times out', async () => {
    const q = await suspected();
    await q.timesOut('main+1');
    q.hasReason(1, 'TEST_RUN_TIMEOUT');
  });

  test('the test run that confirms a failure waits during a pause, and is run by a draining queue', async () => {
    const q = await story({ confirmBeforeFailing: true });
    await q.submit(1, 2);
    await q.pauses();
    await q.fails('main+1');
    q.isTesting();
    await q.drains();
    q.isTesting('main+1');
    await q.passes('main+1');
    q.hasLanded('main+1');
    q.isIn({ 2: 'pending' });
  });
});

describe('a broken target', () => {
  test('a broken target is tested again when the queue is set running without a fix', async () => {
    const q = await story({}, { showsTip: false });
    await q.submit(1);
    await q.fails('main+1');
    await q.fails('main');
    await q.fails('main');
    q.queueIs('paused');
    await q.resumes();
    q.isTesting('main');
    await q.passes('main');
    q.isIn({ 1: 'failed' });
  });

  test('a broken target fails no pull request whose tests fail while the queue is paused', async () => {
    const q = await story({ mode: 'parallel', concurrency: 3 }, { showsTip: false });
    for (const pr of [1, 2]) await q.touches(pr, [`//${pr}`]);
    await q.submit(1, 2);
    await q.fails('main+1');
    await q.fails('main');
    await q.fails('main');
    await q.fails('main+2');
    q.isIn({ 1: 'pending_failure', 2: 'pending_failure' });
    await q.pushesToTarget();
    await q.resumes();
    q.isTesting('main+push+1', 'main+push+2');
  });

  test('a broken target is shown together with a pause by the owner, before or after', async () => {
    for (const isPausedBefore of [true, false]) {
      const q = await story({ concurrency: 1 }, { showsTip: false });
      await q.submit(1);
      await q.fails('main+1');
      await q.fails('main');
      if (isPausedBefore) await q.pauses('release day');
      await q.fails('main');
      if (!isPausedBefore) await q.pauses('release day');
      q.explains(1, /main itself fails test at .* \(by .*: release day/);
      expect(remedyOf(q, 1)).toBe(
        'Fix the target branch (push to it, or make the pull request with the fix urgent), and set the queue running when the earlier reason for a pause is gone too.',
      );

      await q.pushesToTarget();
      await q.resumes();
      await q.passes('main+push+1');
      q.isIn({ 1: 'merged' });
    }
  });

  test('a broken target returns a draining queue to draining', async () => {
    const q = await story({ concurrency: 1 }, { showsTip: false });
    await q.submit(1, 2);
    await q.drains();
    await q.fails('main+1');
    await q.fails('main');
    await q.fails('main');
    q.explains(2, /main itself fails test/);
    expect(remedyOf(q, 2)).toBe(
      'Fix the target branch (push to it, or make the pull request with the fix urgent), then set the queue back to draining.',
    );

    await q.pushesToTarget();
    await q.drains();
    q.queueIs('draining');
    q.waitsFor(2, 'queue_draining');
  });

  test('a broken target is not suspected if two unrelated pull requests fail different checks', async () => {
    const q = await story(
      { mode: 'parallel', concurrency: 2 },
      { checks: ['build', 'test'], showsTip: false },
    );
    for (const pr of [1, 2, 3]) await q.touches(pr, [`//${pr}`]);
    await q.submit(3);
    await q.passes('main+3');
    await q.submit(1, 2);
    await q.fails('main+3+1', 'build');
    await q.fails('main+3+2', 'test');
    q.isIn({ 1: 'failed', 2: 'failed' });
    q.hasTested('main+3', 1);
  });
});

describe('the timeout', () => {
  test('the timeout counts from the start of the test when it is changed', async () => {
    const q = await story({ testingTimeoutMinutes: 10 });
    await q.submit(1);
    await q.after('9m');
    await q.configures({ testingTimeoutMinutes: 0 });
    await q.after('2h');
    q.isTesting('main+1');
    await q.configures({ testingTimeoutMinutes: 60 });
    await q.after('1m');
    q.isIn({ 1: 'failed' });
  });

  test('the timeout starts a baseline run also if an earlier test of the same commit has ended', async () => {
    const q = await story({ testingTimeoutMinutes: 30 }, { showsTip: false });
    await q.submit(1);
    await q.restart(1);
    await q.after('31m');
    q.isIn({ 1: 'pending_failure' });
    q.isTesting('main');
  });
});

test('a general infrastructure failure fails no pull request, also if a slot is kept for a retry', async () => {
  const q = await story({ mode: 'parallel', concurrency: 1 });
  for (const pr of [1, 2]) await q.touches(pr, [`//${pr}`]);
  await q.submit(1, 2);
  for (let tries = 0; tries < 12; tries += 1) {
    for (const tested of ['main+1', 'main+2'])
      if (q.world.checks().some((one) => one.isRunning && q.world.contentOf(one.commit) === tested))
        await q.concludes(tested, 'infrastructure');
    await q.after('5m');
  }

  expect([1, 2].map((pr) => q.world.seen.submissions.get(pr)?.submission.state)).not.toContain('failed');
});

describe('two pull requests of different lanes whose tests crash each time', () => {
  const crashing = async () => {
    const q = await story({ mode: 'parallel', concurrency: 2, bisectionConcurrency: 1 });
    for (const pr of [1, 2]) await q.touches(pr, [`//${pr}`]);
    await q.touches(3, ['//1']);
    await q.submit(1, 2, 3);
    return q;
  };
  const untilHeldBack = async (
    q: Story,
    ofTip: 'success' | 'infrastructure',
    tests = 40,
    every: '5m' | '20m' = '5m',
  ) => {
    for (let tries = 0; tries < tests; tries += 1) {
      for (const tested of ['main+1', 'main+2', 'main+1+3'])
        if (isUnderTest(q, tested)) await q.concludes(tested, 'infrastructure');
      if (isUnderTest(q, 'main')) await q.concludes('main', ofTip);
      await q.after(every);
    }
  };
  const isUnderTest = (q: Story, content: string) =>
    q.world.checks().some((one) => one.isRunning && q.world.contentOf(one.commit) === content);

  test('two pull requests of different lanes whose tests crash each time are failed once tests of the target show that the infrastructure works', async () => {
    const q = await crashing();
    await untilHeldBack(q, 'success');
    q.isIn({ 1: 'failed', 2: 'failed', 3: 'testing' });
    q.hasReason(1, 'TEST_RUN_INFRASTRUCTURE');
    q.isTesting('main+3');
  });

  test('two pull requests of different lanes whose tests crash each time are failed also if their tests take long', async () => {
    const q = await crashing();
    await untilHeldBack(q, 'success', 12, '20m');
    q.isIn({ 1: 'failed', 2: 'failed', 3: 'testing' });
  });

  test('two pull requests of different lanes whose tests crash each time are not failed while tests of the target crash as well', async () => {
    const q = await crashing();
    await untilHeldBack(q, 'infrastructure');
    await untilHeldBack(q, 'infrastructure', 12, '20m');
    q.isIn({ 1: 'testing', 2: 'testing', 3: 'testing' });
    expect(q.world.seen.history.filter((row) => row.type === 'alarm')).toEqual([]);
  });
});

test('a repeated test that the CI never starts is no timeout, though the same commit has old checks', async () => {
  const q = await story({ concurrency: 1, testingTimeoutMinutes: 10 });
  await q.submit(1);
  await q.after('1m');
  await q.startsChecks('silence');
  await q.concludes('main+1', 'cancelled');
  await q.after('13m');
  await q.after('1h');

  q.hasReason(1, 'TEST_RUN_INFRASTRUCTURE');
});
