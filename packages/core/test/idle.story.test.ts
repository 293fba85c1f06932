import { stories } from '@mq/testkit';
import { afterEach, expect, test } from 'vitest';

const story = stories(afterEach);

test('a required check that was removed while the queue was idle is not asked of the next pull request', async () => {
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
