import type { Store } from '@mq/core';
import { overrideMethods } from './override-methods.js';

/** The engine makes a pass every second. After this time without one, it is stuck, or its store or a queue keeps failing. */
export const SILENCE_LIMIT_MS = 15_000;

export interface Heartbeat {
  /** The observed store; pass this one to the engine. */
  readonly store: Store;
  /** Time since the engine last leased effects, which every successful pass does. */
  silentForMs(): number;
  /** How long every commit has failed, for example on a full disk. 0 if the last one succeeded or none was tried recently. */
  failingForMs(): number;
}

/** A failed decision is retried after ten seconds, and the retry may take a minute to fail. After this time no retry is pending. */
const FORGOTTEN_MS = 90_000;

export const heartbeat = (store: Store, now: () => number = Date.now): Heartbeat => {
  let lastBeatAt = now();
  let failing: { readonly since: number; readonly lastAt: number } | null = null;
  const stored: Store['commit'] = async (commit) => {
    const begunAt = now();
    try {
      const outcome = await store.commit(commit);
      failing = null;
      return outcome;
    } catch (error) {
      const before = failing !== null && begunAt - failing.lastAt <= FORGOTTEN_MS ? failing : null;
      failing = { since: before?.since ?? begunAt, lastAt: now() };
      throw error;
    }
  };
  const leased: Store['lease'] = (ask) => {
    lastBeatAt = now();
    return store.lease(ask);
  };
  const watched = overrideMethods(store, (name) =>
    name === 'commit' ? stored : name === 'lease' ? leased : null,
  );
  return {
    store: watched,
    silentForMs: () => now() - lastBeatAt,
    failingForMs: () =>
      failing === null || now() - failing.lastAt > FORGOTTEN_MS ? 0 : failing.lastAt - failing.since,
  };
};
