import { liveStates, type QueueDelta, type Recalled, type Store } from '@mq/core';
import { aRepo, queueIdOf } from '../builders.js';
import { type Scene, type Seen, TRACE_START, type TraceStep } from './trace-step.js';

/** Claims all due queues unless `isStrict`: which are claimed first may differ. */
export const dueNow = async (
  store: Store,
  { isStrict, now }: Scene,
  { one, two }: TraceStep,
): Promise<Seen> => {
  const next = async () => {
    const at = await store.nextDueAt();
    return isStrict || at === null ? at : Math.max(at, now);
  };
  const before = await next();
  const ids = await store.due({ forMs: 1_000 * (1 + one), limit: isStrict ? 1 + two : 99 });
  return [before, isStrict ? ids : ids.toSorted(), await next()];
};

export const sortedBy = <Row>(rows: readonly Row[], keyOf: (row: Row) => string | number): readonly Row[] =>
  [...rows].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));

export const ordered = (delta: QueueDelta | null): Seen =>
  delta === null
    ? null
    : {
        ...delta,
        incarnation: null,
        submissions: sortedBy(delta.submissions, ({ id }) => id),
        runs: sortedBy(delta.runs, ({ id }) => id),
        targets: sortedBy(delta.targets, ({ pr }) => pr),
        recalled: orderedRecall(delta.recalled),
      };

export const orderedRecall = ({ submissions, targets, answers, commits }: Recalled): Recalled => ({
  submissions: sortedBy(submissions, ({ id }) => id),
  targets: sortedBy(targets, ({ pr }) => pr),
  answers: sortedBy(answers, ({ inputId }) => inputId),
  commits: commits.toSorted(),
});

/** Two pages, so that cursors are followed too. */
const twoPages = async (
  read: (cursor: { readonly cursor?: string }) => Promise<{ readonly next: string | null }>,
): Promise<Seen> => {
  const first = await read({});
  return [first, first.next === null ? null : await read({ cursor: first.next })];
};

export const lists = async (store: Store, { queue, one, two, many }: TraceStep): Promise<Seen> => {
  const queueId = queueIdOf(queue);
  const where = {
    ...(one % 3 === 0 ? { prs: many } : {}),
    ...(two % 3 === 0 ? { states: liveStates.slice(0, 1 + (one % 5)) } : {}),
    ...(two % 4 === 1 ? { since: TRACE_START + one * 100 } : {}),
    ...(one % 4 === 1 ? { until: TRACE_START + two * 10_000 } : {}),
  };
  return [
    await twoPages((cursor) => store.submissions({ queueId, ...where, limit: 1 + (two % 4), ...cursor })),
    await twoPages((cursor) =>
      store.queues({
        ...(one % 2 === 0 ? { repo: { ...aRepo, name: `r${two % 2}` } } : {}),
        ...(two % 3 === 1 ? { branch: `b${one % 3}` } : {}),
        limit: 1 + (one % 2),
        ...cursor,
      }),
    ),
    await twoPages(async (cursor) => {
      const page = await store.queueVersions({ limit: 1 + (two % 2), ...cursor });
      return { ...page, items: page.items.map(({ id, version }) => ({ id, version })) };
    }),
    await twoPages((cursor) =>
      store.receipts({ queueId, after: one % 3, ...(two % 2 === 0 ? { pr: one } : {}), limit: 2, ...cursor }),
    ),
  ];
};

export const history = (store: Store, scene: Scene, { one, two, many }: TraceStep): Promise<Seen> =>
  twoPages((cursor) =>
    store.history({
      queueIds: many.map((n) => queueIdOf(1 + (n % 4))),
      order: one % 2 === 0 ? 'oldest_first' : 'newest_first',
      limit: 1 + two,
      ...(one % 3 === 0 ? { pr: 1 + (two % 9) } : {}),
      ...(two % 4 === 0 ? { types: one % 5 === 0 ? ['alarm'] : ['moved', 'run'] } : {}),
      ...(two % 3 === 1 ? { since: scene.now - one * 1_000 } : {}),
      ...(one % 4 === 2 ? { until: scene.now - two * 10 } : {}),
      ...cursor,
    }),
  );
