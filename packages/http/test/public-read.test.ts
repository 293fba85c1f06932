import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { operations } from '../src/routes.js';
import { engineWorld } from './engine-world.js';
import { apiWith, queueRef, readOnly, validRequests } from './world.js';

const withoutToken = { token: null };
const events = 'events?repo=acme/widgets&repoHost=fake.example&targetBranch=main';
const badge = 'badge/fake.example/acme/widgets/main.svg';

test('without a token only the reads of the public page answer, whatever the queue allows', async () => {
  const { q, api } = await engineWorld({ publicRead: true });
  await q.submit(1);
  const open: string[] = [];
  for (const { name, writes } of operations) {
    const { status } = await api.post(name, validRequests[name], withoutToken);
    expect([name, [200, 401]]).toEqual([name, expect.arrayContaining([status])]);
    if (status === 200) open.push(name);
    if (writes) expect([name, status]).toEqual([name, 401]);
  }
  expect(open.sort()).toEqual([
    'getPullRequestTimeline',
    'getQueueAt',
    'getQueueSnapshot',
    'getQueueStatistics',
  ]);
  expect((await api.get('getMergeQueueMetrics', withoutToken)).status).toBe(401);
});

test('a queue that is not public gets the same 401 as one that does not exist, from every read of the page', async () => {
  const { q, api } = await engineWorld();
  await q.submit(1);
  const elsewhere = { ...queueRef, repo: { ...queueRef.repo, host: 'git.wrong.example' } };
  for (const { name, opensPublicly } of operations) {
    if (opensPublicly !== true) continue;
    const answers = [queueRef, { ...queueRef, targetBranch: 'none' }, elsewhere].map((ref) =>
      api.post(name, { ...validRequests[name], ...ref }, withoutToken),
    );
    for (const { status, json } of await Promise.all(answers))
      expect([name, status, json.code]).toEqual([name, 401, 'UNAUTHORIZED']);
  }
  for (const path of [events, badge, badge.replace('main', 'none')])
    expect((await api.app.inject({ url: `/v1/${path}` })).statusCode).toBe(401);
});

test('a wrong token is refused by a public queue, and not taken for none', async () => {
  const { api } = await engineWorld({ publicRead: true });
  for (const headers of [
    { 'x-api-token': 'wrong' },
    { authorization: 'Bearer wrong' },
    { authorization: 'Basic x' },
  ])
    expect((await api.post('getQueueSnapshot', queueRef, { token: null, headers })).status).toBe(401);
});

test('without a token only small bodies and streams of one named queue are accepted', async () => {
  const { api } = await engineWorld({ publicRead: true });
  const large = { ...queueRef, padding: 'x'.repeat(10_000) };
  expect((await api.post('getQueueSnapshot', large, withoutToken)).status).toBe(401);
  for (const path of ['events', 'events?repo=acme/widgets&repoHost=fake.example'])
    expect((await api.get(path, withoutToken)).status).toBe(401);
});

test('answers without a token contain no token ids', async () => {
  const { q, api, ask } = await engineWorld({ publicRead: true });
  await q.opens({ number: 1 });
  await ask('submitPullRequest', { pr: { number: 1 } });
  await ask('updateQueue', { state: 'paused', stateReason: 'release day' });
  await q.after('2s');
  for (const [name, body] of [
    ['getQueueSnapshot', queueRef],
    ['getPullRequestTimeline', { ...queueRef, pr: { number: 1 } }],
  ] as const) {
    expect((await api.post(name, body)).text).toContain('"tokenId":"token-1"');
    expect((await api.post(name, body, withoutToken)).text).not.toContain('tokenId');
  }
});

test('the timeline of a deleted queue of the branch needs a token', async () => {
  const { q, api, ask } = await engineWorld({ publicRead: true });
  await q.submit(1);
  const { queueId } = (await ask('getQueue')).json;
  const body = { ...queueRef, pr: { number: 1 }, queueId };
  expect((await api.post('getPullRequestTimeline', body)).status).toBe(200);
  expect((await api.post('getPullRequestTimeline', body, withoutToken)).status).toBe(401);
});

test('a badge shows the state and the length of the line, and answers 304 to a client that has it', async () => {
  const { q, api } = await engineWorld({ publicRead: true, concurrency: 1 });
  await q.submit(1, 2);
  const first = await api.app.inject({ url: `/v1/${badge}` });
  expect([first.statusCode, first.headers['content-type'], first.headers['cache-control']]).toEqual([
    ...[200, 'image/svg+xml; charset=utf-8', 'public, max-age=30'],
  ]);
  expect(first.body).toContain('aria-label="merge queue: running, 2 in line"');

  const again = await api.app.inject({
    url: `/v1/${badge}`,
    headers: { 'if-none-match': `W/${first.headers.etag}` },
  });
  expect([again.statusCode, again.body]).toEqual([304, '']);
  await q.pauses();
  await q.after('2s');
  const changed = await api.app.inject({
    url: `/v1/${badge}`,
    headers: { 'if-none-match': String(first.headers.etag) },
  });
  expect(changed.body).toContain('merge queue: paused, 2 in line');
});

test('a badge of a private queue needs a token that may read it', async () => {
  const { api } = await engineWorld();
  const withToken = async (path: string, token: string) =>
    api.app.inject({ url: `/v1/${path}`, headers: { 'x-api-token': token } });
  const answer = await withToken(badge, readOnly.token);
  expect([answer.statusCode, answer.headers['cache-control']]).toEqual([200, 'private, max-age=30']);
  for (const [path, status] of [
    [badge.replace('main.svg', 'none.svg'), 404],
    [badge.replace('.svg', ''), 400],
    [badge.replace('main.svg', '.svg'), 400],
    [badge.replace('main', 'a%0Ab'), 400],
  ] as const)
    expect([path, (await withToken(path, readOnly.token)).statusCode]).toEqual([path, status]);
  expect(
    (
      await api.app.inject({
        method: 'POST',
        url: `/v1/${badge}`,
        headers: { 'x-api-token': readOnly.token },
      })
    ).statusCode,
  ).toBe(405);
});

test('an address that reads too often without a token gets 429, but a token is still served', async () => {
  const { q } = await engineWorld({ publicRead: true });
  const rates = { perToken: 1_000, perAddress: 1_000, anonymous: 3, failedTries: 1_000 };
  const api = await apiWith({ mq: q.world.mq, rates });
  const asked = [];
  for (let made = 0; made < 4; made += 1)
    asked.push(await api.post('getQueueSnapshot', queueRef, withoutToken));
  expect(asked.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
  expect(asked[3]?.json.code).toBe('RATE_LIMITED');
  expect(asked[3]?.json.detail).toContain('Use a token');
  expect(Number(asked[3]?.headers['retry-after'])).toBeGreaterThan(0);
  expect((await api.app.inject({ url: `/v1/${badge}` })).statusCode).toBe(429);
  expect((await api.app.inject({ url: `/v1/${events}` })).statusCode).toBe(429);
  expect((await api.post('getQueueSnapshot', queueRef)).status).toBe(200);
});

test('a stream without a token ends when its queue becomes private', async () => {
  const { q, api, ask } = await engineWorld({ publicRead: true });
  const response = await api.app.inject({ url: `/v1/${events}`, payloadAsStream: true });
  const stream = response.stream();
  onTestFinished(() => void stream.destroy());
  const ended = once(stream.resume(), 'close');
  await q.submit(1);
  expect([response.statusCode, stream.closed]).toEqual([200, false]);
  await ask('updateQueue', { publicRead: false });
  await ended;
  expect((await api.app.inject({ url: `/v1/${events}` })).statusCode).toBe(401);
});
