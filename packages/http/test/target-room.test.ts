import { createMergeQueue } from '@mq/core';
import { memoryStore } from '@mq/store-memory';
import { fakeHost, virtualClock } from '@mq/testkit';
import { expect, test } from 'vitest';
import { apiWith, queueRef, repo } from './world.js';

/** A queue whose repository may store 10,000 bytes of targets. Only the first of its pull requests is in the queue. */
const world = async () => {
  const clock = virtualClock();
  const host = fakeHost({ clock });
  const repository = host.createRepository({ ref: repo });
  for (const number of [1, 2, 3]) repository.openPullRequest({ number });
  const mq = createMergeQueue({
    store: memoryStore({ clock }),
    hosts: { [repo.host]: host },
    clock,
    targetBytesLimit: 10_000,
  });
  const api = await apiWith({ mq });
  const ask = (name: string, body: object) => api.post(name, { ...queueRef, ...body });
  await ask('createQueue', { requiredStatuses: ['test'], mode: 'parallel' });
  await ask('submitPullRequest', { pr: { number: 1 } });
  const upload = (number: number, impactedTargets: unknown) =>
    ask('setImpactedTargets', { pr: { number }, impactedTargets });
  return { upload, ask };
};

const list = (count: number) =>
  Array.from({ length: count }, (_, index) => `//app/${index}`.padEnd(1_000, '-'));

test('a list of targets beyond the quota of its repository gets 409, and one that fits is stored', async () => {
  const { upload } = await world();
  const refused = await upload(1, list(11));
  expect([refused.status, refused.json.code]).toEqual([409, 'TARGETS_FULL']);
  expect(refused.json.detail).toContain('"ALL"');
  expect((await upload(1, list(7))).status).toBe(200);
});

test('ALL and the empty list are stored even if the quota of targets is used up', async () => {
  const { upload } = await world();
  await upload(1, list(9));
  expect((await upload(2, list(3))).json.code).toBe('TARGETS_FULL');
  expect((await upload(2, 'ALL')).status).toBe(200);
  expect((await upload(3, [])).status).toBe(200);
});

test('targets of pull requests outside the queue are evicted for others', async () => {
  const { upload } = await world();
  for (const number of [2, 3, 2, 3]) expect((await upload(number, list(7))).status).toBe(200);
});

test('a diagnosis names a quota of targets that pull requests in the queue hold nine tenths of', async () => {
  const { upload, ask } = await world();
  const found = async (): Promise<readonly string[]> =>
    (await ask('diagnose', {})).json.findings
      .filter(({ code }: { code: string }) => code === 'TARGETS_NEAR_LIMIT')
      .map(({ sentence }: { sentence: string }) => sentence);
  // Those of pull requests outside the queue make room for others.
  await upload(2, list(9));
  expect(await found()).toEqual([]);
  await upload(1, list(9));
  expect(await found()).toEqual([expect.stringMatching(/hold 9\d\d\d of 10000 bytes of impacted targets/)]);
});
