import type { Store } from '@mq/core';
import type { VirtualClock } from '@mq/testkit';
import { timedBy } from './timed-by.js';
import { postgres, sharedSchema } from './worlds.js';

/** Databases and stores for the replicas of one test after another. */
export const replicas = () => {
  const first = postgres();
  const servers = [first];
  const empty = sharedSchema(first);
  return {
    /** An empty store, as each of so many replicas has it. */
    begin: async (count: number) => {
      while (servers.length < count) servers.push(postgres(3));
      const { another, setTime } = await empty();
      const stores = await Promise.all(servers.slice(0, count).map((server) => another(server)));
      let timed: ((store: Store) => Store) | null = null;
      return (clock: VirtualClock, replica: number): Store => {
        timed ??= timedBy(clock, setTime);
        const store = stores[replica];
        if (store === undefined) throw new Error(`There is no replica ${replica}.`);
        return timed(store);
      };
    },
    end: () => Promise.all(servers.map(({ pool }) => pool.end())),
  };
};
