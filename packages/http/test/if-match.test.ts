import { expect, test } from 'vitest';
import { engineWorld } from './engine-world.js';

test('an update with the current ETag changes the settings and answers the new ETag', async () => {
  const { ask } = await engineWorld();
  const read = String((await ask('getQueue')).headers.etag);

  const updated = await ask('updateQueue', { concurrency: 3 }, { headers: { 'if-match': read } });

  expect(updated.json.concurrency).toBe(3);
  expect(updated.headers.etag).not.toBe(read);
  expect((await ask('getQueue')).headers.etag).toBe(updated.headers.etag);
});

test('an update with the ETag of other settings answers 412 and changes nothing', async () => {
  const { ask } = await engineWorld();
  const read = String((await ask('getQueue')).headers.etag);
  await ask('updateQueue', { concurrency: 3 });

  const refused = await ask('updateQueue', { concurrency: 7 }, { headers: { 'if-match': read } });

  expect([refused.status, refused.json.code]).toEqual([412, 'SETTINGS_CHANGED']);
  expect((await ask('getQueue')).json.concurrency).toBe(3);
});

test('If-Match accepts several tags and the star, and a weak tag matches nothing', async () => {
  const { ask } = await engineWorld();
  const update = async (tag: string) =>
    (await ask('updateQueue', { batch: true }, { headers: { 'if-match': tag } })).status;
  const read = String((await ask('getQueue')).headers.etag);

  expect(await update(`W/${read}`)).toBe(412);
  expect(await update('nonsense')).toBe(412);
  expect(await update(`"another", ${read}`)).toBe(200);
  expect(await update('*')).toBe(200);
});
