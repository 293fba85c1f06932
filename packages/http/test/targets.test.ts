import { type SetImpactedTargetsRequest, TARGET_CHARS_LIMIT, TARGETS_LIMIT } from '@mq/core';
import { shaOf } from '@mq/testkit';
import { expect, test } from 'vitest';
import { apiWith, queueRef, scriptedQueue } from './world.js';

const setup = async () => {
  const { mq, asked } = scriptedQueue({
    setImpactedTargets: async ({ impactedTargets, sha }: SetImpactedTargetsRequest) => ({
      sha: sha ?? shaOf(9),
      impactedTargets,
      warnings: [],
    }),
  });
  return { ...(await apiWith({ mq })), asked };
};

const body = (impactedTargets: unknown, pr: object = { number: 7 }) => ({ ...queueRef, pr, impactedTargets });

test.each([
  [
    ['//b', '//a'],
    ['//b', '//a'],
  ],
  [[], []],
  ['ALL', 'ALL'],
  ['IMPACTS_ALL', 'ALL'],
])('setImpactedTargets accepts %j', async (sent, meant) => {
  const { post, asked } = await setup();
  const { json } = await post('setImpactedTargets', body(sent));
  expect(json).toEqual({
    prNumber: 7,
    prSha: shaOf(9),
    impactedTargetsCount: meant === 'ALL' ? null : meant.length,
    impactedTargets: meant,
  });
  expect(asked[0]?.request).toMatchObject({ pr: 7, impactedTargets: meant, source: 'trusted' });
  expect(asked[0]?.request).not.toHaveProperty('sha');
});

test('setImpactedTargets accepts a head and a number given as a string of digits', async () => {
  const { post, asked } = await setup();
  const { json } = await post('setImpactedTargets', body(['//a'], { number: '7', sha: shaOf(4) }));
  expect(json.prSha).toBe(shaOf(4));
  expect(asked[0]?.request).toMatchObject({ pr: 7, sha: shaOf(4) });
});

test.each([
  ['NONE', 'impactedTargets', 'must be a list of strings, or "ALL"'],
  [null, 'impactedTargets', 'must be a list of strings, or "ALL"'],
  [{ 0: '//a' }, 'impactedTargets', 'must be a list of strings, or "ALL"'],
  [['//a', 7], 'impactedTargets[1]', 'must be text, not 7'],
  [
    ['x'.repeat(TARGET_CHARS_LIMIT + 1)],
    'impactedTargets[0]',
    `must have at most ${TARGET_CHARS_LIMIT} characters, not ${TARGET_CHARS_LIMIT + 1}`,
  ],
])('setImpactedTargets answers 400 for %j', async (sent, path, message) => {
  const { post, asked } = await setup();
  const answer = await post('setImpactedTargets', body(sent));
  expect(answer.status).toBe(400);
  expect(answer.json.errors).toEqual([{ path, message }]);
  expect(asked).toEqual([]);
});

test('a list of targets at its limit is accepted, and one element more gets 400', async () => {
  const { post } = await setup();
  const targets = Array.from({ length: TARGETS_LIMIT }, (_, index) => `//t${index}`);
  expect((await post('setImpactedTargets', body(targets))).status).toBe(200);
  const answer = await post('setImpactedTargets', body([...targets, '//one-more']));
  expect(answer.status).toBe(400);
  expect(answer.json.errors).toEqual([
    { path: 'impactedTargets', message: `must not have more than ${TARGETS_LIMIT} elements` },
  ]);
});

test('an answer lists at most a hundred faults, and the number of the others', async () => {
  const { post } = await setup();
  const answer = await post('setImpactedTargets', body(Array.from({ length: 5000 }, () => 1)));
  expect(answer.json.errors).toHaveLength(101);
  expect(answer.json.errors.at(-1)).toEqual({ path: '', message: 'and 4900 more faults' });
  const hundred = await post('setImpactedTargets', body(Array.from({ length: 100 }, () => 1)));
  expect(hundred.json.errors).toHaveLength(100);
});
