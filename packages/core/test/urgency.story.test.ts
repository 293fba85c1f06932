import { stories } from '@mq/testkit';
import { afterEach, describe, expect, test } from 'vitest';

const story = stories(afterEach);
const urgent = { skipTheLine: true } as const;

describe('ageing', () => {
  test.each([
    ['89m', 'main+1+3'],
    ['91m', 'main+1+2'],
  ] as const)(
    'ageing lets a high priority overtake a pull request that has waited %s',
    async (wait, tested) => {
      const q = await story({ testingTimeoutMinutes: 0 });
      await q.submit(1, 2);
      await q.after(wait);
      await q.submit(3, { priority: 10 });
      await q.passes('main+1');
      q.isTesting(tested);
    },
  );

  test('ageing brings the lowest priority before a high one in the end, but never before an urgent one', async () => {
    const q = await story({ testingTimeoutMinutes: 0 });
    await q.submit(1);
    await q.submit(2, { priority: 255 });
    await q.after('20h');
    await q.submit(3, { priority: 1 });
    await q.submit(9, urgent);
    await q.passes('main+9');
    await q.passes('main+9+1');
    q.isTesting('main+9+1+2');
  });
});

describe('a priority', () => {
  test('a priority that is changed during a test preempts nothing, and counts when all is tested again', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);
    await q.submit(2, { priority: 1 });
    q.isTesting('main+1', 'main+1+2');
    q.hasTested('main+1+2', 1);
    await q.pushesToTarget();
    q.isTesting('main+push+2', 'main+push+2+1');
  });

  test('a priority is kept by a new attempt that names none', async () => {
    const q = await story();
    await q.submit(1, 2);
    await q.submit(3, { priority: 10 });
    await q.cancel(3);
    await q.submit(3);
    await q.passes('main+1');
    q.isTesting('main+1+3');
  });

  test('a priority that is urgent is kept by a new attempt that names none, however it was set', async () => {
    for (const asked of [{ priority: 0 }, urgent]) {
      const q = await story();
      await q.submit(1);
      await q.submit(3, asked);
      await q.cancel(3);
      await q.submit(3);
      q.isTesting('main+3');
    }
  });

  test('a priority yields to skipTheLine in the same submit', async () => {
    const q = await story();
    await q.submit(1);
    await q.submit(3, { priority: 200, ...urgent });
    q.isTesting('main+3');
  });

  test('a priority that is named later ends skipTheLine', async () => {
    const q = await story();
    await q.submit(1, { noBatch: true });
    await q.submit(2, 3, urgent);
    await q.submit(3, { priority: 200 });
    await q.passes('main+2');
    q.isTesting('main+2+1');
  });

  test('a priority overtakes waiting pull requests, and starts behind those under test if a slot is free', async () => {
    const q = await story({ concurrency: 3 });
    await q.submit(1, 2);
    await q.submit(3, { priority: 1 });
    q.isTesting('main+1', 'main+1+2', 'main+1+2+3');
  });
});

describe('an urgent pull request', () => {
  test('an urgent pull request is named by the pull requests that it preempts in other lanes', async () => {
    const q = await story({ mode: 'parallel', concurrency: 2 });
    for (const pr of [1, 2, 8, 9]) await q.touches(pr, [`//${pr}`]);
    await q.submit(1, 2);
    await q.submit(8, urgent);
    await q.submit(9, urgent);

    q.isTesting('main+8', 'main+9');
    const causesOf = (pr: number) => q.world.seen.submissions.get(pr)?.waiting?.causes;
    expect(causesOf(2)).toContainEqual(expect.objectContaining({ code: 'interrupted', pr: 8 }));
    expect(causesOf(1)).toContainEqual(expect.objectContaining({ code: 'interrupted', pr: 9 }));
  });

  test('an urgent pull request preempts also for its batch', async () => {
    const q = await story({ mode: 'parallel', concurrency: 3, batch: true, batchingMinSize: 2 });
    const touched = { 1: '//api', 2: '//api', 3: '//web', 4: '//ios', 9: '//docs' };
    for (const [pr, target] of Object.entries(touched)) await q.touches(Number(pr), [target]);
    await q.submit(1, 2);
    for (const pr of [3, 4]) await q.submit(pr, { noBatch: true });
    await q.breaksDown('main+1+2');
    await q.submit(9, { skipTheLine: true });
    await q.after('1m');
    q.isTesting('main+3', 'main+4', 'main+9');

    await q.submit(1, { skipTheLine: true });

    q.isTesting('main+3', 'main+9', 'main+1+2');
  });

  test('an urgent pull request preempts when it becomes ready, not before', async () => {
    const q = await story();
    await q.opens({ number: 9, draft: true });
    await q.submit(1);
    await q.submit(9, urgent);
    q.isTesting('main+1');
    await q.marksReady(9);
    q.isTesting('main+9');
    q.isIn({ 1: 'pending' });
  });

  test('an urgent pull request waits behind an earlier urgent one without preempting it', async () => {
    const q = await story();
    await q.submit(1);
    await q.submit(2, urgent);
    await q.submit(3, { priority: 0 });
    q.isTesting('main+2');
    await q.passes('main+2');
    await q.passes('main+2+3');
    q.isTesting('main+2+3+1');
    q.hasTested('main+2', 1);
  });

  test('an urgent pull request preempts nothing during a pause, but after it', async () => {
    const q = await story();
    await q.submit(1);
    await q.pauses();
    await q.submit(9, urgent);
    q.isTesting('main+1');
    await q.resumes();
    q.isTesting('main+9');
  });

  test('an urgent pull request can be one under test that is made urgent: it goes first, and the other behind it', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);
    await q.submit(2, urgent);
    q.isTesting('main+2', 'main+2+1');
  });

  test('an urgent pull request that was below another one is named by that one, which is tested again in another order', async () => {
    const q = await story({ concurrency: 3 });
    await q.submit(1, 2, 3);
    await q.submit(2, urgent);

    q.isTesting('main+2', 'main+2+1', 'main+2+1+3');
    q.hasOnRecord(/#3 attempt 1: testing -> pending \(PREREQUISITE_MERGE_ITEM_PENDING: #2\)/);
  });

  test('an urgent pull request goes before a passed one, whose pass counts again when it leaves', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);
    await q.passes('main+1+2');
    await q.submit(9, urgent);
    q.isTesting('main+9', 'main+9+1');
    await q.cancel(9);
    q.isIn({ 2: 'tests_passed' });
    q.isTesting('main+1');
    q.hasTested('main+1+2', 1);
  });

  test('an urgent pull request does not preempt another urgent one in another lane', async () => {
    const q = await story({ mode: 'parallel', concurrency: 2 });
    for (const pr of [1, 2, 3, 4]) await q.touches(pr, [`//${pr}`]);
    await q.submit(4);
    for (const pr of [1, 2, 3]) await q.submit(pr, urgent);
    q.isTesting('main+1', 'main+2');
    await q.passes('main+2');
    q.isTesting('main+1', 'main+3');
    q.isIn({ 4: 'pending' });
  });

  test('an urgent pull request overtakes the preempted one, which goes before a later high priority', async () => {
    const q = await story();
    await q.submit(1);
    await q.submit(9, urgent);
    await q.submit(2, { priority: 1 });
    await q.passes('main+9');
    q.isTesting('main+9+1');
  });

  test('an urgent pull request keeps its turn while it is tested again after no verdict', async () => {
    const q = await story();
    await q.submit(9, urgent);
    await q.breaksDown('main+9');
    await q.after('1m');
    q.isTesting('main+9');
  });

  test('an urgent pull request lands below a failure and its witness, which continues and is not tested twice', async () => {
    const q = await story({ concurrency: 2, pendingFailureDepth: 1, canOptimisticallyMerge: true });
    await q.submit(1, 2);
    await q.fails('main+1');
    await q.submit(9, urgent);
    q.isTesting('main+9', 'main+9+1+2');
    await q.passes('main+9');

    q.isTesting('main+9+1', 'main+9+1+2');
    q.hasTested('main+9+1+2', 1);
    await q.passes('main+9+1+2');
    q.hasLanded('main+9+1+2');
  });

  test('an urgent pull request makes the one wait that it conflicts with, not the other way round', async () => {
    const q = await story({ concurrency: 2 });
    await q.opens(1, { number: 9, conflictsWith: 1 });
    await q.submit(1);
    await q.submit(9, urgent);
    q.isTesting('main+9');
    q.waitsFor(1, 'conflict_ahead');
    await q.passes('main+9');
    q.isIn({ 1: 'failed', 9: 'merged' });
  });

  test('an urgent pull request that needs what it overtook is the culprit, and the other continues', async () => {
    const q = await story({ concurrency: 2 });
    await q.opens(1, { number: 9, needs: 1 });
    await q.submit(1);
    await q.submit(9, urgent);
    await q.finishes('main+9');
    q.isIn({ 9: 'failed' });
    q.isTesting('main+1');
  });
});

describe('urgency that is taken back', () => {
  test('urgency that is taken back stops nothing: what has started continues before the preempted ones', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);
    await q.submit(9, urgent);
    await q.submit(9, { skipTheLine: false });
    q.isTesting('main+9', 'main+9+1');
    q.hasTested('main+9', 1);
    await q.passes('main+9');
    q.isTesting('main+9+1', 'main+9+1+2');
    q.hasTested('main+9+1', 1);
  });

  test('urgency that is taken back leaves the only slot to its holder', async () => {
    const q = await story();
    await q.submit(1);
    await q.submit(2, { priority: 0 });
    await q.submit(2, { priority: null });
    q.isTesting('main+2');
    await q.submit(3, urgent);
    q.isTesting('main+3');
    await q.submit(3, { skipTheLine: false });
    await q.passes('main+3');
    q.isTesting('main+3+2');
  });

  test('urgency that is taken back leaves it before the preempted ones, and behind another urgent one', async () => {
    const q = await story({ concurrency: 3 });
    await q.submit(1);
    await q.submit(8, urgent);
    await q.submit(9, urgent);
    q.isTesting('main+8', 'main+8+9', 'main+8+9+1');
    await q.submit(8, { skipTheLine: false });
    q.isTesting('main+9', 'main+9+8', 'main+9+8+1');
  });

  test('urgency that is taken back returns a waiting pull request to its old turn', async () => {
    const q = await story();
    await q.submit(1, 2);
    await q.pauses();
    await q.submit(2, urgent);
    await q.submit(2, { skipTheLine: false });
    await q.resumes();
    q.isTesting('main+1');
  });
});

test('a preempted pull request that is made urgent goes behind the urgent one', async () => {
  const q = await story();
  await q.submit(1);
  await q.submit(9, urgent);
  await q.submit(1, urgent);
  q.isTesting('main+9');
  q.hasTested('main+9', 1);
  await q.passes('main+9');
  q.isTesting('main+9+1');
});

describe('a batch preempted by an urgent pull request', () => {
  test('a batch preempted by an urgent pull request of its own shows that member to the others as the cause, and not to itself', async () => {
    const q = await story({ batch: true, batchingMinSize: 2, concurrency: 2 });
    await q.submit(1, 2, 3, 4);
    await q.after('10m');
    await q.submit(4, urgent);

    q.isTesting('main+4', 'main+4+1+2');
    q.hasOnRecord(/#3 attempt 1: testing -> pending \(SKIP_THE_LINE_INTERRUPTED: #4\)/);
    q.hasOnRecord(/#4 attempt 1: testing -> pending \(PREREQUISITE_MERGE_ITEM_PENDING: #3\)/);
  });

  test('a batch preempted by an urgent pull request is tested without a member that set noBatch meanwhile', async () => {
    const q = await story({ batch: true, batchingMinSize: 2 });
    await q.submit(1, 2);
    await q.submit(1, { noBatch: true });
    await q.submit(3, { skipTheLine: true });
    await q.passes('main+3');

    q.isTesting('main+3+1');
  });
});
