import type { ServiceStore, Token, TokenId } from '@mq/core';
import { BUILT_AT, tokenIdOf } from '../ids.js';
import { codeOf, idsOf, numbers, rejection, sorted, type TestRunner } from '../store-conformance/world.js';
import { aToken } from '../token-builders.js';

/** An empty store of its own for one test. */
export interface ServiceStoreUnderTest {
  readonly store: ServiceStore;
  /** Another store on the same data, as another process opens it. Leave it out if no other process can have the data. */
  another?(): Promise<ServiceStore>;
}

interface World extends ServiceStoreUnderTest {
  readonly expect: TestRunner['expect'];
}

const [DAY, MINUTE] = [86_400_000, 60_000];
const bootstrap = 'bootstrap' as TokenId;
const by = { id: bootstrap, name: 'the bootstrap token' };

/** Adds tokens, and fails the test if one is refused. */
const add = async ({ store }: World, ...tokens: readonly Token[]): Promise<void> => {
  for (const token of tokens) {
    const outcome = await store.addToken(token, { replaced: null, limit: 100 });
    if (outcome !== 'added') throw new Error(`the token ${token.id} was not added: ${outcome}`);
  }
};

const madeBy = (maker: Token): Pick<Token, 'makers'> => ({
  makers: [...maker.makers, { tokenId: maker.id, familyId: maker.familyId }],
});

const listed = async ({ store }: World, family: TokenId, limit = 100): Promise<readonly TokenId[]> =>
  idsOf((await store.tokens({ madeBy: family, limit })).items);

const replacing = (n: number, expiresAt: number) => ({
  replaced: { id: tokenIdOf(n), expiresAt },
  limit: 100,
});

const everyCall = (store: ServiceStore): Readonly<Record<string, () => Promise<unknown>>> => ({
  now: () => store.now(),
  addToken: () => store.addToken(aToken(2), { replaced: null, limit: 1 }),
  findToken: () => store.findToken('none'),
  token: () => store.token(tokenIdOf(1)),
  tokens: () => store.tokens({ madeBy: bootstrap, limit: 1 }),
  revokeToken: () => store.revokeToken(tokenIdOf(1), { at: 1, by, withMade: true }),
  noteTokenUse: () => store.noteTokenUse(tokenIdOf(1), 1),
  pruneTokens: () => store.pruneTokens({ before: 1, now: 1, keep: 1 }),
});

type Promises = Readonly<Record<string, (world: World) => Promise<void>>>;

const adding: Promises = {
  'a token is found by its digest and by its id, exactly as it was added': async (world) => {
    const { store, expect } = world;
    const odd = aToken(1, {
      ...{ name: 'a "name" \u0000 \ud800 ✓', person: 'ada', reporter: 'jenkins', requestDigest: 'digest' },
      ...{ repositories: null, checks: ['unit', 'lint / all'], expiresAt: BUILT_AT + DAY },
    });
    await add(world, odd, aToken(2));
    expect((await store.findToken(odd.digest))?.token).toEqual(odd);
    expect(await store.token(odd.id)).toEqual(odd);
    expect(await store.token(tokenIdOf(2))).toEqual(aToken(2));
  },

  'an unknown token is null': async ({ store, expect }) => {
    expect(await store.findToken(aToken(1).digest)).toBe(null);
    expect(await store.token(tokenIdOf(1))).toBe(null);
    expect(await store.tokens({ madeBy: bootstrap, limit: 1 })).toEqual({ items: [], next: null });
  },

  'a token that is found comes with the current time of the store': async (world) => {
    await add(world, aToken(1));
    const before = await world.store.now();
    const now = (await world.store.findToken(aToken(1).digest))?.now ?? 0;
    world.expect(now >= before && now <= (await world.store.now())).toBe(true);
  },

  'a second token with the same id or the same digest is not added': async (world) => {
    await add(world, aToken(1));
    const tries = [aToken(1, { digest: 'another' }), aToken(2, { digest: aToken(1).digest })];
    for (const token of tries)
      world.expect(await world.store.addToken(token, { replaced: null, limit: 100 })).toBe('exists');
    world.expect(await listed(world, bootstrap)).toEqual([tokenIdOf(1)]);
  },

  'when many callers add the same token at once, exactly one succeeds': async (world) => {
    const outcomes = await Promise.all(
      numbers(10).map(() => world.store.addToken(aToken(1), { replaced: null, limit: 100 })),
    );
    world.expect(sorted(outcomes)).toEqual(['added', ...Array<string>(9).fill('exists')]);
  },

  'a family holds no more tokens than the limit, counting those that its tokens made': async (world) => {
    const [maker, other] = [aToken(1), aToken(2)];
    const within = { replaced: null, limit: 2 };
    await add(world, maker, other, aToken(3, madeBy(maker)));
    const grandchild = madeBy(aToken(3, madeBy(maker)));
    world.expect(await world.store.addToken(aToken(4, grandchild), within)).toBe('added');
    world.expect(await world.store.addToken(aToken(5, madeBy(maker)), within)).toBe('full');
    world.expect(await world.store.addToken(aToken(5, madeBy(other)), within)).toBe('added');
    world.expect(await world.store.token(tokenIdOf(5))).toEqual(aToken(5, madeBy(other)));
  },

  'tokens that are revoked or expired do not count towards the limit': async (world) => {
    const { store, expect } = world;
    await add(world, aToken(1), aToken(2, { expiresAt: BUILT_AT + 5 }));
    const tried = (n: number) => store.addToken(aToken(n), { replaced: null, limit: 1 });
    await store.revokeToken(tokenIdOf(1), { at: BUILT_AT, by, withMade: true });
    expect(await tried(4)).toBe('full');
    expect(await tried(5)).toBe('added');
  },
};

const replacement: Promises = {
  'a replaced token names its replacement and ends no later than requested': async (world) => {
    const { store, expect } = world;
    const [early, late] = [BUILT_AT + DAY, BUILT_AT + 2 * DAY];
    await add(world, aToken(1), aToken(2, { expiresAt: early }), aToken(3, { expiresAt: late + DAY }));
    for (const n of [1, 2, 3]) {
      const token = aToken(n + 10, { familyId: tokenIdOf(n) });
      expect(await store.addToken(token, replacing(n, late))).toBe('added');
      expect(await store.token(token.id)).toEqual(token);
      const replaced = { replacedBy: token.id, expiresAt: n === 2 ? early : late };
      expect(await store.token(tokenIdOf(n))).toEqual(aToken(n, replaced));
    }
  },

  'replacing a token that is unknown, revoked or already replaced adds no token': async (world) => {
    const { store, expect } = world;
    await add(world, aToken(1), aToken(2));
    await store.revokeToken(tokenIdOf(1), { at: BUILT_AT, by, withMade: true });
    await store.addToken(aToken(12), replacing(2, BUILT_AT));
    for (const n of [1, 2, 3])
      expect(await store.addToken(aToken(20 + n), replacing(n, BUILT_AT))).toBe('gone');
    expect(await listed(world, bootstrap)).toEqual([tokenIdOf(12), tokenIdOf(2), tokenIdOf(1)]);
  },

  'when many callers replace the same token at once, exactly one succeeds': async (world) => {
    await add(world, aToken(1));
    const outcomes = await Promise.all(
      numbers(10).map((n) => world.store.addToken(aToken(n + 1), replacing(1, BUILT_AT + DAY))),
    );
    world.expect(sorted(outcomes)).toEqual(['added', ...Array<string>(9).fill('gone')]);
    world.expect((await listed(world, bootstrap)).length).toBe(2);
  },
};

const listing: Promises = {
  'the list of a family has the tokens that it made itself or through other tokens, newest first': async (
    world,
  ) => {
    const maker = aToken(1);
    const heir = aToken(2, { familyId: maker.familyId });
    const child = aToken(3, madeBy(maker));
    await add(world, child, maker, heir, aToken(5, madeBy(heir)), aToken(4, madeBy(child)), aToken(6));
    const ids = (...of: readonly number[]) => of.map(tokenIdOf);
    world.expect(await listed(world, maker.familyId)).toEqual(ids(5, 4, 3));
    world.expect(await listed(world, child.familyId)).toEqual(ids(4));
    world.expect(await listed(world, bootstrap)).toEqual(ids(6, 5, 4, 3, 2, 1));
  },

  'pages have no gaps and no repeats, even among tokens made at the same time': async (world) => {
    await add(world, ...numbers(7).map((n) => aToken(n, { createdAt: BUILT_AT + (n % 2) })));
    const found: TokenId[] = [];
    for (let next: string | null | undefined; next !== null; ) {
      const page = await world.store.tokens({
        madeBy: bootstrap,
        limit: 2,
        ...(next === undefined ? {} : { cursor: next }),
      });
      found.push(...idsOf(page.items));
      next = page.next;
    }
    world.expect(found).toEqual([7, 5, 3, 1, 6, 4, 2].map(tokenIdOf));
  },

  'a cursor of another list is refused': async ({ store, expect }) => {
    const error = await rejection(store.tokens({ madeBy: bootstrap, limit: 1, cursor: 'bad' }));
    expect(codeOf(error)).toBe('CURSOR_INVALID');
  },
};

const revocation: Promises = {
  'a revoked token records when and by which token, and the tokens that it made are revoked with it': async (
    world,
  ) => {
    const { store, expect } = world;
    const [maker, child] = [aToken(1), aToken(2, madeBy(aToken(1)))];
    const heir = aToken(5, { familyId: maker.familyId });
    await add(world, maker, child, aToken(3, madeBy(child)), aToken(4), heir, aToken(6, madeBy(heir)));
    const revoked = await store.revokeToken(maker.id, { at: BUILT_AT + 9, by, withMade: true });
    expect(sorted(revoked)).toEqual([1, 2, 3].map(tokenIdOf));
    expect(await store.token(maker.id)).toEqual({ ...maker, revoked: { at: BUILT_AT + 9, by } });
    expect((await store.findToken(aToken(3).digest))?.token.revoked).toEqual({ at: BUILT_AT + 9, by });
    for (const n of [4, 5, 6]) expect((await store.token(tokenIdOf(n)))?.revoked).toBe(null);
  },

  'revoking a token can leave the tokens that it made valid': async (world) => {
    await add(world, aToken(1), aToken(2, madeBy(aToken(1))));
    const order = { at: BUILT_AT, by, withMade: false };
    world.expect(await world.store.revokeToken(tokenIdOf(1), order)).toEqual([tokenIdOf(1)]);
    world.expect((await world.store.token(tokenIdOf(2)))?.revoked).toBe(null);
  },

  'a second revocation changes nothing': async (world) => {
    const { store, expect } = world;
    await add(world, aToken(1));
    const [first, second] = [BUILT_AT + 1, BUILT_AT + 2].map((at) => ({ at, by, withMade: true }));
    if (first === undefined || second === undefined) return;
    await store.revokeToken(tokenIdOf(1), first);
    expect(await store.revokeToken(tokenIdOf(1), second)).toEqual([]);
    expect(await store.revokeToken(tokenIdOf(9), second)).toEqual([]);
    expect((await store.token(tokenIdOf(1)))?.revoked).toEqual({ at: BUILT_AT + 1, by });
  },
};

const use: Promises = {
  'the last use is recorded at most once a minute and never moves back': async (world) => {
    const { store, expect } = world;
    await add(world, aToken(1));
    const seen: (number | null | undefined)[] = [];
    for (const after of [0, MINUTE - 1, MINUTE, MINUTE / 2, 2 * MINUTE]) {
      await store.noteTokenUse(tokenIdOf(1), BUILT_AT + after);
      seen.push((await store.token(tokenIdOf(1)))?.lastUsedAt);
    }
    expect(seen).toEqual([0, 0, MINUTE, MINUTE, 2 * MINUTE].map((after) => BUILT_AT + after));
    await store.noteTokenUse(tokenIdOf(9), BUILT_AT);
  },
};

const pruning: Promises = {
  'tokens that ended before a given time are removed, and valid ones stay': async (world) => {
    const { store, expect } = world;
    await add(
      world,
      aToken(1),
      aToken(2, { expiresAt: BUILT_AT + 10 }),
      aToken(3, { expiresAt: BUILT_AT + 20 }),
      aToken(4, { expiresAt: BUILT_AT + 99 }),
      aToken(5),
      aToken(6),
    );
    for (const [n, at] of [
      [5, 10],
      [6, 20],
    ] as const)
      await store.revokeToken(tokenIdOf(n), { at: BUILT_AT + at, by, withMade: true });
    await store.pruneTokens({ before: BUILT_AT + 20, now: BUILT_AT + 50, keep: 10 });
    expect(await listed(world, bootstrap)).toEqual([6, 4, 3, 1].map(tokenIdOf));
  },

  'when ended tokens are removed, the newest of them are kept': async (world) => {
    await add(world, ...numbers(5).map((n) => aToken(n, { expiresAt: BUILT_AT + n })), aToken(6));
    await world.store.pruneTokens({ before: BUILT_AT, now: BUILT_AT + 4, keep: 2 });
    world.expect(await listed(world, bootstrap)).toEqual([6, 5, 4, 3].map(tokenIdOf));
  },
};

const processes: Promises = {
  'what one process adds or revokes is visible to another at once': async (world) => {
    const there = await world.another?.();
    if (there === undefined) return;
    await add(world, aToken(1));
    world.expect((await there.findToken(aToken(1).digest))?.token).toEqual(aToken(1));
    await there.revokeToken(tokenIdOf(1), { at: BUILT_AT, by, withMade: true });
    world.expect((await world.store.findToken(aToken(1).digest))?.token.revoked?.at).toBe(BUILT_AT);
  },
};

const closing: Promises = {
  'every call after closing rejects with the code CLOSED, and closing twice is not an error': async ({
    store,
    expect,
  }) => {
    await store.close();
    await store.close();
    const answered: string[] = [];
    for (const [name, call] of Object.entries(everyCall(store)))
      if (codeOf(await rejection(call())) !== 'CLOSED') answered.push(name);
    expect(answered).toEqual([]);
  },
};

const chapters: Readonly<Record<string, Promises>> = {
  ...{ adding, replacement, listing, revocation, use, pruning, processes, closing },
};

/**
 * Tries every promise of the `ServiceStore` port on an implementation. `makeStore` is called once per test and gives an empty
 * store of its own. There are no options to leave tests out: a store has to pass them all.
 */
export const serviceStoreConformance = (
  runner: TestRunner,
  makeStore: () => Promise<ServiceStoreUnderTest>,
): void => {
  for (const [chapter, promises] of Object.entries(chapters))
    runner.describe(`a service store: ${chapter}`, () => {
      for (const [sentence, keep] of Object.entries(promises))
        runner.test(sentence, async () => {
          const made = await makeStore();
          const { another } = made;
          const opened = [made.store];
          const opening = async (): Promise<ServiceStore> => {
            const store = await (another?.call(made) ?? made.store);
            opened.push(store);
            return store;
          };
          const world = { ...made, expect: runner.expect, ...(another && { another: opening }) };
          try {
            await keep(world);
          } finally {
            await Promise.all(opened.map((store) => store.close()));
          }
        });
    });
};
