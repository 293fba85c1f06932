import { memoryStore } from '@mq/store-memory';
import { fakeHost, virtualClock } from '@mq/testkit';
import { expect, test } from 'vitest';
import { ref, repo } from '../../test/queue-on.js';
import { createMergeQueue } from './create-merge-queue.js';

const anEngine = (isPublic: boolean | null) => {
  const clock = virtualClock();
  const host = fakeHost({ clock });
  host.createRepository({ ref: repo, isPublic });
  return createMergeQueue({ store: memoryStore({ clock }), hosts: { [repo.host]: host }, clock });
};

const refusal = {
  code: 'INVALID_SETTINGS',
  message: expect.stringMatching(/allowPublicForkTargets: true/),
  faults: [expect.objectContaining({ path: ['trustForkTargets'] })],
};

test('trust in the targets of forks has to be confirmed for a public repository, once', async () => {
  const mq = anEngine(true);
  await expect(mq.createQueue({ ...ref, trustForkTargets: true })).rejects.toMatchObject(refusal);
  await mq.createQueue(ref);
  const trusting = { ...ref, trustForkTargets: true };
  await expect(mq.updateQueue(trusting)).rejects.toMatchObject(refusal);
  await expect(mq.preview({ operation: 'updateQueue', ...trusting })).rejects.toMatchObject(refusal);
  expect((await mq.getQueue(ref)).queue.settings.trustForkTargets).toBe(false);

  const { warnings } = await mq.updateQueue({ ...trusting, allowPublicForkTargets: true });
  expect(warnings.map(({ code }) => code)).toEqual(['FORK_TARGETS_TRUSTED']);
  const { queue } = await mq.updateQueue({ ...trusting, concurrency: 2 });
  expect([queue.settings.trustForkTargets, queue.settings.concurrency]).toEqual([true, 2]);
  await mq.updateQueue({ ...ref, trustForkTargets: false });
  await expect(mq.updateQueue(trusting)).rejects.toMatchObject(refusal);
});

test.each([false, null])(
  'trust in the targets of forks needs no confirmation for a repository whose isPublic is %s',
  async (isPublic) => {
    const { queue } = await anEngine(isPublic).createQueue({ ...ref, trustForkTargets: true });
    expect(queue.settings.trustForkTargets).toBe(true);
  },
);
