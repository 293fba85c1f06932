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

  test('a pull request with noBatch is tested alone, and ends the batch before it', async () => {
    const q = await story(batching);
    await q.submit(1, 2);
    await q.submit(3, { noBatch: true });
    q.isTesting('main+1+2', 'main+1+2+3');
  });

  test('a pull request that is up to date and green lands at once, without waiting for a batch', async () => {
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

  test('the others of a batch are tested again at once when a member leaves', async () => {
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
    'a batch that failed loses only its culprit, with optimisation %s',
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

  test('a batch that failed finds its culprit in the first part if that fails, and tests the rest as a batch again', async () => {
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
  test('a pass clears the failures below it, within the configured depth', async () => {
    const q = await story({ concurrency: 3, canOptimisticallyMerge: true, pendingFailureDepth: 2 });
    await q.submit(1, 2, 3);
    await q.fails('main+1');
    q.isIn({ 1: 'pending_failure', 2: 'testing', 3: 'testing' });
    await q.passes('main+1+2+3');
    q.isIn({ 1: 'merged', 2: 'merged', 3: 'merged' });
    q.hasLanded('main+1+2+3');
    q.hasReason(1, 'MERGE_GRAPH_MERGE');
  });

  test('a pass counts before a failure below it that is read at the same time', async () => {
    const q = await story({ concurrency: 2, canOptimisticallyMerge: true });
    await q.submit(1, 2);
    await q.unseen(async () => {
      await q.fails('main+1');
      await q.passes('main+1+2');
    });

    await q.after('2m');

    q.hasLanded('main+1+2');
  });

  test('if all witnesses fail too, the first failure is the culprit and the others are tested without it', async () => {
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

describe('an urgent pull request', () => {
  test('an urgent pull request preempts the last test run, and the others are tested behind it', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);
    await q.submit(3, { skipTheLine: true });
    q.isTesting('main+3', 'main+3+1');
    q.isIn({ 2: 'pending' });
    q.hasReason(2, 'SKIP_THE_LINE_INTERRUPTED');
  });

  test('an urgent pull request preempts a slot but not the place in line: no other pull request overtakes the preempted one', async () => {
    const q = await story({ mode: 'parallel', concurrency: 2 });
    for (const pr of [1, 2, 3, 4]) await q.touches(pr, [`//${pr}`]);
    await q.submit(1, 2);
    await q.submit(4, { priority: 1 });
    await q.submit(3, { skipTheLine: true });
    q.isTesting('main+3', 'main+1');

    await q.passes('main+3');

    q.isIn({ 2: 'testing', 4: 'pending' });
  });

  test('an urgent pull request preempts a batch, which stays the same batch behind it', async () => {
    const q = await story({ mode: 'parallel', batch: true, batchingMinSize: 2, concurrency: 3 });
    for (const pr of [1, 2, 9]) await q.touches(pr, ['//a']);
    for (const pr of [3, 4]) await q.touches(pr, ['//b']);
    for (const pr of [5, 6]) await q.touches(pr, ['//c']);
    await q.submit(1, 2, 3, 4, 5, 6);
    q.isTesting('main+1+2', 'main+3+4', 'main+5+6');

    await q.submit(9, { skipTheLine: true });
    q.isTesting('main+9', 'main+3+4', 'main+5+6');
    await q.passes('main+3+4');

    q.isTesting('main+9', 'main+9+1+2', 'main+5+6');
    await q.passes('main+9');
    await q.passes('main+9+1+2');
    q.hasLanded('main+3+4+9+1+2');
  });

  test('an urgent pull request also preempts pull requests cleared only by a pass behind them, and they show it', async () => {
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

  test('an urgent pull request is not shown as the preemptor of pull requests that it was below all along', async () => {
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

  test('an urgent pull request in the first batch under test continues in it, and no test restarts', async () => {
    const q = await story({ batch: true, batchingMinSize: 3, concurrency: 2 });
    await q.submit(1, 2, 3, 4, 5, 6);
    q.isTesting('main+1+2+3', 'main+1+2+3+4+5+6');

    await q.submit(3, { skipTheLine: true });

    q.isTesting('main+1+2+3', 'main+1+2+3+4+5+6');
    q.hasTested('main+1+2+3', 1);
    await q.passes('main+1+2+3');
    q.hasLanded('main+1+2+3');
  });

  test('an urgent pull request goes first with its batch while pull requests behind it have yet to clear it', async () => {
    const q = await story({ ...anUrgentPair, pendingFailureDepth: 2 });
    await q.submit(1, 2, 3, 4);
    await q.submit(2, { skipTheLine: true });
    await q.fails('main+1+2');
    q.isTesting('main+1+2+3+4');
    q.hasTested('main+1+2+3+4', 1);
    await q.passes('main+1+2+3+4');
    q.hasLanded('main+1+2+3+4');
  });

  test('an urgent pull request goes first with its batch until that is tested again, and tests behind it continue', async () => {
    const q = await story(anUrgentPair);
    await q.submit(1, 2, 3, 4);
    await q.submit(2, { skipTheLine: true });
    await q.concludes('main+1+2', 'infrastructure');
    q.isTesting('main+1+2+3+4');
    await q.after('5m');
    q.isTesting('main+1+2', 'main+1+2+3+4');
    q.hasTested('main+1+2+3+4', 1);
  });

  test('an urgent pull request goes first with its batch if the next test run passes before, which clears both', async () => {
    const q = await story(anUrgentPair);
    await q.submit(1, 2, 3, 4);
    await q.submit(2, { skipTheLine: true });
    await q.passes('main+1+2+3+4');
    q.hasLanded('main+1+2+3+4');
  });

  test('an urgent pull request is tested behind the whole batch of an earlier urgent pull request', async () => {
    const q = await story({ batch: true, batchingMinSize: 2, concurrency: 2 });
    await q.submit(1, 2);
    await q.submit(2, { skipTheLine: true });
    await q.submit(9, { skipTheLine: true });
    q.isTesting('main+1+2', 'main+1+2+9');
  });

  test('an urgent pull request overtakes the pull requests ahead of its batch, and is tested alone', async () => {
    const q = await story({ batch: true, batchingMinSize: 2, concurrency: 2 });
    await q.submit(1, 2, 3, 4);
    await q.submit(4, { skipTheLine: true });
    q.isTesting('main+4', 'main+4+1+2');
    q.isIn({ 3: 'pending' });
    q.hasReason(3, 'SKIP_THE_LINE_INTERRUPTED');
  });

  test('an urgent pull request leaves its batch in place when its urgency is taken back', async () => {
    const q = await story({ batch: true, batchingMinSize: 2, concurrency: 2 });
    await q.submit(1, 2);
    await q.submit(2, { skipTheLine: true });
    await q.submit(2, { priority: 100 });
    q.isTesting('main+1+2');
    q.hasTested('main+1+2', 1);
    await q.submit(9, { skipTheLine: true });
    q.isTesting('main+9', 'main+9+1+2');
  });

  test('an urgent pull request takes its urgency along when it leaves: its batch keeps its place', async () => {
    const q = await story({ batch: true, batchingMinSize: 2, concurrency: 2 });
    await q.submit(1, 2);
    await q.submit(2, { skipTheLine: true });
    await q.cancel(2);
    q.isTesting('main+1');
    await q.submit(9, { skipTheLine: true });
    q.isTesting('main+9', 'main+9+1');
  });

  test('an urgent pull request that preempts the only batch is tested without it', async () => {
    const q = await story({ batch: true, batchingMinSize: 2, concurrency: 1 });
    await q.submit(1, 2, 3);
    await q.submit(9, { skipTheLine: true });
    q.isTesting('main+9');

    await q.passes('main+9');

    q.isTesting('main+9+1+2');
  });

  test('an urgent pull request preempts in another lane only if it needs the slot', async () => {
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
