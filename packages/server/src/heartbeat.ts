import type { Store } from '@mq/core';

/** The engine passes every second; after this without one it is stuck, or its store or a queue fails again and again. */
export const SILENCE_LIMIT_MS = 15_000;

export interface Heartbeat {
  /** The same store; give this one to the engine. */
  readonly store: Store;
  /** How long ago the engine got as far as taking up wishes, which it does in every pass that did not fail. */
  silentForMs(): number;
}

export const heartbeat = (store: Store, now: () => number = Date.now): Heartbeat => {
  let lastBeatAt = now();
  const watched = new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown => {
        if (name === 'lease') lastBeatAt = now();
        return Reflect.apply(member, target, args);
      };
    },
  });
  return { store: watched, silentForMs: () => now() - lastBeatAt };
};
