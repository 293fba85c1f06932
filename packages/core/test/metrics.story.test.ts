import { type Story, stories } from '@mq/testkit';
import { afterEach, expect, test } from 'vitest';

const story = stories(afterEach);

/** The values of a series, for the main queue and for bisection. */
const shown = async (q: Story, name: string, labels = '') => {
  const lines = (await q.world.mq.metrics()).split('\n');
  const valueIn = (type: string) => {
    const start = `${name}{repo="acme/widgets",branch="main",queue_type="${type}"${labels}`;
    return Number(
      lines
        .find((line) => line.startsWith(start))
        ?.split(' ')
        .at(-1),
    );
  };
  return { main: valueIn('main'), bisection: valueIn('bisection') };
};

test('a batch under bisection is measured as bisection, and no pull request is measured twice', async () => {
  const q = await story({ batch: true, batchingMinSize: 4, concurrency: 2, bisectionConcurrency: 1 });
  await q.submit(1, 2, 3, 4);
  await q.after('5m');
  expect(await shown(q, 'mq_testing_slots_active')).toEqual({ main: 4, bisection: 0 });
  await q.fails('main+1+2+3+4');
  await q.submit(5);

  expect(await shown(q, 'mq_depth_current')).toEqual({ main: 1, bisection: 4 });
  expect(await shown(q, 'mq_testing_slots_active')).toEqual({ main: 0, bisection: 2 });
  expect(await shown(q, 'mq_pr_test_duration_1h_seconds_count')).toEqual({ main: 4, bisection: 0 });
  expect(await shown(q, 'mq_pr_wait_duration_1h_seconds_count')).toEqual({ main: 4, bisection: 2 });

  await q.after('10m');
  await q.fails('main+1+2');
  await q.fails('main+1');
  q.isIn({ 1: 'failed' });
  const failed = ',conclusion="failed"';
  expect(await shown(q, 'mq_pr_conclusions_1h_total', failed)).toEqual({ main: 0, bisection: 1 });
  expect((await shown(q, 'mq_pr_restarts_1h_total')).bisection).toBeGreaterThan(0);
});

test('an end one hour ago is counted, and one second later it is not', async () => {
  const q = await story();
  await q.submit(1);
  await q.passes('main+1');
  const merged = ',conclusion="merged"';

  await q.after('1h');
  expect((await shown(q, 'mq_pr_conclusions_1h_total', merged)).main).toBe(1);
  expect((await shown(q, 'mq_pr_time_in_queue_1h_seconds_count', merged)).main).toBe(1);
  await q.after('1s');
  expect((await shown(q, 'mq_pr_conclusions_1h_total', merged)).main).toBe(0);
  expect((await shown(q, 'mq_pr_time_in_queue_1h_seconds_count', merged)).main).toBe(0);
});

test('each queue of a repository is measured by itself', async () => {
  const q = await story();
  const { mq, ref } = q.world;
  const other = { ...ref, targetBranch: 'other' };
  await q.submit(1);
  await q.retargets(2, other.targetBranch);
  await mq.createQueue(other);
  await mq.submit({ ...other, pr: 2 });
  await q.world.settle();

  const lines = (await mq.metrics({ repo: ref.repo })).split('\n');
  const active = lines.filter((line) => line.startsWith('mq_testing_slots_active{') && line.endsWith(' 1'));
  expect(active.map((line) => /branch="(\w+)"/.exec(line)?.[1])).toEqual(['main', 'other']);
  await mq.cancel({ ...other, pr: 2 });
});
