import { stories } from '@mq/testkit';
import { afterEach, describe, expect, test } from 'vitest';

const story = stories(afterEach);
const urgent = { skipTheLine: true } as const;

describe('ageing', () => {
  test.each([
    ['89m', 'main+1+3'],
    ['91m', 'main+1+2'],
  ] as const)('lets a high one overtake one that has waited %s', async (wait, tested) => {
    const q = await story({ testingTimeoutMinutes: 0 });
    await q.submit(1, 2);
    await q.after(wait);
    await q.submit(3, { priority: 10 });
    await q.passes('main+1');
    q.isTesting(tested);
  });

  test('brings the lowest before a high one in the end, and nobody before an urgent one', async () => {
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
  test('that is changed under test interrupts nothing, and counts when all is built anew', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);
    await q.submit(2, { priority: 1 });
    q.isTesting('main+1', 'main+1+2');
    q.hasTested('main+1+2', 1);
    await q.pushesToTarget();
    q.isTesting('main+push+2', 'main+push+2+1');
  });

  test('is kept by a new attempt that names none', async () => {
    const q = await story();
    await q.submit(1, 2);
    await q.submit(3, { priority: 10 });
    await q.cancel(3);
    await q.submit(3);
    await q.passes('main+1');
    q.isTesting('main+1+3');
  });

  test('that is urgent is kept by a new attempt that names none, however it was asked for', async () => {
    for (const asked of [{ priority: 0 }, urgent]) {
      const q = await story();
      await q.submit(1);
      await q.submit(3, asked);
      await q.cancel(3);
      await q.submit(3);
      q.isTesting('main+3');
    }
  });

  test('gives way to skipTheLine that comes with it', async () => {
    const q = await story();
    await q.submit(1);
    await q.submit(3, { priority: 200, ...urgent });
    q.isTesting('main+3');
  });

  test('that is named later ends what skipTheLine gave', async () => {
    const q = await story();
    await q.submit(1, { noBatch: true });
    await q.submit(2, 3, urgent);
    await q.submit(3, { priority: 200 });
    await q.passes('main+2');
    q.isTesting('main+2+1');
  });

  test('overtakes those who wait, and starts behind those under test where a slot is free', async () => {
    const q = await story({ concurrency: 3 });
    await q.submit(1, 2);
    await q.submit(3, { priority: 1 });
    q.isTesting('main+1', 'main+1+2', 'main+1+2+3');
  });
});

describe('an urgent one', () => {
  test('is named to those whose slots it takes in other lanes', async () => {
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

  test('interrupts also for a batch of which it is one', async () => {
    const q = await story({ mode: 'parallel', concurrency: 2, batch: true, batchingMinSize: 2 });
    const touched = { 1: '//api', 2: '//api', 3: '//web', 9: '//docs' };
    for (const [pr, target] of Object.entries(touched)) await q.touches(Number(pr), [target]);
    await q.submit(1, 2);
    await q.submit(3, { noBatch: true });
    await q.breaksDown('main+1+2');
    await q.submit(9, { skipTheLine: true });
    await q.after('1m');
    q.isTesting('main+3', 'main+9');

    await q.submit(1, { skipTheLine: true });

    q.isTesting('main+9', 'main+1+2');
  });

  test('interrupts when it becomes ready, and not before', async () => {
    const q = await story();
    await q.opens({ number: 9, draft: true });
    await q.submit(1);
    await q.submit(9, urgent);
    q.isTesting('main+1');
    await q.marksReady(9);
    q.isTesting('main+9');
    q.isIn({ 1: 'pending' });
  });

  test('waits behind an urgent one that came before, and does not interrupt it', async () => {
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

  test('waits in a pause without stopping anything, and stops it afterwards', async () => {
    const q = await story();
    await q.submit(1);
    await q.pauses();
    await q.submit(9, urgent);
    q.isTesting('main+1');
    await q.resumes();
    q.isTesting('main+9');
  });

  test('is what one under test becomes: it goes first, and the other behind it', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);
    await q.submit(2, urgent);
    q.isTesting('main+2', 'main+2+1');
  });

  test('of those below another one is named to that one, on whom it is tested in another order', async () => {
    const q = await story({ concurrency: 3 });
    await q.submit(1, 2, 3);
    await q.submit(2, urgent);

    q.isTesting('main+2', 'main+2+1', 'main+2+1+3');
    q.hasOnRecord(/#3 attempt 1: testing -> pending \(PREREQUISITE_MERGE_ITEM_PENDING: #2\)/);
  });

  test('stands before one that has passed and waits, whose pass counts again when it leaves', async () => {
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

  test('takes no slot of another urgent one in another lane', async () => {
    const q = await story({ mode: 'parallel', concurrency: 2 });
    for (const pr of [1, 2, 3, 4]) await q.touches(pr, [`//${pr}`]);
    await q.submit(4);
    for (const pr of [1, 2, 3]) await q.submit(pr, urgent);
    q.isTesting('main+1', 'main+2');
    await q.passes('main+2');
    q.isTesting('main+1', 'main+3');
    q.isIn({ 4: 'pending' });
  });

  test('goes past one whose place it took, which goes before a high one that came meanwhile', async () => {
    const q = await story();
    await q.submit(1);
    await q.submit(9, urgent);
    await q.submit(2, { priority: 1 });
    await q.passes('main+9');
    q.isTesting('main+9+1');
  });

  test('keeps its turn while it is tested again after no verdict', async () => {
    const q = await story();
    await q.submit(9, urgent);
    await q.breaksDown('main+9');
    await q.after('1m');
    q.isTesting('main+9');
  });

  test('lands below one that fails and one that bears witness: that one goes on, and is not tested twice', async () => {
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

  test('has the one it conflicts with wait, and not the other way round', async () => {
    const q = await story({ concurrency: 2 });
    await q.opens(1, { number: 9, conflictsWith: 1 });
    await q.submit(1);
    await q.submit(9, urgent);
    q.isTesting('main+9');
    q.waitsFor(1, 'conflict_ahead');
    await q.passes('main+9');
    q.isIn({ 1: 'failed', 9: 'merged' });
  });

  test('that needs what it overtook is to blame, and the other goes on', async () => {
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
  test('stops nothing: what it has begun goes on before those who made way for it', async () => {
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

  test('leaves the only slot to what holds it', async () => {
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

  test('leaves it before those who made way, and behind another urgent one', async () => {
    const q = await story({ concurrency: 3 });
    await q.submit(1);
    await q.submit(8, urgent);
    await q.submit(9, urgent);
    q.isTesting('main+8', 'main+8+9', 'main+8+9+1');
    await q.submit(8, { skipTheLine: false });
    q.isTesting('main+9', 'main+9+8', 'main+9+8+1');
  });

  test('lets one that waits in its turn wait there again', async () => {
    const q = await story();
    await q.submit(1, 2);
    await q.pauses();
    await q.submit(2, urgent);
    await q.submit(2, { skipTheLine: false });
    await q.resumes();
    q.isTesting('main+1');
  });
});

test('one that made way for an urgent one, and is made urgent itself, goes behind it', async () => {
  const q = await story();
  await q.submit(1);
  await q.submit(9, urgent);
  await q.submit(1, urgent);
  q.isTesting('main+9');
  q.hasTested('main+9', 1);
  await q.passes('main+9');
  q.isTesting('main+9+1');
});

describe('a batch that an urgent one stops', () => {
  test('because it is of it itself is told so to the others, and not that it went ahead of itself', async () => {
    const q = await story({ batch: true, batchingMinSize: 2, concurrency: 2 });
    await q.submit(1, 2, 3, 4);
    await q.after('10m');
    await q.submit(4, urgent);

    q.isTesting('main+4', 'main+4+1+2');
    q.hasOnRecord(/#3 attempt 1: testing -> pending \(SKIP_THE_LINE_INTERRUPTED: #4\)/);
    q.hasOnRecord(/#4 attempt 1: testing -> pending \(PREREQUISITE_MERGE_ITEM_PENDING: #3\)/);
  });

  test('is tested without one who asked meanwhile to be alone', async () => {
    const q = await story({ batch: true, batchingMinSize: 2 });
    await q.submit(1, 2);
    await q.submit(1, { noBatch: true });
    await q.submit(3, { skipTheLine: true });
    await q.passes('main+3');

    q.isTesting('main+3+1');
  });
});
