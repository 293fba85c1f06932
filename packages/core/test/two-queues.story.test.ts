import { createMergeQueue, type QueueRef } from '@mq/core';
import { memoryStore } from '@mq/store-memory';
import { fakeHost, virtualClock } from '@mq/testkit';
import { expect, test } from 'vitest';

const queue = (name: string, branch: string, prs: readonly number[]) => ({
  ref: { repo: { host: 'fake.example', owner: 'acme', name }, branch },
  prs,
});
const stalled = queue('widgets', 'main', [1, 2]);
const others = [
  queue('widgets', 'release', [3, 4]),
  queue('gadgets', 'main', [1, 2]),
  queue('gadgets', 'release', [3, 4]),
];

test('T-B09 queues of other branches and repositories go on while one stalls, and share nothing', async () => {
  const clock = virtualClock();
  const host = fakeHost({ clock });
  const mq = createMergeQueue({ store: memoryStore({ clock }), hosts: { 'fake.example': host }, clock });
  for (const { ref, prs } of [stalled, ...others]) {
    const { repo, branch } = ref;
    const repository = branch === 'main' ? host.createRepository({ ref: repo }) : host.repository(repo);
    if (branch !== 'main') repository.createBranch(branch, 'main');
    await mq.createQueue({ ...ref, settings: { concurrency: 2 } });
    for (const number of prs) {
      repository.openPullRequest({ number, base: branch });
      await mq.submit({ ...ref, pr: number });
    }
  }
  await mq.settled();

  for (const { ref, prs } of others) {
    const repository = host.repository(ref.repo);
    for (const { commit } of repository.ci.checks())
      if (prs.includes(Number(repository.contents(commit)[0]))) repository.ci.finish(commit, null, 'success');
    await mq.notice({ repo: ref.repo, what: 'checks' });
    await mq.settled();
  }

  const outcomeOf = async (ref: QueueRef) => {
    const { items } = await mq.listSubmissions(ref);
    const head = host.repository(ref.repo).branches.get(ref.branch)!;
    return {
      states: items.map(({ submission }) => submission.state),
      landed: host.repository(ref.repo).contents(head),
    };
  };
  expect(await outcomeOf(stalled.ref)).toEqual({ states: ['testing', 'testing'], landed: [] });
  for (const { ref, prs } of others)
    expect(await outcomeOf(ref)).toEqual({ states: ['merged', 'merged'], landed: prs });
  await mq.close();
});
