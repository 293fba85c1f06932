// Uploads of impacted targets by builds of forks, which have no token.
import type { MergeQueue } from '@mq/core';
import { expect, test } from 'vitest';
import type { Build, FindBuild } from '../src/index.js';
import { type AskOptions, apiWith, elsewhere, everything, queueRef, repo, scriptedQueue } from './world.js';

const sha = 'c'.repeat(40);
const build: Build = {
  ...{ isInProgress: true, event: 'pull_request', head: sha },
  headRepo: { ...repo, owner: 'stranger' },
};
const upload = { ...queueRef, pr: { number: 1, sha }, impactedTargets: ['//app'] };
const asBuild = (id = '71', headers: AskOptions['headers'] = {}): AskOptions => ({
  token: null,
  headers: { 'x-forked-workflow-run-id': id, ...headers },
});

/** An API whose code host has the build 71, unless another is given. */
const world = async (
  found: Build | null = build,
  findBuild: FindBuild = async (_, id) => (id === '71' ? found : null),
) => {
  const setImpactedTargets: MergeQueue['setImpactedTargets'] = async (request) =>
    ({ ...request, sha: request.sha ?? sha, targets: request.impactedTargets, warnings: [] }) as never;
  const { mq, asked } = scriptedQueue({ setImpactedTargets });
  const rates = { perToken: 100, perAddress: 100, anonymous: 100, failedTries: 5 };
  const api = await apiWith({ mq, findBuild, rates });
  return { api, asked, send: (options?: AskOptions) => api.post('setImpactedTargets', upload, options) };
};

test('a running build of a fork uploads targets without a token, and they count as those of a fork', async () => {
  const { asked, send } = await world();
  const { status, json } = await send(asBuild());
  expect([status, json.impactedTargetsCount]).toEqual([200, 1]);
  expect(asked.map(({ request }) => request)).toEqual([
    expect.objectContaining({
      ...{ pr: 1, sha, impactedTargets: ['//app'], source: 'fork' },
      actor: { kind: 'api', id: 'fork-build/71', name: 'a build of a fork' },
    }),
  ]);
});

test.each<[string, Build | null]>([
  ['does not exist', null],
  ['has ended', { ...build, isInProgress: false }],
  ['was started by a push', { ...build, event: 'push' }],
  ['comes from the repository itself', { ...build, headRepo: repo }],
  ['is of another commit', { ...build, head: 'd'.repeat(40) }],
])('a build that %s is refused like a missing token', async (_, found) => {
  const { api, asked, send } = await world(found);
  const refused = await send(asBuild());
  const missing = await api.post('setImpactedTargets', upload, { token: null });
  expect({ ...refused.json, instance: '' }).toEqual({ ...missing.json, instance: '' });
  expect([refused.status, asked]).toEqual([401, []]);
});

test('an upload of a build without a head is refused', async () => {
  const { api, asked } = await world();
  const { status } = await api.post('setImpactedTargets', { ...upload, pr: { number: 1 } }, asBuild());
  expect([status, asked]).toEqual([401, []]);
});

test.each(['', '7a', '-1', '1'.repeat(21)])(
  'the build "%s" is refused before the body is read',
  async (id) => {
    const { api } = await world();
    expect((await api.post('setImpactedTargets', '{', asBuild(id))).status).toBe(401);
  },
);

test('a build opens no other operation, and none if the service sees no builds', async () => {
  const { api } = await world();
  for (const name of ['submitPullRequest', 'getSubmittedPullRequest', 'cancelPullRequest'])
    expect([name, (await api.post(name, upload, asBuild())).status]).toEqual([name, 401]);
  const blind = await apiWith({});
  expect((await blind.post('setImpactedTargets', upload, asBuild())).status).toBe(401);
});

test('a token wins over a build, and one that is not valid is refused beside it', async () => {
  const { asked, send } = await world();
  expect((await send(asBuild('71', { 'x-api-token': everything.token }))).status).toBe(200);
  expect(asked.map(({ request }) => request)).toEqual([expect.objectContaining({ source: 'trusted' })]);
  expect((await send(asBuild('71', { 'x-api-token': elsewhere.token }))).status).toBe(403);
  expect((await send(asBuild('71', { authorization: 'Bearer none' }))).status).toBe(401);
  expect((await send(asBuild('71', { 'x-api-token': '' }))).status).toBe(200);
});

test('an address uploads for one build at a time, and for few in a minute', async () => {
  let show: (found: Build) => void = () => undefined;
  const shown = new Promise<Build>((resolve) => {
    show = resolve;
  });
  const { send } = await world(build, () => shown);
  const first = send(asBuild());
  const second = await send(asBuild());
  expect([second.status, second.json.code]).toEqual([503, 'OVERLOADED']);
  show(build);
  expect((await first).status).toBe(200);
  const statuses = [];
  for (let more = 0; more < 4; more += 1) statuses.push((await send(asBuild())).status);
  expect(statuses).toEqual([200, 200, 200, 429]);
});

test('a code host that does not answer causes 503', async () => {
  const { asked, send } = await world(build, async () => {
    throw new Error('down');
  });
  const { status, json } = await send(asBuild());
  expect([status, json.code, asked]).toEqual([503, 'HOST_UNREACHABLE', []]);
});
