import type { Queue } from '../model/queue.js';
import type { TestRun } from '../model/run.js';
import type { Submission } from '../model/submission.js';
import type { HistoryItem } from '../ports/store.js';

/** Emitted after a commit, in order, in the process that made it. Best effort: the history is the reliable record. */
export interface MergeQueueEvents {
  'submission.changed': (event: { readonly queue: Queue; readonly submission: Submission }) => void;
  'run.changed': (event: { readonly queue: Queue; readonly run: TestRun }) => void;
  'queue.changed': (event: { readonly queue: Queue }) => void;
  /** A new history row: a state change, a change of a test run, a command, an alarm, … See its `type`. */
  history: (row: HistoryItem) => void;
}
