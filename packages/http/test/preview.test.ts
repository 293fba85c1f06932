import { expect, test } from 'vitest';
import { engineWorld } from './engine-world.js';

test('a preview of a submit shows what it would start, and submits nothing', async () => {
  const { q, ask } = await engineWorld();
  await q.opens(1);

  const previewed = await ask('preview', { operation: 'submitPullRequest', pr: { number: 1 } });

  expect(previewed.status).toBe(200);
  expect(previewed.json).toMatchObject({
    refusal: null,
    started: [{ purpose: 'test', prNumbers: [1], testedOnTopOf: [] }],
    positions: [{ prNumber: 1, from: null, to: 1 }],
    ciMinutesLost: 0,
  });
  expect((await ask('getQueue')).json.enqueuedPullRequests).toEqual([]);
});

test('a preview of a command that would be refused has the code of the refusal', async () => {
  const { ask } = await engineWorld();

  const previewed = await ask('preview', { operation: 'cancelPullRequest', pr: { number: 1 } });

  expect(previewed.status).toBe(200);
  expect(previewed.json.refusal).toMatchObject({ code: 'NOT_SUBMITTED' });
  expect(previewed.json.movesCount).toBe(0);
});

test('a preview names an unknown field of the operation that it previews', async () => {
  const { ask } = await engineWorld();

  const previewed = await ask('preview', { operation: 'updateQueue', concurency: 3 });

  expect(previewed.json.warnings).toMatchObject([{ code: 'UNKNOWN_FIELD', fields: ['concurency'] }]);
});

test('a preview of an unknown operation is refused with the names of the known ones', async () => {
  const { ask } = await engineWorld();

  const refused = await ask('preview', { operation: 'deleteQueue' });

  expect(refused.status).toBe(400);
  expect(JSON.stringify(refused.json)).toContain('updateQueue');
});
