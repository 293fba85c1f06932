import type { Commit, Incarnation, QueueDelta, QueueId, TestRun, TestRunId, Version } from '@mq/core';

// A test run is written about six times, and most of it never changes: what it tests, and its candidate. Those parts
// are written once, to columns of their own. If the value has such a field as well, the value counts.

/** Whether the store has the unchanging parts of a test run exactly as given. */
export interface StoredParts {
  made(run: TestRun): boolean;
  candidate(run: TestRun): boolean;
}

interface Apart {
  /** The part that is written with each change. */
  readonly value: Partial<TestRun>;
  /** Null if it is stored already. */
  readonly made: Partial<TestRun> | null;
  readonly candidate: TestRun['candidate'];
}

export const apartOf = (run: TestRun, stored: StoredParts): Apart => {
  const { purpose, batch, stack, without, method, candidate, ...rest } = run;
  return {
    value: candidate === null ? { ...rest, candidate } : rest,
    made: stored.made(run) ? null : { purpose, batch, stack, without, method },
    candidate: stored.candidate(run) ? null : candidate,
  };
};

/** Assembles a test run from its columns. */
export const runOf = (
  value: Partial<TestRun>,
  made: Partial<TestRun> | null,
  candidate: TestRun['candidate'],
): TestRun =>
  // Object.assign, because spreading is ten times slower for objects parsed from JSON.
  Object.assign({}, made, candidate === null ? null : { candidate }, value) as TestRun;

interface StoredQueue {
  readonly version: Version;
  readonly incarnation: Incarnation;
  readonly runs: Map<TestRunId, TestRun>;
}

const QUEUES_LIMIT = 1_000;
const nothing: StoredParts = { made: () => false, candidate: () => false };

/**
 * The parts of open test runs that this process knows to be stored, by queue. Valid for one version of a queue only; a
 * commit based on another version sends everything.
 */
export class StoredRuns {
  readonly #queues = new Map<QueueId, StoredQueue>();

  #queueOf({ queueId, expected, incarnation }: Commit): StoredQueue | null {
    const found = this.#queues.get(queueId);
    const isOf = found?.version === expected && found.incarnation === incarnation;
    return isOf ? found : null;
  }

  at(commit: Commit): StoredParts {
    const stored = this.#queueOf(commit);
    if (stored === null) return nothing;
    return {
      made: (run) => isMadeAs(run, stored.runs.get(run.id)),
      candidate: (run) => run.candidate !== null && run.candidate === stored.runs.get(run.id)?.candidate,
    };
  }

  loaded(queueId: QueueId, since: Version, { version, incarnation, runs }: QueueDelta): void {
    // A delta from a later version contains nothing.
    if (since > version) return;
    const found = this.#queues.get(queueId);
    const isNext =
      since !== 0 &&
      found !== undefined &&
      found.incarnation === incarnation &&
      since <= found.version &&
      found.version <= version;
    this.#remember(queueId, version, incarnation, isNext ? found.runs : new Map(), runs);
  }

  /** Records what a commit has stored. If it was based on an unknown version, everything was sent. */
  committed(commit: Commit): void {
    const { queueId, expected, incarnation, writes } = commit;
    if (incarnation === null || writes.queue?.deletedAt != null) return void this.#queues.delete(queueId);
    const runs = this.#queueOf(commit)?.runs ?? new Map<TestRunId, TestRun>();
    this.#remember(queueId, expected + 1, incarnation, runs, writes.runs);
  }

  #remember(
    queueId: QueueId,
    version: Version,
    incarnation: Incarnation,
    runs: Map<TestRunId, TestRun>,
    changed: readonly TestRun[],
  ): void {
    for (const run of changed) {
      if (run.closedAt === null) runs.set(run.id, run);
      else runs.delete(run.id);
    }
    if (this.#queues.size >= QUEUES_LIMIT && !this.#queues.has(queueId)) this.#queues.clear();
    this.#queues.set(queueId, { version, incarnation, runs });
  }
}

const isMadeAs = (run: TestRun, stored: TestRun | undefined): boolean =>
  stored !== undefined &&
  run.purpose === stored.purpose &&
  run.batch === stored.batch &&
  run.stack === stored.stack &&
  run.without === stored.without &&
  run.method === stored.method;
