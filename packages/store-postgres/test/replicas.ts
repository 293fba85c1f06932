import type { Store } from '@mq/core';
import type { VirtualClock } from '@mq/testkit';
import type { Database } from '../src/index.js';
import { timedBy } from './timed-by.js';
import { postgres, sharedSchema } from './worlds.js';

/** Databases and stores for replicas, reused from test to test. */
export const replicas = () => {
  const first = postgres();
  const servers = [first];
  const empty = sharedSchema(first);
  return {
    server: first,
    /** An empty store, opened by this many replicas. */
    begin: async (count: number, through: (database: Database) => Database = (database) => database) => {
      while (servers.length < count) servers.push(postgres(3));
      const { another, schema, setTime } = await empty();
      const stores = await Promise.all(servers.slice(0, count).map((server) => another(through(server))));
      let timed: ((store: Store) => Store) | null = null;
      const storeFor = (clock: VirtualClock, replica: number): Store => {
        timed ??= timedBy(clock, setTime);
        const store = stores[replica];
        if (store === undefined) throw new Error(`There is no replica ${replica}.`);
        return timed(store);
      };
      return { schema, storeFor };
    },
    end: () => Promise.all(servers.map(({ pool }) => pool.end())),
  };
};
