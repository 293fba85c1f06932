import { stories } from '@mq/testkit';
import { afterEach, describe, test } from 'vitest';

const story = stories(afterEach);
const parallel = { mode: 'parallel', concurrency: 4 } as const;

describe('lanes', () => {
  test('pull requests without common targets are tested side by side and land in any order', async () => {
    const q = await story(parallel);
    await q.touches(1, ['//a']);
    await q.touches(2, ['//b']);
    await q.submit(1, 2);
    q.isTesting('main+1', 'main+2');

    await q.passes('main+2');
    q.hasLanded('main+2');
    q.isIn({ 1: 'testing' });

    await q.passes('main+1');
    q.hasLanded('main+2+1');
    q.hasTested('main+1', 1);
    q.hasTested('main+2+1', 0);
  });

  test('pull requests that pass at the same time land together', async () => {
    const q = await story(parallel);
    await q.touches(1, ['//a']);
    await q.touches(2, ['//b']);
    await q.submit(1, 2);
    await q.unseen(async () => {
      await q.passes('main+1');
      await q.passes('main+2');
    });
    await q.after('1h');
    q.hasLanded('main+1+2');
  });

  test('a pull request that overlaps two lanes is tested on both, and on one if the other fails', async () => {
    const q = await story(parallel);
    await q.touches(1, ['//a']);
    await q.touches(2, ['//b']);
    await q.touches(3, ['//a', '//b']);
    await q.submit(1, 2, 3);
    q.isTesting('main+1', 'main+2', 'main+1+2+3');

    await q.fails('main+1');
    q.isIn({ 1: 'failed', 2: 'testing', 3: 'testing' });
    q.isTesting('main+2', 'main+2+3');
    q.hasTested('main+2', 1);

    await q.passes('main+2');
    await q.passes('main+2+3');
    q.hasLanded('main+2+3');
  });

  test('all targets overlap with every target, and no targets with none', async () => {
    const q = await story(parallel);
    await q.touches(1, []);
    await q.touches(2, 'ALL');
    await q.touches(3, []);
    await q.touches(4, ['//x']);
    await q.submit(1, 2, 3, 4);
    q.isTesting('main+1', 'main+1+2', 'main+2+3', 'main+2+4');
  });

  test('a pull request behind a batch with a kept slot does not block other lanes', async () => {
    const q = await story({ mode: 'parallel', concurrency: 2 });
    await q.touches(1, ['//api']);
    await q.touches(2, ['//web']);
    await q.touches(3, ['//api']);
    await q.touches(4, ['//docs']);
    await q.submit(1, 2);
    await q.breaksDown('main+1');
    await q.submit(3, 4);

    q.isTesting('main+2', 'main+4');
    q.isIn({ 1: 'testing', 3: 'pending' });
    q.waitsFor(3, 'turn');
    await q.passes('main+4');
    await q.after('1m');
    q.isTesting('main+2', 'main+4+1');
  });

  test('new overlapping targets make a test stale that did not include them', async () => {
    const q = await story(parallel);
    await q.touches(1, ['//a']);
    await q.touches(2, ['//b']);
    await q.submit(1, 2);
    await q.touches(2, ['//a', '//b']);
    q.isTesting('main+1', 'main+1+2');
    await q.passes('main+1');
    await q.passes('main+1+2');
    q.hasLanded('main+1+2');
  });
});

describe('a pull request on top of two lanes', () => {
  const standing = async () => {
    const q = await story(parallel);
    await q.touches(1, ['//a']);
    await q.touches(2, ['//b']);
    await q.touches(3, ['//a', '//b']);
    await q.submit(1, 2, 3);
    await q.passes('main+2');
    q.hasLanded('main+2');
    return q;
  };

  test('a pull request on top of two lanes continues if they land out of order, and lands without another test', async () => {
    const q = await standing();
    q.isTesting('main+1', 'main+1+2+3');

    await q.passes('main+1');
    q.isTesting('main+1+2+3');
    await q.passes('main+1+2+3');

    q.hasLanded('main+2+1+3');
    q.hasTested('main+1+2+3', 1);
  });

  test('a pull request on top of two lanes lands with the last of them if it has passed before', async () => {
    const q = await standing();
    await q.passes('main+1+2+3');
    q.isIn({ 3: 'tests_passed' });

    await q.passes('main+1');

    q.hasLanded('main+2+1+3');
  });

  test('a pull request on top of two lanes is tested again if the remaining one turns out to overlap with what has landed', async () => {
    const q = await standing();

    await q.touches(1, ['//a', '//b']);

    q.isTesting('main+2+1', 'main+2+1+3');
  });

  test('a pull request on top of two lanes is tested again without the one that fails', async () => {
    const q = await standing();

    await q.fails('main+1');

    q.isIn({ 1: 'failed', 3: 'testing' });
    q.isTesting('main+2+3');
  });
});

describe('pull requests that passed in several lanes', () => {
  test('pull requests that passed in several lanes wait for the one ahead if they conflict when combined, and none is failed before that has landed', async () => {
    const q = await story(parallel);
    await q.opens(1, { number: 2, conflictsWith: 1 });
    await q.touches(1, ['//a']);
    await q.touches(2, ['//b']);
    await q.submit(1, 2);
    q.isTesting('main+1', 'main+2');
    await q.pauses();
    await q.passes('main+1');
    await q.passes('main+2');

    await q.resumes();

    await q.after('10m');
    q.isIn({ 1: 'merged', 2: 'failed' });
    q.hasLanded('main+1');
    q.hasReason(2, 'START_TEST_RUN_MERGE_CONFLICT');
  });
});

describe('rules about targets that are tested alone', () => {
  test('rules about targets that are tested alone keep a pull request with such a target out of batches', async () => {
    const q = await story({
      mode: 'parallel',
      concurrency: 4,
      batch: true,
      batchingMinSize: 3,
      batchingRules: [{ targetPattern: '//db/*', policy: 'isolate' }],
    });
    await q.touches(1, ['//app']);
    await q.touches(2, ['//app', '//db/schema']);
    await q.touches(3, ['//app']);
    await q.touches(4, ['//app']);
    await q.submit(1, 2, 3, 4);
    q.isTesting('main+1', 'main+1+2');
    await q.after('5m');
    q.isTesting('main+1', 'main+1+2', 'main+1+2+3+4');
  });
});

describe('a rule for every target', () => {
  test('a rule for every target keeps all pull requests out of batches except those with no targets or all', async () => {
    const q = await story({
      mode: 'parallel',
      concurrency: 4,
      batch: true,
      batchingMinSize: 2,
      batchingRules: [{ targetPattern: '*', policy: 'isolate' }],
    });
    await q.touches(1, ['//a']);
    await q.touches(2, ['//a']);
    await q.touches(3, 'ALL');
    await q.touches(4, 'ALL');
    await q.submit(1, 2, 3, 4);

    q.isTesting('main+1', 'main+1+2', 'main+1+2+3+4');
  });
});

describe('an urgent pull request in lanes', () => {
  test('an urgent pull request in lanes waits like the others while the queue drains, and goes first afterwards', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2, 3);
    await q.drains();
    await q.submit(4, { skipTheLine: true });
    q.isTesting('main+1', 'main+1+2');
    q.waitsFor(4, 'queue_draining');
    await q.passes('main+1');
    await q.passes('main+1+2');
    q.isTesting();

    await q.resumes();

    q.isTesting('main+1+2+4', 'main+1+2+4+3');
  });
});
