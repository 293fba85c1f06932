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

/** The functions of a test runner that the suites call. Those of Vitest and Jest can be passed unchanged. */
export interface TestRunner {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly test: (name: string, body: () => Promise<void>) => unknown;
  readonly expect: (actual: unknown) => {
    toEqual(expected: unknown): unknown;
    toBe(expected: unknown): unknown;
  };
}

/** A new empty store for one test, with the helpers that the test needs. */
export interface StoreUnderTest {
  readonly store: Store;
  /**
   * Makes the store behave as if `ms` milliseconds had passed, at most two days. Advance its clock, or, if the database has
   * its own clock, move every stored instant back. The suite never compares instants from before and after.
   */
  passTime(ms: number): Promise<void>;
  /**
   * Sets the clock of the store back by `ms` milliseconds, also for stores that are opened later. Omit it if the clock is
   * that of a database, which a test cannot set.
   */
  setBack?(ms: number): Promise<void>;
  /**
   * Opens another store on the same data, as another process would, also after the first one was closed. Omit it only if no
   * other process can open the data. The suite closes the store, also if a test fails.
   */
  another?(): Promise<Store>;
  /**
   * Removes everything beyond the requested retention now. Omit it if every write does that, or if nothing is ever removed.
   */
  prune?(): Promise<void>;
  /**
   * Makes a backup of the data and returns a function that restores and opens it. The suite calls that function after it has
   * closed every store. Omit it if a test cannot make backups.
   */
  backUp?(): Promise<() => Promise<Store>>;
  /** The contents of the store, printed when a test fails. */
  dump?(): unknown;
  /** Cleans up after the test, once every store is closed. */
  end?(): Promise<void>;
}

export interface World extends StoreUnderTest {
  readonly expect: TestRunner['expect'];
}

/** Tests of the contract of a store, by title. */
export type ContractTests = Readonly<Record<string, (world: World) => Promise<void>>>;

/** Later than every instant that a test waits for. */
export const FAR = Date.UTC(2200, 0, 1);

export const noRecall: Recall = { prs: [], inputIds: [] };

/** Creates a queue that is due only in the far future. */
export const open = async ({ store }: World, override: Partial<Queue> = {}): Promise<Queue> => {
  const queue = aQueue(override);
  const outcome = await store.createQueue(queue, FAR, null);
  if (outcome !== 'created') throw new Error(`The queue could not be created: ${outcome}.`);
  return queue;
};

export const loaded = async (
  { store }: World,
  since = 0,
  recall: Partial<Recall> = {},
  id: QueueId = queueIdOf(1),
): Promise<QueueDelta> => {
  const delta = await store.load(id, since, { ...noRecall, ...recall });
  if (delta === null) throw new Error('The queue does not exist.');
  return delta;
};

/** Commits at the current version and returns the new one. Rejects if the commit is refused. */
export const write = async (world: World, override: Partial<Commit> = {}): Promise<number> => {
  const outcome = await tryToWrite(world, override);
  if (outcome.kind !== 'committed') throw new Error(`The commit was refused: ${JSON.stringify(outcome)}`);
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

/** Leases effects for a minute. */
export const lease = ({ store }: World, limit = 100): Promise<readonly Lease[]> =>
  store.lease({ owner: 'performer', forMs: 60_000, limit });

export const leaseOne = async (world: World): Promise<Lease> => {
  const [only] = await lease(world, 1);
  if (only === undefined) throw new Error('No effect can be leased.');
  return only;
};

/** Claims due queues for a minute. */
export const claim = ({ store }: World, limit = 100): Promise<readonly QueueId[]> =>
  store.due({ forMs: 60_000, limit });

/**
 * Everything that twenty concurrent calls return, and then twenty sequential ones: a concurrent call may skip rows that
 * another process is writing.
 */
export const givenToMany = async <Item>(
  ask: (n: number) => Promise<readonly Item[]>,
): Promise<readonly Item[]> => {
  const twenty = numbers(20);
  const given = (await Promise.all(twenty.map(ask))).flat();
  for (const n of twenty) given.push(...(await ask(n)));
  return given;
};

/** When something is due next; 'now' for any past instant, because a store may return any of them. */
export const dueNext = async (store: Store): Promise<Instant | 'now' | null> => {
  const at = await store.nextDueAt();
  return at !== null && at <= (await store.now()) ? 'now' : at;
};

/** The error that a promise rejects with; null if it resolves. */
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
