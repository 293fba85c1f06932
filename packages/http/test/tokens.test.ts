import { bootstrapHolder, scopes, type TokenId, tokenKeeper } from '@mq/core';
import { memoryServiceStore } from '@mq/store-memory';
import { story, virtualClock } from '@mq/testkit';
import fastify from 'fastify';
import { describe, expect, onTestFinished, test } from 'vitest';
import { keeperAuthenticator, mergeQueueApi, recommendedServerOptions } from '../src/index.js';
import { type Answer, type Api, apiWith, pathsOf, queueRef, repo, scriptedQueue } from './world.js';

const BOOTSTRAP = 'the-token-of-the-configuration';
const gadgets = { ...repo, name: 'gadgets' };

const keeperOn = (store = memoryServiceStore(), clock = virtualClock()) => {
  const keeper = tokenKeeper({ store, canonicalRepo: (one) => one, clock });
  return { store, clock, options: { tokens: keeper, authenticate: keeperAuthenticator(keeper, BOOTSTRAP) } };
};

/** An API with a token keeper. Requests use the bootstrap token unless another is given. */
const world = async (mq = scriptedQueue({ listQueues: async () => ({ items: [], next: null }) }).mq) => {
  const clock = virtualClock();
  const { options, store } = keeperOn(memoryServiceStore({ clock }), clock);
  const api = await apiWith({ ...options, mq });
  const ask = (name: string, body: object = {}, token = BOOTSTRAP) => api.post(name, body, { token });
  const make = async (body: object = {}, token = BOOTSTRAP): Promise<Answer['json']> => {
    const answer = await ask('createToken', { name: 'ci', scopes: ['read'], ...body }, token);
    expect(answer.status, answer.text).toBe(200);
    return answer.json;
  };
  return { api, ask, make, clock, store };
};

describe('createToken', () => {
  test('createToken answers a working token, shown only once, with its rights', async () => {
    const { ask, make } = await world();
    const made = await make({ name: 'ci', scopes: ['read', 'submit'], repositories: [repo], person: 'ada' });
    expect(made).toMatchObject({
      ...{ name: 'ci', person: 'ada', reporter: 'ci', scopes: ['read', 'submit'], repositories: [repo] },
      ...{ checks: null, state: 'active', madeByTokenId: 'bootstrap', lastUsedAt: null, revoked: null },
    });
    expect(made.token).toMatch(/^mqt_[0-9A-Za-z]{36}$/);
    expect(made.prefix).toBe(made.token.slice(0, 8));
    expect((await ask('whoami', {}, made.token)).json).toEqual({
      ...{ tokenId: made.tokenId, isBootstrap: false, name: 'ci', person: 'ada', reporter: 'ci' },
      ...{ scopes: ['read', 'submit'], repositories: [repo], checks: null, expiresAt: made.expiresAt },
    });
    expect((await ask('listTokens')).text).not.toContain(made.token);
  });

  test('createToken refuses rights beyond those of the caller, and creates nothing', async () => {
    const { ask, make } = await world();
    const maker = await make({ scopes: ['tokens', 'checks'], repositories: [repo], checks: ['unit'] });
    for (const beyond of [
      { scopes: ['submit'] },
      { repositories: null },
      { repositories: [gadgets] },
      { checks: ['deploy'] },
      { expiresAt: null },
      { person: 'grace' },
      { reporter: 'jenkins' },
    ]) {
      const answer = await ask('createToken', { name: 'x', scopes: ['checks'], ...beyond }, maker.token);
      expect([answer.status, answer.json.code]).toEqual([403, 'RIGHTS_EXCEEDED']);
    }
    expect((await ask('listTokens', {}, maker.token)).json.tokens).toEqual([]);
  });

  test('createToken lists every fault of a request by its path', async () => {
    const { ask } = await world();
    const answer = await ask('createToken', {
      ...{ name: '', scopes: [], repositories: [], checks: ['a\nb'], expiresAt: 'soon', reporter: '' },
    });
    expect(answer.status).toBe(400);
    expect(pathsOf(answer)).toEqual(['name', 'scopes', 'repositories', 'checks[0]', 'expiresAt', 'reporter']);
  });

  test('createToken answers a repeated Idempotency-Key with the description of the token, without the token itself', async () => {
    const { api } = await world();
    const body = { name: 'ci', scopes: ['read'] };
    const asking = { token: BOOTSTRAP, headers: { 'idempotency-key': 'one' } };
    const first = (await api.post('createToken', body, asking)).json;
    const second = (await api.post('createToken', body, asking)).json;
    expect(second).toEqual({ ...first, token: null });
    const other = await api.post('createToken', { ...body, name: 'cd' }, asking);
    expect([other.status, other.json.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  });
});

test('rotateToken issues a new token with the same rights, and the old one stays valid for the overlap', async () => {
  const { ask, make, clock } = await world();
  const old = await make({ scopes: ['checks'], checks: ['unit'], reporter: 'jenkins' });
  const heir = (await ask('rotateToken', { tokenId: old.tokenId, overlapSeconds: 60 })).json;
  for (const { token } of [old, heir])
    expect((await ask('whoami', {}, token)).json).toMatchObject({ reporter: 'jenkins', checks: ['unit'] });
  await clock.advance(60_000);
  expect((await ask('whoami', {}, old.token)).status).toBe(401);
  expect((await ask('whoami', {}, heir.token)).status).toBe(200);
  const [listed] = (await ask('listTokens', { take: 100 })).json.tokens.filter(
    ({ tokenId }: { tokenId: string }) => tokenId === old.tokenId,
  );
  expect(listed).toMatchObject({ state: 'expired', replacedByTokenId: heir.tokenId });
});

test('revokeToken revokes the token and those created with it, and lists them', async () => {
  const { ask, make } = await world();
  const maker = await make({ scopes: ['tokens', 'read'] });
  const child = await make({}, maker.token);
  const { revokedTokenIds } = (await ask('revokeToken', { tokenId: maker.tokenId })).json;
  expect([...revokedTokenIds].sort()).toEqual([maker.tokenId, child.tokenId].sort());
  for (const { token } of [maker, child]) expect((await ask('whoami', {}, token)).status).toBe(401);
  expect((await ask('revokeToken', { tokenId: maker.tokenId })).json).toEqual({ revokedTokenIds: [] });
  expect((await ask('listTokens')).json.tokens).toMatchObject([
    { state: 'revoked', revoked: { byTokenId: 'bootstrap', byName: 'the bootstrap token' } },
    { state: 'revoked' },
  ]);
});

test('a token can neither revoke nor rotate tokens that it did not create, known or unknown', async () => {
  const { ask, make } = await world();
  const [one, other] = [await make({ scopes: ['tokens'] }), await make({ scopes: ['tokens'] })];
  for (const name of ['revokeToken', 'rotateToken'])
    for (const tokenId of [one.tokenId, other.tokenId, 'bootstrap', 'none']) {
      const answer = await ask(name, { tokenId }, one.token);
      expect([answer.status, answer.json.code]).toEqual([404, 'TOKEN_NOT_FOUND']);
    }
});

test('whoami shows the bootstrap token as such, with all rights', async () => {
  const { ask } = await world();
  expect((await ask('whoami')).json).toMatchObject({
    ...{ tokenId: 'bootstrap', isBootstrap: true, scopes, repositories: null, checks: null, expiresAt: null },
  });
});

test('T-P01 a revoked, an expired and an altered token are refused like a missing one', async () => {
  const { ask, make, clock } = await world();
  const expired = await make({ expiresAt: new Date(clock.now() + 1_000).toISOString() });
  const revoked = await make();
  await ask('revokeToken', { tokenId: revoked.tokenId });
  await clock.advance(1_000);
  const bodies = await Promise.all(
    [expired.token, revoked.token, `${revoked.token.slice(0, -1)}!`, 'none'].map(async (token) => {
      const answer = await ask('whoami', {}, token);
      expect(answer.status).toBe(401);
      return { ...answer.json, instance: '' };
    }),
  );
  expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
});

test('a service without a token keeper refuses operations on tokens, but whoami works', async () => {
  const api = await apiWith({});
  for (const name of ['createToken', 'rotateToken', 'listTokens', 'revokeToken']) {
    const body = name === 'createToken' ? { name: 'ci', scopes: ['read'] } : { tokenId: 'x' };
    const answer = await api.post(name, name === 'listTokens' ? {} : body);
    expect([answer.status, answer.json.code], name).toEqual([404, 'TOKENS_NOT_KEPT']);
  }
  expect((await api.post('whoami', {})).json).toMatchObject({ tokenId: 'token-1', isBootstrap: false });
});

test('an unreachable store of tokens causes 503, but the bootstrap token works without it', async () => {
  const { ask, make, store } = await world();
  const { token } = await make();
  await store.close();
  const answer = await ask('whoami', {}, token);
  expect([answer.status, answer.json.code]).toEqual([503, 'TOKENS_UNREADABLE']);
  expect(answer.headers['retry-after']).toBeDefined();
  expect((await ask('whoami')).status).toBe(200);
});

test('a revocation on one replica takes effect on another within half a second', async () => {
  const clock = virtualClock();
  const store = memoryServiceStore({ clock });
  const [here, there]: Api[] = await Promise.all(
    [0, 1].map(() => apiWith({ ...keeperOn(store, clock).options, mq: scriptedQueue().mq })),
  );
  if (here === undefined || there === undefined) throw new Error('two replicas are needed');
  const asBootstrap = { token: BOOTSTRAP };
  const made = (await here.post('createToken', { name: 'ci', scopes: ['read'] }, asBootstrap)).json;
  const statusThere = async () => (await there.post('whoami', {}, { token: made.token })).status;
  expect(await statusThere()).toBe(200);
  await here.post('revokeToken', { tokenId: made.tokenId }, asBootstrap);
  await clock.advance(500);
  expect(await statusThere()).toBe(401);
});

test('T-P14 answers and history name the token and the person of a request', async () => {
  const q = await story();
  onTestFinished(() => q.ends());
  const { options } = keeperOn();
  const api = await apiWith({ ...options, mq: q.world.mq });
  const asked = { name: 'deploy bot', scopes: ['queue:write', 'submit', 'cancel', 'read'], person: 'ada' };
  const made = (await api.post('createToken', asked, { token: BOOTSTRAP })).json;
  const ask = (name: string, body: object) =>
    q.world.act(() => api.post(name, { ...queueRef, ...body }, { token: made.token }));
  const actor = { kind: 'api', name: 'deploy bot', person: 'ada', tokenId: made.tokenId };

  const paused = await ask('updateQueue', { state: 'paused', stateReason: 'release' });
  expect(paused.json.stateReason).toMatchObject({ sentence: 'release', actor });
  await ask('updateQueue', { concurrency: 3 });
  await q.submit(1);
  const cancelled = await ask('cancelPullRequest', { pr: { number: 1 } });
  expect(cancelled.status).toBe(200);
  const found = (await ask('getSubmittedPullRequest', { pr: { number: 1 }, includeTimeline: true })).json;
  expect(found.endedBy).toEqual(actor);
  expect(found.reason.sentence).toBe('Cancelled by ada (deploy bot).');
  expect(found.timeline).toContainEqual(
    expect.objectContaining({ cancellation: expect.objectContaining({ actor }) }),
  );
  const history = await q.world.mq.history({ ...queueRef, types: ['configured'] });
  const by = { kind: 'api', id: made.tokenId, name: 'deploy bot', person: 'ada' };
  expect(
    history.items.filter(({ type }) => type === 'configured').map((row) => 'actor' in row && row.actor),
  ).toContainEqual(by);
});

test('each creation, rotation and revocation of a token is logged with the caller and the request id', async () => {
  const lines: Record<string, unknown>[] = [];
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const app = fastify({ ...recommendedServerOptions, logger: { level: 'info', stream } });
  onTestFinished(() => app.close());
  const { options } = keeperOn();
  await app.register(mergeQueueApi, { ...options, mq: scriptedQueue().mq, prefix: '/v1' });
  const ask = async (name: string, payload: object) => {
    const answer = await app.inject({
      ...{ method: 'POST', url: `/v1/${name}`, payload },
      headers: { 'x-api-token': BOOTSTRAP },
    });
    return { json: answer.json(), requestId: answer.headers['x-request-id'] };
  };
  const made = await ask('createToken', { name: 'ci', scopes: ['read'] });
  const rotated = await ask('rotateToken', { tokenId: made.json.tokenId });
  const revoked = await ask('revokeToken', { tokenId: rotated.json.tokenId });
  const by = {
    by: { tokenId: 'bootstrap', name: 'the bootstrap token', person: null },
    address: '127.0.0.1',
  };
  const [created, replaced, ended] = lines.filter((line) => 'by' in line);
  expect(created).toMatchObject({ ...by, reqId: made.requestId, tokenId: made.json.tokenId });
  expect(replaced).toMatchObject({ ...by, reqId: rotated.requestId, replaces: made.json.tokenId });
  expect(ended).toMatchObject({ ...by, reqId: revoked.requestId, tokenIds: [rotated.json.tokenId] });
  for (const { token } of [made.json, rotated.json]) expect(JSON.stringify(lines)).not.toContain(token);
});

test('an embedding program can create the first tokens by the keeper', async () => {
  const { options } = keeperOn();
  const api = await apiWith(options);
  const { text, token } = await options.tokens.create(bootstrapHolder, { name: 'ci', scopes: ['tokens'] });
  expect((await api.post('whoami', {}, { token: text ?? '' })).json.tokenId).toBe(token.id satisfies TokenId);
});
