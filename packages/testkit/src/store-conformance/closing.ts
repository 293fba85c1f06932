import type { Lease, Store } from '@mq/core';
import { aCommit, aFact, anEffect, aQueue, aRepo, inputIdOf, queueIdOf, runIdOf } from '../builders.js';
import { type ContractTests, codeOf, FAR, leaseOne, noRecall, open, rejection, write } from './world.js';

const everyCall = (store: Store, held: Lease): Readonly<Record<string, () => Promise<unknown>>> => ({
  createQueue: () => store.createQueue(aQueue({ id: queueIdOf(2), branch: 'next' }), FAR, null),
  queues: () => store.queues({ limit: 1 }),
  queueVersions: () => store.queueVersions({ limit: 1 }),
  load: () => store.load(queueIdOf(1), 0, noRecall),
  commit: () => store.commit(aCommit({ expected: 2 })),
  push: () => store.push(queueIdOf(1), [aFact(1)]),
  lease: () => store.lease({ owner: 'performer', forMs: 1, limit: 1 }),
  renew: () => store.renew([held], 1),
  settle: () => store.settle(held, []),
  postpone: () => store.postpone(held, 1, 'closed'),
  due: () => store.due({ forMs: 1, limit: 1 }),
  nextDueAt: () => store.nextDueAt(),
  now: () => store.now(),
  answers: () => store.answers([inputIdOf(1)]),
  submissions: () => store.submissions({ queueId: queueIdOf(1), limit: 1 }),
  run: () => store.run(queueIdOf(1), runIdOf(1)),
  verdicts: () => store.verdicts(aRepo, 'tree'),
  shedTargets: () => store.shedTargets(aRepo, 1),
  heldTargetBytes: () => store.heldTargetBytes(aRepo),
  receipts: () => store.receipts({ queueId: queueIdOf(1), limit: 1 }),
  history: () => store.history({ queueIds: [queueIdOf(1)], order: 'oldest_first', limit: 1 }),
});

/** The longest time to wait for a hint, on any machine. */
const HINT_WITHIN_MS = 10_000;

/** Performs `act`; rejects if the store supports hints and gives none for it. */
const hinted = async (
  store: Store,
  what: string,
  act: () => Promise<unknown>,
  before = (): void => {},
): Promise<void> => {
  if (store.onWake === undefined) return;
  let stop = (): void => {};
  let timer: ReturnType<typeof setTimeout> | undefined;
  const hint = new Promise<void>((resolve, reject) => {
    stop = store.onWake?.(resolve) ?? resolve;
    timer = setTimeout(() => reject(new Error(`The store gave no hint for ${what}.`)), HINT_WITHIN_MS);
  });
  hint.catch(() => {});
  try {
    before();
    await act();
    await hint;
  } finally {
    clearTimeout(timer);
    stop();
  }
};

export const closing: ContractTests = {
  'after closing every call rejects with CLOSED, and closing again is not an error': async (world) => {
    await open(world);
    await write(world, { effects: [anEffect(1)] });
    const held = await leaseOne(world);
    await world.store.close();
    await world.store.close();
    const answered: string[] = [];
    for (const [name, call] of Object.entries(everyCall(world.store, held)))
      if (codeOf(await rejection(call())) !== 'CLOSED') answered.push(name);
    world.expect(answered).toEqual([]);
  },

  'a store with hints gives one for a pushed fact, for a new effect, and for facts of a settled effect':
    async (world) => {
      const { store } = world;
      await open(world);
      await hinted(store, 'a fact', () => store.push(queueIdOf(1), [aFact(1)]));
      await hinted(store, 'an effect', () => write(world, { effects: [anEffect(1)] }));
      const held = await leaseOne(world);
      await hinted(store, 'facts of a settled effect', () => store.settle(held, [aFact(2)]));
    },

  'a listener that was removed gets no hints, and other listeners still do': async (world) => {
    const { store } = world;
    await open(world);
    let given = 0;
    const stop = store.onWake?.(() => {
      given += 1;
    });
    await hinted(store, 'a fact', () => store.push(queueIdOf(1), [aFact(1)]), stop);
    world.expect(given).toBe(0);
  },
};
