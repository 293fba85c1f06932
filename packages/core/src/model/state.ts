import type { Verdict } from './checks.js';
import type { HistoryRow } from './history.js';
import type { EffectId, Instant, QueueId, RunId, SubmissionId } from './ids.js';
import type { TargetBook } from './impacted-targets.js';
import { emptyIndexes, reindex, type SubmissionIndexes } from './indexes.js';
import { type Memos, memosAfter, noMemos } from './memo.js';
import { newsOf } from './news.js';
import type { Queue } from './queue.js';
import type { Receipt } from './receipt.js';
import { Revisions } from './revisions.js';
import type { Run } from './run.js';
import { isOpenRun } from './run.js';
import type { Submission } from './submission.js';
import { isLive } from './submission.js';

/** What a decision changes. Every row is whole; the last one of an id counts. */
export interface Writes {
  readonly queue: Queue | null;
  readonly submissions: readonly Submission[];
  readonly runs: readonly Run[];
  readonly targets: readonly TargetBook[];
  /** Passes that may be used again, to be kept by tree. */
  readonly verdicts: readonly Verdict[];
  readonly history: readonly HistoryRow[];
  /** The next ones of the chain, in order. */
  readonly receipts: readonly Receipt[];
}

/** The rows of a queue that live things stand in, and the indexes over them, kept up by `applyRows`, `applyDecided` and `takingBack` alone. */
export interface QueueState {
  readonly id: QueueId;
  readonly queue: Queue;
  readonly submissions: ReadonlyMap<SubmissionId, Submission>;
  readonly runs: ReadonlyMap<RunId, Run>;
  /** Uploads of live pull requests. */
  readonly targets: ReadonlyMap<number, TargetBook>;
  readonly byPr: ReadonlyMap<number, SubmissionId>;
  readonly indexes: SubmissionIndexes;
  readonly memos: Memos;
  /** Wishes that a performer holds or held: they can no longer be withdrawn. */
  readonly underWay: ReadonlySet<EffectId>;
  /** True where every row was left as it is by a decision, so that only what changes since has to be looked at. */
  readonly isAtRest: boolean;
  /** Nothing happens by itself before this, as far as is known. */
  readonly restsUntil: Instant;
}

/** The same state, to be patched in place. Only the working set of a replica holds one. */
export interface MutableQueueState extends QueueState {
  queue: Queue;
  readonly submissions: Map<SubmissionId, Submission>;
  readonly runs: Map<RunId, Run>;
  readonly targets: Map<number, TargetBook>;
  readonly byPr: Map<number, SubmissionId>;
  readonly underWay: Set<EffectId>;
  memos: Memos;
  isAtRest: boolean;
  restsUntil: Instant;
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
  memos: noMemos(),
  underWay: new Set(),
  isAtRest: false,
  restsUntil: 0,
});

export type Rows = Pick<Writes, 'queue' | 'submissions' | 'runs' | 'targets'>;

/** Patches rows and indexes in place with what others have committed, and lets go of what was derived from rows that it changes. */
export const applyRows = (state: MutableQueueState, rows: Rows): void => {
  state.memos = memosAfter(state.memos, changesOf(state, rows));
  putRows(state, rows);
};

export const putRows = (state: MutableQueueState, rows: Rows): void => {
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

/** The same with a decision on this very state: what it has derived from its rows is kept. */
export const applyDecided = (state: MutableQueueState, { writes, memos, restsUntil }: Decided): void => {
  putRows(state, writes);
  state.memos = memos;
  state.isAtRest = true;
  state.restsUntil = restsUntil ?? Number.POSITIVE_INFINITY;
};

/** What is kept of a decision beyond it. */
export interface Decided {
  readonly writes: Writes;
  readonly memos: Memos;
  readonly restsUntil: Instant | null;
}

const changesOf = (state: QueueState, { queue, submissions, runs, targets }: Rows): Revisions => {
  const changes = new Revisions();
  if (queue !== null && newsOf(state.queue, queue).forLine) changes.lineChanged();
  for (const run of runs) changes.runChanged(state.runs.get(run.id), run);
  const isIsolating = [...state.runs.values()].some((run) => run.isolation !== null);
  for (const row of submissions) changes.submissionChanged(state.submissions.get(row.id), row, isIsolating);
  for (const { pr } of targets) {
    const id = state.byPr.get(pr);
    const submission = id === undefined ? undefined : state.submissions.get(id);
    if (submission !== undefined) changes.targetsChanged(submission);
  }
  return changes;
};
