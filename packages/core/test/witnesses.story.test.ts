import { type Story, stories } from '@mq/testkit';
import { afterEach, describe, expect, test } from 'vitest';

const story = stories(afterEach);
const optimistic = { concurrency: 4, canOptimisticallyMerge: true } as const;
const deep = { ...optimistic, pendingFailureDepth: 2 } as const;
const one = { ...optimistic, pendingFailureDepth: 1 } as const;

describe('a failure that waits for witnesses', () => {
  test('a failure that waits for witnesses counts as soon as no witness is left', async () => {
    const q = await story(one);
    await q.submit(1, 2);
    await q.fails('main+1');
    q.isIn({ 1: 'pending_failure' });
    await q.pushes(2);
    q.isIn({ 1: 'failed', 2: 'cancelled' });
  });

  test('a failure that waits for witnesses does not wait for a witness that is on hold', async () => {
    const q = await story(one);
    await q.submit(1, 2);
    await q.fails('main+1');
    await q.saysMergeability(2, 'not_mergeable');
    await q.after('3m');
    q.isIn({ 1: 'failed', 2: 'pending' });
  });

  test('a failure that waits for witnesses does not wait longer for a later pull request', async () => {
    const q = await story(deep);
    await q.submit(1, 2);
    await q.fails('main+1');
    await q.submit(3);
    await q.fails('main+1+2');
    q.isIn({ 1: 'failed' });
  });

  test('a failure that waits for witnesses ends with the attempt on a change of the base branch, and the others are tested without it', async () => {
    const q = await story(deep);
    await q.submit(1, 2, 3);
    await q.fails('main+1');
    await q.retargets(1, 'release');
    q.hasReason(1, 'PR_BASE_BRANCH_CHANGED');
    q.isTesting('main+2', 'main+2+3');
  });

  test('a failure that waits for witnesses is tested again in its place on request, but no pull request behind it is', async () => {
    const q = await story(deep);
    await q.submit(1, 2, 3);
    await q.fails('main+1');
    await q.restart(1);
    q.isTesting('main+1', 'main+1+2', 'main+1+2+3');
    await q.passes('main+1');
    q.hasLanded('main+1');
    q.hasTested('main+1+2', 1);
    q.hasTested('main+1+2+3', 1);
  });

  test('a failure that waits for witnesses is dropped when the target is pushed to', async () => {
    const q = await story(one);
    await q.submit(1, 2);
    await q.fails('main+1');
    await q.pushesToTarget();
    q.isTesting('main+push+1', 'main+push+1+2');
  });

  test('a failure that waits for witnesses still waits while a witness without a verdict is tested again', async () => {
    const q = await story(one);
    await q.submit(1, 2);
    await q.fails('main+1');
    await q.breaksDown('main+1+2');
    q.isIn({ 1: 'pending_failure' });
    await q.after('2m');
    await q.passes('main+1+2');
    q.hasLanded('main+1+2');
  });

  test('a failure that waits for witnesses counts at once when the queue is set to use no witnesses', async () => {
    const q = await story(one);
    await q.submit(1, 2);
    await q.fails('main+1');
    await q.configures({ pendingFailureDepth: 0 });
    q.isIn({ 1: 'failed', 2: 'testing' });
    q.isTesting('main+2');
  });

  test('a failure that waits for witnesses keeps the code of a timeout', async () => {
    const q = await story({ ...one, testingTimeoutMinutes: 10 });
    await q.submit(1);
    await q.after('5m');
    await q.submit(2);
    await q.after('6m');
    q.isIn({ 1: 'pending_failure', 2: 'testing' });
    await q.after('5m');
    q.isIn({ 1: 'failed' });
    q.hasReason(1, 'TEST_RUN_TIMEOUT');
  });

  test('a failure that waits for witnesses is tested again behind an urgent pull request that lands', async () => {
    const q = await story({ ...one, concurrency: 2 });
    await q.submit(1, 2);
    await q.fails('main+1');
    await q.submit(9, { skipTheLine: true });
    await q.passes('main+9');
    q.isTesting('main+9+1', 'main+9+1+2');
    q.isIn({ 1: 'testing' });
  });
});

describe('the wait for witnesses', () => {
  const remedyOf = (q: Story, pr: number) => q.world.seen.submissions.get(pr)?.waiting?.remedy ?? '';

  test('the wait for witnesses names the witnesses whose pass would clear a failure on top of others', async () => {
    const q = await story({ concurrency: 3, canOptimisticallyMerge: true, pendingFailureDepth: 2 });
    await q.submit(1, 2, 3);
    await q.fails('main+1');
    await q.fails('main+1+2');
    expect(remedyOf(q, 2)).toMatch(
      /^If all ahead of it merge as they were tested, #2 is failed; .*; #2 also merges with #1 if #3 behind it passes\./,
    );

    await q.passes('main+1+2+3');
    q.isIn({ 2: 'merged' });
  });

  test.each([
    [
      'stands ahead of it by now',
      'single',
      /#1 is failed; if #2 merges before it, #1 is tested again\./,
      'testing',
    ],
    ['is of another lane by now', 'parallel', /#1 is failed\./, 'failed'],
  ] as const)(
    'the wait for witnesses does not name the test of a pull request that %s as including it',
    async (_, mode, remedy, end) => {
      const q = await story({ mode, concurrency: 2, canOptimisticallyMerge: true, pendingFailureDepth: 1 });
      await q.touches(1, ['x']);
      await q.touches(2, ['x']);
      await q.submit(1, 2);
      await q.fails('main+1');
      q.explains(1, /waits for the tests of #2 behind it, which include #1\./);
      expect(remedyOf(q, 1)).toMatch(/#1 merges if #2 passes together with it/);
      if (mode === 'parallel') await q.touches(1, ['y']);
      else await q.submit(2, { priority: 0 });

      q.isTesting('main+2');
      q.explains(1, /waits for the tests of #2, which is no longer behind it\./);
      expect(remedyOf(q, 1)).toMatch(/^When these tests have ended, /);
      expect(remedyOf(q, 1)).toMatch(remedy);
      await q.passes('main+2');
      q.isIn({ 1: end, 2: 'merged' });
    },
  );
});

describe('a draining queue', () => {
  test('a draining queue waits for a witness under test', async () => {
    const q = await story({ ...one, concurrency: 1 });
    await q.submit(1, 2);
    await q.fails('main+1');
    q.isTesting('main+1+2');
    await q.drains();
    q.isIn({ 1: 'pending_failure' });
    await q.fails('main+1+2');
    q.isIn({ 1: 'failed' });
    q.isTesting('main+2');
  });

  test('a draining queue waits for no witness that has not started', async () => {
    const q = await story({ ...one, concurrency: 1 });
    await q.submit(1, 2);
    await q.drains();
    await q.fails('main+1');
    q.isIn({ 1: 'failed', 2: 'pending' });
  });
});

describe('witnesses in lanes', () => {
  const lanes = async (touched: Readonly<Record<number, readonly string[]>>) => {
    const q = await story({ ...one, mode: 'parallel' });
    for (const [pr, targets] of Object.entries(touched)) await q.touches(Number(pr), targets);
    return q;
  };

  test('a pull request of another lane is no witness', async () => {
    const q = await lanes({ 1: ['//a'], 2: ['//b'] });
    await q.submit(1, 2);
    await q.fails('main+1');
    q.isIn({ 1: 'failed', 2: 'testing' });
  });

  test('the first pull request of its own lane is a witness, whatever waits before it in other lanes', async () => {
    const q = await lanes({ 1: ['//a'], 2: ['//b'], 3: ['//a'] });
    await q.configures({ concurrency: 1 });
    await q.submit(1, 2, 3);
    await q.fails('main+1');
    q.isIn({ 1: 'pending_failure' });
    await q.passes('main+2');
    await q.passes('main+1+3');
    q.isIn({ 1: 'merged', 3: 'merged' });
  });

  test('a witness is awaited, whatever comes before it in other lanes', async () => {
    const q = await lanes({ 1: ['//a'], 2: ['//a'], 3: ['//b'], 8: ['//c'] });
    await q.configures({ concurrency: 2 });
    await q.submit(1, 8, 2);
    await q.configures({ concurrency: 1 });
    await q.fails('main+1');
    await q.submit(3, { priority: 10 });
    q.isIn({ 1: 'pending_failure' });
    await q.passes('main+8');
    await q.passes('main+3');
    await q.passes('main+8+1+2');
    q.isIn({ 1: 'merged', 2: 'merged' });
  });

  test('a pull request that connects lanes clears failures of all of them', async () => {
    const q = await lanes({ 1: ['//a'], 2: ['//b'], 3: ['//a', '//b'] });
    await q.submit(1, 2, 3);
    await q.fails('main+1');
    await q.passes('main+1+2+3');
    q.isIn({ 1: 'merged', 2: 'merged', 3: 'merged' });
  });

  test('an urgent pull request of another lane lands past a failure that waits', async () => {
    const q = await lanes({ 1: ['//a'], 2: ['//a'], 9: ['//b'] });
    await q.submit(1, 2);
    await q.fails('main+1');
    await q.submit(9, { skipTheLine: true });
    q.isTesting('main+1+2', 'main+9');
    await q.passes('main+9');
    q.isIn({ 1: 'pending_failure', 9: 'merged' });
    await q.passes('main+1+2');
    q.hasLanded('main+9+1+2');
  });
});

describe('a pass behind a failure', () => {
  test('a pass behind a failure stays a pass when optimistic merging is switched off in a pause, but no longer clears the failure below', async () => {
    const q = await story(optimistic);
    await q.submit(1, 2);
    await q.pauses();
    await q.passes('main+1+2');
    q.isIn({ 1: 'tests_passed', 2: 'tests_passed' });
    await q.configures({ canOptimisticallyMerge: false });
    await q.resumes();
    q.isIn({ 1: 'testing', 2: 'tests_passed' });
    await q.passes('main+1');
    q.hasLanded('main+1+2');
    q.hasTested('main+1+2', 1);
  });

  test('a pass behind a failure clears a pull request that waits for its retry', async () => {
    const q = await story(optimistic);
    await q.submit(1, 2);
    await q.breaksDown('main+1');
    await q.passes('main+1+2');
    q.hasLanded('main+1+2');
    await q.after('5m');
    q.hasTested('main+1', 1);
  });

  test('a pass behind a failure clears a pull request whose failure is being confirmed', async () => {
    const q = await story({ ...optimistic, confirmBeforeFailing: true });
    await q.submit(1, 2);
    await q.fails('main+1');
    q.isTesting('main+1', 'main+1+2');
    await q.passes('main+1+2');
    q.hasLanded('main+1+2');
    q.isTesting();
  });

  test('a pass behind a failure clears a failed batch', async () => {
    const q = await story({ ...one, batch: true, batchingMinSize: 2 });
    await q.submit(1, 2, 3, 4);
    await q.fails('main+1+2');
    q.isIn({ 1: 'pending_failure', 2: 'pending_failure' });
    await q.passes('main+1+2+3+4');
    q.hasLanded('main+1+2+3+4');
  });

  test('a pass behind a failure clears one member of a batch: the others show that this one has moved', async () => {
    const q = await story({ ...one, mode: 'parallel', batch: true, batchingMinSize: 2 });
    await q.touches(1, ['//a', '//b']);
    await q.touches(2, ['//a']);
    await q.touches(3, ['//b']);
    await q.submit(1, 2);
    await q.submit(3, { noBatch: true });
    q.isTesting('main+1+2', 'main+1+3');
    await q.passes('main+1+3');

    q.hasLanded('main+1+3');
    const { story: shown } = await q.world.mq.explain({ ...q.world.ref, pr: 2 });
    const sentences = shown.events.map(({ sentence }) => sentence).join(' ');
    expect(sentences).toMatch(/#2 was requeued: .* has moved in the queue .* \(#1\)\./);
    expect(sentences).not.toMatch(/has passed|could not be built/);
    await q.passes('main+1+2');
    q.hasLanded('main+1+3+2');
  });

  test('a pass behind a failure clears a failure also without a member of its batch that left', async () => {
    const q = await story({ ...one, batch: true, batchingMinSize: 2 });
    await q.submit(1, 2, 3, 4);
    await q.fails('main+1+2');
    await q.cancel(4);
    q.isIn({ 1: 'pending_failure', 2: 'pending_failure' });
    await q.passes('main+1+2+3');
    q.hasLanded('main+1+2+3');
  });
});
