import { memoryStore } from '@mq/store-memory';
import { fakeHost, virtualClock } from '@mq/testkit';
import { expect, test } from 'vitest';
import { faultyStore, lostBefore } from '../test/engine-world.js';
import { createMergeQueue } from './create-merge-queue.js';

test('a logger that throws keeps no queue from being decided', async () => {
  const clock = virtualClock();
  const host = fakeHost({ clock });
  const repo = { host: 'fake.example', owner: 'acme', name: 'widgets' };
  host.createRepository({ ref: repo }).openPullRequest({ number: 1 });
  const { store, next } = faultyStore(memoryStore({ clock }));
  const full = (): never => {
    throw new Error('the disk of the log is full');
  };
  const logger = { debug: full, info: full, warn: full, error: full };
  const mq = createMergeQueue({ store, hosts: { [repo.host]: host }, clock, logger });
  await mq.createQueue({ repo, targetBranch: 'main', requiredStatuses: ['test'] });
  next('commit', lostBefore, lostBefore, lostBefore);

  await expect(mq.submit({ repo, targetBranch: 'main', pr: 1 })).rejects.toThrow(/could not be made out/);

  expect(await mq.submit({ repo, targetBranch: 'main', pr: 1 })).toMatchObject({ submission: { pr: 1 } });
}, 5_000);
