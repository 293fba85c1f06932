import type { LeaseRequest } from '@mq/core';
import { storeConformance, virtualClock } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { type MemoryStore, memoryStore } from '../src/index.js';

/** How long a busy machine stalls whenever the suite lets time pass. */
const PAUSE_MS = 20_000;

/** A clock that advances with every read. */
const runningClock = () => {
  const clock = virtualClock();
  let looks = 0;
  return { now: () => clock.now() + looks++, passTime: (ms: number) => clock.advance(ms + PAUSE_MS) };
};

/**
 * A store that answers the current time if something is due already, and skips everything while another call is in
 * progress.
 */
const freely = (store: MemoryStore): MemoryStore => {
  let asking = 0;
  const unlessAsked = async <Item>(ask: () => Promise<readonly Item[]>): Promise<readonly Item[]> => {
    asking += 1;
    try {
      const given = asking === 1 ? await ask() : [];
      await new Promise<void>((resolve) => setImmediate(resolve));
      return given;
    } finally {
      asking -= 1;
    }
  };
  const [nextDueAt, lease, due] = [
    store.nextDueAt.bind(store),
    store.lease.bind(store),
    store.due.bind(store),
  ];
  return Object.assign(store, {
    nextDueAt: async () => {
      const [at, now] = [await nextDueAt(), await store.now()];
      return at !== null && at < now ? now : at;
    },
    lease: (ask: LeaseRequest) => unlessAsked(() => lease(ask)),
    due: (ask: { readonly forMs: number; readonly limit: number }) => unlessAsked(() => due(ask)),
  });
};

describe('a store that uses every freedom of the port', () => {
  storeConformance({ describe, test, expect }, async ({ retention }) => {
    const { now, passTime } = runningClock();
    const store = freely(memoryStore({ clock: { now }, retention }));
    return { store, passTime, dump: () => store.dump() };
  });
});
