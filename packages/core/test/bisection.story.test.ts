import { stories } from '@mq/testkit';
import { afterEach, describe, expect, test } from 'vitest';

const story = stories(afterEach);
const four = {
  batch: true,
  batchingMinSize: 4,
  batchingMaxWaitTimeMinutes: 10,
  concurrency: 1,
  bisectionConcurrency: 1,
  optimizationMode: 'bisection_skip_redundant_tests',
} as const;
const eight = { ...four, batchingMinSize: 8, bisectionConcurrency: 3 } as const;

const failedFour = async (
  settings: Parameters<typeof story>[0] = {},
  setup: Parameters<typeof story>[1] = {},
) => {
  const q = await story({ ...four, ...settings }, setup);
  await q.submit(1, 2, 3, 4);
  await q.fails('main+1+2+3+4');
  return q;
};

const failedEight = async () => {
  const q = await story(eight);
  await q.submit(1, 2, 3, 4, 5, 6, 7, 8);
  await q.fails('main+1+2+3+4+5+6+7+8');
  q.isTesting('main+1+2', 'main+1+2+3+4', 'main+1+2+3+4+5+6');
  return q;
};

describe('bisection tests side by side', () => {
  test('a pass cancels the shorter tests and lands all that it includes', async () => {
    const q = await failedEight();
    await q.passes('main+1+2+3+4');
    q.hasLanded('main+1+2+3+4');
    q.isTesting('main+1+2+3+4+5+6');

    await q.fails('main+1+2+3+4+5+6');
    q.isTesting('main+1+2+3+4+5');
    await q.passes('main+1+2+3+4+5');

    q.isIn({ 5: 'merged', 6: 'failed', 7: 'testing', 8: 'testing' });
    q.hasReason(6, 'TEST_RUN_FAILED_BY_OPTIMIZATION');
  });

  test('a failure cancels the longer tests', async () => {
    const q = await failedEight();
    await q.fails('main+1+2');
    q.isTesting('main+1');
    await q.fails('main+1');
    q.isIn({ 1: 'failed' });
    q.isTesting('main+2+3+4+5+6+7+8');
  });

  test('a pass outweighs the failure of a shorter test that is read with it', async () => {
    const q = await failedEight();
    await q.unseen(async () => {
      await q.fails('main+1+2');
      await q.passes('main+1+2+3+4');
    });
    await q.after('2m');
    q.isIn({ 1: 'merged', 4: 'merged' });
    q.isTesting('main+1+2+3+4+5+6');
  });

  test('bisection tests side by side are as many as the current slots; a lower limit stops no running test', async () => {
    const q = await failedFour();
    q.isTesting('main+1+2');
    await q.configures({ bisectionConcurrency: 3, batchingMinSize: 8 });
    await q.passes('main+1+2');
    q.isTesting('main+1+2+3');
    await q.configures({ bisectionConcurrency: 1 });
    q.isTesting('main+1+2+3');
  });

  test('bisection tests side by side test a member with noBatch by itself, and wait for it', async () => {
    const q = await story({ ...four, bisectionConcurrency: 3 });
    await q.submit(1, 2, 3, 4);
    await q.submit(2, { noBatch: true });
    await q.fails('main+1+2+3+4');
    q.isTesting('main+1');
    await q.passes('main+1');
    q.isTesting('main+1+2');
    await q.passes('main+1+2');
    q.isTesting('main+1+2+3');
    await q.fails('main+1+2+3');
    q.isIn({ 1: 'merged', 2: 'merged', 3: 'failed' });
  });

  test('bisection tests side by side of two lanes share the bisection slots', async () => {
    const q = await story({ ...four, batchingMinSize: 2, mode: 'parallel', concurrency: 4 });
    for (const pr of [1, 2]) await q.touches(pr, ['//a']);
    for (const pr of [3, 4]) await q.touches(pr, ['//b']);
    await q.submit(1, 2, 3, 4);
    await q.fails('main+1+2');
    await q.fails('main+3+4');
    q.isTesting('main+1');

    await q.passes('main+1');

    q.isIn({ 1: 'merged', 2: 'failed' });
    await q.passes('main+3');
    q.isIn({ 3: 'merged', 4: 'failed' });
  });
});

describe('the bisection optimisation', () => {
  test('if the optimisation is switched off during a bisection, the rest is tested before the last suspect is failed', async () => {
    const q = await failedFour();
    await q.passes('main+1+2');
    await q.configures({ optimizationMode: 'off' });
    await q.passes('main+1+2+3');
    await q.submit(5);
    q.isTesting('main+1+2+3+4');
    q.hasTested('main+1+2+3+4', 2);
    await q.fails('main+1+2+3+4');
    q.isIn({ 3: 'merged', 4: 'failed' });
    q.hasReason(4, 'TEST_RUN_REQUIRED_STATUS_FAILED');
  });

  test('off: no pull request is failed before it has failed alone', async () => {
    const q = await failedFour({ optimizationMode: 'off' });
    await q.fails('main+1+2');
    await q.passes('main+1');
    q.isTesting('main+1+2');
    q.hasTested('main+1+2', 2);
    await q.fails('main+1+2');
    q.isIn({ 1: 'merged', 2: 'failed' });
    q.hasReason(2, 'TEST_RUN_REQUIRED_STATUS_FAILED');
  });

  test('off: every half is tested, also one that follows from the other', async () => {
    const q = await story({ ...eight, optimizationMode: 'off', bisectionConcurrency: 1 });
    await q.submit(1, 2, 3, 4, 5, 6, 7, 8);
    await q.fails('main+1+2+3+4+5+6+7+8');
    await q.fails('main+1+2+3+4');
    await q.passes('main+1+2');
    q.hasTested('main+1+2+3+4', 2);
    await q.fails('main+1+2+3+4');
    await q.fails('main+1+2+3');
    q.isIn({ 1: 'merged', 2: 'merged', 3: 'failed' });
  });

  test('off: if both halves pass, no pull request is failed, and each is tested alone', async () => {
    const q = await failedFour({ optimizationMode: 'off', concurrency: 3 });
    await q.passes('main+1+2');
    await q.passes('main+1+2+3+4');
    q.isIn({ 1: 'merged', 2: 'merged' });
    q.isTesting('main+1+2+3');
    await q.submit(5, 6, 7);
    await q.after('10m');
    q.isTesting('main+1+2+3', 'main+1+2+3+4+5+6+7');
    await q.passes('main+1+2+3');
    q.hasLanded('main+1+2+3+4');
  });
});

describe('a bisection at its limit of tests', () => {
  test('a bisection at its limit of tests says so to each member, tests them one by one, and lets a new attempt join a batch again', async () => {
    const q = await failedFour({}, { pace: { bisectionRunLimit: 1 } });
    await q.passes('main+1+2');
    q.hasLanded('main+1+2');
    q.isTesting('main+1+2+3');
    const shown = await q.world.mq.explain({ ...q.world.ref, pr: 4 });
    const sentences = shown.story.events.map(({ sentence }) => sentence);
    expect(sentences).toContainEqual(
      expect.stringMatching(/was closed: the bisection has reached its limit of tests, .* alone\.$/),
    );

    await q.submit(5);
    await q.fails('main+1+2+3');
    q.isTesting('main+1+2+4');
    await q.submit(3, 6);
    await q.passes('main+1+2+4');
    await q.after('10m');

    q.isTesting('main+1+2+4+5+3+6');
  });
});

describe('during a bisection', () => {
  test('another lane lands, and the bisection tests continue', async () => {
    const q = await story({ ...four, mode: 'parallel', concurrency: 4 });
    for (const pr of [1, 2, 3, 4]) await q.touches(pr, ['//a']);
    await q.touches(5, ['//b']);
    await q.submit(1, 2, 3, 4);
    await q.submit(5, { noBatch: true });
    await q.fails('main+1+2+3+4');
    await q.passes('main+5');
    q.isTesting('main+1+2');
    await q.passes('main+1+2');
    q.hasLanded('main+5+1+2');
    await q.passes('main+1+2+3');
    q.hasLanded('main+5+1+2+3');
    q.isIn({ 3: 'merged', 4: 'failed' });
  });

  test('an urgent pull request lands; members that passed wait for the end of the bisection, and are tested on it', async () => {
    const q = await failedFour();
    await q.submit(9, { skipTheLine: true });
    q.isTesting('main+1+2', 'main+9');
    await q.passes('main+9');
    await q.passes('main+1+2');
    q.hasLanded('main+9');
    await q.fails('main+1+2+3');
    q.isIn({ 3: 'failed' });
    await q.passes('main+9+1+2+4');
    q.hasLanded('main+9+1+2+4');
  });

  test.each([1, 2, 3, 4])('members that pass land, also if #%s is made urgent meanwhile', async (pr) => {
    const q = await failedFour();
    await q.submit(pr, { skipTheLine: true });
    q.isTesting('main+1+2');
    await q.passes('main+1+2');
    q.hasLanded('main+1+2');
    await q.passes('main+1+2+3');
    q.isIn({ 3: 'merged', 4: 'failed' });
  });

  test('a member that is made urgent keeps only the pull requests of its own tests together', async () => {
    const q = await failedFour();
    await q.submit(2, { skipTheLine: true });
    await q.fails('main+1+2');
    q.isTesting('main+1');
    await q.passes('main+1');
    q.hasLanded('main+1');
    q.isIn({ 2: 'failed', 3: 'testing', 4: 'testing' });
  });

  test('a member that goes on hold ends it, and no pull request is failed', async () => {
    const q = await failedFour();
    await q.saysMergeability(4, 'not_mergeable');
    await q.after('3m');
    q.isTesting('main+1+2+3');
    q.isIn({ 4: 'pending' });
  });

  test.each([
    ['retargeted', async (q: Awaited<ReturnType<typeof story>>) => q.retargets(2, 'release')],
    ['pushed to', async (q: Awaited<ReturnType<typeof story>>) => q.pushes(2)],
  ])('a member that is %s ends it, and the others are one batch again', async (_, happens) => {
    const q = await failedFour();
    await happens(q);
    q.isIn({ 2: 'cancelled' });
    q.isTesting('main+1+3+4');
  });

  test('a change of the merge method restarts the tests of the batch', async () => {
    const q = await failedFour();
    await q.configures({ mergeMethod: 'merge_commit' });
    await q.passes('main+1+2+3+4');
    q.hasLanded('main+1+2+3+4');
  });

  test('a late pass of the failed batch is ignored', async () => {
    const q = await failedFour();
    await q.reports('main+1+2+3+4', 'test', 'success');
    await q.after('2m');
    q.isTesting('main+1+2');
    q.hasLanded('main');
  });

  test('a draining queue adds no pull request to the rest of the batch', async () => {
    const q = await story(four);
    await q.submit(1, 2, 3, 4, 5, 6);
    await q.drains();
    await q.fails('main+1+2+3+4');
    await q.fails('main+1+2');
    await q.fails('main+1');
    q.isTesting('main+2+3+4');
    await q.passes('main+2+3+4');
    q.isIn({ 4: 'merged', 5: 'pending', 6: 'pending' });
    q.isTesting();
  });
});

describe('a culprit that follows from other verdicts', () => {
  test('a culprit that follows from other verdicts is tested once more by itself with confirmBeforeFailing', async () => {
    const q = await story({ ...four, batchingMinSize: 2, confirmBeforeFailing: true });
    await q.submit(1, 2);
    await q.fails('main+1+2');
    await q.passes('main+1');
    q.hasLanded('main+1');
    q.isTesting('main+1+2');
    await q.passes('main+1+2');
    q.hasLanded('main+1+2');
  });
});
