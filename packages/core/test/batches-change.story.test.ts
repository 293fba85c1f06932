import { stories } from '@mq/testkit';
import { afterEach, describe, expect, test } from 'vitest';

const story = stories(afterEach);
type Story = Awaited<ReturnType<typeof story>>;
const batching = {
  batch: true,
  batchingMinSize: 4,
  batchingMaxWaitTimeMinutes: 10,
  concurrency: 2,
} as const;
const pairs = { ...batching, batchingMinSize: 2, concurrency: 1 } as const;

describe('a filling batch', () => {
  test('a filling batch is due by the wait of its first member', async () => {
    const q = await story(batching);
    await q.submit(1);
    await q.after('6m');
    await q.submit(2);
    await q.after('3m');
    q.isTesting();
    await q.after('1m');
    q.isTesting('main+1+2');
  });

  test('a filling batch starts when the batch size is reduced to its count', async () => {
    const q = await story(batching);
    await q.submit(1, 2, 3);
    await q.configures({ batchingMinSize: 2 });
    q.isTesting('main+1+2');
  });

  test.each([
    [5, '1m'],
    [20, '16m'],
  ] as const)(
    'a filling batch waits for the time of the current settings: %i minutes',
    async (batchingMaxWaitTimeMinutes, rest) => {
      const q = await story(batching);
      await q.submit(1);
      await q.after('4m');
      await q.configures({ batchingMaxWaitTimeMinutes });
      q.isTesting();
      await q.after(rest);
      q.isTesting('main+1');
    },
  );

  test('a filling batch is dissolved when batching is switched off', async () => {
    const q = await story(batching);
    await q.submit(1, 2, 3);
    await q.configures({ batch: false });
    q.isTesting('main+1', 'main+1+2');
  });

  test('a filling batch starts at the end of a pause in which it became due', async () => {
    const q = await story(batching);
    await q.submit(1, 2);
    await q.pauses();
    await q.after('11m');
    q.isTesting();
    await q.resumes();
    q.isTesting('main+1+2');
  });

  test('a filling batch is ordered by priority', async () => {
    const q = await story(batching);
    await q.submit(1, 2);
    await q.submit(3, { priority: 10 });
    await q.after('10m');
    q.isTesting('main+3+1+2');
  });

  test('a filling batch lets a member with noBatch start alone, without the others', async () => {
    const q = await story(batching);
    await q.submit(1, 2);
    await q.submit(1, { noBatch: true });
    q.isTesting('main+1');
    await q.submit(1, { noBatch: false });
    q.isTesting('main+1');
    await q.after('10m');
    q.isTesting('main+1', 'main+1+2');
  });

  test('a filling batch grows in its lane while a pull request that connects two lanes waits for both', async () => {
    const q = await story({ ...pairs, mode: 'parallel', concurrency: 4 });
    await q.touches(1, ['//a']);
    await q.touches(2, ['//b']);
    for (const pr of [3, 4]) await q.touches(pr, ['//a', '//b']);
    await q.submit(1, 2, 3, 4);
    q.isTesting();
    await q.after('10m');
    q.isTesting('main+1', 'main+2', 'main+1+2+3+4');
  });
});

describe('a batch under test', () => {
  test('a batch under test lands as it started when batching is switched off', async () => {
    const q = await story(pairs);
    await q.submit(1, 2, 3);
    await q.configures({ batch: false });
    await q.passes('main+1+2');
    q.hasLanded('main+1+2');
    q.hasMoved(1);
    q.isTesting('main+1+2+3');
  });

  test('a batch under test continues with a member that sets noBatch, and is retested without it', async () => {
    const q = await story(pairs);
    await q.submit(1, 2);
    await q.submit(2, { noBatch: true });
    q.isTesting('main+1+2');
    await q.pushesToTarget();
    q.isTesting('main+push+1');
  });

  test('a batch under test continues without a member that goes on hold, and the member returns behind the batch', async () => {
    const q = await story({ ...batching, batchingMinSize: 3 });
    await q.submit(1, 2, 3);
    await q.saysMergeability(2, 'not_mergeable');
    await q.after('3m');
    q.isTesting('main+1+3');
    q.isIn({ 2: 'pending' });

    await q.saysMergeability(2, null);
    await q.after('20m');

    q.isTesting('main+1+3', 'main+1+3+2');
  });

  test('a batch under test shows that it lost a member that is not ready, and keeps its place as if that member had left', async () => {
    const q = await story(pairs);
    await q.submit(1, 2);
    await q.pauses();
    await q.saysMergeability(1, 'not_mergeable');
    q.hasReason(1, 'READINESS_LOST');
    q.hasReason(2, 'PREREQUISITE_MERGE_ITEM_PENDING');
    await q.submit(3, { priority: 10 });

    await q.resumes();
    q.isTesting('main+2+3');
  });

  test('a batch under test is not joined by a preempted pull request that was tested with its first member before', async () => {
    const q = await story(pairs);
    await q.submit(1);
    await q.submit(2, { priority: 0 });
    q.isTesting('main+2+1');
    await q.submit(3, { skipTheLine: true });
    await q.pushesToTarget();
    q.isTesting('main+push+2+3');

    await q.breaksDown('main+push+2+3');
    await q.after('1m');
    q.isTesting('main+push+2+3');
    await q.passes('main+push+2+3');
    q.isTesting('main+push+2+3+1');
  });

  test('a batch under test stays ahead of a later high priority when it loses a member that is not ready', async () => {
    const q = await story(pairs);
    await q.submit(1, 2);
    await q.submit(3, { priority: 10 });

    await q.saysMergeability(1, 'not_mergeable');
    q.isTesting('main+2+3');
  });

  test('a batch under test shows that a member left, not that it landed, if that member was merged by hand', async () => {
    const q = await story({ batch: true, batchingMinSize: 2, concurrency: 1 });
    await q.submit(1, 2);
    await q.mergesByHand(2);

    const { story: shown } = await q.world.mq.explain({ ...q.world.ref, pr: 1 });
    const sentences = shown.events.map(({ sentence }) => sentence);
    expect(sentences).toContainEqual(
      expect.stringMatching(
        /^Test run \S+ of #1 and #2 was cancelled: a pull request that it tested left the queue\.$/,
      ),
    );
    expect(sentences.at(-3)).toMatch(/was merged outside of the queue \(#2\)/);
  });

  test('a batch under test loses two members at once', async () => {
    const q = await story({ ...batching, batchingMinSize: 3 });
    await q.submit(1, 2, 3);
    await q.unseen(async () => {
      await q.closes(1);
      await q.pushes(3);
    });
    await q.after('3m');
    q.isIn({ 1: 'cancelled', 3: 'cancelled' });
    q.isTesting('main+2');
  });

  test('a batch under test continues when a rule about its targets is added, which waiting pull requests follow', async () => {
    const q = await story({ ...pairs, mode: 'parallel' });
    for (const pr of [1, 3]) await q.touches(pr, ['//a']);
    for (const pr of [2, 4]) await q.touches(pr, ['//a', '//db/x']);
    await q.submit(1, 2, 3, 4);
    await q.configures({ batchingRules: [{ targetPattern: '//db/*', policy: 'isolate' }] });
    await q.passes('main+1+2');
    q.hasLanded('main+1+2');
    q.isTesting('main+1+2+3');
  });

  test('a batch under test is bisected after the batch below it has landed, if it failed on top of that', async () => {
    const q = await story({ ...pairs, concurrency: 2, bisectionConcurrency: 1 });
    await q.submit(1, 2, 3, 4);
    await q.fails('main+1+2+3+4');
    q.isIn({ 3: 'pending_failure', 4: 'pending_failure' });
    await q.passes('main+1+2');
    q.isTesting('main+1+2+3');
  });
});

describe('a batch that waits for its retry', () => {
  test('a batch that waits for its retry is tested as a whole at once when the tests of a member are restarted', async () => {
    const q = await story({ batch: true, batchingMinSize: 2, concurrency: 2 });
    await q.submit(1, 2);
    await q.breaksDown('main+1+2');
    await q.restart(1);
    q.isTesting('main+1+2');
    await q.passes('main+1+2');
    q.hasLanded('main+1+2');
    q.hasTested('main+1', 0);
  });
});

describe('a batch preempted by an urgent pull request', () => {
  const stopped = async () => {
    const q = await story(pairs);
    await q.submit(1, 2, 3);
    await q.submit(9, { skipTheLine: true });
    q.isTesting('main+9');
    return q;
  };

  test('a batch preempted by an urgent pull request continues without a member that left', async () => {
    const q = await stopped();
    await q.cancel(1);
    await q.passes('main+9');
    q.isTesting('main+9+2');
  });

  test('a batch preempted by an urgent pull request continues without a member that sets noBatch', async () => {
    const q = await stopped();
    await q.submit(2, { noBatch: true });
    await q.passes('main+9');
    q.isTesting('main+9+1');
    await q.passes('main+9+1');
    q.isTesting('main+9+1+2');
  });
});

describe('a batch behind a pull request that goes on hold', () => {
  test.each([
    ['running', () => Promise.resolve()],
    ['draining', (q) => q.drains()],
  ] as const satisfies [string, (q: Story) => Promise<void>][])(
    'a batch behind a pull request that goes on hold is tested without that pull request, still as one batch, by a queue that is %s',
    async (_, beforehand) => {
      const q = await story({ ...pairs, concurrency: 2 });
      await q.submit(1, { noBatch: true });
      await q.submit(2, 3);
      q.isTesting('main+1', 'main+1+2+3');
      await beforehand(q);

      await q.saysMergeability(1, 'not_mergeable');

      q.isTesting('main+2+3');
    },
  );
});
