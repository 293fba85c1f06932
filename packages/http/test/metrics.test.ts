import { MergeQueueError } from '@mq/core';
import { expect, test } from 'vitest';
import { apiWith, scriptedQueue } from './world.js';

const text = '# HELP mq_depth_current PRs currently in the queue\n';

const setup = async () => {
  const { mq, asked } = scriptedQueue({ metrics: async () => text });
  return { ...(await apiWith({ mq })), asked };
};

test('metrics are answered in the text exposition format', async () => {
  const { get, asked } = await setup();
  const answer = await get('getMergeQueueMetrics');
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(answer.text).toBe(text);
  expect(asked[0]?.request).toEqual({});
});

test('metrics of one repository are selected by host, owner and name; an owner may contain slashes', async () => {
  const { get, asked } = await setup();
  await get('getMergeQueueMetrics?repo=acme%2Fwidgets&repoHost=fake.example');
  await get('getMergeQueueMetrics?repo=group/sub/widgets&repoHost=fake.example&unknown=1');
  expect(asked.map(({ request }) => request)).toEqual([
    { repo: { host: 'fake.example', owner: 'acme', name: 'widgets' } },
    { repo: { host: 'fake.example', owner: 'group/sub', name: 'widgets' } },
  ]);
});

test.each([
  'repo=acme/widgets',
  'repoHost=fake.example',
  'repo=widgets&repoHost=fake.example',
  'repo=/widgets&repoHost=fake.example',
  'repo=acme/&repoHost=fake.example',
  'repo=acme/widgets&repo=acme/gadgets&repoHost=fake.example',
  'repo=acme/wid%0Agets&repoHost=fake.example',
  'repo=&repoHost=',
])('T-O12 ?%s gets 400 as plain text', async (query) => {
  const { get, asked } = await setup();
  const answer = await get(`getMergeQueueMetrics?${query}`);
  expect(answer.status).toBe(400);
  expect(answer.headers['content-type']).toBe('application/plain-text; charset=utf-8');
  expect(answer.text).toContain('repo');
  expect(asked).toEqual([]);
});

test.each([
  ['repo=acme/widgets', 'The request is not valid: repoHost is required if repo is given.'],
  ['repoHost=fake.example', 'The request is not valid: repo is required if repoHost is given.'],
])('?%s gets an error that names what is missing', async (query, words) => {
  const { get } = await setup();
  expect((await get(`getMergeQueueMetrics?${query}`)).text).toBe(words);
});

test('T-O12 metrics of an unknown repository get 404, and without a token 401, as plain text', async () => {
  const { mq } = scriptedQueue({
    metrics: async () => {
      throw new MergeQueueError('REPOSITORY_NOT_FOUND', 'There is no queue of acme/none.');
    },
  });
  const { get } = await apiWith({ mq });
  const unknown = await get('getMergeQueueMetrics?repo=acme/none&repoHost=fake.example');
  expect([unknown.status, unknown.headers['content-type']]).toEqual([
    404,
    'application/plain-text; charset=utf-8',
  ]);
  expect(unknown.text).toMatch(/^There is no queue of acme\/none\./);
  expect((await get('getMergeQueueMetrics', { token: null })).status).toBe(401);
});
