import type { Commit, Incarnation, QueueDelta, QueueId, TestRun, TestRunId, Version } from '@mq/core';

// A run is written some six times, and most of it never changes: what it tests, and the candidate that was built for it. That is
// sent and kept once, in columns of its own. Whatever the rest of the row names as well counts.

/** Which of these runs have what never changes of them in the store, exactly as it is here. */
export interface StoredParts {
  made(run: TestRun): boolean;
  candidate(run: TestRun): boolean;
}

interface Apart {
  /** What is to be written with each change. */
  readonly value: Partial<TestRun>;
  /** Null where it is there. */
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

/** A run of its columns. */
export const runOf = (
  value: Partial<TestRun>,
  made: Partial<TestRun> | null,
  candidate: TestRun['candidate'],
): TestRun =>
  // Not by spreading, which takes ten times as long for objects that come from JSON: each has a shape of its own at first.
  Object.assign({}, made, candidate === null ? null : { candidate }, value) as TestRun;

interface Known {
  readonly version: Version;
  readonly incarnation: Incarnation;
  readonly runs: Map<TestRunId, TestRun>;
}

const QUEUES_LIMIT = 1_000;
const nothing: StoredParts = { made: () => false, candidate: () => false };

/**
 * What this process knows to be stored in parts of open runs, by queue. It goes with one version of the queue, and so with one content:
 * a commit that was decided on another one sends all.
 */
export class StoredRuns {
  readonly #known = new Map<QueueId, Known>();

  #knownOf({ queueId, expected, incarnation }: Commit): Known | null {
    const known = this.#known.get(queueId);
    const isOf = known?.version === expected && known.incarnation === incarnation;
    return isOf ? known : null;
  }

  at(commit: Commit): StoredParts {
    const known = this.#knownOf(commit);
    if (known === null) return nothing;
    return {
      made: (run) => isMadeAs(run, known.runs.get(run.id)),
      candidate: (run) => run.candidate !== null && run.candidate === known.runs.get(run.id)?.candidate,
    };
  }

  loaded(queueId: QueueId, since: Version, { version, incarnation, runs }: QueueDelta): void {
    // Who asks for nothing is told nothing.
    if (since > version) return;
    const known = this.#known.get(queueId);
    const isNext =
      since !== 0 &&
      known !== undefined &&
      known.incarnation === incarnation &&
      since <= known.version &&
      known.version <= version;
    this.#know(queueId, version, incarnation, isNext ? known.runs : new Map(), runs);
  }

  /** Of a commit that was decided on what is not known here all was sent: that is known from then on. */
  committed(commit: Commit): void {
    const { queueId, expected, incarnation, writes } = commit;
    if (incarnation === null || writes.queue?.deletedAt != null) return void this.#known.delete(queueId);
    const runs = this.#knownOf(commit)?.runs ?? new Map<TestRunId, TestRun>();
    this.#know(queueId, expected + 1, incarnation, runs, writes.runs);
  }

  #know(
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
    if (this.#known.size >= QUEUES_LIMIT && !this.#known.has(queueId)) this.#known.clear();
    this.#known.set(queueId, { version, incarnation, runs });
  }
}

const isMadeAs = (run: TestRun, known: TestRun | undefined): boolean =>
  known !== undefined &&
  run.purpose === known.purpose &&
  run.batch === known.batch &&
  run.stack === known.stack &&
  run.without === known.without &&
  run.method === known.method;
