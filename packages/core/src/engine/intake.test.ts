import { aQueue, aRepo, BUILT_AT, queueIdOf } from '@mq/testkit';
import { expect, test } from 'vitest';
import { engineWorld } from '../../test/engine-world.js';
import { takeHint } from './intake.js';

test('hints about different things wait independently', async () => {
  const { memory } = await engineWorld();

  for (const what of ['branch', 'checks', 'pull_requests'] as const)
    await takeHint(memory, { repo: aRepo, what });

  const delta = await memory.load(queueIdOf(1), 0, { prs: [], inputIds: [] });
  expect(delta?.inbox.map((fact) => fact.type === 'noticed' && fact.what)).toEqual([
    'branch',
    'checks',
    'pull_requests',
  ]);
});

test('hints about different pull requests wait independently, and those about one are one', async () => {
  const { memory } = await engineWorld();

  for (const pr of [1, 2, 1]) await takeHint(memory, { repo: aRepo, what: 'pull_requests', pr });

  const delta = await memory.load(queueIdOf(1), 0, { prs: [], inputIds: [] });
  expect(delta?.inbox.map((fact) => fact.type === 'noticed' && fact.pr)).toEqual([1, 2]);
});

test('a hint makes every queue of the repository poll once, and no other queue', async () => {
  const { memory } = await engineWorld();
  await memory.createQueue(aQueue({ id: queueIdOf(2), branch: 'next' }), BUILT_AT, null);
  await memory.createQueue(aQueue({ id: queueIdOf(3), repo: { ...aRepo, name: 'other' } }), BUILT_AT, null);

  await takeHint(memory, { repo: aRepo, what: 'checks' });
  await takeHint(memory, { repo: aRepo, what: 'checks' });

  const inboxes = await Promise.all(
    [1, 2, 3].map(async (n) => (await memory.load(queueIdOf(n), 0, { prs: [], inputIds: [] }))?.inbox),
  );
  expect(inboxes.map((inbox) => inbox?.map((fact) => fact.type === 'noticed' && fact.what))).toEqual([
    ['checks'],
    ['checks'],
    [],
  ]);
});
