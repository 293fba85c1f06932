import { createMergeQueue, type InboundEvent } from '@mq/core';
import { memoryStore } from '@mq/store-memory';
import { aRepo, fakeHost, pagedStore, virtualClock } from '@mq/testkit';
import { expect, test } from 'vitest';
import { hintAtChecks } from './hint-at-checks.js';

test('the checks of each repository are read once at the start, also of those on later pages of the list', async () => {
  const clock = virtualClock();
  const host = fakeHost({ clock });
  const store = pagedStore(memoryStore({ clock }), 1);
  const mq = createMergeQueue({ store, hosts: { [aRepo.host]: host }, clock });
  const repos = ['widgets', 'gadgets', 'tools'].map((name) => ({ ...aRepo, name }));
  for (const repo of repos) {
    host.createRepository({ ref: repo }).createBranch('release', 'main');
    for (const branch of ['main', 'release']) await mq.createQueue({ repo, targetBranch: branch });
  }

  const hinted: InboundEvent[] = [];
  await hintAtChecks({
    listQueues: (where) => mq.listQueues(where),
    notice: async (event) => void hinted.push(event),
  });

  const names = hinted.map(({ repo, what }) => `${repo.name} ${what}`).sort();
  expect(names).toEqual(['gadgets checks', 'tools checks', 'widgets checks']);
  await mq.close();
});
