import { stories } from '@mq/testkit';
import { afterEach, describe, expect, test } from 'vitest';

const story = stories(afterEach);

describe('pull requests submitted within one millisecond', () => {
  test('pull requests submitted within one millisecond are tested in the order of their submits, whatever their numbers', async () => {
    const q = await story();
    await q.submit(9);
    await q.submit(3);
    await q.submit(1);

    await q.passes('main+9');
    q.isTesting('main+9+3');
    await q.passes('main+9+3');
    q.isTesting('main+9+3+1');
  });

  test('pull requests submitted within one millisecond that become ready together join the line in the order of their submits', async () => {
    const q = await story();
    await q.submit(9);
    for (const pr of [2, 1]) {
      await q.saysMergeability(pr, 'not_mergeable');
      await q.submit(pr);
    }
    await q.unseen(async () => {
      await q.saysMergeability(1, null);
      await q.saysMergeability(2, null);
    });
    await q.after('5m');
    q.isIn({ 1: 'pending', 2: 'pending' });

    await q.passes('main+9');

    q.isTesting('main+9+2');
  });

  test('a pull request arrives when it joins the line, not when it was submitted', async () => {
    const q = await story();
    await q.submit(9);
    await q.saysMergeability(1, 'not_mergeable');
    await q.submit(1);
    await q.submit(2);
    await q.saysMergeability(1, null);
    q.isIn({ 1: 'pending', 2: 'pending' });

    await q.passes('main+9');

    q.isTesting('main+9+2');
  });

  test('a pull request arrives at its submit if only the mergeability was not computed yet', async () => {
    const q = await story();
    await q.submit(9);
    await q.saysMergeability(1, 'unspecified');
    await q.submit(1);
    await q.after('1m');
    await q.submit(2);
    await q.saysMergeability(1, null);
    q.isIn({ 1: 'pending', 2: 'pending' });

    await q.passes('main+9');

    q.isTesting('main+9+1');
  });

  test('a pull request submitted before the change to parallel mode counts as older than the change', async () => {
    const q = await story();
    await q.submit(1);
    await q.saysMergeability(3, 'not_mergeable');
    await q.submit(3);
    await q.configures({ mode: 'parallel' });
    await q.passes('main+1');
    q.queueIs('running');

    await q.saysMergeability(3, null);
    await q.submit(4);

    q.isIn({ 3: 'testing', 4: 'not_ready' });
    q.waitsFor(4, 'impacted_targets');
    const needs = (pr: number) => q.world.seen.submissions.get(pr)?.readiness.requiresImpactedTargets;
    expect([needs(3), needs(4)]).toEqual([false, true]);
  });
});

describe('a started pull request that lost its test run', () => {
  test.each(['drains', 'pauses'] as const)(
    'a started pull request that lost its test run is tested to the end by a draining queue if it lost its run while the queue %s',
    async (verb) => {
      const q = await story({ concurrency: 2 });
      await q.submit(1, 2);
      await q.fails('main+1+2');
      q.isIn({ 2: 'pending_failure' });
      await q[verb]();

      await q.pushesToTarget();
      await q.submit(3);
      await q.drains();

      q.isTesting('main+push+1', 'main+push+1+2');
      q.isIn({ 3: 'pending' });
    },
  );

  test('a started pull request that lost its test run is tested by a draining queue without the pull request ahead that left during a pause', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);
    await q.pauses();
    await q.cancel(1);

    await q.drains();

    q.isTesting('main+2');
  });
});
