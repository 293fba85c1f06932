import {
  effectOfAnyRelease,
  historyOfAnyRelease,
  queueOfAnyRelease,
  runOfAnyRelease,
  submissionOfAnyRelease,
} from './model/later-fields.js';
import type { Page, QueueDelta, Recalled, Store } from './ports/store.js';

/**
 * Whatever a store gives out passes here first: rows that an earlier release wrote have what later ones added to them.
 * Nothing behind this ever sees another row.
 */
export const storeDoor = (store: Store): Store => {
  const { onWake, prepare } = store;
  return {
    createQueue: (...given) => store.createQueue(...given),
    queues: async (query) => paged(await store.queues(query), queueOfAnyRelease),
    load: async (...asked) => {
      const delta = await store.load(...asked);
      return delta === null ? null : deltaOfAnyRelease(delta);
    },
    commit: async (commit) => {
      const outcome = await store.commit(commit);
      return outcome.kind === 'present'
        ? { ...outcome, recalled: recalledOfAnyRelease(outcome.recalled) }
        : outcome;
    },
    ...(prepare === undefined ? {} : { prepare: (commit) => letGo(prepare.call(store, commit)) }),
    push: (...given) => store.push(...given),
    lease: async (ask) =>
      (await store.lease(ask)).map((lease) => {
        const effect = effectOfAnyRelease(lease.effect);
        return effect === lease.effect ? lease : { ...lease, effect };
      }),
    renew: (...given) => store.renew(...given),
    settle: (...given) => store.settle(...given),
    postpone: (...given) => store.postpone(...given),
    due: (ask) => store.due(ask),
    nextDueAt: () => store.nextDueAt(),
    now: () => store.now(),
    answers: (ids) => store.answers(ids),
    submissions: async (query) => paged(await store.submissions(query), submissionOfAnyRelease),
    run: async (...asked) => {
      const run = await store.run(...asked);
      return run === null ? null : runOfAnyRelease(run);
    },
    verdicts: (...asked) => store.verdicts(...asked),
    history: async (query) => paged(await store.history(query), historyOfAnyRelease),
    receipts: (query) => store.receipts(query),
    ...(onWake === undefined ? {} : { onWake: (listener: () => void) => onWake.call(store, listener) }),
    close: () => store.close(),
  };
};

/** A store may take a hint by a promise: nobody waits for it, and where it is rejected that would end the process. */
const letGo = (hint: unknown): void => {
  if (hint instanceof Promise) hint.catch(() => undefined);
};

const paged = <Row>({ items, next }: Page<Row>, read: (row: Row) => Row): Page<Row> => ({
  items: items.map(read),
  next,
});

const deltaOfAnyRelease = (delta: QueueDelta): QueueDelta => ({
  ...delta,
  queue: queueOfAnyRelease(delta.queue),
  submissions: delta.submissions.map(submissionOfAnyRelease),
  runs: delta.runs.map(runOfAnyRelease),
  recalled: recalledOfAnyRelease(delta.recalled),
});

const recalledOfAnyRelease = (recalled: Recalled): Recalled => ({
  ...recalled,
  submissions: recalled.submissions.map(submissionOfAnyRelease),
});
