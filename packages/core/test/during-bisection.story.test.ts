import type { QueueSettings } from '@mq/core';
import { stories } from '@mq/testkit';
import { afterEach, describe, expect, test } from 'vitest';

const story = stories(afterEach);
const batching = {
  batch: true,
  batchingMinSize: 4,
  batchingMaxWaitTimeMinutes: 10,
  concurrency: 2,
  bisectionConcurrency: 1,
  optimizationMode: 'bisection_skip_redundant_tests',
} as const;

describe('during the search for a culprit', () => {
  test('pull requests behind the batch are tested without it, and may land first', async () => {
    const q = await story(batching);
    await q.opens(1, 2, { number: 3, broken: true }, 4);
    await q.submit(1, 2, 3, 4, 5, 6, 7, 8);
    q.isTesting('main+1+2+3+4', 'main+1+2+3+4+5+6+7+8');

    await q.finishes('main+1+2+3+4');
    q.isTesting('main+1+2', 'main+5+6+7+8');
    await q.finishes('main+5+6+7+8');
    q.isIn({ 5: 'merged', 8: 'merged', 1: 'testing', 3: 'pending' });
    q.hasLanded('main+5+6+7+8');

    // Bisection tests keep the base that the batch failed on, so that their results fit together.
    q.isTesting('main+1+2');
    await q.finishes('main+1+2');
    q.isTesting('main+1+2+3');
    await q.finishes('main+1+2+3');
    q.isIn({ 3: 'failed' });

    // A prefix that passed on the overtaken base has to pass again on the new tip.
    q.isTesting('main+5+6+7+8+1+2+4');
    await q.finishes('main+5+6+7+8+1+2+4');
    q.hasLanded('main+5+6+7+8+1+2+4');
  });

  test('the bisection stays on the base that the batch failed on, also if another lane has fixed that', async () => {
    const settings = { ...batching, batchingMinSize: 2, mode: 'parallel', concurrency: 3 } as const;
    const q = await story(settings, { showsTip: false });
    await q.pushesToTarget({ 'bad.txt': '!broken\n' });
    await q.opens({ number: 1, commits: [{ 'bad.txt': null }] }, { number: 3 }, { number: 4 });
    for (const [pr, touched] of [
      [1, '//a'],
      [3, '//b'],
      [4, '//b'],
    ] as const)
      await q.touches(pr, [touched]);
    await q.submit(1, { noBatch: true });
    await q.submit(3, 4);
    await q.finishes('main+push+3+4');
    await q.finishes('main+push+3');
    q.isTesting('main+push', 'main+push+1');
    await q.finishes('main+push+1');
    q.isTesting('main+push');

    await q.finishes('main+push');
    await q.finishes('main+push');

    q.queueIs('running');
    q.isTesting('main+push+1+3+4');
    await q.finishes('main+push+1+3+4');
    q.isIn({ 1: 'merged', 3: 'merged', 4: 'merged' });
  });

  test('a member that leaves ends the bisection, and the rest is tested together again', async () => {
    const q = await story(batching);
    await q.submit(1, 2, 3, 4);
    await q.fails('main+1+2+3+4');
    q.isTesting('main+1+2');

    await q.cancel(3);

    q.isTesting('main+1+2+4');
    await q.passes('main+1+2+4');
    q.hasLanded('main+1+2+4');
  });

  test('a push to the target ends the bisection, and no pull request is failed for the old tip', async () => {
    const q = await story(batching);
    await q.submit(1, 2, 3, 4);
    await q.fails('main+1+2+3+4');
    await q.fails('main+1+2');

    await q.pushesToTarget();

    q.isIn({ 1: 'testing', 2: 'testing', 3: 'testing', 4: 'testing' });
    q.isTesting('main+push+1+2+3+4');
  });

  test('a draining queue finishes the bisection', async () => {
    const q = await story(batching);
    await q.opens(1, 2, 3, { number: 4, broken: true });
    await q.submit(1, 2, 3, 4);
    await q.finishes('main+1+2+3+4');
    await q.drains();
    await q.submit(5);

    await q.finishes('main+1+2');
    await q.finishes('main+1+2+3');

    q.isIn({ 1: 'merged', 2: 'merged', 3: 'merged', 4: 'failed', 5: 'pending' });
    q.isTesting();
  });

  test('a paused queue starts no bisection test, and continues where it was', async () => {
    const q = await story(batching);
    await q.submit(1, 2, 3, 4);
    await q.fails('main+1+2+3+4');
    await q.pauses();
    await q.passes('main+1+2');
    q.isTesting();
    q.hasLanded('main');

    await q.resumes();

    q.hasLanded('main+1+2');
    q.isTesting('main+1+2+3');
  });

  test('a change of mode waits for the end of the bisection', async () => {
    const q = await story(batching);
    await q.opens(1, 2, 3, { number: 4, broken: true });
    await q.submit(1, 2, 3, 4);
    await q.finishes('main+1+2+3+4');

    await q.configures({ mode: 'parallel' });
    await q.touches(5, ['//a']);
    await q.submit(5);
    q.queueIs('switching_modes');
    await q.finishes('main+1+2');
    q.queueIs('switching_modes');
    q.isTesting('main+1+2+3');
    await q.finishes('main+1+2+3');

    q.isIn({ 3: 'merged', 4: 'failed', 5: 'pending' });
    q.queueIs('running');
    await q.after('10m');
    q.isTesting('main+1+2+3+5');
  });

  test('a bisection test without a verdict is retried, and after the last retry each member is tested alone', async () => {
    const q = await story(batching);
    await q.submit(1, 2, 3, 4);
    await q.fails('main+1+2+3+4');
    for (let tries = 0; tries < 3; tries += 1) {
      q.isTesting('main+1+2');
      await q.breaksDown('main+1+2');
      await q.after('4m');
    }

    q.isTesting('main+1', 'main+1+2');
    q.isIn({ 3: 'pending', 4: 'pending' });
    await q.passes('main+1');
    await q.passes('main+1+2');
    await q.passes('main+1+2+3');
    await q.passes('main+1+2+3+4');
    q.hasLanded('main+1+2+3+4');
  });

  test('two culprits are found one after the other', async () => {
    const q = await story(batching);
    await q.opens({ number: 1, broken: true }, 2, 3, { number: 4, broken: true });
    await q.submit(1, 2, 3, 4);
    await q.finishes('main+1+2+3+4');
    await q.finishes('main+1+2');
    await q.finishes('main+1');
    q.isIn({ 1: 'failed' });

    q.isTesting('main+2+3+4');
    await q.finishes('main+2+3+4');
    await q.finishes('main+2+3');
    q.isIn({ 2: 'merged', 3: 'merged', 4: 'failed' });
    q.hasLanded('main+2+3');
  });

  test('of two pull requests that only fail together, the later one is failed', async () => {
    const q = await story(batching);
    await q.opens(1, 2, { number: 3, clashesWith: 1 }, 4);
    await q.submit(1, 2, 3, 4);
    await q.finishes('main+1+2+3+4');
    await q.finishes('main+1+2');
    await q.finishes('main+1+2+3');

    q.isIn({ 1: 'merged', 2: 'merged', 3: 'failed' });
    await q.finishes('main+1+2+4');
    q.hasLanded('main+1+2+4');
  });
});

describe('a failed batch that waits for a witness', () => {
  test('a failed batch that waits for a witness is bisected on the tip that it failed on if a pull request behind it lands first', async () => {
    const settings = { ...batching, mode: 'parallel', batchingMinSize: 2, concurrency: 3 } as const;
    const q = await story({ ...settings, pendingFailureDepth: 1 });
    await q.opens({ number: 1, broken: true }, 2, 3, 4);
    for (const pr of [1, 2]) await q.touches(pr, ['//a', '//b']);
    await q.touches(3, ['//a']);
    await q.touches(4, ['//b']);
    await q.submit(1, 2);
    await q.submit(3, 4, { noBatch: true });
    await q.finishes('main+1+2');
    q.isTesting('main+1+2+3', 'main+4');

    await q.finishes('main+4');
    q.hasLanded('main+4');
    q.isIn({ 1: 'pending_failure', 2: 'pending_failure' });
    await q.finishes('main+4+1+2+3');

    q.isTesting('main+1', 'main+4+3');
    await q.finishes('main+1');
    q.isIn({ 1: 'failed', 2: 'testing' });
    q.hasTested('main', 0);
    q.hasTested('main+1+2', 1);
  });
});

describe('a bisection that ends without a culprit', () => {
  test('a member goes on hold: all members show that the bisection is over, and which member it was', async () => {
    const q = await story({ ...batching, batchingMinSize: 3, concurrency: 1 });
    await q.submit(1, 2, 3);
    await q.fails('main+1+2+3');
    q.isTesting('main+1+2');
    await q.saysMergeability(2, 'not_mergeable');

    q.isTesting('main+1+3');
    q.hasReason(2, 'READINESS_LOST');
    q.hasOnRecord(/#1 attempt 1: testing -> pending \(PREREQUISITE_MERGE_ITEM_PENDING: #2\)/);
    const { events } = (await q.world.mq.explain({ ...q.world.ref, pr: 3 })).story;
    expect(events.map(({ sentence }) => sentence)).toContainEqual(
      expect.stringMatching(/^Test run \S+ of #1, #2 and #3 was closed: what has to be tested has changed/),
    );
  });

  test.each<[string, Partial<QueueSettings>]>([
    ['the merge method was changed', { mergeMethod: 'rebase' }],
    ['the checks were changed', { requiredStatuses: ['test'] }],
  ])('%s: a member that waited for its test shows that the bisection is over', async (_, settings) => {
    const q = await story(
      { ...batching, batchingMinSize: 3, concurrency: 1, requiredStatuses: ['lint', 'test'] },
      { checks: ['lint', 'test'] },
    );
    await q.submit(1, 2, 3);
    await q.fails('main+1+2+3', 'lint');
    await q.configures(settings);

    const { events } = (await q.world.mq.explain({ ...q.world.ref, pr: 3 })).story;
    expect(
      events.filter(({ sentence }) =>
        /was closed: what has to be tested has changed: .*the settings/.test(sentence),
      ),
    ).toHaveLength(1);
  });
});

test('no pull request is failed on a target that a pull request behind the batch has fixed since', async () => {
  const settings = { batch: true, batchingMinSize: 2, concurrency: 2, bisectionConcurrency: 1 };
  const q = await story(
    { ...settings, optimizationMode: 'bisection_skip_redundant_tests' },
    { showsTip: false },
  );
  await q.submit(1, 2, 3, 4);
  await q.fails('main+1+2');
  await q.passes('main+3+4');
  await q.fails('main+1');
  q.isIn({ 1: 'pending', 2: 'pending' });
  q.isTesting('main');

  await q.fails('main');
  await q.fails('main');

  q.isIn({ 1: 'testing', 2: 'testing' });
  q.queueIs('running');
  q.isTesting('main+3+4+1+2');
});

test('a check of a passed prefix that is started again ends the search, and each pull request is tested alone', async () => {
  const q = await story(batching);
  await q.submit(1, 2, 3, 4);
  await q.fails('main+1+2+3+4');
  await q.pauses();
  await q.passes('main+1+2');
  await q.after('1s');
  await q.reruns('main+1+2');
  q.hasReason(1, 'PROOF_LOST');
  q.hasReason(2, 'PROOF_LOST');
  await q.resumes();
  q.isTesting('main+1', 'main+1+2');
});
