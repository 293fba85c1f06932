import { stories } from '@mq/testkit';
import { afterEach, describe, test } from 'vitest';

const story = stories(afterEach);

type Touched = Readonly<Record<number, 'ALL' | readonly string[]>>;

const lanes = async (touched: Touched, settings: Parameters<typeof story>[0] = {}) => {
  const q = await story({ mode: 'parallel', concurrency: 4, ...settings });
  for (const [pr, targets] of Object.entries(touched)) await q.touches(Number(pr), targets);
  return q;
};

describe('the targets that a fork uploads', () => {
  test.each([
    ['adds to what is trusted', ['//a'], ['main+1', 'main+1+2']],
    ['takes nothing away', [], ['main+1', 'main+2']],
    ['can be everything', 'ALL', ['main+1', 'main+1+2']],
  ] as const)('%s', async (_, targets, tested) => {
    const q = await lanes({ 1: ['//a'], 2: ['//b'] });
    await q.touches(2, targets, { source: 'fork' });

    await q.submit(1, 2);

    q.isTesting(...tested);
  });

  test('the targets that a fork uploads count alone only while the queue trusts forks', async () => {
    const q = await lanes({ 1: ['//a'] }, { trustForkTargets: true });
    await q.touches(2, ['//b'], { source: 'fork' });
    await q.submit(1, 2);
    q.isTesting('main+1', 'main+2');

    await q.configures({ trustForkTargets: false });

    q.isTesting('main+1', 'main+1+2');
  });

  test('the targets that a fork uploads connect it to a passed pull request of another lane if they change between pass and landing', async () => {
    const q = await lanes({ 1: ['//a'], 2: ['//b'] });
    await q.submit(1, 2);
    await q.pauses();
    await q.passes('main+1');
    await q.passes('main+2');

    await q.touches(2, ['//a'], { source: 'fork' });
    await q.resumes();

    q.hasLanded('main+1');
    q.isTesting('main+1+2');
  });
});

describe('a lane', () => {
  test('a lane whose batch is bisected does not affect the batch of another lane', async () => {
    const q = await lanes(
      { 1: ['//a'], 2: ['//a'], 3: ['//b'], 4: ['//b'] },
      { batch: true, batchingMinSize: 2, bisectionConcurrency: 1 },
    );
    await q.submit(1, 3, 2, 4);
    await q.fails('main+1+2');
    q.isTesting('main+1', 'main+3+4');
    await q.passes('main+3+4');
    await q.fails('main+1');

    q.isIn({ 1: 'failed', 2: 'testing' });
    await q.passes('main+3+4+2');
    q.hasLanded('main+3+4+2');
    q.hasTested('main+3+4', 1);
  });

  test('a lane splits when the pull request leaves that connected it', async () => {
    const q = await lanes({ 1: ['//a'], 2: ['//a', '//b'], 3: ['//b'] });
    await q.submit(1, 2, 3);
    q.isTesting('main+1', 'main+1+2', 'main+2+3');

    await q.cancel(2);

    q.isTesting('main+1', 'main+3');
    q.hasTested('main+1', 1);
  });

  test('a lane is left by a pull request whose targets change, although it has passed', async () => {
    const q = await lanes({ 1: ['//a'], 2: ['//a'] });
    await q.submit(1, 2);
    await q.passes('main+1+2');

    await q.touches(2, ['//b']);

    q.isTesting('main+1', 'main+2');
    await q.passes('main+2');
    q.hasLanded('main+2');
  });

  test('a lane that fails restarts no passed pull request of another lane', async () => {
    const q = await lanes({ 1: ['//a'], 2: ['//b'], 3: ['//b'], 4: ['//a', '//b'] });
    await q.submit(1, 2, 3, 4);
    await q.passes('main+2+3');

    await q.fails('main+1');

    q.isIn({ 1: 'failed', 3: 'tests_passed' });
    q.isTesting('main+2', 'main+2+3+4');
    await q.passes('main+2');
    q.hasLanded('main+2+3');
    q.hasTested('main+2+3', 1);
  });

  test('a lane takes the slot that another lane no longer needs, and lands past it', async () => {
    const q = await lanes({ 1: ['//a'], 2: ['//a'], 3: ['//b'] }, { concurrency: 2 });
    await q.submit(1, 2, 3);
    await q.passes('main+1+2');
    q.isTesting('main+1', 'main+3');
    await q.passes('main+3');
    q.hasLanded('main+3');

    await q.passes('main+1');

    q.hasLanded('main+3+1+2');
    q.hasTested('main+1+2', 1);
  });

  test('a lane of everything continues while those below it land in another order', async () => {
    const q = await lanes({ 1: ['//1'], 2: ['//2'], 3: 'ALL', 4: ['//4'] });
    await q.submit(1, 2, 3, 4);
    await q.passes('main+2');
    await q.passes('main+1');
    await q.passes('main+3+4');

    await q.passes('main+1+2+3');

    q.hasLanded('main+2+1+3+4');
    q.hasTested('main+1+2+3', 1);
  });
});

describe('lanes that have passed during a pause', () => {
  const passed = async () => {
    const q = await lanes({ 1: ['//1'], 2: ['//2'], 3: ['//3'] });
    await q.submit(1, 2, 3);
    await q.pauses();
    for (const content of ['main+3', 'main+1', 'main+2']) await q.passes(content);
    q.hasLanded('main');
    return q;
  };

  test('lanes that have passed during a pause land by one move when the queue runs again', async () => {
    const q = await passed();
    await q.resumes();
    q.hasLanded('main+1+2+3');
    q.hasMoved(1);
  });

  test('lanes that have passed during a pause land without a pull request that left meanwhile', async () => {
    const q = await passed();
    await q.cancel(2);
    await q.resumes();
    q.hasLanded('main+1+3');
  });

  test('lanes that have passed during a pause land before a change of mode', async () => {
    const q = await passed();
    await q.configures({ mode: 'single' });
    await q.resumes();
    q.hasLanded('main+1+2+3');
    q.queueIs('running');
  });
});

describe('a change of mode', () => {
  test('a change of mode to single: lanes finish, and waiting pull requests follow one behind the other', async () => {
    const q = await lanes({ 1: ['//a'], 2: ['//b'], 3: ['//c'] });
    await q.submit(1, 2);
    await q.configures({ mode: 'single' });
    await q.submit(3, 4);
    q.queueIs('switching_modes');
    q.isIn({ 3: 'pending', 4: 'not_ready' });
    await q.passes('main+2');
    await q.fails('main+1');

    q.queueIs('running');
    q.isTesting('main+2+3', 'main+2+3+4');
  });

  test('a change of mode to parallel: older pull requests have their known targets, or all targets if none are known', async () => {
    const q = await story({ concurrency: 1 });
    await q.touches(2, ['//a']);
    await q.touches(3, ['//b']);
    await q.submit(1, 2, 3, 4);
    await q.configures({ mode: 'parallel', concurrency: 4 });

    await q.passes('main+1');

    q.isTesting('main+1+2', 'main+1+3', 'main+1+2+3+4');
    await q.submit(5);
    q.waitsFor(5, 'impacted_targets');
  });

  test('a change of mode is completed by a draining queue, which keeps draining', async () => {
    const q = await story({ concurrency: 1 });
    await q.submit(1, 2);
    await q.drains();
    await q.configures({ mode: 'parallel' });
    q.queueIs('switching_modes');

    await q.passes('main+1');

    q.queueIs('draining');
    q.isTesting();
  });

  test('a change of mode waits for the end of a pause', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);
    await q.configures({ mode: 'parallel' });
    await q.pauses();
    await q.passes('main+1');
    await q.passes('main+1+2');
    q.queueIs('paused');
    q.hasLanded('main');

    await q.resumes();

    q.hasLanded('main+1+2');
    q.queueIs('running');
  });

  test('a change of mode is awaited by an urgent pull request too', async () => {
    const q = await lanes({ 1: ['//1'], 2: ['//2'], 9: ['//9'] }, { concurrency: 2 });
    await q.submit(1, 2);
    await q.configures({ mode: 'single' });
    await q.submit(9, { skipTheLine: true });
    q.isTesting('main+1', 'main+2');
    await q.passes('main+1');
    await q.passes('main+2');
    q.isTesting('main+1+2+9');
  });
});
