import type { Verdict } from './checks.js';
import type { HistoryRow } from './history.js';
import type { EffectId, QueueId, SubmissionId, TestRunId } from './ids.js';
import type { TargetBook } from './impacted-targets.js';
import { emptyIndexes, reindex, type SubmissionIndexes } from './indexes.js';
import type { Queue } from './queue.js';
import type { Receipt } from './receipt.js';
import type { TestRun } from './run.js';
import { isOpenRun } from './run.js';
import type { Submission } from './submission.js';
import { isLive } from './submission.js';

/** What a decision changes. Every row is whole; the last one of an id counts. */
export interface Writes {
  readonly queue: Queue | null;
  readonly submissions: readonly Submission[];
  readonly runs: readonly TestRun[];
  readonly targets: readonly TargetBook[];
  /** Passes that may be used again, to be kept by tree. */
  readonly verdicts: readonly Verdict[];
  readonly history: readonly HistoryRow[];
  /** The next ones of the chain, in order. */
  readonly receipts: readonly Receipt[];
}

/** The rows of a queue that live things stand in, and the indexes over them, kept up by `applyRows` alone. */
export interface QueueState {
  readonly id: QueueId;
  readonly queue: Queue;
  readonly submissions: ReadonlyMap<SubmissionId, Submission>;
  readonly runs: ReadonlyMap<TestRunId, TestRun>;
  /** Uploads of live pull requests. */
  readonly targets: ReadonlyMap<number, TargetBook>;
  readonly byPr: ReadonlyMap<number, SubmissionId>;
  readonly indexes: SubmissionIndexes;
  /** Wishes that a performer holds or held: they can no longer be withdrawn. */
  readonly underWay: ReadonlySet<EffectId>;
}

/** The same state, to be patched in place. Only the working set of a replica holds one. */
export interface MutableQueueState extends QueueState {
  queue: Queue;
  readonly submissions: Map<SubmissionId, Submission>;
  readonly runs: Map<TestRunId, TestRun>;
  readonly targets: Map<number, TargetBook>;
  readonly byPr: Map<number, SubmissionId>;
  readonly underWay: Set<EffectId>;
}

/** Of a queue whose line is ordered with this ageing. Nobody has decided it yet. */
export const emptyState = (queue: Queue, ageingMsPerPoint: number): MutableQueueState => ({
  id: queue.id,
  queue,
  submissions: new Map(),
  runs: new Map(),
  targets: new Map(),
  byPr: new Map(),
  indexes: emptyIndexes(ageingMsPerPoint),
  underWay: new Set(),
});

export type Rows = Pick<Writes, 'queue' | 'submissions' | 'runs' | 'targets'>;

/** Patches rows and indexes in place. */
export const applyRows = (state: MutableQueueState, rows: Rows): void => {
  if (rows.queue !== null) state.queue = rows.queue;
  for (const submission of rows.submissions) {
    reindex(state.indexes, state.submissions.get(submission.id), submission);
    if (isLive(submission)) {
      state.submissions.set(submission.id, submission);
      state.byPr.set(submission.pr, submission.id);
    } else {
      state.submissions.delete(submission.id);
      state.byPr.delete(submission.pr);
      state.targets.delete(submission.pr);
    }
  }
  for (const book of rows.targets) if (state.byPr.has(book.pr)) state.targets.set(book.pr, book);
  for (const run of rows.runs) {
    if (isOpenRun(run)) state.runs.set(run.id, run);
    else state.runs.delete(run.id);
  }
};
