import { createMergeQueue, type MergeQueue } from '@mq/core';
import { memoryHostCommandStore, memoryStore } from '@mq/store-memory';
import { fakeHost, personNamed, virtualClock } from '@mq/testkit';
import { expect, test } from 'vitest';

const repo = { host: 'git.test', owner: 'acme', name: 'widgets' };
const ref = { repo, targetBranch: 'main' };
const ada = personNamed('ada');

const anEngine = () => {
  const clock = virtualClock();
  const [store, host] = [memoryStore({ clock }), fakeHost({ clock })];
  const commands = { store: memoryHostCommandStore({ clock }) };
  const start = () => createMergeQueue({ store, hosts: { [repo.host]: host }, clock, commands });
  const create = (id: string) => {
    const repository = host.createRepository({ ref: { ...repo, id } });
    repository.openPullRequest({ number: 1 });
    repository.timeline.setRole(ada, 'write');
    return repository;
  };
  const pass = async (mq: MergeQueue, minutes: number) => {
    for (let each = 0; each < minutes * 6; each += 1) {
      await clock.advance(10_000);
      await mq.settled();
    }
  };
  const candidates = () => host.snapshot().flatMap((one) => one.candidates);
  return { host, commands: commands.store, start, create, pass, candidates };
};

const stateOf = async (mq: MergeQueue) => (await mq.getSubmission({ ...ref, pr: 1 })).submission.state;

test('a repository that was deleted and created again stops its queue after a restart, and nothing in it is tested or failed', async () => {
  const { host, start, create, pass, candidates } = anEngine();
  create('1');
  const before = start();
  await before.createQueue(ref);
  await before.submit({ ...ref, pr: 1 });
  await before.settled();
  expect(await stateOf(before)).toBe('testing');
  host.deleteRepository(repo);
  create('2');

  const mq = start();
  await pass(mq, 3);
  const { status, queue } = await mq.getQueue(ref);
  const { statusReason } = queue;
  expect([status, statusReason?.code, await stateOf(mq)]).toEqual(['paused', 'REPOSITORY_GONE', 'testing']);
  expect(statusReason?.sentence).toMatch(/another repository now \(id 2, not 1\)/);
  await mq.updateQueue({ ...ref, state: 'running' });
  await pass(mq, 15);
  expect([await stateOf(mq), candidates()]).toEqual(['testing', []]);
});

test('a queue that is deleted and created again works in the repository that has the name now', async () => {
  const { host, start, create, pass, candidates } = anEngine();
  create('1');
  const mq = start();
  await mq.createQueue(ref);
  host.deleteRepository(repo);
  create('2');
  await expect(mq.submit({ ...ref, pr: 1 })).rejects.toMatchObject({
    message: expect.stringMatching(/another repository now/),
  });
  await mq.deleteQueue(ref);
  await mq.createQueue(ref);
  await mq.submit({ ...ref, pr: 1 });
  await pass(mq, 1);
  expect([await stateOf(mq), candidates().length]).toEqual(['testing', 1]);
});

test('a queue is found by the name of its repository', async () => {
  const { start, create } = anEngine();
  create('1');
  const mq = start();
  await mq.createQueue(ref);
  expect((await mq.listQueues({ repo })).items).toHaveLength(1);
  await expect(mq.createQueue(ref)).rejects.toMatchObject({ code: 'QUEUE_EXISTS' });
});

test('commands in comments work in the repository that has the name now', async () => {
  const { host, start, create, pass } = anEngine();
  create('1');
  const mq = start();
  await mq.createQueue(ref);
  await pass(mq, 1);
  host.deleteRepository(repo);
  const { discussion } = create('2');
  await mq.deleteQueue(ref);
  await mq.createQueue(ref);
  discussion.comment(1, '/mq merge', ada);
  await pass(mq, 1);
  expect(await stateOf(mq)).toBe('testing');
});

test('a command that waits is not carried out in another repository of the same name', async () => {
  const { host, commands, start, create, pass } = anEngine();
  const { discussion } = create('1');
  const mq = start();
  await mq.createQueue(ref);
  const comment = discussion.comment(1, '/mq merge', ada);
  await mq.notice({ repo, what: 'comment', pr: 1, comment });
  host.deleteRepository(repo);
  create('2');
  await mq.deleteQueue(ref);
  await mq.createQueue(ref);
  await pass(mq, 1);
  expect(await commands.due({ repo, at: Number.MAX_SAFE_INTEGER, limit: 1 })).toEqual([]);
  await expect(mq.getSubmission({ ...ref, pr: 1 })).rejects.toThrow('never submitted');
});

test('a command at a repository that is gone is given up after an hour', async () => {
  const { host, commands, start, create, pass } = anEngine();
  const { discussion } = create('1');
  const mq = start();
  await mq.createQueue(ref);
  const comment = discussion.comment(1, '/mq merge', ada);
  await mq.notice({ repo, what: 'comment', pr: 1, comment });
  host.deleteRepository(repo);
  await pass(mq, 58);
  expect(await commands.due({ repo, at: Number.MAX_SAFE_INTEGER, limit: 1 })).toHaveLength(1);
  await pass(mq, 4);
  expect(await commands.due({ repo, at: Number.MAX_SAFE_INTEGER, limit: 1 })).toEqual([]);
});
