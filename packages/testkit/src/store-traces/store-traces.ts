import type { Instant, Lease, Store } from '@mq/core';
import {
  aFact,
  anAnswer,
  aQueue,
  aRepo,
  commitIdOf,
  inputIdOf,
  queueIdOf,
  runIdOf,
  shaOf,
} from '../builders.js';
import { commitOf } from './trace-commits.js';
import { dueNow, history, lists, ordered, orderedRecall, sortedBy } from './trace-reads.js';
import { type Scene, type Seen, TRACE_START, type TraceStep, traceQueues } from './trace-step.js';

/** An empty store whose clock moves only by `setTime`. */
export interface TracedStore {
  readonly store: Store;
  setTime(at: Instant): Promise<void>;
}

interface Actor extends TracedStore {
  readonly leases: Lease[];
}

/** The first step on which the stores differ, and what each returned, as JSON. */
export interface TraceDifference {
  readonly step: TraceStep;
  readonly index: number;
  readonly seen: readonly string[];
}

/**
 * Performs the same steps on all stores, each empty at first; null if all return the same. Differences that the port allows
 * are ignored: tokens, the order of rows in a load, which past instant is due next, and how long a queue has been due.
 * `isStrict` compares the last two as well.
 */
export const firstDifference = async (
  stores: readonly TracedStore[],
  trace: readonly TraceStep[],
  { isStrict = false } = {},
): Promise<TraceDifference | null> => {
  const scene: Scene = { isStrict, now: TRACE_START, count: 0 };
  const actors = stores.map((traced): Actor => ({ ...traced, leases: [] }));
  await Promise.all(actors.map((actor) => actor.setTime(scene.now)));
  for (const [index, step] of trace.entries()) {
    const act = await actionOf(scene, step, actors[0] as Actor);
    const seen = await Promise.all(
      actors.map((actor) =>
        act(actor).then(
          (value) => JSON.stringify(value, sortedKeys),
          () => 'rejected',
        ),
      ),
    );
    if (new Set(seen).size > 1) return { step, index, seen };
  }
  return null;
};

const sortedKeys = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value;

type Action = (actor: Actor) => Promise<Seen>;

const actionOf = async (scene: Scene, step: TraceStep, first: Actor): Promise<Action> => {
  const id = queueIdOf(step.queue);
  const { one, two, many } = step;
  switch (step.kind) {
    case 'create': {
      const queue = aQueue({ id, branch: `b${one % 3}`, repo: { ...aRepo, name: `r${two % 2}` } });
      const answer = two % 3 === 0 ? anAnswer(50 + one) : null;
      return ({ store }) => store.createQueue(queue, scene.now + (one - 3) * 1_000, answer);
    }
    case 'commit': {
      const commit = await commitOf(scene, step, first.store);
      return async (actor) => {
        const held = one % 3 === 0 ? actor.leases[two % Math.max(1, actor.leases.length)] : undefined;
        const handOver = two % 2 === 0 ? null : { owner: 'performer', forMs: 2_000 * (1 + one), limit: one };
        const settled = held === undefined ? [] : [held];
        const outcome = await actor.store.commit({ ...commit, settled, handOver });
        if (outcome.kind === 'committed') {
          actor.leases.push(...outcome.leases);
          return { ...outcome, leases: outcome.leases.map(({ token: _, ...rest }) => rest) };
        }
        if (outcome.kind === 'present') return orderedRecall(outcome.recalled);
        return outcome.kind === 'under_way' ? { ...outcome, effects: [...outcome.effects].sort() } : outcome;
      };
    }
    case 'push':
      return ({ store }) => store.push(id, many.map(aFact));
    case 'lease':
      return async (actor) => {
        const leases = await actor.store.lease({
          owner: 'performer',
          forMs: 2_000 * (1 + one),
          limit: 1 + two,
        });
        actor.leases.push(...leases);
        return leases.map(({ token: _, ...rest }) => rest);
      };
    case 'renew':
      return ({ store, leases }) =>
        store.renew(
          many.flatMap((n) => leases[n % Math.max(1, leases.length)] ?? []),
          1_000 * (1 + one),
        );
    case 'settle':
      return async ({ store, leases }) => {
        const held = leases[one % Math.max(1, leases.length)];
        return held === undefined ? null : store.settle(held, many.map(aFact));
      };
    case 'postpone':
      return async ({ store, leases }) => {
        const held = leases[one % Math.max(1, leases.length)];
        return held === undefined ? null : store.postpone(held, two * 1_000, 'unreachable');
      };
    case 'due':
      return ({ store }) => dueNow(store, scene, step);
    case 'wait':
      scene.now += 10 ** (one % 5) * (1 + two);
      return ({ setTime }) => setTime(scene.now);
    case 'load':
      return async ({ store }) => {
        const recall = {
          prs: many,
          inputIds: [50 + one, 60 + two].map(inputIdOf),
          commits: many.map(commitIdOf),
        };
        // Also loads all queues concurrently, some from version 0: a store may batch such reads.
        const deltas = await Promise.all([
          store.load(id, Math.max(0, one - 2), recall),
          ...traceQueues.map((n) =>
            store.load(queueIdOf(n), Math.max(0, ((one + n) % 6) - 2), { prs: [], inputIds: [] }),
          ),
        ]);
        return deltas.map(ordered);
      };
    case 'lists':
      return (actor) => lists(actor.store, step);
    case 'history':
      return (actor) => history(actor.store, scene, step);
    case 'lookups':
      return async ({ store }) => [
        await store.now(),
        await store.run(id, runIdOf(1 + (one % 9))),
        await store.verdicts({ ...aRepo, name: `r${two % 2}` }, shaOf(1 + (one % 3), 'd')),
        sortedBy(await store.answers(many.map((n) => inputIdOf(50 + n))), ({ inputId }) => inputId),
      ];
  }
};
