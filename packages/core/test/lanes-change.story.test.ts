import { stories } from '@mq/testkit';
import { afterEach, describe, test } from 'vitest';

const story = stories(afterEach);

type Touched = Readonly<Record<number, 'ALL' | readonly string[]>>;

const lanes = async (touched: Touched, settings: Parameters<typeof story>[0] = {}) => {
  const q = await story({ mode: 'parallel', concurrency: 4, ...settings });
  for (const [pr, targets] of Object.entries(touched)) await q.touches(Number(pr), targets);
  return q;
};

describe('what a fork says it touches', () => {
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

  test('counts by itself where the queue trusts forks, and no longer when it does not any more', async () => {
    const q = await lanes({ 1: ['//a'] }, { trustForkTargets: true });
    await q.touches(2, ['//b'], { source: 'fork' });
    await q.submit(1, 2);
    q.isTesting('main+1', 'main+2');

    await q.configures({ trustForkTargets: false });

    q.isTesting('main+1', 'main+1+2');
  });

  test('between a pass and its landing ties it to what has passed in another lane', async () => {
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
  test('whose batch is looked into leaves the batch of another alone', async () => {
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

  test('falls apart when the one leaves that tied it together', async () => {
    const q = await lanes({ 1: ['//a'], 2: ['//a', '//b'], 3: ['//b'] });
    await q.submit(1, 2, 3);
    q.isTesting('main+1', 'main+1+2', 'main+1+2+3');

    await q.cancel(2);

    q.isTesting('main+1', 'main+3');
    q.hasTested('main+1', 1);
  });

  test('is left by one that turns out to touch something else, although it has passed', async () => {
    const q = await lanes({ 1: ['//a'], 2: ['//a'] });
    await q.submit(1, 2);
    await q.passes('main+1+2');

    await q.touches(2, ['//b']);

    q.isTesting('main+1', 'main+2');
    await q.passes('main+2');
    q.hasLanded('main+2');
  });

  test('that fails restarts nobody of another who has passed and waits', async () => {
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

  test('gets the slot that another has done with, and lands past it', async () => {
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

  test('of everything goes on while those below it land in another order', async () => {
    const q = await lanes({ 1: ['//1'], 2: ['//2'], 3: 'ALL', 4: ['//4'] });
    await q.submit(1, 2, 3, 4);
    await q.passes('main+2');
    await q.passes('main+1');
    await q.passes('main+1+2+3+4');

    await q.passes('main+1+2+3');

    q.hasLanded('main+2+1+3+4');
    q.hasTested('main+1+2+3', 1);
  });
});

describe('lanes that have passed in a pause', () => {
  const passed = async () => {
    const q = await lanes({ 1: ['//1'], 2: ['//2'], 3: ['//3'] });
    await q.submit(1, 2, 3);
    await q.pauses();
    for (const content of ['main+3', 'main+1', 'main+2']) await q.passes(content);
    q.hasLanded('main');
    return q;
  };

  test('land by one move when the queue goes on', async () => {
    const q = await passed();
    await q.resumes();
    q.hasLanded('main+1+2+3');
    q.hasMoved(1);
  });

  test('land without one that left meanwhile', async () => {
    const q = await passed();
    await q.cancel(2);
    await q.resumes();
    q.hasLanded('main+1+3');
  });

  test('land before another mode is entered', async () => {
    const q = await passed();
    await q.configures({ mode: 'single' });
    await q.resumes();
    q.hasLanded('main+1+2+3');
    q.queueIs('running');
  });
});

describe('another mode', () => {
  test('single: lanes are brought to their end, and who waits comes one behind the other', async () => {
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

  test('parallel: of those from before, each touches what it is known to touch, and everything where nothing is', async () => {
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

  test('is entered by a queue that drains, which goes on draining', async () => {
    const q = await story({ concurrency: 1 });
    await q.submit(1, 2);
    await q.drains();
    await q.configures({ mode: 'parallel' });
    q.queueIs('switching_modes');

    await q.passes('main+1');

    q.queueIs('draining');
    q.isTesting();
  });

  test('gives way to a pause, and is entered after it', async () => {
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

  test('is waited for by an urgent one as well', async () => {
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
