import { type Story, stories } from '@mq/testkit';
import { afterEach, describe, expect, test } from 'vitest';

const story = stories(afterEach);

const remedyOf = (q: Story, pr: number) => q.world.seen.submissions.get(pr)?.waiting?.remedy;

const oneSlot = {
  ...{ batch: true, batchingMinSize: 2, concurrency: 1, bisectionConcurrency: 1 },
  optimizationMode: 'bisection_skip_redundant_tests',
} as const;

describe('a queue whose line and bisection have one slot each', () => {
  const bisecting = async (settings: object = {}): Promise<Story> => {
    const q = await story({ ...oneSlot, ...settings });
    await q.submit(1, 2, 3, 4, 5, 6);
    q.isTesting('main+1+2');
    await q.fails('main+1+2');
    return q;
  };

  test('a queue whose line and bisection have one slot each starts nothing behind a failed batch before its bisection has found the culprit', async () => {
    const q = await bisecting();
    q.isTesting('main+1');
    q.waitsFor(3, 'bisection_first');
    q.explains(
      3,
      /^#3 waits for the bisection of #1 and #2: the queue has one test slot, and bisections come first/,
    );
    expect(remedyOf(q, 3)).toMatch(
      /^#3 starts in its turn when the bisection ends\. .* raise concurrency to at least 3 \(now 1\)\./,
    );

    await q.passes('main+1');
    q.isIn({ 1: 'merged', 2: 'failed' });
    q.isTesting('main+1+3+4');
  });

  test('a queue whose line and bisection have one slot each starts nothing during a bisection even if less than a batch waits', async () => {
    const q = await story(oneSlot);
    await q.submit(1, 2, 3, 4);
    await q.fails('main+1+2');
    q.isTesting('main+1');
  });

  test('a queue whose line and bisection have one slot each starts an urgent pull request during a bisection', async () => {
    const q = await bisecting();
    await q.submit(7, { skipTheLine: true });
    q.isTesting('main+1', 'main+7+3');
  });

  test('a queue whose line and bisection have one slot each goes on with the line when it gets three', async () => {
    const q = await bisecting();
    await q.configures({ concurrency: 3 });
    q.isTesting('main+1', 'main+3+4', 'main+3+4+5+6');
  });

  test('a queue whose line and bisection have one slot each holds up no test for a bisection with more slots than the line', async () => {
    const q = await bisecting({ bisectionConcurrency: 2 });
    q.isTesting('main+1', 'main+3+4');
  });
});

describe('a queue whose line and bisection have two slots each', () => {
  const bisecting = async (settings: object = {}): Promise<Story> => {
    const q = await story({ ...oneSlot, concurrency: 2, bisectionConcurrency: 2, ...settings });
    await q.submit(1, 2, 3, 4, 5, 6);
    q.isTesting('main+1+2', 'main+1+2+3+4');
    await q.fails('main+1+2');
    return q;
  };

  test('a queue whose line and bisection have two slots each leaves one of them to a bisection', async () => {
    const q = await bisecting();
    q.isTesting('main+1', 'main+3+4');
    q.waitsFor(5, 'bisection_first');
    q.explains(
      5,
      /^#5 waits for the bisection of #1 and #2: the queue has 2 test slots, and bisections come first/,
    );
    expect(remedyOf(q, 5)).toMatch(
      /^#5 starts in its turn when the bisection ends or a test run of the line ends\. .* raise concurrency to at least 3 \(now 2\)\./,
    );

    await q.passes('main+1');
    q.isIn({ 1: 'merged', 2: 'failed' });
    q.isTesting('main+1+3+4', 'main+1+3+4+5+6');
  });

  test('a queue whose line and bisection have two slots each goes on with the line once two bisections have found their culprits', async () => {
    const q = await bisecting();
    await q.fails('main+3+4');
    q.isTesting('main+1', 'main+3');
    q.waitsFor(5, 'bisection_first');

    await q.passes('main+1');
    q.isIn({ 1: 'merged', 2: 'failed', 4: 'pending' });
    q.isTesting('main+3', 'main+1+5+6');
    await q.passes('main+3');
    q.isIn({ 4: 'failed' });
    q.isTesting('main+1+3', 'main+1+3+5+6');
  });

  test('a queue whose line has two slots and whose bisections share one goes on with the line once two bisections have found their culprits', async () => {
    const q = await bisecting({ bisectionConcurrency: 1 });
    await q.fails('main+3+4');
    q.isTesting('main+1');
    q.waitsFor(5, 'bisection_first');

    await q.passes('main+1');
    q.isIn({ 1: 'merged', 2: 'failed', 4: 'pending' });
    q.isTesting('main+3', 'main+1+5+6');
    await q.passes('main+3');
    q.isIn({ 4: 'failed' });
    q.isTesting('main+1+3', 'main+1+3+5+6');
  });

  test('a queue whose line and bisection have two slots each starts an urgent pull request during a bisection', async () => {
    const q = await bisecting();
    await q.submit(7, { skipTheLine: true });
    q.isTesting('main+1', 'main+7');
  });

  test('a queue whose line and bisection have two slots each names the end of the bisection alone if the end of one test run is not enough', async () => {
    const q = await bisecting();
    await q.submit(7, { skipTheLine: true });
    expect(remedyOf(q, 3)).toMatch(/when the bisection ends or a test run of the line ends\./);
    await q.submit(8, { skipTheLine: true });
    expect(remedyOf(q, 3)).toMatch(/^#3 starts in its turn when the bisection ends\./);

    await q.passes('main+7');
    q.isTesting('main+1', 'main+7+8');
    q.waitsFor(3, 'bisection_first');
    expect(remedyOf(q, 3)).toMatch(/when the bisection ends or a test run of the line ends\./);
    await q.passes('main+7+8');
    q.isTesting('main+1', 'main+7+8+3+4');
  });

  test('a queue whose line and bisection have two slots each says that a retry needs a slot that the line does not leave to the bisection', async () => {
    const q = await bisecting();
    await q.breaksDown('main+3+4');
    q.waitsFor(3, 'retry');
    expect(remedyOf(q, 3)).toMatch(/^#3 is tested again in its place at .*, if a test slot is free then\./);

    await q.after('1m');
    q.waitsFor(3, 'bisection_first');
    await q.passes('main+1');
    q.isIn({ 3: 'testing' });
    q.isTesting('main+1+3+4', 'main+1+3+4+5+6');
  });

  test('a queue whose line has two slots and whose bisections share one offers noBatch only to a pull request that a slot is free for', async () => {
    const q = await story({ ...oneSlot, concurrency: 2, batchingMinSize: 3 });
    await q.submit(1, 2, 3);
    await q.fails('main+1+2+3');
    await q.submit(4, 5);
    expect(remedyOf(q, 4)).toMatch(/to test #4 alone now, set noBatch/);
    expect(remedyOf(q, 5)).not.toMatch(/set noBatch/);

    await q.submit(5, { noBatch: true });

    q.isIn({ 4: 'testing', 5: 'pending' });
    q.waitsFor(5, 'bisection_first');
  });
});

describe('bisections and a line with two slots never wait for each other for ever', () => {
  test.each([
    { bisectionConcurrency: 1, confirmBeforeFailing: false },
    { bisectionConcurrency: 1, confirmBeforeFailing: true },
    { bisectionConcurrency: 2, confirmBeforeFailing: false },
    { bisectionConcurrency: 2, confirmBeforeFailing: true },
  ])('bisections and a line with two slots never wait for each other for ever: %j', async (settings) => {
    const q = await story({ ...oneSlot, ...settings, concurrency: 2, optimizationMode: 'off' });
    const broken = [2, 3, 7];
    await q.opens(...[1, 2, 3, 4, 5, 6, 7, 8].map((number) => ({ number, broken: broken.includes(number) })));
    await q.submit(1, 2, 3, 4, 5, 6, 7, 8);

    await untilAllIsDecided(q);

    q.isIn({ 1: 'merged', 2: 'failed', 3: 'failed', 4: 'merged' });
    q.isIn({ 5: 'merged', 6: 'merged', 7: 'failed', 8: 'merged' });
  });

  /** Ends the test that began first, as the pull requests in it say, while there is one within the time that a batch may fill. */
  const untilAllIsDecided = async (q: Story): Promise<void> => {
    const oldest = () => q.world.checks().find(({ isRunning }) => isRunning);
    for (let rounds = 0; rounds < 60; rounds += 1) {
      if (oldest() === undefined) await q.after('6m');
      const check = oldest();
      if (check === undefined) return;
      await q.finishes(q.world.contentOf(check.commit));
    }
    throw q.world.error('Tests go on without an end.');
  };
});

describe('a parallel queue with batches and one slot', () => {
  const inLanes = async (settings: object = {}): Promise<Story> => {
    const q = await story({ ...oneSlot, mode: 'parallel', ...settings });
    for (const pr of [1, 2, 3]) await q.touches(pr, [`//${pr}`]);
    await q.submit(1, 2, 3);
    return q;
  };

  test('a parallel queue with batches and one slot tests pull requests together whatever they touch', async () => {
    const q = await inLanes();
    q.isTesting('main+1+2');
    await q.passes('main+1+2');
    q.hasLanded('main+1+2');
  });

  test('a parallel queue with batches and one slot tests a pull request alone if a rule matches its targets', async () => {
    const q = await inLanes({ batchingRules: [{ targetPattern: '//1', policy: 'isolate' }] });
    q.isTesting('main+1');
    await q.passes('main+1');
    q.isTesting('main+1+2+3');
  });

  test('a parallel queue with batches and one slot still has one lane with a second slot', async () => {
    const q = await inLanes();
    await q.configures({ concurrency: 2 });
    await q.after('5m');
    q.isTesting('main+1+2', 'main+1+2+3');
    q.hasTested('main+1+2', 1);
  });

  test('a parallel queue with batches and three slots tests its lanes as one once its setting says two', async () => {
    const q = await inLanes({ concurrency: 3 });
    await q.after('5m');
    q.isTesting('main+1', 'main+2', 'main+3');
    await q.configures({ concurrency: 2 });
    q.isTesting('main+1', 'main+1+2+3');
  });

  test('a parallel queue with batches and one slot has lanes again with three', async () => {
    const q = await inLanes();
    q.isTesting('main+1+2');
    await q.configures({ concurrency: 3 });
    await q.after('5m');
    q.isTesting('main+1', 'main+2', 'main+3');
  });

  test('a parallel queue with batches and one slot starts no test again when the number of those that wait changes', async () => {
    const q = await inLanes();
    for (const pr of [4, 5, 6]) await q.touches(pr, [`//${pr}`]);
    await q.submit(4, 5, 6);
    await q.cancel(4);
    await q.cancel(5);

    await q.passes('main+1+2');

    q.hasTested('main+1+2', 1);
    q.hasLanded('main+1+2');
  });
});
