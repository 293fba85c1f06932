import type { Store } from '@mq/core';
import { registerScenarios, story } from '@mq/testkit';
import { afterAll, test } from 'vitest';
import { postgres, sharedSchema } from './worlds.js';

const server = postgres();
afterAll(() => server.pool.end());
const empty = sharedSchema(server);

/** Before each call it is as late for the store as it is in the story. */
const timedBy = (store: Store, clock: { now(): number }, setTime: (at: number) => Promise<void>): Store => {
  let stands: number | null = null;
  let moving: Promise<void> = Promise.resolve();
  const moved = (): Promise<void> => {
    const now = clock.now();
    if (now !== stands) {
      stands = now;
      moving = moving.then(() => setTime(now));
    }
    return moving;
  };
  return new Proxy(store, {
    get: (target, key) => {
      const member: unknown = Reflect.get(target, key, target);
      if (typeof member !== 'function') return member;
      if (key === 'onWake' || key === 'close') return member.bind(target);
      return async (...given: unknown[]) => {
        await moved();
        return member.apply(target, given);
      };
    },
  });
};

// The same scenarios, told on PostgreSQL: the host and the clock are those of the stories, the store is the real one.
registerScenarios({ test }, ['P'], async ({ settings, ...world }) => {
  const { store, setTime } = await empty();
  return story(settings, { ...world, storeFor: (clock) => timedBy(store, clock, setTime) });
});
