import { type Story, stories } from '@mq/testkit';
import { afterEach, describe, expect, test } from 'vitest';
import type { Explanation, QueueView, TestRunId } from '../src/index.js';

const story = stories(afterEach);

const ofBranch = async (q: Story, headBranch: string): Promise<number> =>
  (await q.world.mq.getSubmission({ ...q.world.ref, headBranch })).submission.pr;

test('of the pull requests of a head branch an open one is found, even if its attempt has ended', async () => {
  const q = await story({ concurrency: 1 });
  await q.opens({ number: 1, headBranch: 'feature' }, { number: 2, headBranch: 'feature' });
  await q.submit(1);
  await q.fails('main+1');
  await q.after('1m');
  await q.submit(2);
  expect(await ofBranch(q, 'feature')).toBe(2);

  await q.passes('main+2');
  q.isIn({ 1: 'failed', 2: 'merged' });
  expect(await ofBranch(q, 'feature')).toBe(1);
});

test('of several closed pull requests of a branch, the one that left last is found', async () => {
  const q = await story({ concurrency: 1 });
  await q.opens({ number: 1, headBranch: 'feature' }, { number: 2, headBranch: 'feature' });
  await q.submit(1, 2);
  await q.closes(2);
  await q.after('1m');
  await q.passes('main+1');

  q.isIn({ 1: 'merged', 2: 'cancelled' });
  expect(await ofBranch(q, 'feature')).toBe(1);
});

test('a pull request that waits to be reopened does not hide an open one of its branch', async () => {
  const q = await story();
  await q.opens({ number: 1, headBranch: 'feature' }, { number: 2, headBranch: 'feature' });
  await q.submit(2);
  await q.cancel(2);
  await q.drafts(1);
  await q.submit(1);
  await q.closes(1);

  q.isIn({ 1: 'not_ready', 2: 'cancelled' });
  expect(await ofBranch(q, 'feature')).toBe(2);
});

test('the queue shows pull requests under test first, even if a waiting urgent one is nearer to the front', async () => {
  const q = await story({ concurrency: 2 });
  await q.submit(1, 2, 3);
  await q.submit(9, { skipTheLine: true });
  await q.saysMergeability(9, 'not_mergeable');
  q.isIn({ 1: 'testing', 2: 'testing', 9: 'pending' });
  const { enqueued } = await q.world.mq.getQueue(q.world.ref);
  expect(enqueued.map(({ submission }) => submission.pr)).toEqual([1, 2, 9, 3]);
});

test('a test run waits for the pull requests of its stack that have not landed', async () => {
  const q = await story({ concurrency: 3 });
  await q.submit(1, 2, 3);
  const awaitedByThird = async () => {
    const runs = await q.world.mq.listRuns({ ...q.world.ref, pr: 3 });
    return runs.map(({ waitsOn }) => waitsOn);
  };
  expect(await awaitedByThird()).toEqual([[1, 2]]);

  await q.passes('main+1');
  q.isTesting('main+1+2', 'main+1+2+3');
  expect(await awaitedByThird()).toEqual([[2]]);
});

test('an ended test run names the undecided pull requests below it', async () => {
  const q = await story({ concurrency: 3 });
  await q.submit(1, 2, 3);
  await q.passes('main+1+2+3');
  const shown = async () => (await q.world.mq.listRuns({ ...q.world.ref, pr: 3 }))[0]?.explanation;
  expect(await shown()).toMatch(/passed after 0 s; #1 and #2 below it are not decided yet\.$/);

  await q.passes('main+1');
  expect(await shown()).toMatch(/passed after 0 s; #2 below it is not decided yet\.$/);
});

test('a baseline run is listed among the open test runs, after those of the line, without a pull request', async () => {
  const q = await story({ concurrency: 2 }, { showsTip: false });
  await q.submit(1, 2);
  await q.fails('main+1');
  q.isTesting('main', 'main+2');

  const runs = await q.world.mq.listRuns(q.world.ref);
  const [own] = runs.slice(-1);
  expect(runs.map(({ run }) => run.batch.map(({ pr }) => pr))).toEqual([[1], [2], []]);
  expect(own?.explanation).toMatch(/^main is in test run \S+: check test has been running for 0 s\.$/);
  expect((await q.world.mq.listRuns({ ...q.world.ref, pr: 1 })).map(({ run }) => run.outcome)).toEqual([
    'failed',
  ]);
});

test('a result is listed with the attempt of each tested pull request', async () => {
  const q = await story({ batch: true, batchingMinSize: 2, concurrency: 1 });
  await q.submit(2);
  await q.cancel(2);
  await q.submit(1, 2);
  await q.passes('main+1+2');

  const { items } = await q.world.mq.listTestingResults({ ...q.world.ref, since: 0 });
  expect(items.map(({ pr, attempt }) => [pr, attempt])).toEqual([
    [1, 1],
    [2, 2],
  ]);
});

describe('a run that builds a combined commit', () => {
  const queueWithLanes = async () => {
    const q = await story({ mode: 'parallel', concurrency: 2 });
    await q.touches(1, ['//api']);
    await q.touches(2, ['//web']);
    await q.submit(1, 2);
    await q.pauses();
    await q.after('1m');
    await q.passes('main+1');
    await q.passes('main+2');
    await q.resumes();
    q.hasLanded('main+1+2');
    return q;
  };

  test('a run that builds a combined commit is no test, and not among the results of the pull requests that it landed', async () => {
    const q = await queueWithLanes();

    const { items } = await q.world.mq.listTestingResults({ ...q.world.ref, since: 0 });
    expect(items.map(({ pr, outcome }) => [pr, outcome])).toEqual([
      [2, 'passed'],
      [1, 'passed'],
    ]);
  });

  test('a run that builds a combined commit is shown as built, not as passed', async () => {
    const q = await queueWithLanes();

    const { story } = await q.world.mq.explain({ ...q.world.ref, pr: 1 });
    const shown = story.events.map(({ sentence }) => sentence);
    expect(shown.filter((sentence) => /passed after/.test(sentence))).toHaveLength(2);
    expect(shown.at(-2)).toMatch(/^Run \S+ of #1 and #2 was built\.$/);
    const [last] = (await q.world.mq.receipts(q.world.ref)).items.slice(-1);
    const composed = await q.world.mq.getRun({ ...q.world.ref, testRunId: last?.landed.runId as TestRunId });
    expect(composed.explanation).toMatch(/of #1 and #2 was built; it was closed because/);
  });
});

test('the history begins with the creator of the queue and all of its settings', async () => {
  const q = await story({ concurrency: 3 });
  const { mq, ref } = q.world;
  const { settings } = (await mq.getQueue(ref)).queue;
  await mq.updateQueue({ ...ref, concurrency: 4 });

  const { items } = await mq.history({ ...ref, order: 'oldest_first', types: ['configured'] });
  expect(items).toMatchObject([
    { sequence: 1, actor: { kind: 'embedder' }, settings, wanted: 'running', settingsVersion: 1 },
    { settings: { concurrency: 4 }, wanted: null, settingsVersion: 2 },
  ]);
});

test('a read during commits sees the queue as one of them left it', async () => {
  const q = await story({ concurrency: 3 });
  await q.submit(1, 2, 3);
  const { mq, ref } = q.world;
  const seen: QueueView[] = [];
  let isOver = false;
  const watch = async (): Promise<void> => {
    while (!isOver) seen.push(await mq.getQueue(ref));
  };
  const watching = [watch(), watch()];
  await q.passes('main+1');
  await q.passes('main+1+2');
  isOver = true;
  await Promise.all(watching);

  const landed = seen.map(({ queue }) => queue.receipts.count);
  expect(new Set(landed)).toEqual(new Set([0, 1, 2]));
  for (const { queue, enqueued } of seen) expect(queue.receipts.count + enqueued.length).toBe(3);
});

test('a pull request that lands while it is explained has no wait if its story shows the merge', async () => {
  const q = await story();
  await q.submit(1);
  const { mq, ref } = q.world;
  const seen: Explanation[] = [];
  let isOver = false;
  const watch = async (): Promise<void> => {
    while (!isOver) seen.push(await mq.explain({ ...ref, pr: 1 }));
  };
  const watching = [watch(), watch(), watch()];
  await q.passes('main+1');
  isOver = true;
  await Promise.all(watching);

  const merged = seen.filter((one) => one.story.state === 'merged');
  expect(merged.length).toBeGreaterThan(0);
  expect(merged.filter(({ waiting }) => waiting !== null)).toEqual([]);
});
