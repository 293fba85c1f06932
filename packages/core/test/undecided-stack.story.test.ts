// Only a pass counts while the stack of a test run is undecided.
import { type Story, stories } from '@mq/testkit';
import { afterEach, describe, expect, test } from 'vitest';

const story = stories(afterEach);
const retriesOf = (q: Story, pr: number) => q.world.seen.submissions.get(pr)?.submission.retries;
const four = { concurrency: 4 } as const;
const on = ['main+1', 'main+1+2', 'main+1+2+3', 'main+1+2+3+4'] as const;

describe.each([
  ['crash', 'infrastructure', 'TEST_RUN_INFRASTRUCTURE'],
  ['are cancelled by the CI', 'cancelled', 'TEST_RUN_CANCELLED'],
] as const)('if all tests that include #1 %s', (_how, conclusion, reason) => {
  const end = async (q: Story, contents: readonly string[]) => {
    await q.unseen(async () => {
      for (const content of contents) await q.concludes(content, conclusion);
    });
    await q.after('1m');
  };

  test('pull requests behind it use no retries, and fail neither before it nor because of it', async () => {
    const q = await story(four);
    await q.submit(1, 2, 3, 4);
    await end(q, on);
    await q.after('10m');
    q.isTesting(...on);
    await end(q, on);
    await q.after('10m');
    q.isTesting('main+1');
    q.isIn({ 1: 'testing', 2: 'testing', 3: 'testing', 4: 'testing' });
    q.waitsFor(3, 'stack');
    q.explains(3, /on top of #1 and #2 ended without a verdict/);

    await end(q, ['main+1']);
    q.isIn({ 1: 'failed', 2: 'testing', 3: 'testing', 4: 'testing' });
    q.hasReason(1, reason);
    expect([2, 3, 4].map((pr) => retriesOf(q, pr))).toEqual([0, 0, 0]);
    q.isTesting('main+2', 'main+2+3', 'main+2+3+4');
  });

  test('a test that waits for its stack is repeated with a retry once the stack has landed', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);
    await end(q, ['main+1+2']);
    await q.after('10m');
    await end(q, ['main+1+2']);
    await q.after('30m');
    q.isTesting('main+1');
    expect(retriesOf(q, 2)).toBe(0);

    await q.passes('main+1');
    expect(retriesOf(q, 2)).toBe(1);
    q.waitsFor(2, 'retry');
    await q.after('10m');
    q.isTesting('main+1+2');
    await q.passes('main+1+2');
    q.isIn({ 1: 'merged', 2: 'merged' });
  });
});

test('a timeout on an undecided stack fails no pull request, and those on the culprit are tested without it', async () => {
  const q = await story({ ...four, testingTimeoutMinutes: 10 });
  await q.submit(1, 2, 3);
  await q.unseen(async () => {
    for (const content of on.slice(0, 3)) await q.timesOut(content);
  });
  await q.after('1m');
  q.isIn({ 1: 'failed', 2: 'testing', 3: 'testing' });
  q.isTesting('main+2', 'main+2+3');
});

test('infrastructure failures of a pull request and of one stacked on it are not unrelated', async () => {
  const q = await story({ concurrency: 2 });
  await q.submit(1, 2);
  for (let tries = 1; tries <= 3; tries += 1) {
    await q.breaksDown('main+1');
    await q.after('10m');
  }
  q.isIn({ 1: 'failed', 2: 'testing' });
});

test('an infrastructure failure that waited for its stack uses no retry if others had failed before it, whatever passed since', async () => {
  const q = await story({ mode: 'parallel', concurrency: 4 });
  for (const [pr, target] of [
    [1, '//a'],
    [2, '//a'],
    [3, '//b'],
  ] as const)
    await q.touches(pr, [target]);
  await q.submit(1, 2, 3);
  await q.breaksDown('main+1+2');
  await q.after('10m');
  await q.breaksDown('main+3');
  await q.breaksDown('main+1+2');
  await q.passes('main+1');

  q.isIn({ 1: 'merged', 2: 'testing' });
  expect(retriesOf(q, 2)).toBe(0);
});

test('two pull requests that crash the tests are charged for it, however many arrive behind them', async () => {
  const q = await story({ mode: 'parallel', concurrency: 8 });
  for (let pr = 1; pr <= 33; pr += 1) await q.touches(pr, [pr % 2 === 1 ? '//a' : '//b']);
  const conclude = async (isCrash: boolean) => {
    const running = q.world.checks().filter(({ isRunning }) => isRunning);
    const contents = running.map(({ commit }) => q.world.contentOf(commit));
    const ending = contents.filter((content) => /\+[12](?!\d)/.test(content) === isCrash);
    await q.unseen(async () => {
      for (const content of ending) await q.concludes(content, isCrash ? 'infrastructure' : 'success');
    });
  };
  await q.submit(3, 1, 2);
  for (let round = 2; round < 17; round += 1) {
    await q.submit(2 * round, 2 * round + 1);
    await conclude(false);
    await q.after('1m');
    await conclude(true);
    await q.after('2m');
  }
  q.isIn({ 1: 'failed', 2: 'failed' });
});

test('a failure does not wait for a follower that waits for it', async () => {
  const q = await story({ concurrency: 2, pendingFailureDepth: 1 });
  await q.submit(1, 2);
  await q.fails('main+1');
  q.isIn({ 1: 'pending_failure' });
  await q.breaksDown('main+1+2');
  await q.after('1m');
  await q.breaksDown('main+1+2');

  q.isIn({ 1: 'failed' });
  await q.passes('main+2');
  q.isIn({ 2: 'merged' });
});

test('tests without a verdict on an undecided stack are repeated without the one ahead when that leaves, and use no retry', async () => {
  const q = await story({ concurrency: 2 });
  await q.submit(1, 2);
  for (let tries = 1; tries <= 2; tries += 1) {
    await q.isCancelledByCi('main+1+2');
    await q.after('2m');
  }
  q.waitsFor(2, 'stack');
  await q.cancel(1);
  q.isTesting('main+2');
  expect(retriesOf(q, 2)).toBe(0);
});

test('tests without a verdict of a batch on a batch say nothing: it is tested without the first while that is bisected', async () => {
  const q = await story({ batch: true, batchingMinSize: 2, concurrency: 2 });
  await q.submit(1, 2, 3, 4);
  for (let tries = 1; tries <= 2; tries += 1) {
    await q.breaksDown('main+1+2+3+4');
    await q.after('2m');
  }
  q.waitsFor(3, 'stack');
  await q.fails('main+1+2');
  q.isTesting('main+1', 'main+3+4');
  await q.passes('main+3+4');
  q.hasLanded('main+3+4');
});
