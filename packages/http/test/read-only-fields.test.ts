import { describe, expect, test } from 'vitest';
import { engineWorld } from './engine-world.js';

describe('fields of a queue that only answers have', () => {
  test('a queue written back as it was read, with another setting, brings no warning', async () => {
    const { q, ask } = await engineWorld();
    await q.submit(1);
    const read = (await ask('getQueue')).json;
    const first = await ask('updateQueue', { ...read, concurrency: 7 });
    expect([first.status, first.json.concurrency, first.json.warnings]).toEqual([200, 7, undefined]);

    const second = await ask('updateQueue', { ...first.json, concurrency: 8 });
    expect([second.status, second.json.concurrency, second.json.warnings]).toEqual([200, 8, undefined]);
  });

  test('a read-only field is named in warnings, with the field to set instead, and so are those of a former queue', async () => {
    const { ask } = await engineWorld();
    const warned = async (name: string, body: object) =>
      (await ask(name, body)).json.warnings?.find(({ code }: { code: string }) => code === 'READ_ONLY_FIELD');

    expect(await warned('updateQueue', { activeMode: 'parallel', concurency: 7 })).toEqual({
      code: 'READ_ONLY_FIELD',
      sentence: 'Ignored, as only answers have it: "activeMode" (set mode instead).',
      fields: ['activeMode'],
    });
    const read = (await ask('getQueue')).json;
    await ask('deleteQueue');
    const again = await warned('createQueue', read);
    expect(again.fields).toEqual(expect.arrayContaining(['queueId', 'createdAt', 'enqueuedPullRequests']));
  });

  test('a misspelt field beside the fields of an answer is named in warnings', async () => {
    const { ask } = await engineWorld();
    const read = (await ask('getQueue')).json;
    const { json } = await ask('updateQueue', { ...read, concurency: 7 });
    expect(json.warnings).toMatchObject([{ code: 'UNKNOWN_FIELD', fields: ['concurency'] }]);
  });
});
