import { stories } from '@mq/testkit';
import { afterEach, expect, test } from 'vitest';

const story = stories(afterEach);

test('a pull request that is pushed to and pushed back lands what was tested before, without another test', async () => {
  const q = await story({ concurrency: 2 });
  await q.opens({ number: 2, commits: [{ 'two.txt': 'one\n' }, { 'two.txt': 'two\n' }] });
  await q.submit(1, 2);
  await q.passes('main+1+2');
  await q.pushes(2);
  q.isIn({ 1: 'testing', 2: 'cancelled' });
  q.hasReason(2, 'PR_PUSHED_TO');

  await q.pushesBack(2);
  await q.passes('main+1');
  await q.submit(2);
  q.isIn({ 1: 'merged', 2: 'merged' });
  q.hasTested('main+1+2', 1);
  q.hasFiles({ 'two.txt': 'two\n' });
});

test('a check that fails in a rerun after the landing reverts nothing, and the next pull request is tested on it', async () => {
  const q = await story({ concurrency: 1 });
  await q.submit(1);
  await q.passes('main+1');
  await q.reruns('main+1');
  await q.fails('main+1');
  await q.after('10m');
  q.isIn({ 1: 'merged' });
  q.hasLanded('main+1');

  await q.submit(2);
  q.isTesting('main+1+2');
});

test('a rate-limited host is asked each question once before the limit ends, and nothing is lost', async () => {
  const q = await story({ concurrency: 1 });
  await q.submit(1);
  await q.usesUpQuota('8m');
  const before = new Map(q.world.asked);
  await q.after('7m');
  for (const [method, count] of [...q.world.asked].filter(([name]) => name !== 'commit'))
    expect([method, count - (before.get(method) ?? 0)]).toEqual([
      method,
      count > (before.get(method) ?? 0) ? 1 : 0,
    ]);

  await q.after('2m');
  await q.passes('main+1');
  q.isIn({ 1: 'merged' });
});

test('a store that fails for a while refuses commands, and running work continues after it', async () => {
  const q = await story({ concurrency: 1 });
  await q.submit(1);
  await q.unseen(() => q.passes('main+1'));
  await q.storeFailsFor('10m');
  await q.after('1m');

  q.isIn({ 1: 'merged' });
  q.hasTested('main+1', 1);
});

test('inputs of one replica are applied by the other while the first is stuck', async () => {
  const q = await story({ concurrency: 1 }, { engines: 2 });
  await q.unseen(() => q.submit(1));
  await q.turnOf(0);
  q.isTesting('main+1');
  await q.unseen(() => q.passes('main+1'));
  await q.world.clock.advance(60_000);
  await q.turnOf(1);

  q.isIn({ 1: 'merged' });
  q.hasMoved(1);
});

test('two queues of one repository work independently, also if one is paused', async () => {
  const q = await story({ concurrency: 2 });
  const release = await q.queueBeside('release', { concurrency: 1 });
  await q.submit(1);
  await release.submit(7);
  q.isTesting('main+1');
  release.isTesting('release+7');

  await q.pauses();
  await release.passes('release+7');
  release.isIn({ 7: 'merged' });
  release.hasLanded('release+7');
  q.isIn({ 1: 'testing' });
  q.hasLanded('main');

  await q.resumes();
  await q.passes('main+1');
  q.hasLanded('main+1');
  release.hasLanded('release+7');
});

test('what a pull request was between two polls changes nothing if it is the same again', async () => {
  const q = await story();
  await q.opens({ number: 1, commits: [{ 'one.txt': 'one\n' }, { 'one.txt': 'two\n' }] });
  await q.submit(1);
  await q.unseen(async () => {
    await q.closes(1);
    await q.reopens(1);
    await q.drafts(1);
    await q.marksReady(1);
    await q.retargets(1, 'other');
    await q.retargets(1, 'main');
    await q.pushes(1);
    await q.pushesBack(1);
  });
  await q.after('5m');
  await q.passes('main+1');
  q.isIn({ 1: 'merged' });
  q.isOnAttempt(1, 1);
  q.hasTested('main+1', 1);
});
