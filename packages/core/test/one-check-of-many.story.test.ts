import { stories } from '@mq/testkit';
import { afterEach, describe, expect, test } from 'vitest';

const story = stories(afterEach);
type Story = Awaited<ReturnType<typeof story>>;
const checks = ['lint', 'unit'];
const two = { checks };
const batching = {
  batch: true,
  batchingMinSize: 4,
  concurrency: 2,
  bisectionConcurrency: 1,
  optimizationMode: 'bisection_skip_redundant_tests',
} as const;

const timesTested = ({ world }: Story, check: string, content: string): number =>
  world.repository.ci
    .checks()
    .filter(
      ({ name, runId, commit }) => name === check && runId !== null && world.contentOf(commit) === content,
    ).length;

describe('a check that passed for a tree is not run for it again', () => {
  test('a check that passed for a tree is not run for it again if another check of the same test run failed', async () => {
    const q = await story({}, two);
    await q.submit(1);
    await q.passes('main+1', 'lint');
    await q.fails('main+1', 'unit');
    q.isIn({ 1: 'failed' });

    await q.submit(1);
    await q.passes('main+1', 'unit');

    q.hasLanded('main+1');
    expect(timesTested(q, 'lint', 'main+1')).toBe(1);
  });

  test.each([
    ['its tests were restarted', (q: Story) => q.restart(1)],
    ['an urgent one went ahead', (q: Story) => q.submit(9, { skipTheLine: true }).then(() => q.cancel(9))],
    ['it was cancelled and submitted again', (q: Story) => q.cancel(1).then(() => q.submit(1))],
    [
      'the service was restarted with another',
      async (q: Story) => {
        await q.crashes();
        await q.restart(1);
      },
    ],
  ] as const)('if %s before the other check ended', async (_, happens) => {
    const q = await story({}, two);
    await q.submit(1);
    await q.passes('main+1', 'lint');

    await happens(q);
    await q.passes('main+1', 'unit');

    q.hasLanded('main+1');
    expect(timesTested(q, 'lint', 'main+1')).toBe(1);
  });
});

describe('a failed check that is no longer required', () => {
  test('a failed check that is no longer required fails no member of a batch: the results of the other checks count', async () => {
    const q = await story(batching, two);
    await q.submit(1, 2, 3, 4);
    await q.passes('main+1+2+3+4', 'unit');
    await q.fails('main+1+2+3+4', 'lint');
    await q.passes('main+1+2');
    q.isTesting('main+1+2+3');

    await q.configures({ requiredStatuses: ['unit'] });

    q.hasLanded('main+1+2+3+4');
  });

  test('a failed check that is no longer required by the rules of the host lets the batch be tested by the other checks', async () => {
    const q = await story(batching, two);
    await q.submit(1, 2, 3, 4);
    await q.fails('main+1+2+3+4', 'lint');
    await q.passes('main+1+2');

    await q.requires(['unit']);
    await q.after('2m');

    q.isIn({ 1: 'merged', 2: 'merged', 3: 'testing', 4: 'testing' });
    q.isTesting('main+1+2+3+4');
  });

  test('a failed check that is no longer required does not limit a bisection of a batch that fails another check', async () => {
    const q = await story({ ...batching, optimizationMode: 'off' }, two);
    await q.submit(1, 2, 3, 4);
    await q.fails('main+1+2+3+4', 'unit');
    await q.fails('main+1+2', 'lint');
    q.isTesting('main+1');

    await q.configures({ requiredStatuses: ['unit'] });
    await q.passes('main+1');

    q.isIn({ 1: 'merged', 2: 'testing' });
    q.isTesting('main+1+2+3+4');
  });

  test('a failed check that is no longer required does not fail a pull request that waits for those ahead', async () => {
    const q = await story({ concurrency: 2 }, two);
    await q.submit(1, 2);
    await q.fails('main+1+2', 'lint');
    q.isIn({ 2: 'pending_failure' });

    await q.configures({ requiredStatuses: ['unit'] });

    q.hasOnRecord(/#2 .*pending_failure -> pending \(REQUIRED_STATUSES_CHANGED\)/);
    q.isIn({ 2: 'testing' });
    await q.passes('main+1');
    await q.passes('main+1+2');
    q.hasLanded('main+1+2');
  });

  test('a failed check that is no longer required fails no pull request if another check has replaced it', async () => {
    const q = await story({ concurrency: 2 }, { checks: ['lint', 'unit', 'docs'] });
    await q.configures({ requiredStatuses: ['lint', 'unit'] });
    await q.submit(1, 2);
    await q.fails('main+1+2', 'lint');

    await q.configures({ requiredStatuses: ['unit', 'docs'] });

    q.isIn({ 2: 'testing' });
  });

  test('a failed check that is no longer required leaves the failure to another failed check that is still required', async () => {
    const q = await story({ concurrency: 2 }, two);
    await q.submit(1, 2);
    await q.unseen(async () => {
      await q.fails('main+1+2', 'lint');
      await q.fails('main+1+2', 'unit');
    });
    await q.after('1m');
    await q.configures({ requiredStatuses: ['unit'] });
    q.isIn({ 2: 'pending_failure' });

    await q.passes('main+1');

    q.isIn({ 1: 'merged', 2: 'failed' });
    q.explains(2, /unit/);
  });
});

/** One check of #1 has passed, the other has not ended at the timeout; its witness #2 is still under test. */
const unitHasNoEndInTime = async () => {
  const q = await story({ concurrency: 2, pendingFailureDepth: 1, testingTimeoutMinutes: 30 }, two);
  await q.submit(1);
  await q.passes('main+1', 'lint');
  await q.after('20m');
  await q.submit(2);
  await q.after('11m');
  return q;
};

describe('a failure by the other checks as well', () => {
  test('a failure by the other checks as well is not repeated if a check that is still required timed out by itself', async () => {
    const q = await story({ concurrency: 2 }, two);
    await q.submit(1, 2);
    await q.concludes('main+1+2', 'timed_out', 'unit');

    await q.configures({ requiredStatuses: ['unit'] });

    q.isIn({ 2: 'pending_failure' });
    q.hasTested('main+1+2', 1);
  });

  test('a failure by the other checks as well is not repeated if a check that is still required had not ended at the timeout', async () => {
    const q = await unitHasNoEndInTime();
    q.isIn({ 1: 'pending_failure', 2: 'testing' });

    await q.configures({ requiredStatuses: ['unit'] });

    q.isIn({ 1: 'pending_failure' });
    q.hasTested('main+1', 1);
  });

  test('a failure by the other checks as well is dropped if the check that had not ended at the timeout is not required', async () => {
    const q = await unitHasNoEndInTime();
    q.isIn({ 1: 'pending_failure' });

    await q.configures({ requiredStatuses: ['lint'] });

    q.isIn({ 1: 'merged' });
  });

  test('a failure by the other checks as well makes a bisection pass stale that covers fewer checks than are required now', async () => {
    const q = await story(batching, { checks: ['lint', 'unit', 'docs'] });
    await q.configures({ requiredStatuses: ['lint', 'unit'] });
    await q.submit(1, 2, 3, 4);
    await q.fails('main+1+2+3+4', 'lint');
    await q.pauses();
    await q.passes('main+1+2');
    q.isIn({ 1: 'tests_passed', 2: 'tests_passed' });

    await q.configures({ requiredStatuses: ['lint', 'unit', 'docs'] });

    q.isIn({ 1: 'pending', 2: 'pending' });
    q.hasReason(1, 'REQUIRED_STATUSES_CHANGED');
  });
});
