import { memoryStore } from '@mq/store-memory';
import { type Story, stories, virtualClock, whileOneStalls } from '@mq/testkit';
import { afterEach, describe, expect, test } from 'vitest';
import type { QueueId } from '../src/index.js';

test('T-B09 queues of other branches and repositories continue while one stalls, and share nothing', async () => {
  const clock = virtualClock();
  const { stalled, others } = await whileOneStalls(memoryStore({ clock }), clock);
  expect(stalled).toMatchObject({ states: ['testing', 'testing'], landed: [] });
  for (const { prs, ...other } of others)
    expect(other).toMatchObject({ states: ['merged', 'merged'], landed: prs });
});

describe('two queues of one repository', () => {
  const story = stories(afterEach);

  /** A second queue, with a pull request of the same change. */
  const withRelease = async (q: Story) => {
    const { mq, repository, ref } = q.world;
    const release = { ...ref, targetBranch: 'release' };
    if (!repository.branches.has('release')) repository.createBranch('release', 'main');
    repository.openPullRequest({ number: 7, base: 'release', commits: [{ 'pr-1.txt': 'change 1\n' }] });
    await q.world.act(async () => {
      await mq.createQueue(release);
      await mq.submit({ ...release, pr: 7 });
    });
    return { ...release, pr: 7 };
  };

  test('two queues of one repository keep their own test runs, and one ends while the other continues', async () => {
    const q = await story();
    const release = await withRelease(q);
    await q.submit(1);
    await q.passes('main+1');

    q.hasLanded('main+1');
    expect((await q.world.mq.getSubmission(release)).submission.state).toBe('testing');
  });

  test('two queues of one repository do not test the same tree twice, whichever of them tested it', async () => {
    const q = await story();
    q.world.repository.createBranch('release', 'main');
    await q.submit(1);
    await q.passes('main+1');
    const release = await withRelease(q);

    const { submission } = await q.world.mq.getSubmission(release);
    expect([submission.state, submission.reason]).toEqual(['merged', 'MERGE_GRAPH_MERGE']);
    q.hasTested('main+1', 1);
  });

  test('one after another on one branch: the second starts its own chain, and the first can still be read', async () => {
    const q = await story();
    await q.submit(1);
    await q.passes('main+1');
    const first = await q.world.mq.receipts(q.world.ref);
    await q.deletesQueue();
    await q.createsQueue();
    await q.submit(2);
    await q.passes('main+1+2');

    const second = await q.world.mq.receipts(q.world.ref);
    expect(second.items.map(({ number, pr, previous }) => [number, pr, previous])).toEqual([[1, 2, null]]);
    expect(second.items[0]?.queueId).not.toBe(first.items[0]?.queueId);
    const queueId = first.items[0]?.queueId as QueueId;
    expect((await q.world.mq.receipts({ ...q.world.ref, queueId })).items).toEqual(first.items);
  });

  test('two queues of one repository hand a pull request over when its base branch is changed', async () => {
    const q = await story();
    q.world.repository.createBranch('release', 'main');
    const release = { ...q.world.ref, targetBranch: 'release' };
    await q.submit(1);
    await q.world.act(async () => {
      await q.world.mq.createQueue(release);
      await q.world.mq.submit({ ...release, pr: 1 });
    });
    const there = async () => {
      const { submission, waiting } = await q.world.mq.getSubmission({ ...release, pr: 1 });
      return [submission.state, waiting?.code];
    };
    expect(await there()).toEqual(['not_ready', 'base_branch']);

    await q.retargets(1, 'release');
    q.hasReason(1, 'PR_BASE_BRANCH_CHANGED');
    expect(await there()).toEqual(['testing', 'checks']);
  });

  test('two queues of one repository drop pull requests that the other one has merged', async () => {
    const q = await story();
    q.world.repository.createBranch('release', 'main');
    await q.opens({ number: 1, base: 'release' });
    await q.submit(1);
    q.waitsFor(1, 'base_branch');
    const release = { ...q.world.ref, targetBranch: 'release' };
    await q.world.act(async () => {
      await q.world.mq.createQueue({ ...release, requiredStatuses: [], allowNoRequiredStatuses: true });
      await q.world.mq.submit({ ...release, pr: 1 });
    });

    q.isIn({ 1: 'cancelled' });
    q.hasReason(1, 'PR_MERGED_INTO_OTHER_BRANCH');
  });
});
