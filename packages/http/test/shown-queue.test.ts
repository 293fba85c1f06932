import type { Readable } from 'node:stream';
import { watchUntilEnd } from '@mq/secret-watch';
import { expect, onTestFinished, test } from 'vitest';
import { engineWorld } from './engine-world.js';
import { type AskOptions, elsewhere, everything } from './world.js';

const shown = 'shownRepo=acme/widgets&shownRepoHost=fake.example&shownBranch=main';
const ofQueue = 'repo=acme/widgets&repoHost=fake.example&targetBranch=main';

/** A stream of a queue with one pull request under test. */
const world = async (settings: Parameters<typeof engineWorld>[0] = {}) => {
  const made = await engineWorld(settings);
  await made.q.submit(1);
  const follow = async (query: string, { token = everything.token, headers }: AskOptions = {}) => {
    const response = await made.api.app.inject({
      method: 'GET',
      url: `/v1/events?${query}`,
      payloadAsStream: true,
      headers: headers ?? (token === null ? {} : { 'x-api-token': token }),
    });
    const stream: Readable = response.stream();
    onTestFinished(() => void stream.destroy());
    let text = '';
    watchUntilEnd('a snapshot', () => text);
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    const snapshots = () =>
      [...text.matchAll(/^event: queue_snapshot\ndata: (.*)$/gm)].map(([, data = '']) => JSON.parse(data));
    return { status: response.statusCode, text: () => text, snapshots };
  };
  return { ...made, follow };
};

test('a stream brings the queue that it is to show: the same as getQueueSnapshot answers', async () => {
  const { ask, follow } = await world();
  const { snapshots } = await follow(shown);
  await expect.poll(snapshots).toHaveLength(1);
  expect(snapshots()).toEqual([(await ask('getQueueSnapshot', {})).json]);
});

test('a stream brings what has changed since the version that the client has', async () => {
  const { ask, q, follow } = await world();
  const { version } = (await ask('getQueueSnapshot', {})).json;
  await q.submit(2);
  await q.after('2s');
  const { snapshots } = await follow(`${shown}&shownVersion=${version}`);
  await expect.poll(snapshots).toHaveLength(1);
  expect(snapshots()[0].since).toBe(version);
  expect(snapshots()[0].pullRequests.rows).toContainEqual(expect.objectContaining({ prNumber: 2 }));
});

test('a stream refuses a shown queue that the token may not read, and without a token every queue that is not public', async () => {
  const { follow } = await world();
  const without = { headers: {} };
  expect((await follow(shown, { token: elsewhere.token })).status).toBe(403);
  expect((await follow(shown, without)).status).toBe(401);
  expect((await follow(`${ofQueue}&${shown}`, without)).status).toBe(401);
  expect((await follow(shown.replace('fake.example', 'nowhere.example'))).status).toBe(404);
});

test('a stream of a public queue without a token brings it without the ids of tokens, and no other queue', async () => {
  const { follow } = await world({ publicRead: true });
  const without = { headers: {} };
  const { snapshots, text } = await follow(`${ofQueue}&${shown}`, without);
  await expect.poll(snapshots).toHaveLength(1);
  expect(text()).not.toContain('tokenId');
  expect((await follow(`${ofQueue}&${shown.replace('=main', '=other')}`, without)).status).toBe(401);
});

test.each([
  ['shownRepo=acme/widgets', 'shownRepo'],
  ['shownVersion=a.1', 'shownRepo'],
  ['restMs=10001', 'restMs'],
  ['restMs=-1', 'restMs'],
  ['restMs=soon', 'restMs'],
])('a stream with %s is refused, and the answer names the field', async (query, field) => {
  const { follow } = await world();
  const { status, text } = await follow(query);
  await expect.poll(text).toContain(field);
  expect(status).toBe(400);
});
