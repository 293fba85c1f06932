import { type Check, isSuccess } from '../model/checks.js';
import type { HistoryRow } from '../model/history.js';
import type { TestRunId } from '../model/ids.js';
import { checksOfTree, type TestRun } from '../model/run.js';
import type { QueueState } from '../model/state.js';

/** Max closed test runs that are read for one forecast, the newest. */
const PAST_RUNS_LIMIT = 20;

/** Test runs of live pull requests that passed and were closed without landing: their content may be tested again. */
export const repeatableRuns = (rows: readonly HistoryRow[], state: QueueState): readonly TestRunId[] => {
  const found = rows.flatMap((row) => {
    const isOver = row.type === 'run' && row.change === 'closed' && row.outcome === 'passed';
    if (!isOver || row.cause === 'landed' || state.runs.has(row.runId)) return [];
    return row.prs.some((pr) => state.byPr.has(pr)) ? [row.runId] : [];
  });
  return [...new Set(found)].slice(0, PAST_RUNS_LIMIT);
};

/** Recorded successes by tree, as shown by test runs. */
export class Passes {
  readonly #byTree = new Map<string, Check[]>();

  constructor(runs: Iterable<TestRun>) {
    for (const run of runs)
      if (run.candidate !== null)
        for (const check of checksOfTree(run)) if (isSuccess(check)) this.add(run.candidate.tree, check);
  }

  add(tree: string, check: Check): void {
    this.#byTree.set(tree, [...(this.#byTree.get(tree) ?? []), check]);
  }

  of(tree: string): readonly Check[] {
    return this.#byTree.get(tree) ?? [];
  }
}
