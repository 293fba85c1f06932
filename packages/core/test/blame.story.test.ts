import { stories } from '@mq/testkit';
import { afterEach, describe, test } from 'vitest';

const story = stories(afterEach);

describe('culprits', () => {
  test('an innocent pull request is tested again without the one that failed', async () => {
    const q = await story({ concurrency: 2 });

    await q.submit(1, 2);
    q.isTesting('main+1', 'main+1+2');

    await q.fails('main+1+2');
    q.isIn({ 1: 'testing', 2: 'pending_failure' });

    await q.fails('main+1');
    q.isIn({ 1: 'failed', 2: 'testing' });
    q.isTesting('main+2');

    await q.passes('main+2');
    q.hasLanded('main+2');
  });

  test('a failure is final as soon as everything below it has landed as it was tested', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);

    await q.fails('main+1+2');
    q.explains(2, /tests of #\d+ failed/);
    await q.passes('main+1');

    q.isIn({ 1: 'merged', 2: 'failed' });
    q.explains(2, /required check failed.*test/);
  });

  test('of two pull requests that pass alone and fail together, the first lands and the second is failed', async () => {
    const q = await story({ concurrency: 2 });
    await q.opens(1, { number: 2, clashesWith: 1 });
    await q.submit(2, 1);
    q.isTesting('main+2', 'main+2+1');

    await q.finishes('main+2');
    await q.finishes('main+2+1');

    q.isIn({ 1: 'failed', 2: 'merged' });
    q.hasLanded('main+2');
  });

  test('a pull request that passes only on top of another lands behind it', async () => {
    const q = await story({ concurrency: 2 });
    await q.opens(1, { number: 2, needs: 1 });
    await q.submit(1, 2);

    await q.finishes('main+1+2');
    await q.finishes('main+1');

    q.hasLanded('main+1+2');
  });

  test('a failure on top of a pull request that leaves is ignored', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);

    await q.fails('main+1+2');
    await q.cancel(1);

    q.isIn({ 1: 'cancelled', 2: 'testing' });
    q.isTesting('main+2');
  });

  test('a failure on a target that has moved since is ignored', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);
    await q.fails('main+1+2');

    await q.pushesToTarget();

    q.isIn({ 1: 'testing', 2: 'testing' });
    q.isTesting('main+push+1', 'main+push+1+2');
    q.hasOnRecord(/run \S+ of main\+1\+2: closed failed target_moved/);
    await q.passes('main+push+1');
    q.isIn({ 1: 'merged', 2: 'testing' });
  });

  test('a timeout fails the pull request like a failure, with its own code', async () => {
    const q = await story({ testingTimeoutMinutes: 30 });
    await q.submit(1);

    await q.after('29m');
    q.isIn({ 1: 'testing' });
    await q.after('1m');

    q.hasReason(1, 'TEST_RUN_TIMEOUT');
    q.explains(1, /timed out/);
    q.isTesting();
  });

  test('without a timeout a test may take any time', async () => {
    const q = await story({ testingTimeoutMinutes: 0 });
    await q.submit(1);

    await q.after('600m');

    q.isIn({ 1: 'testing' });
    await q.passes('main+1');
    q.hasLanded('main+1');
  });

  test('a check that timed out by itself is a timeout', async () => {
    const q = await story();
    await q.submit(1);

    await q.timesOut('main+1');

    q.hasReason(1, 'TEST_RUN_TIMEOUT');
  });

  test('an infrastructure failure is retried in place, and fails no pull request while retries are left', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);

    await q.breaksDown('main+1');
    q.isIn({ 1: 'testing', 2: 'testing' });
    q.waitsFor(1, 'retry');
    q.isTesting('main+1+2');

    await q.after('5m');
    q.isTesting('main+1', 'main+1+2');
    await q.passes('main+1');
    q.hasLanded('main+1');
    q.hasTested('main+1+2', 1);
  });

  test('a pull request whose retries are used fails with the code of the infrastructure failure', async () => {
    const q = await story();
    await q.submit(1);

    for (let tries = 0; tries < 3; tries += 1) {
      await q.breaksDown('main+1');
      await q.after('30m');
    }

    q.isIn({ 1: 'failed' });
    q.hasReason(1, 'TEST_RUN_INFRASTRUCTURE');
    q.explains(1, /could not be run/);
  });

  test('checks cancelled by the CI are retried, then end the attempt with their own code', async () => {
    const q = await story();
    await q.submit(1);

    for (let tries = 0; tries < 3; tries += 1) {
      await q.isCancelledByCi('main+1');
      await q.after('30m');
    }

    q.hasReason(1, 'TEST_RUN_CANCELLED');
    q.explains(1, /cancelled by the CI/);
  });

  test('a late failure of an old test run of the same commit does not fail the new one', async () => {
    const q = await story();
    await q.cancelsChecks(false);
    await q.submit(1);
    const former = q.world.checks()[0]!.runId;
    await q.restart(1);
    q.hasTested('main+1', 2);

    await q.world.act(() => q.world.repository.ci.finish(former, 'test', 'failure'));
    q.isIn({ 1: 'testing' });

    await q.passes('main+1');
    q.hasLanded('main+1');
    await q.cancelsChecks(true);
    await q.after('1h');
  });

  test('a late failure of an old test run is no evidence, even before a new one starts', async () => {
    const q = await story();
    await q.cancelsChecks(false);
    await q.submit(1);
    await q.startsChecks('silence');
    await q.restart(1);

    await q.fails('main+1');

    q.isIn({ 1: 'testing' });
    q.hasTested('main+1', 1);
    await q.cancel(1);
    await q.cancelsChecks(true);
    await q.after('1h');
  });

  test('checks that start after they were cancelled are stopped', async () => {
    const q = await story();
    await q.losesAnswer('startChecks', 'fails_after');
    await q.submit(1);

    await q.cancel(1);
    await q.after('10m');

    q.isTesting();
  });
});
