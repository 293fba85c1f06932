import {
  type Commit,
  type EffectId,
  type HistoryRow,
  type InputId,
  type Lease,
  liveStates,
  PAGE_LIMIT,
  type QueueDelta,
  type Recall,
  type Recalled,
  type Receipt,
  type Store,
  submissionStates,
} from '@mq/core';
import {
  aChain,
  aClosedRun,
  aCommit,
  aFact,
  aMove,
  anAnswer,
  anEffect,
  aQueue,
  aRepo,
  aRun,
  aSubmission,
  aTargetBook,
  aVerdict,
  commitIdOf,
  effectIdOf,
  inputIdOf,
  queueIdOf,
  runIdOf,
  shaOf,
  someWrites,
} from '@mq/testkit';
import fc from 'fast-check';

/** One step of a trace: what is done, and numbers that say with what. They mean the same for every store. */
export interface Step {
  readonly kind: (typeof kinds)[number];
  readonly queue: number;
  readonly one: number;
  readonly two: number;
  readonly many: readonly number[];
}

const kinds = [
  'create',
  'commit',
  'commit',
  'commit',
  'commit',
  'push',
  'push',
  'lease',
  'renew',
  'settle',
  'postpone',
  'due',
  'wait',
  'load',
  'load',
  'lists',
  'history',
  'lookups',
] as const;

const small = fc.nat({ max: 11 });

export const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    kind: fc.constantFrom(...kinds),
    queue: fc.integer({ min: 1, max: 3 }),
    one: small,
    two: small,
    many: fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 5 }),
  }),
  { minLength: 10, maxLength: 60, size: 'max' },
);

/** A store whose time is set by the test. */
export interface TracedStore {
  readonly store: Store;
  setTime(at: number): Promise<void>;
}

export const TRACE_START = Date.UTC(2026, 5, 1);

/** What stays the same for all stores while a trace is carried out. */
interface Scene {
  now: number;
  /** Numbers each commit, and each row of history. */
  count: number;
}

/** What a store gave, without what may differ: tokens, and the order of rows in a load. */
type Seen = unknown;

interface Actor extends TracedStore {
  readonly leases: Lease[];
}

/** Carries out the same steps on all stores. Answers with the first step on which they differ, and what each gave. */
export const firstDifference = async (
  stores: readonly TracedStore[],
  trace: readonly Step[],
): Promise<{ readonly step: Step; readonly index: number; readonly seen: readonly Seen[] } | null> => {
  const scene: Scene = { now: TRACE_START, count: 0 };
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

/** What a commit is made of is read from the first store, so that it is the same for all. */
const actionOf = async (scene: Scene, step: Step, first: Actor): Promise<Action> => {
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
      return async ({ store }) => [
        await store.nextDueAt(),
        await store.due({ forMs: 1_000 * (1 + one), limit: 1 + two }),
        await store.nextDueAt(),
      ];
    case 'wait':
      scene.now += 10 ** (one % 5) * (1 + two);
      return ({ setTime }) => setTime(scene.now);
    case 'load':
      return async ({ store }) =>
        ordered(
          await store.load(id, Math.max(0, one - 2), {
            prs: many,
            inputIds: [50 + one, 60 + two].map(inputIdOf),
            commits: many.map(commitIdOf),
          }),
        );
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

const commitOf = async (scene: Scene, step: Step, store: Store): Promise<Commit> => {
  const { one, two, many, queue } = step;
  const delta = await store.load(queueIdOf(queue), 0, { prs: [], inputIds: [] });
  const expected = (delta?.version ?? 1) - (one === 11 ? 1 : 0);
  scene.count += 1;
  return aCommit({
    id: commitIdOf(scene.count),
    recallable: one % 3 === 0,
    queueId: queueIdOf(queue),
    expected,
    absent: two % 3 === 1 ? absentOf(step) : null,
    writes: writesOf(scene, step, delta, two === 5 ? [await nextReceipt(store, step)] : []),
    consumed: [...(delta?.inbox ?? []).slice(0, two).map(({ id }) => id), inputIdOf(90)] as InputId[],
    answers: one % 2 === 0 ? many.map((n) => anAnswer(50 + n, `in commit ${scene.count}`)) : [],
    effects: two % 2 === 0 ? [...new Set(many.slice(0, 3))].map((n) => anEffect(scene.count * 10 + n)) : [],
    withdraw: one % 4 === 1 ? withdrawn(scene, two) : [],
    wakeAt: two % 4 === 3 ? null : scene.now + (two - 4) * 5_000,
  });
};

const absentOf = ({ one, many }: Step): Recall => ({
  prs: many.map((n) => n + 5),
  inputIds: [inputIdOf(50 + one)],
  commits: [commitIdOf(one)],
});

/** The next of the chain, also where the commit that was to give it was refused. */
const nextReceipt = async (store: Store, { queue }: Step): Promise<Receipt> => {
  const { items } = await store.receipts({ queueId: queueIdOf(queue), limit: PAGE_LIMIT });
  return aChain(items.length + 1).at(-1) as Receipt;
};

/** Wishes of earlier commits, as far as such a number was ever given to one. */
const withdrawn = (scene: Scene, two: number): readonly EffectId[] =>
  [1, 2].map((back) => effectIdOf((scene.count - back) * 10 + 1 + (two % 5)));

const writesOf = (
  scene: Scene,
  { one, two, many, queue }: Step,
  delta: QueueDelta | null,
  receipts: readonly Receipt[],
): Commit['writes'] => {
  const at = scene.now - (one % 3);
  const rows = many.map((pr): HistoryRow => {
    scene.count += 1;
    return aMove(scene.count, { pr, at: scene.now });
  });
  const deletes = one === 7 && two > 8;
  const present = delta?.queue ?? aQueue({ id: queueIdOf(queue) });
  return someWrites({
    queue: deletes
      ? { ...present, deletedAt: at }
      : one % 3 === 0
        ? { ...present, lastPlace: scene.count }
        : null,
    submissions: many.map((pr, index) => {
      const state =
        (one + index) % 3 === 0 ? submissionStates[two % submissionStates.length] : liveStates[index];
      return aSubmission(pr, { state: state ?? 'pending', stateSince: at - index, retries: scene.count });
    }),
    runs: many
      .slice(1)
      .map((n) => (two % 3 === 0 ? aClosedRun(n) : aRun(n, { startedChecks: [`${scene.count}`] }))),
    targets: one % 2 === 1 ? many.slice(2).map((pr) => aTargetBook(pr, [`//t${scene.count}`])) : [],
    verdicts: many
      .slice(0, 2)
      .map((n) => aVerdict(shaOf(1 + (n % 3), 'd'), { id: `c${n}`, summary: `${scene.count}` })),
    history: rows,
    receipts,
  });
};

const sortedBy = <Row>(rows: readonly Row[], keyOf: (row: Row) => string | number): readonly Row[] =>
  [...rows].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));

const ordered = (delta: QueueDelta | null): Seen =>
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

const orderedRecall = ({ submissions, targets, answers, commits }: Recalled): Recalled => ({
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

const lists = async (store: Store, { queue, one, two, many }: Step): Promise<Seen> => {
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
    await twoPages((cursor) =>
      store.receipts({ queueId, after: one % 3, ...(two % 2 === 0 ? { pr: one } : {}), limit: 2, ...cursor }),
    ),
  ];
};

const history = (store: Store, scene: Scene, { one, two, many }: Step): Promise<Seen> =>
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
