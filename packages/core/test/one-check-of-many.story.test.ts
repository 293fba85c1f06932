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
  test('where another check of the same run failed', async () => {
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
  ] as const)('where %s before the other check ended', async (_, happens) => {
    const q = await story({}, two);
    await q.submit(1);
    await q.passes('main+1', 'lint');

    await happens(q);
    await q.passes('main+1', 'unit');

    q.hasLanded('main+1');
    expect(timesTested(q, 'lint', 'main+1')).toBe(1);
  });
});

describe('a failed check that is not required any more', () => {
  test('is nobody of a batch to blame for: what the others say of it counts', async () => {
    const q = await story(batching, two);
    await q.submit(1, 2, 3, 4);
    await q.passes('main+1+2+3+4', 'unit');
    await q.fails('main+1+2+3+4', 'lint');
    await q.passes('main+1+2');
    q.isTesting('main+1+2+3');

    await q.configures({ requiredStatuses: ['unit'] });

    q.hasLanded('main+1+2+3+4');
  });

  test('because the rules of the host dropped it has the batch tested by the others', async () => {
    const q = await story(batching, two);
    await q.submit(1, 2, 3, 4);
    await q.fails('main+1+2+3+4', 'lint');
    await q.passes('main+1+2');

    await q.requires(['unit']);
    await q.after('2m');

    q.isIn({ 1: 'merged', 2: 'merged', 3: 'testing', 4: 'testing' });
    q.isTesting('main+1+2+3+4');
  });

  test('bounds no part of a batch that fails another', async () => {
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

  test('is not held against who waits for those ahead', async () => {
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

  test('is not held against anybody where another one has taken its place', async () => {
    const q = await story({ concurrency: 2 }, { checks: ['lint', 'unit', 'docs'] });
    await q.configures({ requiredStatuses: ['lint', 'unit'] });
    await q.submit(1, 2);
    await q.fails('main+1+2', 'lint');

    await q.configures({ requiredStatuses: ['unit', 'docs'] });

    q.isIn({ 2: 'testing' });
  });

  test('leaves the blame to another one that failed and still is', async () => {
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

/** Of #1 one check has passed and the other has no end when its time is up; #2, which is to bear witness, is still tested. */
const unitHasNoEndInTime = async () => {
  const q = await story({ concurrency: 2, pendingFailureDepth: 1, testingTimeoutMinutes: 30 }, two);
  await q.submit(1);
  await q.passes('main+1', 'lint');
  await q.after('20m');
  await q.submit(2);
  await q.after('11m');
  return q;
};

describe('a failure that is one by the other checks as well', () => {
  test('is not gone through again where a check that is still required ran out of its own time', async () => {
    const q = await story({ concurrency: 2 }, two);
    await q.submit(1, 2);
    await q.concludes('main+1+2', 'timed_out', 'unit');

    await q.configures({ requiredStatuses: ['unit'] });

    q.isIn({ 2: 'pending_failure' });
    q.hasTested('main+1+2', 1);
  });

  test('is not gone through again where a check that is still required had no end in time', async () => {
    const q = await unitHasNoEndInTime();
    q.isIn({ 1: 'pending_failure', 2: 'testing' });

    await q.configures({ requiredStatuses: ['unit'] });

    q.isIn({ 1: 'pending_failure' });
    q.hasTested('main+1', 1);
  });

  test('is none any more where what had no end in time is not required', async () => {
    const q = await unitHasNoEndInTime();
    q.isIn({ 1: 'pending_failure' });

    await q.configures({ requiredStatuses: ['lint'] });

    q.isIn({ 1: 'merged' });
  });

  test('has a pass of a part count no more that covers less than what is required now', async () => {
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
