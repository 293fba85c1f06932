import { createMergeQueue, type QueueRef, type Store } from '@mq/core';
import { fakeHost } from '../fake-host/fake-host.js';
import type { VirtualClock } from '../virtual-clock.js';

const queue = (name: string, branch: string, prs: readonly number[]) => ({
  ref: { repo: { host: 'fake.example', owner: 'acme', name }, targetBranch: branch },
  prs,
});

/** Its checks never end. */
const stalled = queue('widgets', 'main', [1, 2]);
const others = [
  queue('widgets', 'release', [3, 4]),
  queue('gadgets', 'main', [1, 2]),
  queue('gadgets', 'release', [3, 4]),
];

export interface QueueOutcome {
  readonly ref: QueueRef;
  /** The submitted pull requests, oldest first. */
  readonly prs: readonly number[];
  readonly states: readonly string[];
  readonly landed: readonly (number | string)[];
}

/** Runs four queues on one store (two branches of two repositories). The checks of one never end; those of the others pass. */
export const whileOneStalls = async (
  store: Store,
  clock: VirtualClock,
): Promise<{ readonly stalled: QueueOutcome; readonly others: readonly QueueOutcome[] }> => {
  const host = fakeHost({ clock });
  const mq = createMergeQueue({ store, hosts: { 'fake.example': host }, clock });
  for (const { ref, prs } of [stalled, ...others]) {
    const { repo, targetBranch: branch } = ref;
    const repository = branch === 'main' ? host.createRepository({ ref: repo }) : host.repository(repo);
    if (branch !== 'main') repository.createBranch(branch, 'main');
    await mq.createQueue({ ...ref, concurrency: 2 });
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
  const outcomeOf = async ({ ref, prs }: typeof stalled): Promise<QueueOutcome> => {
    const { items } = await mq.listSubmissions(ref);
    const repository = host.repository(ref.repo);
    const head = repository.branches.get(ref.targetBranch);
    const landed = head === undefined ? [] : repository.contents(head);
    return { ref, prs, states: items.map(({ submission }) => submission.state), landed };
  };
  const outcomes = { stalled: await outcomeOf(stalled), others: await Promise.all(others.map(outcomeOf)) };
  await mq.close();
  return outcomes;
};
