// One queue for every letter case of a repository, at a host that ignores it.
import { createMergeQueue } from '@mq/core';
import { memoryStore } from '@mq/store-memory';
import { fakeHost, virtualClock } from '@mq/testkit';
import { expect, test } from 'vitest';

const repo = { host: 'git.test', owner: 'acme', name: 'widgets' };
const shown = { ...repo, owner: 'Acme', name: 'Widgets' };
const ref = { repo, targetBranch: 'main' };

const anEngine = () => {
  const clock = virtualClock();
  const host = fakeHost({ clock, ignoresCase: true });
  const repository = host.createRepository({ ref: { ...shown, id: 'id-1' } });
  repository.openPullRequest({ number: 1 });
  const parts = { store: memoryStore({ clock }), hosts: { [repo.host]: host }, clock };
  return { mq: createMergeQueue(parts), replica: createMergeQueue(parts), clock, host, repository };
};

test('a hint that names a repository in the letter case of the host is followed at once', async () => {
  const { mq, clock, host, repository } = anEngine();
  await mq.createQueue(ref);
  await using running = mq.start();
  await mq.submit({ ...ref, pr: 1 });
  await clock.advance(1_000);
  await mq.settled();
  const [candidate] = host.snapshot().flatMap((one) => one.candidates);
  repository.ci.finish(candidate!.runId, 'test', 'success');
  await clock.advance(1_000);
  await mq.settled();
  expect((await mq.getSubmission({ ...ref, pr: 1 })).submission.state).toBe('merged');
  expect(running).toBeDefined();
});

test('a queue keeps the letter case that its host shows, and stays one after the host shows another', async () => {
  const { mq, host } = anEngine();
  await mq.createQueue(ref);
  expect((await mq.getQueue(ref)).queue.repo).toEqual({ ...shown, id: 'id-1', ignoresCase: true });
  host.deleteRepository(repo);
  const renamed = { ...repo, owner: 'ACME' };
  host.createRepository({ ref: { ...renamed, id: 'id-1' } }).createBranch('next', 'main');

  await expect(mq.createQueue({ repo: renamed, targetBranch: 'main' })).rejects.toMatchObject({
    code: 'QUEUE_EXISTS',
  });
  await mq.createQueue({ ...ref, targetBranch: 'next' });
  expect((await mq.listQueues({ repo: renamed })).items).toHaveLength(2);
});

test('two replicas that create a queue in two letter cases at once create one, and a submit to each is one submission', async () => {
  const { mq, replica } = anEngine();
  const capitals = { repo: { ...repo, owner: 'ACME', name: 'WIDGETS' }, targetBranch: 'main' };
  const made = await Promise.allSettled([mq.createQueue(ref), replica.createQueue(capitals)]);
  expect(made.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(made.find((one) => one.status === 'rejected')?.reason).toMatchObject({ code: 'QUEUE_EXISTS' });

  await Promise.all([mq.submit({ ...ref, pr: 1 }), replica.submit({ ...capitals, pr: 1 })]);
  const { items } = await mq.listSubmissions(capitals);
  expect(items.map(({ submission: { pr, attempt } }) => [pr, attempt])).toEqual([[1, 1]]);
});
