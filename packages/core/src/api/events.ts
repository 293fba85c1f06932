import type { Queue } from '../model/queue.js';
import type { TestRun } from '../model/run.js';
import type { Submission } from '../model/submission.js';
import type { HistoryItem } from '../ports/store.js';

/** Emitted after the commit, in its order, in the process that made it; best effort. The history is the record. */
export interface MergeQueueEvents {
  'submission.changed': (event: { readonly queue: Queue; readonly submission: Submission }) => void;
  'run.changed': (event: { readonly queue: Queue; readonly run: TestRun }) => void;
  'queue.changed': (event: { readonly queue: Queue }) => void;
  /** One row of the record: a move of a pull request, a change of a run, a command, an alarm, … Told apart by `type`. */
  history: (row: HistoryItem) => void;
}
