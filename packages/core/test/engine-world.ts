import { memoryStore } from '@mq/store-memory';
import {
  aCommit,
  anActor,
  aPullRequest,
  aQueue,
  BUILT_AT,
  commitIdOf,
  inputIdOf,
  queueIdOf,
  virtualClock,
} from '@mq/testkit';
import type { Decision } from '../src/decide/decide.js';
import { defaultPace } from '../src/decide/draft/context.js';
import { Decider, type EffectSink } from '../src/engine/decider.js';
import { StoreTime } from '../src/engine/store-time.js';
import type { InputId } from '../src/model/ids.js';
import type { Cancel, Submit } from '../src/model/input.js';
import type { Queue } from '../src/model/queue.js';
import { silentLogger } from '../src/ports/logger.js';
import type { Commit, Store } from '../src/ports/store.js';

type Method =
  | 'load'
  | 'queues'
  | 'commit'
  | 'renew'
  | 'settle'
  | 'postpone'
  | 'lease'
  | 'due'
  | 'nextDueAt'
  | 'push';
/** Replaces one call of a store; `real` is the call itself. */
export type Fault = (real: () => Promise<unknown>, args: readonly unknown[]) => Promise<unknown>;

/** A store with faults: each queued fault of a method replaces its next call. */
export const faultyStore = (store: Store) => {
  const faults = new Map<Method, Fault[]>();
  const faulty = new Proxy(store, {
    get: (target, name) => {
      const method = Reflect.get(target, name) as unknown;
      if (typeof method !== 'function') return method;
      return (...args: readonly unknown[]) => {
        const real = () => Reflect.apply(method, target, args) as Promise<unknown>;
        const fault = faults.get(name as Method)?.shift();
        return fault === undefined ? real() : fault(real, args);
      };
    },
  });
  const next = (method: Method, ...some: readonly Fault[]) =>
    void faults.set(method, [...(faults.get(method) ?? []), ...some]);
  return { store: faulty, next };
};

export const lostBefore: Fault = () => Promise.reject(new Error('connection lost'));
export const lostAfter: Fault = async (real) => {
  await real();
  throw new Error('connection lost');
};

/** A paused queue in a memory store, its decider, and injectable faults. */
export const engineWorld = async (queue: Partial<Queue> = {}) => {
  const clock = virtualClock(BUILT_AT);
  const memory = memoryStore({ clock });
  const { store, next } = faultyStore(memory);
  await memory.createQueue(aQueue({ wanted: 'paused', ...queue }), BUILT_AT, null);
  const published: Decision[] = [];
  const left: number[] = [];
  const found: string[] = [];
  const warned: string[] = [];
  let ids = 0;
  const uuid = () => {
    ids += 1;
    return `${ids.toString(16).padStart(8, '0')}-0000-4000-8000-00000000abcd`;
  };
  const time = new StoreTime(clock);
  const deciderOf = (id = queueIdOf(1), performer: EffectSink | null = null) =>
    new Decider(id, {
      store,
      logger: { ...silentLogger, warn: (_, sentence) => void warned.push(sentence) },
      pace: defaultPace,
      time,
      uuid,
      performer,
      onFound: (incarnation) => void found.push(incarnation),
      onGone: () => undefined,
      onCommitted: (_, decision, count) => {
        published.push(decision);
        left.push(count);
      },
    });
  /** A commit by another process. */
  const rival = async (patch: Partial<Commit> = {}) => {
    const delta = await memory.load(queueIdOf(1), 0, { prs: [], inputIds: [] });
    if (delta === null) throw new Error('the queue is gone');
    ids += 1;
    return memory.commit(aCommit({ id: commitIdOf(0xabc000 + ids), expected: delta.version, ...patch }));
  };
  return { clock, memory, store, next, published, left, time, deciderOf, rival, uuid, found, warned };
};

export const aSubmit = (pr: number, id: InputId = inputIdOf(pr), digest: string | null = null): Submit => ({
  id,
  actor: anActor,
  digest,
  type: 'submit',
  pull: aPullRequest(pr),
  rules: { requiredChecks: ['build'], digests: {}, readAt: BUILT_AT },
  expectedHead: null,
});

export const aCancel = (pr: number, id: InputId = inputIdOf(1_000 + pr)): Cancel => ({
  id,
  actor: anActor,
  digest: null,
  type: 'cancel',
  pr,
});
