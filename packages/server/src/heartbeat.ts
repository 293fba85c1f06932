import type { Store } from '@mq/core';

/** The engine passes every second; after this without one it is stuck, or its store or a queue fails again and again. */
export const SILENCE_LIMIT_MS = 15_000;

export interface Heartbeat {
  /** The same store; give this one to the engine. */
  readonly store: Store;
  /** How long ago the engine got as far as taking up wishes, which it does in every pass that did not fail. */
  silentForMs(): number;
  /** For how long no decision could be stored, as on a full disk; 0 where the last one was, or none was tried of late. */
  failingForMs(): number;
}

/** A queue that could not be decided is tried again after ten seconds: after this nobody tries any more. */
const FORGOTTEN_MS = 30_000;

export const heartbeat = (store: Store, now: () => number = Date.now): Heartbeat => {
  let lastBeatAt = now();
  let failing: { readonly since: number; readonly lastAt: number } | null = null;
  const stored: Store['commit'] = async (commit) => {
    try {
      const outcome = await store.commit(commit);
      failing = null;
      return outcome;
    } catch (error) {
      failing = { since: failing?.since ?? now(), lastAt: now() };
      throw error;
    }
  };
  const watched = new Proxy(store, {
    get: (target, name) => {
      if (name === 'commit') return stored;
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown => {
        if (name === 'lease') lastBeatAt = now();
        return Reflect.apply(member, target, args);
      };
    },
  });
  return {
    store: watched,
    silentForMs: () => now() - lastBeatAt,
    failingForMs: () =>
      failing === null || now() - failing.lastAt > FORGOTTEN_MS ? 0 : now() - failing.since,
  };
};
