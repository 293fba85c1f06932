import { stories } from '@mq/testkit';
import { afterEach, describe, test } from 'vitest';

const story = stories(afterEach);

describe('what the host shows as passed is not tested again', () => {
  test('where one leaves before the queue has seen the pass, and comes back', async () => {
    const q = await story();
    await q.submit(1);
    await q.unseen(() => q.passes('main+1'));
    await q.cancel(1);
    await q.submit(1);

    q.hasLanded('main+1');
    q.hasTested('main+1', 1);
    q.hasReason(1, 'MERGE_GRAPH_MERGE');
  });

  test('where one of two leaves in the moment in which both pass together, and comes back behind the other', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);
    await q.unseen(() => q.passes('main+1+2'));
    await q.cancel(2);
    await q.submit(2);

    q.isIn({ 1: 'testing', 2: 'tests_passed' });
    q.hasTested('main+1+2', 1);
    await q.passes('main+1');
    q.hasLanded('main+1+2');
  });

  test('but what was run once more and failed is', async () => {
    const q = await story();
    await q.submit(1);
    await q.unseen(async () => {
      await q.passes('main+1');
      await q.after('1s');
      await q.reports('main+1', 'test', 'failure');
      await q.cancel(1);
    });
    await q.after('1s');
    await q.submit(1);

    q.isTesting('main+1');
  });
});

describe('a pull request that is up to date lands directly', () => {
  test('but not by checks of its head that were run once more and failed', async () => {
    const q = await story({ directMergeMode: 'always' });
    await q.showsHead(1, 'success');
    await q.after('1s');
    await q.showsHead(1, 'failure');
    await q.submit(1);

    q.isTesting('main+1');
  });

  test('and is told so only where its own checks had passed, not where the queue had tested it before', async () => {
    const q = await story({ directMergeMode: 'always' });
    await q.submit(1);
    await q.pauses();
    await q.passes('main+1');
    await q.cancel(1);
    await q.resumes();
    await q.submit(1);

    q.isIn({ 1: 'merged' });
    q.hasTested('main+1', 1);
    q.hasReason(1, 'MERGE_GRAPH_MERGE');
  });

  test('and is told so not at all where it was behind the target', async () => {
    const q = await story({ directMergeMode: 'always' });
    await q.showsHead(1, 'success');
    await q.pushesToTarget();
    await q.submit(1);
    await q.pauses();
    await q.passes('main+push+1');
    await q.cancel(1);
    await q.resumes();
    await q.submit(1);

    q.isIn({ 1: 'merged' });
    q.hasReason(1, 'MERGE_GRAPH_MERGE');
  });
});
