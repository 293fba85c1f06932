import type { Store } from '@mq/core';

/** Stores whose time follows the clock of the story before each call. */
export const timedBy = (
  clock: { now(): number },
  setTime: (at: number) => Promise<void>,
): ((store: Store) => Store) => {
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
  return (store) =>
    new Proxy(store, {
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
