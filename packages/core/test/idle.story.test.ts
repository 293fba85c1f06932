import { stories } from '@mq/testkit';
import { afterEach, expect, test } from 'vitest';

const story = stories(afterEach);

test('a required check that was removed while the queue was idle is not required of the next pull request', async () => {
  const q = await story({}, { checks: ['lint', 'test'] });
  await q.submit(1);
  await q.passes('main+1');
  q.isIn({ 1: 'merged' });
  await q.after('24h');
  await q.unseen(() => q.requires(['test']));
  await q.submit(2);

  const [view] = await q.world.mq.listRuns(q.world.ref);
  expect([view?.run.requiredChecks, view?.run.startedChecks]).toEqual([['test'], ['test']]);
  await q.passes('main+1+2', 'test');
  q.isIn({ 2: 'merged' });
});

test('a pull request that is submitted to an idle queue right after a required check was removed is not tested by it', async () => {
  const q = await story({}, { checks: ['lint', 'test'] });
  await q.submit(1);
  await q.passes('main+1');
  q.isIn({ 1: 'merged' });
  await q.unseen(() => q.requires(['test']));
  await q.submit(2);

  const [view] = await q.world.mq.listRuns(q.world.ref);
  expect([view?.run.requiredChecks, view?.run.startedChecks]).toEqual([['test'], ['test']]);
});

test('getQueue names the checks that an idle queue requires now', async () => {
  const q = await story({}, { checks: ['lint', 'test'] });
  await q.unseen(() => q.requires(['test']));

  const { requiredChecks } = await q.world.mq.getQueue(q.world.ref);
  expect(requiredChecks).toEqual({ names: ['test'], source: 'repo_provider_branch_protection' });
});

test('getQueue of an idle queue names the last known checks while the host is down', async () => {
  const q = await story({}, { checks: ['lint', 'test'] });
  await q.goesDown();

  const { requiredChecks } = await q.world.mq.getQueue(q.world.ref);
  expect(requiredChecks?.names).toEqual(['lint', 'test']);
});

test('an idle queue follows the rules of its branch when a client writes back the checks that it has just read', async () => {
  const q = await story({}, { checks: ['lint', 'test'] });
  await q.unseen(() => q.requires(['test']));
  const { requiredChecks } = await q.world.mq.getQueue(q.world.ref);
  const { queue } = await q.world.mq.updateQueue({
    ...q.world.ref,
    requiredStatuses: [...(requiredChecks?.names ?? [])],
  });

  expect(queue.settings.requiredStatuses).toBeNull();
});
