// The infrastructure of the tests fails for a while: that is held against no pull request.
import { type Story, stories } from '@mq/testkit';
import { afterEach, describe, expect, test } from 'vitest';

const story = stories(afterEach);

const MINUTE = 60_000;

/** The content of each candidate with a running check. */
const underTest = ({ world }: Story): readonly string[] => [
  ...new Set(world.checks().flatMap(({ commit, isRunning }) => (isRunning ? world.contentOf(commit) : []))),
];

/** All checks that are running end without a verdict. */
const breaksDownAll = async (q: Story) => {
  for (const content of underTest(q)) if (underTest(q).includes(content)) await q.breaksDown(content);
};

const retriesOf = ({ world }: Story, pr: number) => world.seen.submissions.get(pr)?.submission.retries;

describe('while the infrastructure fails', () => {
  test.each<[string, Parameters<typeof story>[0]]>([
    ['in single mode', {}],
    ['with two test slots', { concurrency: 2 }],
    ['with optimistic merging', { concurrency: 3, canOptimisticallyMerge: true, pendingFailureDepth: 1 }],
    ['with batches', { batch: true, batchingMinSize: 3, batchingMaxWaitTimeMinutes: 1, concurrency: 2 }],
    ['in one lane of parallel mode', { mode: 'parallel', concurrency: 2 }],
  ])(
    'while the infrastructure fails %s, pull requests wait from the second one that is hit on',
    async (_, settings) => {
      const ci = { isDown: true };
      const says = () => (ci.isDown ? 'infrastructure' : null);
      const q = await story(settings, { ci: { mode: 'automatic', durationMs: 5 * MINUTE, says } });
      for (const pr of [1, 2, 3, 4]) await q.touches(pr, ['//a']);
      await q.submit(1, 2, 3, 4);
      await q.after('3h');
      for (const pr of [3, 4]) expect(q.world.seen.submissions.get(pr)?.submission.state).not.toBe('failed');
      ci.isDown = false;
      await q.after('1h');
      q.isIn({ 3: 'merged', 4: 'merged' });
    },
  );

  test('while the infrastructure fails, lanes whose slow tests overlap are charged nothing', async () => {
    const q = await story(
      { mode: 'parallel', concurrency: 3 },
      { ci: { mode: 'automatic', durationMs: 48 * MINUTE, says: () => 'infrastructure' } },
    );
    for (const pr of [1, 2, 3]) await q.touches(pr, [`//${pr}`]);
    for (const pr of [1, 2, 3]) {
      await q.submit(pr);
      await q.after('16m');
    }
    await q.after('4h');
    q.isIn({ 1: 'testing', 2: 'testing', 3: 'testing' });
    q.waitsFor(3, 'checks');
  });

  test.each(['skipped', 'neutral'] as const)(
    'while the infrastructure fails, a check that is %s elsewhere does not show that it works',
    async (conclusion) => {
      const q = await story({ mode: 'parallel', concurrency: 3 });
      for (const pr of [1, 2, 3, 4, 5, 6]) await q.touches(pr, [`//${pr}`]);
      await q.submit(1, 2);
      for (const pr of [3, 4, 5, 6]) {
        await breaksDownAll(q);
        await q.submit(pr);
        for (const content of underTest(q))
          if (content.endsWith(`+${pr}`)) await q.concludes(content, conclusion);
        await q.after('6m');
      }
      q.isIn({ 3: 'merged', 4: 'merged', 5: 'merged', 6: 'merged' });
      expect([retriesOf(q, 1), retriesOf(q, 2)]).toEqual([0, 0]);
    },
  );

  test('while the infrastructure fails, a baseline run uses up no retry, so that its pull request is not failed', async () => {
    const q = await story({ mode: 'parallel', concurrency: 3, bisectionConcurrency: 2 }, { showsTip: false });
    for (const pr of [1, 2, 3]) await q.touches(pr, [`//${pr}`]);
    await q.pushesToTarget({ 'bad.txt': '!broken\n' });
    await q.submit(1, 2, 3);
    await q.finishes('main+push+1');
    for (let round = 0; round < 4; round += 1) {
      await breaksDownAll(q);
      await q.after('6m');
    }
    q.isIn({ 1: 'pending_failure', 2: 'testing', 3: 'testing' });
  });

  /** A batch of #1 to #4, of which #4 is broken, beside the lanes of #5 and #6. */
  const besideBatch = async (bisectionConcurrency: number) => {
    const q = await story({
      ...{ mode: 'parallel', concurrency: 3, bisectionConcurrency },
      ...{ batch: true, batchingMinSize: 4, batchingMaxWaitTimeMinutes: 1 },
    });
    await q.opens(1, 2, 3, { number: 4, broken: true });
    for (const pr of [1, 2, 3, 4]) await q.touches(pr, ['//a']);
    for (const pr of [5, 6]) await q.touches(pr, [`//${pr}`]);
    await q.submit(1, 2, 3, 4);
    await q.submit(5, 6, { noBatch: true });
    return q;
  };

  test('while the infrastructure fails, a bisection uses up no retry', async () => {
    const q = await besideBatch(2);
    await q.finishes('main+1+2+3+4');
    for (let round = 0; round < 3; round += 1) {
      await breaksDownAll(q);
      await q.after('6m');
    }
    q.isIn({ 5: 'testing', 6: 'testing' });
    q.waitsFor(3, 'isolation');
    expect(q.world.seen.submissions.get(3)?.submission.alone).toBe(false);
  });

  test('while the infrastructure fails, a bisection uses up no retry on top of members that cannot land yet either', async () => {
    const q = await besideBatch(1);
    await q.configures({ freezeUntil: q.world.clock.now() + 48 * 60 * MINUTE });
    await q.finishes('main+1+2+3+4');
    await q.passes('main+1+2');
    q.isIn({ 2: 'tests_passed', 3: 'testing' });
    await q.after('2m');
    await q.breaksDown('main+5');
    await q.breaksDown('main+6');
    for (let round = 0; round < 5; round += 1) {
      for (const content of ['main', 'main+1+2+3+4'])
        if (underTest(q).includes(content)) await q.breaksDown(content);
      await q.after('6m');
    }
    q.waitsFor(3, 'isolation');
    expect(q.world.seen.submissions.get(3)?.submission.alone).toBe(false);
    expect([retriesOf(q, 5), retriesOf(q, 6)]).toEqual([0, 0]);
  });
});

test('prefix runs of a bisection that end without a verdict at the same time use up one retry', async () => {
  const q = await story({
    ...{ concurrency: 2, bisectionConcurrency: 4 },
    ...{ batch: true, batchingMinSize: 8, batchingMaxWaitTimeMinutes: 1 },
  });
  await q.opens(1, 2, 3, 4, 5, { number: 6, broken: true }, 7, 8);
  await q.submit(1, 2, 3, 4, 5, 6, 7, 8);
  await q.finishes('main+1+2+3+4+5+6+7+8');
  expect(underTest(q).length).toBeGreaterThan(2);
  await q.unseen(() => breaksDownAll(q));
  await q.after('5m');
  q.waitsFor(8, 'isolation');
});

describe('a baseline run', () => {
  test('a baseline run that skips a check for the first time is repeated, whichever other check was skipped before', async () => {
    const q = await story({}, { showsTip: false, checks: ['lint', 'unit'] });
    await q.submit(1);
    await q.passes('main+1', 'unit');
    await q.fails('main+1', 'lint');
    await q.concludes('main', 'skipped', 'lint');
    await q.after('2m');
    await q.passes('main', 'lint');
    q.isIn({ 1: 'failed' });
    await q.submit(2);
    await q.passes('main+2', 'lint');
    await q.fails('main+2', 'unit');
    await q.concludes('main', 'skipped', 'unit');
    q.isIn({ 2: 'pending_failure' });
    await q.after('2m');
    await q.concludes('main', 'skipped', 'unit');
    q.isIn({ 2: 'failed' });
    q.explains(2, /no baseline run of main has passed or failed unit/);
  });

  test('a baseline run that ends without a verdict each time says in the reason that the base was not confirmed', async () => {
    const q = await story({}, { showsTip: false });
    await q.pushesToTarget({ 'bad.txt': '!broken\n' });
    await q.submit(1);
    await q.finishes('main+push+1');
    for (let tries = 0; tries < 3; tries += 1) {
      await q.breaksDown('main+push');
      await q.after('2m');
    }
    q.isIn({ 1: 'failed' });
    q.explains(1, /the base was not confirmed/i);
  });
});
