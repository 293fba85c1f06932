import { PAGE_LIMIT, type Receipt, type ReceiptQuery, receiptHash } from '@mq/core';
import {
  aCommit,
  anEffect,
  aQueue,
  aSubmission,
  BUILT_AT,
  effectIdOf,
  queueIdOf,
  someWrites,
} from '../builders.js';
import { aChain, aReceipt } from '../receipt-builders.js';
import {
  type ContractTests,
  FAR,
  lease,
  loaded,
  numbers,
  open,
  rejection,
  type World,
  write,
} from './world.js';

const put = (world: World, receipts: readonly Receipt[], n = 1): Promise<number> =>
  write(world, { queueId: queueIdOf(n), writes: someWrites({ receipts }) });

const read = ({ store }: World, query: Partial<ReceiptQuery> = {}) =>
  store.receipts({ queueId: queueIdOf(1), limit: 100, ...query });

const numbersIn = async (world: World, query: Partial<ReceiptQuery> = {}): Promise<readonly number[]> =>
  (await read(world, query)).items.map(({ number }) => number);

/** Ten receipts, of #1, #2 and #3 in rotation. */
const begin = async (world: World): Promise<readonly Receipt[]> => {
  await open(world);
  const chain = aChain(10).map((receipt) => aReceipt({ ...receipt, pr: 1 + (receipt.number % 3) }));
  await put(world, chain.slice(0, 4));
  await put(world, chain.slice(4, 5));
  await put(world, chain.slice(5));
  return chain;
};

export const receipts: ContractTests = {
  'receipts of a queue are read in the order of the chain, exactly as written': async (world) => {
    const items = await begin(world);
    world.expect(await read(world)).toEqual({ items, next: null });
    await open(world, { id: queueIdOf(2), branch: 'next' });
    world.expect(await read(world, { queueId: queueIdOf(2) })).toEqual({ items: [], next: null });
    await put(world, [aReceipt({ queueId: queueIdOf(2) })], 2);
    world.expect(await numbersIn(world, { queueId: queueIdOf(2) })).toEqual([1]);
  },

  'receipts are filtered by pull request and by number': async (world) => {
    await begin(world);
    world.expect(await numbersIn(world, { pr: 1 })).toEqual([3, 6, 9]);
    world.expect(await numbersIn(world, { after: 7 })).toEqual([8, 9, 10]);
    world.expect(await numbersIn(world, { pr: 2, after: 4 })).toEqual([7, 10]);
    world.expect(await numbersIn(world, { pr: 4 })).toEqual([]);
    world.expect(await numbersIn(world, { after: 10 })).toEqual([]);
  },

  'pages of receipts have no gaps and no repeats while receipts are added': async (world) => {
    await open(world);
    const chain = aChain(7);
    await put(world, chain.slice(0, 5));
    const first = await read(world, { limit: 2 });
    await put(world, chain.slice(5));
    const second = await read(world, { limit: 2, cursor: first.next ?? '' });
    const third = await read(world, { cursor: second.next ?? '' });
    world.expect([first, second, third].map(({ items }) => items.map(({ number }) => number))).toEqual([
      [1, 2],
      [3, 4],
      [5, 6, 7],
    ]);
    world.expect(third.next).toBe(null);
    const later = await read(world, { after: 2, limit: 2 });
    const last = await read(world, { after: 2, cursor: later.next ?? '' });
    world.expect([later, last].map(({ items }) => items.map(({ number }) => number))).toEqual([
      [3, 4],
      [5, 6, 7],
    ]);
    const ofOne = await read(world, { pr: 6, after: 2, limit: 1 });
    world.expect([ofOne.items, ofOne.next]).toEqual([[chain[5]], null]);
  },

  'the hash of a stored receipt stays valid, with any text and unknown fields': async (world) => {
    await open(world);
    const odd = {
      ...aReceipt({
        submitted: { by: { kind: 'api', name: 'ä "q" \\ \u{1F600}\n' }, at: BUILT_AT, forced: true },
        tested: null,
      }),
      later: { b: [1, { z: null, a: 0.5 }], a: 'of the next release', B: -1 },
    };
    await put(world, [{ ...odd, hash: receiptHash(odd) }]);
    const hashes = (await read(world)).items.map((receipt) => [receipt.hash, receiptHash(receipt)]);
    world.expect(hashes).toEqual([[receiptHash(odd), receiptHash(odd)]]);
  },

  'a refused commit writes no receipts': async (world) => {
    await open(world);
    await write(world, { effects: [anEffect(1)] });
    await lease(world);
    const writes = someWrites({ receipts: aChain(1) });
    world.expect(await world.store.commit(aCommit({ expected: 1, writes }))).toEqual({ kind: 'conflict' });
    const withdrawing = aCommit({ expected: 2, writes, withdraw: [effectIdOf(1)] });
    world.expect((await world.store.commit(withdrawing)).kind).toBe('under_way');
    world.expect(await numbersIn(world)).toEqual([]);
  },

  'a commit with a receipt number that exists rejects, and writes nothing': async (world) => {
    await open(world);
    await put(world, aChain(2));
    const second = aReceipt({ number: 2, attempt: 7 });
    const writes = someWrites({ submissions: [aSubmission(1)], receipts: [second, ...aChain(3).slice(2)] });
    const refused = await rejection(world.store.commit(aCommit({ expected: 2, writes, wakeAt: FAR })));
    world.expect(refused instanceof Error).toBe(true);
    world.expect((await read(world)).items).toEqual(aChain(2));
    const { version, submissions } = await loaded(world);
    world.expect([version, submissions]).toEqual([2, []]);
  },

  'receipts are kept when their queue is deleted and replaced': async (world) => {
    await open(world);
    await put(world, aChain(2));
    await write(world, { writes: someWrites({ queue: aQueue({ deletedAt: BUILT_AT + 5 }) }) });
    await open(world, { id: queueIdOf(2) });
    await put(world, [aReceipt({ queueId: queueIdOf(2) })], 2);
    world.expect((await read(world)).items).toEqual(aChain(2));
    world.expect(await numbersIn(world, { queueId: queueIdOf(2) })).toEqual([1]);
  },

  'no receipt is ever removed, and a page has at most the page limit': async (world) => {
    await open(world);
    const chain = aChain(PAGE_LIMIT + 50);
    for (let from = 0; from < chain.length; from += 210) await put(world, chain.slice(from, from + 210));
    const first = await read(world, { limit: PAGE_LIMIT + 1 });
    const rest = await read(world, { limit: PAGE_LIMIT + 1, cursor: first.next ?? '' });
    const [begun, ended] = [first, rest].map(({ items }) => items.map(({ number }) => number));
    world.expect([begun, ended]).toEqual([numbers(PAGE_LIMIT), numbers(chain.length).slice(PAGE_LIMIT)]);
    world.expect(rest.next).toBe(null);
  },

  'loads do not return receipts': async (world) => {
    await open(world);
    const before = Object.keys(await loaded(world));
    for (const n of numbers(3)) await put(world, aChain(n).slice(-1));
    world.expect(Object.keys(await loaded(world, 1))).toEqual(before);
  },
};
