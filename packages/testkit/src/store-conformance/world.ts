import type {
  Commit,
  CommitOutcome,
  Instant,
  Lease,
  Queue,
  QueueDelta,
  QueueId,
  Recall,
  Store,
} from '@mq/core';
import { aCommit, aQueue, commitIdOf, queueIdOf } from '../builders.js';

/** What the suite needs of a test runner. Vitest's and Jest's functions fit as they are. */
export interface TestRunner {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly test: (name: string, body: () => Promise<void>) => unknown;
  readonly expect: (actual: unknown) => {
    toEqual(expected: unknown): unknown;
    toBe(expected: unknown): unknown;
  };
}

/** An empty store of its own for one test, and what the test needs around it. */
export interface StoreUnderTest {
  readonly store: Store;
  /**
   * Afterwards the store behaves as if `ms` had gone by, up to two days. Move its clock, or, where the clock is a
   * database's, move every stored instant back. The suite never compares instants from before and after.
   */
  passTime(ms: number): Promise<void>;
  /**
   * Sets the clock back from which the store takes its time, also for stores that are opened later. Leave it out where that is
   * the clock of a database, which nobody here can set back.
   */
  setBack?(ms: number): Promise<void>;
  /**
   * Another store on the same data, as another process opens it; also after the first one was closed. Leave it out only
   * where no other process can have the data. The suite closes it, also where a test fails.
   */
  another?(): Promise<Store>;
  /**
   * Removes now what is beyond the retention that was asked for. Leave it out where every write does that, or where nothing is
   * ever removed.
   */
  prune?(): Promise<void>;
  /**
   * Makes a backup of the data. What it gives puts the backup back and opens it; the suite calls that when it has closed every
   * store. Leave it out where no backup can be made in a test.
   */
  backUp?(): Promise<() => Promise<Store>>;
  /** Printed with a failure. */
  dump?(): unknown;
  /** Clears away what the test leaves, after the store was closed. */
  end?(): Promise<void>;
}

export interface World extends StoreUnderTest {
  readonly expect: TestRunner['expect'];
}

/** Sentences that begin with "a store", and how each is tried. */
export type Promises = Readonly<Record<string, (world: World) => Promise<void>>>;

/** Later than anything that a test waits for. */
export const FAR = Date.UTC(2200, 0, 1);

export const noRecall: Recall = { prs: [], inputIds: [] };

/** Creates a queue that is not due for long. */
export const open = async ({ store }: World, override: Partial<Queue> = {}): Promise<Queue> => {
  const queue = aQueue(override);
  const outcome = await store.createQueue(queue, FAR, null);
  if (outcome !== 'created') throw new Error(`the queue could not be created: ${outcome}`);
  return queue;
};

export const loaded = async (
  { store }: World,
  since = 0,
  recall: Partial<Recall> = {},
  id: QueueId = queueIdOf(1),
): Promise<QueueDelta> => {
  const delta = await store.load(id, since, { ...noRecall, ...recall });
  if (delta === null) throw new Error('the queue is not there');
  return delta;
};

/** Commits at the version that the queue has; fails unless that works. Returns the new version. */
export const write = async (world: World, override: Partial<Commit> = {}): Promise<number> => {
  const outcome = await tryToWrite(world, override);
  if (outcome.kind !== 'committed') throw new Error(`the commit was refused: ${JSON.stringify(outcome)}`);
  return outcome.version;
};

export const tryToWrite = async (world: World, override: Partial<Commit> = {}): Promise<CommitOutcome> => {
  const delta = await loaded(world, 0, {}, override.queueId ?? queueIdOf(1));
  const commit = aCommit({
    id: commitIdOf(delta.version),
    expected: delta.version,
    wakeAt: FAR,
    ...override,
  });
  return world.store.commit(commit);
};

/** Leases wishes for a minute. */
export const lease = ({ store }: World, limit = 100): Promise<readonly Lease[]> =>
  store.lease({ owner: 'performer', forMs: 60_000, limit });

export const leaseOne = async (world: World): Promise<Lease> => {
  const [only] = await lease(world, 1);
  if (only === undefined) throw new Error('no wish is offered');
  return only;
};

/** Claims due queues for a minute. */
export const claim = ({ store }: World, limit = 100): Promise<readonly QueueId[]> =>
  store.due({ forMs: 60_000, limit });

/**
 * What is given where twenty ask at once and then, as what somebody is just writing to may be passed over, again one
 * after another.
 */
export const givenToMany = async <Item>(
  ask: (n: number) => Promise<readonly Item[]>,
): Promise<readonly Item[]> => {
  const twenty = numbers(20);
  const given = (await Promise.all(twenty.map(ask))).flat();
  for (const n of twenty) given.push(...(await ask(n)));
  return given;
};

/** When something is due next, or that it is now: where it is, a store may name any time that has passed. */
export const dueNext = async (store: Store): Promise<Instant | 'now' | null> => {
  const at = await store.nextDueAt();
  return at !== null && at <= (await store.now()) ? 'now' : at;
};

/** What a promise is rejected with; null where it is not. */
export const rejection = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => null,
    (error: unknown) => error,
  );

export const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : null;

export const idsOf = <Id>(items: readonly { readonly id: Id }[]): readonly Id[] => items.map(({ id }) => id);

export const sorted = <Item extends string | number>(items: readonly Item[]): readonly Item[] =>
  [...items].sort((one, other) => (one < other ? -1 : one > other ? 1 : 0));

export const numbers = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => index + 1);
