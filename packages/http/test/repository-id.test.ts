import { createMergeQueue } from '@mq/core';
import { memoryStore } from '@mq/store-memory';
import { fakeHost, virtualClock } from '@mq/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { pr } from './engine-world.js';
import { apiWith, queueRef, repo } from './world.js';

test("no answer shows the code host's id of a repository", async () => {
  const clock = virtualClock();
  const host = fakeHost({ clock });
  host.createRepository({ ref: { ...repo, id: 'id-4711' } }).openPullRequest({ number: 1 });
  const mq = createMergeQueue({ store: memoryStore({ clock }), hosts: { [repo.host]: host }, clock });
  onTestFinished(() => mq.close());
  const api = await apiWith({ mq });
  const answers = [
    await api.post('createQueue', queueRef),
    await api.post('submitPullRequest', { ...queueRef, ...pr(1) }),
    await api.post('getQueue', queueRef),
    await api.post('listQueues', { repo }),
    await api.post('getQueueSnapshot', queueRef),
    await api.post('getSubmittedPullRequest', { ...queueRef, ...pr(1) }),
  ];
  expect((await mq.getQueue(queueRef)).queue.repo.id).toBe('id-4711');
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(JSON.stringify(answers)).not.toContain('4711');
});

test('a name that means another repository now is refused until its queue is deleted and created again', async () => {
  const clock = virtualClock();
  const host = fakeHost({ clock, ignoresCase: true });
  host.createRepository({ ref: { ...repo, id: 'id-1' } }).openPullRequest({ number: 1 });
  const mq = createMergeQueue({ store: memoryStore({ clock }), hosts: { [repo.host]: host }, clock });
  onTestFinished(() => mq.close());
  const api = await apiWith({ mq });
  const ask = async (name: string, body: object = {}) => {
    const { status, json } = await api.post(name, { ...queueRef, ...body });
    return [status, json.code ?? null, json.detail ?? ''];
  };
  await ask('createQueue');
  await ask('submitPullRequest', pr(1));
  host.deleteRepository(repo);
  host.createRepository({ ref: { ...repo, owner: 'ACME', id: 'id-2' } }).openPullRequest({ number: 1 });

  const refused = [503, 'HOST_UNREACHABLE', expect.stringMatching(/another repository now/)];
  expect(await ask('submitPullRequest', pr(1))).toEqual(refused);
  expect(await ask('createQueue', { targetBranch: 'main' })).toEqual([
    409,
    'QUEUE_EXISTS',
    expect.any(String),
  ]);
  expect(await ask('updateQueue', { state: 'running' })).toEqual([200, null, '']);
  expect(await ask('submitPullRequest', pr(1))).toEqual(refused);
  expect((await ask('deleteQueue'))[1]).toBe('QUEUE_NOT_EMPTY');

  expect((await ask('cancelPullRequest', pr(1)))[0]).toBe(200);
  expect((await ask('deleteQueue'))[0]).toBe(200);
  expect((await ask('createQueue'))[0]).toBe(200);
  expect((await ask('submitPullRequest', pr(1)))[0]).toBe(200);
  expect((await mq.getQueue(queueRef)).queue.repo).toMatchObject({ owner: 'ACME', id: 'id-2' });
});
