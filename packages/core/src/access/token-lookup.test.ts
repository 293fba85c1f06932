import { memoryServiceStore } from '@mq/store-memory';
import { aToken, tokenIdOf, virtualClock } from '@mq/testkit';
import { expect, test } from 'vitest';
import { bootstrapHolder } from '../model/token.js';
import { silentLogger } from '../ports/logger.js';
import type { ServiceStore } from '../ports/service-store.js';
import { LOOKUP_KEPT_MS, LOOKUP_LIMIT_MS, TokenLookup } from './token-lookup.js';
import { digestOfToken, newTokenText } from './token-text.js';

const by = { id: bootstrapHolder.id, name: bootstrapHolder.name };

/** A store with one token, that counts the reads, and a lookup on each of two replicas. */
const world = async (override: Partial<ServiceStore> = {}) => {
  const clock = virtualClock();
  const stored = memoryServiceStore({ clock });
  const text = newTokenText();
  const token = aToken(1, { digest: digestOfToken(text), expiresAt: clock.now() + 600_000 });
  await stored.addToken(token, { replaced: null, limit: 10 });
  const reads: string[] = [];
  const store: ServiceStore = {
    ...Object.fromEntries(
      (['addToken', 'revokeToken', 'token', 'noteTokenUse'] as const).map((name) => [
        name,
        stored[name].bind(stored),
      ]),
    ),
    findToken: (digest: string) => {
      reads.push(digest);
      return stored.findToken(digest);
    },
    ...override,
  } as ServiceStore;
  const lookup = () => new TokenLookup({ store, clock, logger: silentLogger });
  return { clock, store: stored, text, reads, here: lookup(), there: lookup() };
};

test('a valid token is found, and every other is not', async () => {
  const { here, text } = await world();
  expect((await here.find(text))?.id).toBe(tokenIdOf(1));
  for (const wrong of [newTokenText(), text.slice(1), 'secret', ''])
    expect(await here.find(wrong)).toBe(null);
});

test('what cannot be a token costs no read', async () => {
  const { here, text, reads } = await world();
  for (const wrong of [`${text}x`, 'secret', `mqt_${'a'.repeat(36)}`]) await here.find(wrong);
  expect(reads).toEqual([]);
});

test('a token is read once per half a second, however many requests bring it', async () => {
  const { here, text, reads, clock } = await world();
  await Promise.all([here.find(text), here.find(text)]);
  await here.find(text);
  expect(reads).toHaveLength(1);
  await clock.advance(LOOKUP_KEPT_MS);
  await here.find(text);
  expect(reads).toHaveLength(2);
});

test('a revocation counts at once on its own replica, and on another after half a second', async () => {
  const { here, there, text, store, clock } = await world();
  await Promise.all([here.find(text), there.find(text)]);
  await store.revokeToken(tokenIdOf(1), { at: clock.now(), by, withMade: true });
  here.forget();
  expect(await here.find(text)).toBe(null);
  await clock.advance(LOOKUP_KEPT_MS);
  expect(await there.find(text)).toBe(null);
});

test('a token ends at its expiry, also while its lookup is kept', async () => {
  const { here, text, clock } = await world();
  await clock.advance(600_000 - 100);
  expect(await here.find(text)).not.toBe(null);
  await clock.advance(100);
  expect(await here.find(text)).toBe(null);
});

test('a store that does not answer within a second is reported, and asked again by the next request', async () => {
  let isStuck = true;
  const stuck = await world();
  const findToken = (digest: string) =>
    isStuck ? new Promise<never>(() => {}) : stuck.store.findToken(digest);
  const lookup = new TokenLookup({
    store: { findToken, token: stuck.store.token, noteTokenUse: async () => {} },
    clock: stuck.clock,
    logger: silentLogger,
  });
  const found = lookup.find(stuck.text).catch((error: unknown) => error);
  await stuck.clock.advance(LOOKUP_LIMIT_MS);
  expect(await found).toMatchObject({ code: 'TOKENS_UNREADABLE' });
  isStuck = false;
  expect(await lookup.find(stuck.text)).not.toBe(null);
});

test('a token that is not there is read each time, so that it takes no room of others', async () => {
  const { here, reads } = await world();
  const unknown = newTokenText();
  await here.find(unknown);
  await here.find(unknown);
  expect(reads).toHaveLength(2);
});

test('the use of a token is written once a minute, and a request does not wait for it', async () => {
  const noted: number[] = [];
  const { here, text, clock } = await world({
    noteTokenUse: async (_, at) => {
      noted.push(at);
      throw new Error('the database is away');
    },
  });
  const start = clock.now();
  for (let second = 0; second < 130; second += 10) {
    await here.find(text);
    await clock.advance(10_000);
  }
  expect(noted.map((at) => at - start)).toEqual([0, 60_000, 120_000]);
});

test('a token is known to be revoked within half a second on every replica, and one that is not there counts as revoked', async () => {
  const { here, there, store, clock } = await world();
  const id = tokenIdOf(1);
  expect(await there.isRevoked(id)).toBe(false);
  await store.revokeToken(id, { at: clock.now(), by, withMade: true });
  await clock.advance(LOOKUP_KEPT_MS);
  expect(await there.isRevoked(id)).toBe(true);
  expect(await here.isRevoked(tokenIdOf(2))).toBe(true);
});
