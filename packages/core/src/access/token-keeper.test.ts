import { memoryServiceStore } from '@mq/store-memory';
import { virtualClock } from '@mq/testkit';
import { expect, test } from 'vitest';
import type { RepoRef } from '../model/repo.js';
import { scopes } from '../model/rights.js';
import { bootstrapHolder, type Holder } from '../model/token.js';
import type { CreateTokenRequest } from './requests.js';
import { type MadeToken, TOKENS_PER_MAKER_LIMIT, tokenKeeper } from './token-keeper.js';

const DAY = 86_400_000;
const widgets: RepoRef = { host: 'git.example', owner: 'acme', name: 'widgets' };
const gadgets: RepoRef = { ...widgets, name: 'gadgets' };

const world = () => {
  const clock = virtualClock();
  const store = memoryServiceStore({ clock });
  const keeper = tokenKeeper({
    store,
    clock,
    canonicalRepo: (repo) => ({ ...repo, host: repo.host === 'alias.example' ? 'git.example' : repo.host }),
  });
  const makeBy = async (holder: Holder, request: Partial<CreateTokenRequest> = {}) =>
    keeper.create(holder, { name: 'client', scopes: ['read'], ...request });
  const make = (request: Partial<CreateTokenRequest> = {}) => makeBy(bootstrapHolder, request);
  const holderOf = async (made: MadeToken): Promise<Holder | null> => keeper.find(made.text ?? '');
  return { clock, store, keeper, make, makeBy, holderOf };
};

const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'done',
    (error: { code?: unknown }) => error.code,
  );

test('a token is found by its text, which is stored nowhere', async () => {
  const { store, make, holderOf } = world();
  const made = await make({ name: 'ci', scopes: ['submit', 'read', 'submit'], person: 'ada' });
  expect(await holderOf(made)).toMatchObject({
    name: 'ci',
    person: 'ada',
    reporter: 'ci',
    scopes: ['submit', 'read'],
    repositories: null,
    makers: [{ tokenId: 'bootstrap', familyId: 'bootstrap' }],
  });
  expect(JSON.stringify(await store.token(made.token.id))).not.toContain(made.text?.slice(8));
});

test('a token makes only tokens whose scopes, repositories, checks and end lie within its own', async () => {
  const { clock, make, makeBy } = world();
  const { token } = await make({
    scopes: ['tokens', 'read', 'checks'],
    repositories: [widgets],
    checks: ['unit', 'lint'],
    expiresAt: clock.now() + DAY,
  });
  const within = { scopes: ['read', 'checks'], repositories: [widgets], checks: ['unit'] } as const;
  expect((await makeBy(token, within)).token).toMatchObject(within);
  const beyond: readonly Partial<CreateTokenRequest>[] = [
    { scopes: ['read', 'submit'] },
    { repositories: [gadgets] },
    { repositories: [widgets, gadgets] },
    { repositories: null },
    { checks: ['unit', 'deploy'] },
    { checks: null },
    { expiresAt: clock.now() + DAY + 1 },
    { expiresAt: null },
  ];
  for (const request of beyond)
    expect(await codeOf(makeBy(token, { ...within, ...request })), JSON.stringify(request)).toBe(
      'RIGHTS_EXCEEDED',
    );
});

test('what a request leaves out is taken from the token that asks', async () => {
  const { clock, make, makeBy } = world();
  const limits = { repositories: [widgets], checks: ['unit'], expiresAt: clock.now() + DAY };
  const { token } = await make({ ...limits, scopes: ['tokens'], person: 'ada', reporter: 'jenkins' });
  expect((await makeBy(token, { name: 'other', scopes: ['tokens'] })).token).toMatchObject({
    ...limits,
    name: 'other',
    person: 'ada',
    reporter: 'jenkins',
  });
  expect((await make()).token.expiresAt).toBe(clock.now() + 365 * DAY);
});

test('a repository counts under any of its names', async () => {
  const { make, makeBy } = world();
  const { token } = await make({ scopes: ['tokens', 'read'], repositories: [widgets] });
  const made = await makeBy(token, { repositories: [{ ...widgets, host: 'alias.example' }] });
  expect(made.token.repositories).toEqual([widgets]);
});

test('only a token with the scope admin names another person or reporter', async () => {
  const { make, makeBy } = world();
  const { token } = await make({ scopes: ['tokens', 'checks'], person: 'ada', reporter: 'jenkins' });
  for (const other of [{ person: 'grace' }, { person: null }, { reporter: 'buildkite' }])
    expect(await codeOf(makeBy(token, { scopes: ['checks'], ...other }))).toBe('RIGHTS_EXCEEDED');
  const same = { scopes: ['checks'], person: 'ada', reporter: 'jenkins' } as const;
  expect(await codeOf(makeBy(token, same))).toBe('done');
});

test('a token lists and revokes only what it made, itself or through others', async () => {
  const { keeper, make, makeBy } = world();
  const maker = (await make({ scopes: ['tokens'] })).token;
  const other = (await make({ scopes: ['tokens'] })).token;
  const child = (await makeBy(maker, { scopes: ['tokens'] })).token;
  const grandchild = (await makeBy(child, { scopes: ['tokens'] })).token;
  const listedBy = async (holder: Holder) =>
    (await keeper.list(holder, {})).items.map(({ token }) => token.id).sort();
  expect(await listedBy(maker)).toEqual([child.id, grandchild.id].sort());
  expect(await listedBy(other)).toEqual([]);
  expect(await listedBy(bootstrapHolder)).toHaveLength(4);
  for (const id of [maker.id, other.id, child.id, 'none'])
    expect(await codeOf(keeper.revoke(other, { tokenId: id as typeof maker.id }))).toBe('TOKEN_NOT_FOUND');
  expect((await keeper.revoke(maker, { tokenId: child.id })).toSorted()).toEqual(
    [child.id, grandchild.id].sort(),
  );
  expect(await keeper.revoke(maker, { tokenId: child.id })).toEqual([]);
});

test('a revoked token is refused at once, and so are the tokens created with it unless they are kept', async () => {
  const { keeper, make, makeBy, holderOf } = world();
  for (const keepMade of [false, true]) {
    const maker = await make({ scopes: ['tokens', 'read'] });
    const child = await makeBy(maker.token);
    await holderOf(maker);
    await keeper.revoke(bootstrapHolder, { tokenId: maker.token.id, keepMade });
    expect(await holderOf(maker)).toBe(null);
    expect((await holderOf(child)) !== null).toBe(keepMade);
  }
});

test('a rotated token keeps name and rights, and the old one is valid for the overlap', async () => {
  const { clock, keeper, make, holderOf } = world();
  const old = await make({
    name: 'ci',
    scopes: ['checks'],
    checks: ['unit'],
    reporter: 'jenkins',
    person: 'ada',
  });
  const heir = await keeper.rotate(bootstrapHolder, { tokenId: old.token.id, overlapSeconds: 3_600 });
  const kept = ({ name, person, reporter, scopes: rights, checks, repositories, familyId }: Holder) => ({
    ...{ name, person, reporter, rights, checks, repositories, familyId },
  });
  expect(kept(heir.token)).toEqual(kept(old.token));
  expect([await holderOf(old), await holderOf(heir)].map((holder) => holder?.id)).toEqual([
    old.token.id,
    heir.token.id,
  ]);
  await clock.advance(3_600_000);
  expect(await holderOf(old)).toBe(null);
  expect(await holderOf(heir)).not.toBe(null);
  expect(await codeOf(keeper.rotate(bootstrapHolder, { tokenId: old.token.id }))).toBe('TOKEN_NOT_ACTIVE');
});

test('a token that was rotated still lists and revokes what its predecessor made', async () => {
  const { keeper, make, makeBy } = world();
  const old = (await make({ scopes: ['tokens', 'read'] })).token;
  const child = (await makeBy(old)).token;
  const heir = (await keeper.rotate(bootstrapHolder, { tokenId: old.id })).token;
  expect((await keeper.list(heir, {})).items.map(({ token }) => token.id)).toEqual([child.id]);
  expect(await keeper.revoke(heir, { tokenId: child.id })).toEqual([child.id]);
});

test('a token cannot be rotated by one that did not make it', async () => {
  const { keeper, make } = world();
  const [one, other] = [
    (await make({ scopes: ['tokens'] })).token,
    (await make({ scopes: ['tokens'] })).token,
  ];
  expect(await codeOf(keeper.rotate(one, { tokenId: other.id }))).toBe('TOKEN_NOT_FOUND');
});

test('a repeated request makes no second token and does not show the first again', async () => {
  const { keeper, make } = world();
  const idempotency = { id: 'key', digest: 'body' };
  const first = await make({ idempotency });
  const second = await make({ idempotency });
  expect(second).toEqual({ token: first.token, state: 'active', text: null });
  expect(await codeOf(make({ idempotency: { id: 'key', digest: 'another body' } }))).toBe(
    'IDEMPOTENCY_KEY_REUSED',
  );
  expect((await keeper.list(bootstrapHolder, {})).items).toHaveLength(1);
});

test('an invalid request is refused with its faults, and no token is created', async () => {
  const { clock, keeper, make } = world();
  const faulty: readonly object[] = [
    { name: '' },
    { name: 'a\nb' },
    { scopes: [] },
    { scopes: ['root'] },
    { repositories: [] },
    { checks: [] },
    { expiresAt: clock.now() },
    { unknown: true },
  ];
  for (const request of faulty)
    expect(await codeOf(make(request)), JSON.stringify(request)).toBe('INVALID_REQUEST');
  expect((await keeper.list(bootstrapHolder, {})).items).toEqual([]);
});

test('tokens that make tokens end after eight', async () => {
  const { makeBy } = world();
  let holder: Holder = bootstrapHolder;
  for (let depth = 0; depth < 8; depth += 1) holder = (await makeBy(holder, { scopes: ['tokens'] })).token;
  expect(await codeOf(makeBy(holder, { scopes: ['tokens'] }))).toBe('RIGHTS_EXCEEDED');
});

test('one token can create a thousand tokens that are valid at the same time', async () => {
  const { keeper, make, makeBy } = world();
  const maker = (await make({ scopes: ['tokens'] })).token;
  const first = (await makeBy(maker, { scopes: ['tokens'] })).token;
  for (let count = 1; count < TOKENS_PER_MAKER_LIMIT; count += 1) await makeBy(maker, { scopes: ['tokens'] });
  expect(await codeOf(makeBy(maker, { scopes: ['tokens'] }))).toBe('TOKENS_FULL');
  await keeper.revoke(maker, { tokenId: first.id });
  expect(await codeOf(makeBy(maker, { scopes: ['tokens'] }))).toBe('done');
});

test('every scope lies within the bootstrap token', async () => {
  const { make } = world();
  expect((await make({ scopes: [...scopes] })).token.scopes).toEqual(scopes);
});
