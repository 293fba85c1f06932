import { expect, test } from 'vitest';
import { engineWorld, pr } from './engine-world.js';

const sentencesOf = (json: { readonly changes: readonly { readonly sentence: string }[] }) =>
  json.changes.map(({ sentence }) => sentence);

test('the changes of a queue itself are listed newest first, with their actors, and without its pull requests', async () => {
  const { q, ask } = await engineWorld();
  const begin = new Date(q.world.clock.now()).toISOString();
  await q.after('10m');
  await ask('updateQueue', { concurrency: 3 });
  await ask('submitPullRequest', pr(1));
  await q.after('10m');
  const paused = new Date(q.world.clock.now()).toISOString();
  await ask('updateQueue', { state: 'paused' });

  const { json } = await ask('listQueueChanges');
  expect(sentencesOf(json)).toEqual([
    expect.stringMatching(/^The queue was paused by .+\.$/),
    expect.stringMatching(/^Set by .+: concurrency to 3\.$/),
    expect.stringMatching(/^The queue was created by .+\.$/),
  ]);
  expect(json.changes[0]).toMatchObject({
    ...{ timestamp: paused, kind: 'settings', actor: { kind: 'api', name: expect.any(String) } },
  });
  expect(sentencesOf((await ask('listQueueChanges', { since: paused })).json)).toHaveLength(1);
  expect(sentencesOf((await ask('listQueueChanges', { until: begin })).json)).toHaveLength(1);
});

test('the changes of a queue itself come in pages', async () => {
  const { ask } = await engineWorld();
  await ask('updateQueue', { state: 'paused' });
  const first = (await ask('listQueueChanges', { take: 1 })).json;
  expect(sentencesOf(first)).toEqual([expect.stringContaining('paused')]);
  const second = (await ask('listQueueChanges', { take: 1, cursor: first.nextCursor })).json;
  expect(sentencesOf(second)).toEqual([expect.stringContaining('created')]);
  expect(second.nextCursor).toBeUndefined();
});
