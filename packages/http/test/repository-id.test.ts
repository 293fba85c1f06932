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
