import { memoryStore } from '@mq/store-memory';
import { fakeHost, virtualClock } from '@mq/testkit';
import { expect, test } from 'vitest';
import type { CodeHost } from '../ports/code-host.js';
import type { Store } from '../ports/store.js';
import { createMergeQueue } from './create-merge-queue.js';

const repo = { host: 'fake.example', owner: 'acme', name: 'widgets' };
const ref = { repo, targetBranch: 'main' };

/** Two processes on one store and one host, with hooks after some calls of the first one. */
const twoProcesses = async () => {
  const clock = virtualClock();
  const host = fakeHost({ clock });
  const repository = host.createRepository({ ref: repo });
  for (const number of [1, 2]) repository.openPullRequest({ number });
  const memory = memoryStore({ clock });
  const after = new Map<string, () => Promise<unknown>>();
  /** Runs what was set for a method, once, after the call has its answer and before the caller gets it. */
  const interrupted = <Of extends object>(of: Of): Of =>
    new Proxy(of, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        return async (...args: readonly unknown[]) => {
          const answer: unknown = await Reflect.apply(method, target, args);
          const act = after.get(String(name));
          after.delete(String(name));
          await act?.();
          return answer;
        };
      },
    });
  const on = (store: Store, code: CodeHost) =>
    createMergeQueue({ store, hosts: { [repo.host]: code }, clock });
  const mq = on(interrupted(memory), interrupted(host));
  const other = on(memory, host);
  await other.createQueue({ ...ref, state: 'paused', requiredStatuses: ['test'] });
  return { mq, other, repository, memory, clock, after };
};

test('a cancel of a merged pull request is refused, whenever it was merged', async () => {
  const { mq, other } = await twoProcesses();
  await other.updateQueue({ ...ref, state: 'running', requiredStatuses: [], allowNoRequiredStatuses: true });
  await other.submit({ ...ref, pr: 1 });
  await other.settled();

  await expect(mq.cancel({ ...ref, pr: 1 })).rejects.toMatchObject({ code: 'ALREADY_MERGED' });
});

test('createQueue repeated with one idempotency key creates one queue and answers the same', async () => {
  const { mq, other, repository } = await twoProcesses();
  const request = { ...ref, targetBranch: 'next', idempotency: { id: 'key', digest: 'it' } };
  repository.createBranch('next', { 'README.md': 'next' });

  const first = await mq.createQueue(request);

  expect(await other.createQueue(request)).toEqual(first);
});

test('impacted targets without a source count as trusted', async () => {
  const { mq, memory } = await twoProcesses();
  await mq.setImpactedTargets({ ...ref, pr: 1, impactedTargets: ['a'] });
  await mq.setImpactedTargets({ ...ref, pr: 2, impactedTargets: ['a'], source: 'fork' });

  const { id } = (await mq.getQueue(ref)).queue;
  const delta = await memory.load(id, 0, { prs: [1, 2], inputIds: [] });
  expect(delta?.recalled.targets.map(({ sets }) => sets[0]?.source)).toEqual(['trusted', 'fork']);
});

test('deleteQueue succeeds if the queue is deleted by another caller meanwhile', async () => {
  const { mq, other, after } = await twoProcesses();
  after.set('queues', () => other.deleteQueue(ref));

  await expect(mq.deleteQueue(ref)).resolves.toBeUndefined();

  expect((await other.listQueues({})).items).toEqual([]);
});

test('a submitted pull request is dated by the time of the request, however late the host answers', async () => {
  const { mq, other, clock, after } = await twoProcesses();
  const askedAt = clock.now();
  after.set('getPullRequests', () => clock.advance(30_000));

  await mq.submit({ ...ref, pr: 1 });

  const { submission } = await other.getSubmission({ ...ref, pr: 1 });
  expect(submission.submittedAt).toBe(askedAt + 30_000);
  expect(submission.pull.readAt).toBe(askedAt);
});

test('the target of a new queue is dated by the time of the request, however late the host answers', async () => {
  const { mq, clock, after } = await twoProcesses();
  const askedAt = clock.now();
  await mq.deleteQueue(ref);
  after.set('getBranch', () => clock.advance(30_000));

  const { queue } = await mq.createQueue(ref);

  expect([queue.createdAt, queue.target.readAt]).toEqual([askedAt + 30_000, askedAt]);
});

test.each([
  ['a symbolic ref to the branch of another queue', ['stable', 'refs/heads/main'], 'stable', 'QUEUE_EXISTS'],
  ['a symbolic ref to no branch', ['stable', 'refs/tags/v1'], 'stable', 'INVALID_REQUEST'],
] as const)('a queue is refused on %s', async (_, [name, to], branch, code) => {
  const { other, repository } = await twoProcesses();
  repository.createBranch('v1', 'main');
  repository.pointAlias(name, to);
  repository.branches.set('refs/tags/v1', repository.branches.get('v1')!);
  await expect(other.createQueue({ repo, targetBranch: branch })).rejects.toMatchObject({ code });
});

test('a second queue for a branch is refused if a symbolic ref already has one', async () => {
  const { other, repository } = await twoProcesses();
  repository.createBranch('next', 'main');
  repository.pointAlias('stable', 'refs/heads/next');
  await other.createQueue({ repo, targetBranch: 'stable' });
  const detail = 'next and stable are one branch (next), and stable already has a queue.';
  await expect(other.createQueue({ repo, targetBranch: 'next' })).rejects.toMatchObject({
    code: 'QUEUE_EXISTS',
    detail,
  });
  expect((await other.createQueue({ repo, targetBranch: 'v2' }).catch((error) => error)).code).toBe(
    'BRANCH_NOT_FOUND',
  );
});
