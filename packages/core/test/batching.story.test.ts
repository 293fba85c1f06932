import { stories } from '@mq/testkit';
import { afterEach, describe, test } from 'vitest';

const story = stories(afterEach);
const batching = { batch: true, batchingMinSize: 4, batchingMaxWaitTimeMinutes: 10, concurrency: 2 } as const;
const anUrgentPair = {
  batch: true,
  batchingMinSize: 2,
  concurrency: 2,
  canOptimisticallyMerge: true,
} as const;

describe('batches', () => {
  test('a batch starts when it is full, and lands as one', async () => {
    const q = await story(batching);
    await q.submit(1, 2, 3);
    q.isTesting();
    q.isIn({ 1: 'pending', 2: 'pending', 3: 'pending' });
    await q.submit(4, 5);
    q.isTesting('main+1+2+3+4');
    await q.passes('main+1+2+3+4');
    q.hasLanded('main+1+2+3+4');
    q.isIn({ 5: 'pending' });
    await q.after('10m');
    await q.passes('main+1+2+3+4+5');
    q.hasLanded('main+1+2+3+4+5');
  });

  test('one that wants to be alone is, and ends the batch before it', async () => {
    const q = await story(batching);
    await q.submit(1, 2);
    await q.submit(3, { noBatch: true });
    q.isTesting('main+1+2', 'main+1+2+3');
  });

  test('one that is up to date and green lands directly at once, and waits for nobody', async () => {
    const q = await story({ ...batching, directMergeMode: 'always' });
    await q.opens(1, 2);
    await q.showsHead(1, 'success');
    await q.submit(1);
    q.hasReason(1, 'MERGE_GRAPH_DIRECT_MERGE');
    q.hasTested('main+1', 0);
    await q.submit(2);
    q.isTesting('main+1+2');
    await q.submit(3);
    q.isIn({ 2: 'testing', 3: 'pending' });
  });

  test('without one that left the others are tested again at once', async () => {
    const q = await story({ ...batching, batchingMinSize: 2 });
    await q.submit(1, 2);
    q.isTesting('main+1+2');
    await q.cancel(1);
    q.isTesting('main+2');
    await q.passes('main+2');
    q.hasLanded('main+2');
  });
});

describe('a batch that failed', () => {
  test.each(['off', 'bisection_skip_redundant_tests'] as const)(
    'loses its culprit and nobody else, with optimisation %s',
    async (optimizationMode) => {
      const q = await story({ ...batching, optimizationMode, bisectionConcurrency: 1 });
      await q.opens(1, 2, { number: 3, broken: true }, 4);
      await q.submit(1, 2, 3, 4);
      await q.finishes('main+1+2+3+4');
      q.isTesting('main+1+2');
      await q.finishes('main+1+2');
      q.isIn({ 1: 'merged', 2: 'merged' });
      if (optimizationMode === 'off') await q.finishes('main+1+2+3+4');
      q.isTesting('main+1+2+3');
      await q.finishes('main+1+2+3');
      q.isIn({ 3: 'failed' });
      q.isTesting('main+1+2+4');
      await q.finishes('main+1+2+4');
      q.hasLanded('main+1+2+4');
    },
  );

  test('whose first part fails has its culprit found there, and the rest is a batch again', async () => {
    const q = await story({
      ...batching,
      optimizationMode: 'bisection_skip_redundant_tests',
      bisectionConcurrency: 1,
    });
    await q.opens(1, { number: 2, broken: true }, 3, 4);
    await q.submit(1, 2, 3, 4);
    await q.finishes('main+1+2+3+4');
    await q.finishes('main+1+2');
    q.isTesting('main+1');
    await q.finishes('main+1');
    q.isIn({ 1: 'merged', 2: 'failed' });
    q.hasReason(2, 'TEST_RUN_FAILED_BY_OPTIMIZATION');
    q.isTesting('main+1+3+4');
    await q.passes('main+1+3+4');
    q.hasLanded('main+1+3+4');
  });
});

describe('optimistic merging', () => {
  test('a pass vouches for what failed below it, within the depth', async () => {
    const q = await story({ concurrency: 3, canOptimisticallyMerge: true, pendingFailureDepth: 2 });
    await q.submit(1, 2, 3);
    await q.fails('main+1');
    q.isIn({ 1: 'pending_failure', 2: 'testing', 3: 'testing' });
    await q.passes('main+1+2+3');
    q.isIn({ 1: 'merged', 2: 'merged', 3: 'merged' });
    q.hasLanded('main+1+2+3');
    q.hasReason(1, 'MERGE_GRAPH_MERGE');
  });

  test('a pass that is seen together with a failure below it comes first', async () => {
    const q = await story({ concurrency: 2, canOptimisticallyMerge: true });
    await q.submit(1, 2);
    await q.unseen(async () => {
      await q.fails('main+1');
      await q.passes('main+1+2');
    });

    await q.after('2m');

    q.hasLanded('main+1+2');
  });

  test('where all that bear witness fail, the first is to blame and the others are tested without it', async () => {
    const q = await story({ concurrency: 3, pendingFailureDepth: 2 });
    await q.submit(1, 2, 3);
    await q.fails('main+1');
    q.isIn({ 1: 'pending_failure' });
    await q.fails('main+1+2');
    q.isIn({ 1: 'pending_failure', 2: 'pending_failure' });
    await q.fails('main+1+2+3');
    q.isIn({ 1: 'failed' });
    q.isTesting('main+2', 'main+2+3');
  });
});

describe('an urgent one', () => {
  test('takes the place of the last, and the others are tested behind it', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);
    await q.submit(3, { skipTheLine: true });
    q.isTesting('main+3', 'main+3+1');
    q.isIn({ 2: 'pending' });
    q.hasReason(2, 'SKIP_THE_LINE_INTERRUPTED');
  });

  test('takes the slot of another, and not its place: nobody else overtakes it meanwhile', async () => {
    const q = await story({ mode: 'parallel', concurrency: 2 });
    for (const pr of [1, 2, 3, 4]) await q.touches(pr, [`//${pr}`]);
    await q.submit(1, 2);
    await q.submit(4, { priority: 1 });
    await q.submit(3, { skipTheLine: true });
    q.isTesting('main+3', 'main+1');

    await q.passes('main+3');

    q.isIn({ 2: 'testing', 4: 'pending' });
  });

  test('stops a batch, which is the same batch behind it: none of it is tested with the urgent one', async () => {
    const q = await story({ mode: 'parallel', batch: true, batchingMinSize: 2, concurrency: 2 });
    for (const pr of [1, 2, 9]) await q.touches(pr, ['//a']);
    for (const pr of [3, 4]) await q.touches(pr, ['//b']);
    await q.submit(1, 2, 3, 4);
    q.isTesting('main+1+2', 'main+3+4');

    await q.submit(9, { skipTheLine: true });
    q.isTesting('main+9', 'main+3+4');
    await q.passes('main+3+4');

    q.isTesting('main+9', 'main+9+1+2');
    await q.passes('main+9');
    await q.passes('main+9+1+2');
    q.hasLanded('main+3+4+9+1+2');
  });

  test('stops those too for whom only a pass behind them vouched, and tells them so', async () => {
    const q = await story({ batch: true, batchingMinSize: 2, concurrency: 3, canOptimisticallyMerge: true });
    await q.submit(1, 2, 3, 4);
    await q.refusesLandings({ class: 'wait', pr: 2, message: 'a review is missing' });
    await q.passes('main+1+2+3+4');
    await q.submit(9, { skipTheLine: true });

    q.isTesting('main+9', 'main+9+1+2', 'main+9+1+2+3+4');
    q.hasOnRecord(/#1 attempt 1: tests_passed -> pending \(SKIP_THE_LINE_INTERRUPTED: #9\)/);
    await q.refusesLandings(null);
    await q.passes('main+9+1+2+3+4');
    q.hasLanded('main+9+1+2+3+4');
  });

  test('that was below them all along is not told as what stopped those for whom a pass vouched', async () => {
    const q = await story({ concurrency: 3, canOptimisticallyMerge: true });
    await q.submit(9, { skipTheLine: true });
    await q.submit(1, 2);
    await q.pauses();
    await q.passes('main+9+1+2');
    await q.pushesToTarget();

    q.hasReason(1, 'PROOF_LOST');
    await q.resumes();
    q.isTesting('main+push+9', 'main+push+9+1', 'main+push+9+1+2');
  });

  test('that is under test in the first batch goes on in it, and nobody is tested anew', async () => {
    const q = await story({ batch: true, batchingMinSize: 3, concurrency: 2 });
    await q.submit(1, 2, 3, 4, 5, 6);
    q.isTesting('main+1+2+3', 'main+1+2+3+4+5+6');

    await q.submit(3, { skipTheLine: true });

    q.isTesting('main+1+2+3', 'main+1+2+3+4+5+6');
    q.hasTested('main+1+2+3', 1);
    await q.passes('main+1+2+3');
    q.hasLanded('main+1+2+3');
  });

  test('goes first with its batch also while others behind them have yet to vouch for it', async () => {
    const q = await story({ ...anUrgentPair, pendingFailureDepth: 2 });
    await q.submit(1, 2, 3, 4);
    await q.submit(2, { skipTheLine: true });
    await q.fails('main+1+2');
    q.isTesting('main+1+2+3+4');
    q.hasTested('main+1+2+3+4', 1);
    await q.passes('main+1+2+3+4');
    q.hasLanded('main+1+2+3+4');
  });

  test('goes first with its batch also until the same is tested again, and whoever stands behind them goes on', async () => {
    const q = await story(anUrgentPair);
    await q.submit(1, 2, 3, 4);
    await q.submit(2, { skipTheLine: true });
    await q.concludes('main+1+2', 'infrastructure');
    q.isTesting('main+1+2+3+4');
    await q.after('5m');
    q.isTesting('main+1+2', 'main+1+2+3+4');
    q.hasTested('main+1+2+3+4', 1);
  });

  test('goes first with its batch where the next one passes before: that vouches for both', async () => {
    const q = await story(anUrgentPair);
    await q.submit(1, 2, 3, 4);
    await q.submit(2, { skipTheLine: true });
    await q.passes('main+1+2+3+4');
    q.hasLanded('main+1+2+3+4');
  });

  test('that comes later is tested behind the whole batch of one that was urgent before', async () => {
    const q = await story({ batch: true, batchingMinSize: 2, concurrency: 2 });
    await q.submit(1, 2);
    await q.submit(2, { skipTheLine: true });
    await q.submit(9, { skipTheLine: true });
    q.isTesting('main+1+2', 'main+1+2+9');
  });

  test('overtakes who stands ahead of its batch, and goes alone', async () => {
    const q = await story({ batch: true, batchingMinSize: 2, concurrency: 2 });
    await q.submit(1, 2, 3, 4);
    await q.submit(4, { skipTheLine: true });
    q.isTesting('main+4', 'main+4+1+2');
    q.isIn({ 3: 'pending' });
    q.hasReason(3, 'SKIP_THE_LINE_INTERRUPTED');
  });

  test('that is urgent no more leaves its batch where it was begun', async () => {
    const q = await story({ batch: true, batchingMinSize: 2, concurrency: 2 });
    await q.submit(1, 2);
    await q.submit(2, { skipTheLine: true });
    await q.submit(2, { priority: 100 });
    q.isTesting('main+1+2');
    q.hasTested('main+1+2', 1);
    await q.submit(9, { skipTheLine: true });
    q.isTesting('main+9', 'main+9+1+2');
  });

  test('that leaves takes its urgency with it: its batch stands where it was begun', async () => {
    const q = await story({ batch: true, batchingMinSize: 2, concurrency: 2 });
    await q.submit(1, 2);
    await q.submit(2, { skipTheLine: true });
    await q.cancel(2);
    q.isTesting('main+1');
    await q.submit(9, { skipTheLine: true });
    q.isTesting('main+9', 'main+9+1');
  });

  test('that stops the only batch is tested without it', async () => {
    const q = await story({ batch: true, batchingMinSize: 2, concurrency: 1 });
    await q.submit(1, 2, 3);
    await q.submit(9, { skipTheLine: true });
    q.isTesting('main+9');

    await q.passes('main+9');

    q.isTesting('main+9+1+2');
  });

  test('interrupts in another lane only where it needs the slot', async () => {
    const q = await story({ mode: 'parallel', concurrency: 2 });
    await q.touches(1, ['//a']);
    await q.touches(2, ['//b']);
    await q.touches(3, ['//c']);
    await q.submit(1, 2);
    await q.submit(3, { skipTheLine: true });
    q.isTesting('main+3', 'main+1');
    q.isIn({ 2: 'pending' });
  });
});
