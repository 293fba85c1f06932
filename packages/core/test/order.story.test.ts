import { type Story, stories } from '@mq/testkit';
import { afterEach, describe, test } from 'vitest';

const story = stories(afterEach);

describe('order', () => {
  test('a waiting pull request starts as soon as a slot is free, on top of what is under test', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2, 3);
    q.isIn({ 3: 'pending' });
    q.waitsFor(3, 'turn');

    await q.passes('main+1');

    q.isTesting('main+1+2', 'main+1+2+3');
  });

  test('a passed follower waits for the pull request ahead and lands right after it', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);

    await q.passes('main+1+2');
    q.explains(2, /ahead/);
    q.hasLanded('main');
    await q.passes('main+1');

    q.hasLanded('main+1+2');
  });

  test('a higher priority overtakes waiting pull requests', async () => {
    const q = await story();
    await q.submit(1, 2);
    await q.submit(3, { priority: 10 });

    await q.passes('main+1');

    q.isTesting('main+1+3');
  });

  test('a priority that is reset to the default loses its advantage', async () => {
    const q = await story();
    await q.submit(1, 2);
    await q.submit(3, { priority: 10 });
    await q.submit(3, { priority: null });

    await q.passes('main+1');

    q.isTesting('main+1+2');
  });

  test.each<[string, (q: Story) => Promise<void>, string]>([
    ['the target is moved', (q) => q.pushesToTarget(), 'main+push'],
    ['another merge method is set', (q) => q.configures({ mergeMethod: 'rebase' }), 'main'],
    ['the required checks are others', (q) => q.configures({ requiredStatuses: ['lint'] }), 'main'],
  ])(
    'if %s, a pull request behind it that waits for its retry does not overtake one under test',
    async (_, change, base) => {
      const q = await story({ concurrency: 2, requiredStatuses: ['test'] }, { checks: ['lint', 'test'] });
      await q.submit(1, 2);
      await q.breaksDown('main+1+2');
      q.waitsFor(2, 'repeated');

      await change(q);

      q.isTesting(`${base}+1`);
      await q.after('1m');
      q.isTesting(`${base}+1`, `${base}+1+2`);
    },
  );

  test.each([
    ['fails', 'main+1', 'main+1+2'],
    ['is cancelled', 'main+1', 'main+1+2'],
  ] as const)('pull requests preempted by an urgent one that %s keep their order', async (end, ...tested) => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);
    await q.submit(9, { skipTheLine: true });
    q.isTesting('main+9', 'main+9+1');

    if (end === 'fails') await q.fails('main+9');
    else await q.cancel(9);

    q.isTesting(...tested);
  });

  test('preempted pull requests keep their order when the target is pushed to', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);
    await q.submit(9, { skipTheLine: true });

    await q.pushesToTarget();

    q.isTesting('main+push+9', 'main+push+9+1');
  });

  test('a lower concurrency stops no running test', async () => {
    const q = await story({ concurrency: 3 });
    await q.submit(1, 2, 3);

    await q.configures({ concurrency: 1 });

    q.isTesting('main+1', 'main+1+2', 'main+1+2+3');
  });

  test('a pull request that conflicts with an undecided one ahead waits for it, and nothing is built on it', async () => {
    const q = await story({ concurrency: 3 });
    await q.opens(1, { number: 2, conflictsWith: 1 }, 3);
    await q.submit(1, 2, 3);
    q.isIn({ 1: 'testing', 2: 'pending', 3: 'testing' });
    q.waitsFor(2, 'conflict_ahead');
    q.explains(2, /#1/);
    q.isTesting('main+1', 'main+1+3');

    await q.fails('main+1');

    q.isIn({ 1: 'failed', 2: 'testing', 3: 'testing' });
  });

  test('a pull request that conflicts with what has landed is failed', async () => {
    const q = await story({ concurrency: 2 });
    await q.opens(1, { number: 2, conflictsWith: 1 });
    await q.submit(1, 2);

    await q.passes('main+1');

    q.isIn({ 1: 'merged', 2: 'failed' });
    q.hasReason(2, 'START_TEST_RUN_MERGE_CONFLICT');
    q.explains(2, /conflicts with the target/);
  });

  test('a pull request whose change another one ahead contains waits, and is merged without a commit when that one lands', async () => {
    const q = await story({ concurrency: 2 });
    const same = [{ 'same.txt': 'same\n' }];
    await q.opens({ number: 1, commits: same }, { number: 2, commits: same });
    await q.submit(1, 2);
    q.isIn({ 2: 'pending' });
    q.isTesting('main+1');

    await q.passes('main+1');

    q.isIn({ 1: 'merged', 2: 'merged' });
    q.hasReason(2, 'NOTHING_TO_LAND');
    q.explains(2, /already contains/);
    q.hasLanded('main+1');
  });
});

test('of candidates that are built at the same time, only the pull request that conflicts with one ahead waits for it', async () => {
  const q = await story({ concurrency: 5 });
  await q.pauses();
  await q.opens(1, { number: 2, conflictsWith: 1 });
  await q.submit(1, 2, 3, 4, 5);
  await q.resumes();
  q.isTesting('main+1', 'main+1+3', 'main+1+3+4', 'main+1+3+4+5');
  q.isIn({ 2: 'pending' });
  q.waitsFor(2, 'conflict_ahead');
});
