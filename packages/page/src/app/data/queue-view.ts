import type { AnswerOf, Client, components } from '@mq/client';

/**
 * The only module that knows how a queue is read: by the snapshot of `getQueueSnapshot`, whose later answers have
 * only the changes.
 */
export type TestingDetails = components['schemas']['TestingDetails'];
export type EnqueuedPullRequest = components['schemas']['EnqueuedPullRequest'];
export type Queue = AnswerOf<'listQueues'>['queues'][number];
export type State = EnqueuedPullRequest['state'];

export type Snapshot = AnswerOf<'getQueueSnapshot'>;
type Table<Name extends 'pullRequests' | 'testRuns' | 'ended'> = NonNullable<Snapshot[Name]>;
export type Row = Table<'pullRequests'>['rows'][number];
/** An open test run. */
export type Run = Table<'testRuns'>['rows'][number];
export type Ended = Table<'ended'>['rows'][number];
export type Alarm = NonNullable<Snapshot['alarms']>[number];
export type Counts = NonNullable<Snapshot['counts']>;

export interface QueueRef {
  readonly repo: { readonly host: string; readonly owner: string; readonly name: string };
  readonly targetBranch: string;
}

export interface QueueView {
  readonly version: string;
  readonly queue: Queue;
  readonly counts: Counts;
  readonly targetSha: string | null;
  readonly landing: NonNullable<Snapshot['landing']> | null;
  /** The alarms of the last day, newest first. */
  readonly alarms: readonly Alarm[];
  /** The line, then what is not ready. */
  readonly rows: readonly Row[];
  readonly runs: readonly Run[];
  /** What has left the queue lately, newest first. */
  readonly ended: readonly Ended[];
  /** Pull requests beyond the rows. */
  readonly moreRows: number;
}

export interface QueueReader {
  (signal: AbortSignal): Promise<QueueView>;
  readonly ref: QueueRef;
  /** The version of the last answer; undefined before the first. */
  readonly version: () => string | undefined;
  /** Applies what a stream has sent; null if it does not follow the last answer. */
  readonly take: (snapshot: Snapshot) => QueueView | null;
}

/** Reads one queue repeatedly, and applies each answer to the previous one. */
export const queueReader = (client: Client, ref: QueueRef): QueueReader => {
  let last: QueueView | null = null;
  const applied = (snapshot: Snapshot): QueueView => {
    last = appliedTo(snapshot.since === null ? null : last, snapshot);
    return last;
  };
  const read = async (signal: AbortSignal): Promise<QueueView> => {
    const version = last === null ? {} : { version: last.version };
    const snapshot = await client.getQueueSnapshot({ ...ref, ...version }, { signal });
    // A stream may have sent something newer meanwhile.
    return last === null || follows(last.version, snapshot) ? applied(snapshot) : last;
  };
  return Object.assign(read, {
    ref,
    version: () => last?.version,
    take: (snapshot: Snapshot) =>
      snapshot.since === null || (last !== null && follows(last.version, snapshot))
        ? applied(snapshot)
        : null,
  });
};

/**
 * True if it updates data of that version. Changes since an older version do too: they hold each row as it is now.
 * Versions of one process are its id, a dot and a number that grows.
 */
export const follows = (held: string, { since, version }: Pick<Snapshot, 'since' | 'version'>): boolean => {
  if (since === null) return true;
  const [ownId, own] = held.split('.');
  const [id, from] = since.split('.');
  const to = version.split('.')[1];
  return ownId === id && Number(from) <= Number(own) && Number(own) <= Number(to);
};

interface TableChange<Key, Value> {
  readonly rows: readonly Value[];
  readonly removed: readonly Key[];
  readonly order?: readonly Key[];
}

/** The rows of a table after a change: new rows replace those with the same key, in the given order. */
export const changedRows = <Key, Value>(
  before: readonly Value[],
  change: TableChange<Key, Value> | undefined,
  keyOf: (row: Value) => Key,
): readonly Value[] => {
  if (change === undefined) return before;
  const rows = new Map(before.map((row) => [keyOf(row), row]));
  for (const row of change.rows) rows.set(keyOf(row), row);
  for (const key of change.removed) rows.delete(key);
  if (change.order === undefined) return [...rows.values()];
  return change.order.flatMap((key) => rows.get(key) ?? []);
};

const NO_COUNTS: Counts = { enqueued: 0, begun: 0, notReady: 0, slotsInUse: 0, bisectionSlotsInUse: 0 };

const appliedTo = (before: QueueView | null, snapshot: Snapshot): QueueView => {
  const queue = snapshot.queue ?? before?.queue;
  if (queue === undefined) throw new Error('the first answer about a queue has no queue');
  return {
    version: snapshot.version,
    queue,
    counts: snapshot.counts ?? before?.counts ?? NO_COUNTS,
    targetSha: snapshot.targetSha === undefined ? (before?.targetSha ?? null) : snapshot.targetSha,
    landing: snapshot.landing === undefined ? (before?.landing ?? null) : snapshot.landing,
    alarms: snapshot.alarms ?? before?.alarms ?? [],
    rows: changedRows(before?.rows ?? [], snapshot.pullRequests, ({ prNumber }) => prNumber),
    runs: changedRows(before?.runs ?? [], snapshot.testRuns, ({ testRunId }) => testRunId),
    ended: changedRows(before?.ended ?? [], snapshot.ended, ({ prNumber }) => prNumber),
    moreRows: snapshot.pullRequests?.more ?? before?.moreRows ?? 0,
  };
};
