import type { Verdict } from './checks.js';
import type { HistoryRow } from './history.js';
import type { EffectId, QueueId, SubmissionId, TestRunId } from './ids.js';
import type { TargetBook } from './impacted-targets.js';
import { copyOfIndexes, emptyIndexes, reindex, type SubmissionIndexes } from './indexes.js';
import type { Queue } from './queue.js';
import type { Receipt } from './receipt.js';
import type { TestRun } from './run.js';
import { isOpenRun } from './run.js';
import type { Submission } from './submission.js';
import { isLive } from './submission.js';

/** The rows that a decision changes, each complete. If an id occurs twice, the last row counts. */
export interface Writes {
  readonly queue: Queue | null;
  readonly submissions: readonly Submission[];
  readonly runs: readonly TestRun[];
  readonly targets: readonly TargetBook[];
  /** Reusable passes, kept by tree. */
  readonly verdicts: readonly Verdict[];
  readonly history: readonly HistoryRow[];
  /** The next receipts of the chain, in order. */
  readonly receipts: readonly Receipt[];
}

/** The live rows of a queue, with indexes over them. Only `applyRows` updates the indexes. */
export interface QueueState {
  readonly id: QueueId;
  readonly queue: Queue;
  readonly submissions: ReadonlyMap<SubmissionId, Submission>;
  readonly runs: ReadonlyMap<TestRunId, TestRun>;
  /** The impacted targets of live pull requests. */
  readonly targets: ReadonlyMap<number, TargetBook>;
  readonly byPr: ReadonlyMap<number, SubmissionId>;
  readonly indexes: SubmissionIndexes;
  /** Effects that are or were leased: they cannot be withdrawn. */
  readonly underWay: ReadonlySet<EffectId>;
}

/** A state that is updated in place. Only the cached state of a replica is one. */
export interface MutableQueueState extends QueueState {
  queue: Queue;
  readonly submissions: Map<SubmissionId, Submission>;
  readonly runs: Map<TestRunId, TestRun>;
  readonly targets: Map<number, TargetBook>;
  readonly byPr: Map<number, SubmissionId>;
  readonly underWay: Set<EffectId>;
}

/** A state without rows, whose line is ordered with this ageing. */
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

/** Copies maps and indexes only: rows are immutable. */
export const copyOfState = (state: QueueState): MutableQueueState => {
  return {
    id: state.id,
    queue: state.queue,
    submissions: new Map(state.submissions),
    runs: new Map(state.runs),
    targets: new Map(state.targets),
    byPr: new Map(state.byPr),
    indexes: copyOfIndexes(state.indexes),
    underWay: new Set(state.underWay),
  };
};

export type Rows = Pick<Writes, 'queue' | 'submissions' | 'runs' | 'targets'>;

/** Updates rows and indexes in place. */
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
