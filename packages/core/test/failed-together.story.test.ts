// A failure that appears only on top of a pull request that has landed since: the remedy is to rebase.
import { type Story, stories } from '@mq/testkit';
import { afterEach, describe, expect, test } from 'vitest';

const story = stories(afterEach);

/** The remedy as a person reads it, which has to be the same in the answer of the API and in the story. */
const remedyOf = async (q: Story, pr: number): Promise<string> => {
  const asked = { ...q.world.ref, pr };
  const { remedy } = await q.world.mq.getSubmission(asked);
  expect((await q.world.mq.explain(asked)).story.remedy).toBe(remedy);
  return remedy;
};

const own = (pr: number) =>
  `Fix the failing check, push, and submit #${pr} again. (Submitting it unchanged reruns the tests.)`;
const rebase =
  'The tests of #2 failed on top of #1, which has merged since. Rebase on main to see the failure.';

describe('a pull request that failed on top of one that has landed since', () => {
  test('a pull request that failed on top of one that landed before the failure is to be rebased', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);
    await q.passes('main+1');
    await q.fails('main+1+2');
    q.isIn({ 1: 'merged', 2: 'failed' });

    expect(await remedyOf(q, 2)).toBe(`${rebase} ${own(2)}`);
  });

  test('a pull request that failed on top of one that landed after the failure is to be rebased', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);
    await q.fails('main+1+2');
    q.isIn({ 2: 'pending_failure' });
    await q.passes('main+1');
    q.isIn({ 1: 'merged', 2: 'failed' });

    expect(await remedyOf(q, 2)).toBe(`${rebase} ${own(2)}`);
  });

  test('a pull request that failed on top of several landed ones names them in order', async () => {
    const q = await story({ concurrency: 3 });
    await q.submit(1, 2, 3);
    await q.fails('main+1+2+3');
    await q.passes('main+1');
    await q.passes('main+1+2');
    q.isIn({ 3: 'failed' });

    expect(await remedyOf(q, 3)).toMatch(
      /^The tests of #3 failed on top of #1 and #2, which have merged since\. Rebase on main /,
    );
  });

  test('a pull request that timed out on top of a landed one is to be rebased too', async () => {
    const q = await story({ concurrency: 2, testingTimeoutMinutes: 30 });
    await q.submit(1, 2);
    await q.passes('main+1');
    await q.after('31m');
    q.hasReason(2, 'TEST_RUN_TIMEOUT');

    expect(await remedyOf(q, 2)).toMatch(
      /which has merged since\. Rebase on main to see the failure\. Find out why the checks did not finish/,
    );
  });

  test('a pull request that failed on top of a landed one is to be rebased after many later landings', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);
    await q.passes('main+1');
    await q.fails('main+1+2');
    for (const pr of [3, 4, 5]) {
      await q.submit(pr);
      await q.passes(['main+1', ...[3, 4, 5].filter((one) => one <= pr)].join('+') as 'main+1');
    }

    expect(await remedyOf(q, 2)).toBe(`${rebase} ${own(2)}`);
  });
});

describe('a culprit of a batch', () => {
  test('a culprit of a batch is to be rebased once those before it in the batch, which passed, have landed', async () => {
    const q = await story({
      ...{ batch: true, batchingMinSize: 2, batchingMaxWaitTimeMinutes: 10, concurrency: 1 },
      ...{ bisectionConcurrency: 1, optimizationMode: 'bisection_skip_redundant_tests' },
    });
    await q.submit(1, 2);
    await q.fails('main+1+2');
    await q.passes('main+1');
    q.isIn({ 1: 'merged', 2: 'failed' });

    expect(await remedyOf(q, 2)).toMatch(
      /^The tests of #2 failed on top of #1\. Once #1 has merged, rebase on main to see the failure\. Fix /,
    );
  });
});

describe('a pull request that failed on the target alone', () => {
  test('a pull request that failed on the target alone is not to be rebased', async () => {
    const q = await story({ concurrency: 1 });
    await q.submit(1);
    await q.passes('main+1');
    await q.submit(2);
    await q.fails('main+1+2');

    expect(await remedyOf(q, 2)).toBe(own(2));
  });

  test('a pull request that is tested again after the culprit below it failed is not to be rebased', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);
    await q.fails('main+1+2');
    await q.fails('main+1');
    await q.fails('main+2');

    expect(await remedyOf(q, 2)).toBe(own(2));
  });

  test('a pull request that a user cancels after a failure on top of others is not to be rebased', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);
    await q.fails('main+1+2');
    await q.cancel(2);

    expect(await remedyOf(q, 2)).toBe('To merge #2 after all, submit it again.');
  });
});

describe('what people see', () => {
  test('the comment and the notice about a failure on top of a landed pull request say to rebase', async () => {
    const q = await story({ concurrency: 2 }, { presence: true });
    await q.submit(1, 2);
    await q.fails('main+1+2');
    await q.passes('main+1');

    q.sees(2, { comment: /failed on top of #1, which has merged since\. Rebase on main/, notices: 1 });
    expect(q.noticesOn(2).join()).toContain(rebase);
  });
});
