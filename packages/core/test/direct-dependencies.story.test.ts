import { stories } from '@mq/testkit';
import { afterEach, describe, test } from 'vitest';

const story = stories(afterEach);

/** #2 overlaps with #1, and #3 with #2 only. */
const chain = async (settings = {}) => {
  const q = await story({ mode: 'parallel', concurrency: 5, ...settings });
  await q.touches(1, ['//a']);
  await q.touches(2, ['//a', '//b']);
  await q.touches(3, ['//b']);
  await q.submit(1, 2, 3);
  return q;
};

describe('direct dependencies', () => {
  test('a candidate holds what overlaps with its pull request, and not what only these overlap with', async () => {
    const q = await chain();
    q.isTesting('main+1', 'main+1+2', 'main+2+3');

    await q.passes('main+1');
    await q.passes('main+1+2');
    await q.passes('main+2+3');

    q.hasLanded('main+1+2+3');
    q.hasTested('main+1+2+3', 0);
  });

  test('a pull request that passed first waits for all that it depends on', async () => {
    const q = await chain();
    await q.passes('main+2+3');
    await q.passes('main+1+2');

    q.hasLanded('main');

    await q.passes('main+1');
    q.hasLanded('main+1+2+3');
  });

  test('a failure restarts only what depends on it', async () => {
    const q = await chain();
    await q.touches(4, ['//b', '//c']);
    await q.submit(4);

    await q.fails('main+1');

    q.isIn({ 1: 'failed' });
    q.isTesting('main+2', 'main+2+3', 'main+2+3+4');
    q.hasTested('main+2+3', 1);
  });

  test('direct dependencies with optimistic merging a candidate holds everything that its stack depends on, and its pass lands all', async () => {
    const q = await chain({ canOptimisticallyMerge: true });
    q.isTesting('main+1', 'main+1+2', 'main+1+2+3');

    await q.passes('main+1+2+3');

    q.hasLanded('main+1+2+3');
  });

  test('a pass on an incomplete stack proves only its own pull request once passes prove stacks', async () => {
    const q = await chain();
    await q.passes('main+1');
    await q.configures({ canOptimisticallyMerge: true });

    await q.passes('main+2+3');

    q.isIn({ 2: 'testing', 3: 'tests_passed' });
    q.hasLanded('main+1');
    await q.passes('main+1+2');
    q.hasLanded('main+1+2+3');
  });
});

describe('a failure on an incomplete stack', () => {
  const failed = async (settings = {}) => {
    const q = await chain(settings);
    await q.fails('main+2+3');
    q.isIn({ 3: 'pending_failure' });
    await q.passes('main+1');
    await q.passes('main+1+2');
    return q;
  };

  test('a failure on an incomplete stack fails no pull request: it is tested again once the missing one has merged', async () => {
    const q = await failed();
    q.hasLanded('main+1+2');
    q.isIn({ 3: 'testing' });
    q.waitsFor(3, 'incomplete_stack');
    q.hasOnRecord(/STACK_INCOMPLETE/);

    await q.passes('main+1+2+3');

    q.hasLanded('main+1+2+3');
  });

  test('a failure on an incomplete stack fails the pull request if it also fails on the whole stack', async () => {
    const q = await failed();

    await q.fails('main+1+2+3');

    q.isIn({ 3: 'failed' });
    q.hasLanded('main+1+2');
  });

  test('a failure on an incomplete stack counts if the missing one leaves: nothing is missing then', async () => {
    const q = await chain();
    await q.fails('main+2+3');
    await q.cancel(1);

    await q.passes('main+2');

    q.isIn({ 3: 'failed' });
    q.hasTested('main+2+3', 1);
    q.hasLanded('main+2');
  });

  test('a failure on an incomplete stack holds up no pull request behind it, and these make the second failure no less certain', async () => {
    const q = await failed();
    await q.touches(4, ['//b']);
    await q.submit(4);
    q.isTesting('main+1+2+3', 'main+1+2+4');

    await q.passes('main+1+2+4');

    q.hasLanded('main+1+2+4');
    q.isTesting('main+1+2+3');
    await q.fails('main+1+2+3');
    q.isIn({ 3: 'failed' });
    q.hasTested('main+1+2+3', 1);
  });

  test('a failure on an incomplete stack is followed by a third test if it passes after another one has landed first', async () => {
    const q = await failed();
    await q.touches(4, ['//b']);
    await q.submit(4);
    await q.passes('main+1+2+4');

    await q.passes('main+1+2+3');

    q.isTesting('main+1+2+4+3');
    await q.passes('main+1+2+4+3');
    q.hasLanded('main+1+2+4+3');
  });

  test('a failure on an incomplete stack ends with the readiness of the pull request: a draft is not tested further', async () => {
    const q = await failed();

    await q.drafts(3);

    q.isTesting();
    q.hasLanded('main+1+2');
  });

  test('a failure on an incomplete stack starts the confirmation of a failure only with the second one', async () => {
    const q = await failed({ confirmBeforeFailing: true });

    await q.fails('main+1+2+3');
    q.isIn({ 3: 'testing' });
    q.waitsFor(3, 'confirmation');

    await q.fails('main+1+2+3');
    q.isIn({ 3: 'failed' });
  });
});

test('a check that is run again on direct dependencies delays what depends on it, and not what it depends on', async () => {
  const q = await chain();
  await q.passes('main+1+2');
  await q.passes('main+2+3');
  await q.after('1s');
  await q.unseen(() => q.reruns('main+1+2'));
  await q.after('1s');
  await q.passes('main+1');
  q.isIn({ 1: 'merged', 2: 'testing', 3: 'tests_passed' });
  q.waitsFor(2, 'check_run_again');

  await q.fails('main+1+2');
  q.isIn({ 2: 'failed' });
  q.isTesting('main+1+3');
});
