import { type Check, isSuccess } from '../model/checks.js';
import type { HistoryRow } from '../model/history.js';
import type { TestRunId } from '../model/ids.js';
import { checksOfTree, type TestRun } from '../model/run.js';
import type { QueueState } from '../model/state.js';

/** So many runs that are over are read for one forecast: the newest. */
const PAST_RUNS_LIMIT = 20;

/** Runs that passed and were let go of without landing, of those who are live still: what they tested may come again. */
export const runsThatMayComeAgain = (
  rows: readonly HistoryRow[],
  state: QueueState,
): readonly TestRunId[] => {
  const found = rows.flatMap((row) => {
    const isOver = row.type === 'run' && row.change === 'closed' && row.outcome === 'passed';
    if (!isOver || row.cause === 'landed' || state.runs.has(row.runId)) return [];
    return row.prs.some((pr) => state.byPr.has(pr)) ? [row.runId] : [];
  });
  return [...new Set(found)].slice(0, PAST_RUNS_LIMIT);
};

/** What is on record of content that passed: every success that a run showed, asked for or not. */
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
