import type { Run } from '../data/queue-view.js';

export interface GraphNode {
  readonly run: Run;
  /** From 0, next to the base: how many open test runs it stands on. */
  readonly column: number;
  readonly row: number;
  /** The test run that it stands on; null: the target branch. */
  readonly below: GraphNode | null;
}

export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly columns: number;
  readonly rows: number;
  /** Test runs that are not drawn. */
  readonly left: number;
}

/** More would be no picture any more. */
const DRAWN_LIMIT = 60;

/**
 * Places test runs: each to the right of the one that it stands on, the first of several in the same row. A test run stands on
 * the nearest other whose pull requests are all below it.
 */
export const graphOf = (runs: readonly Run[]): Graph => {
  const drawn = [...runs]
    .sort((one, other) => one.testedOnTopOf.length - other.testedOnTopOf.length || compare(one, other))
    .slice(0, DRAWN_LIMIT);
  const columns = new Map<Run, number>();
  const belowOf = new Map<Run, Run | null>();
  for (const run of drawn) {
    const below = nearestBelow(run, [...columns.keys()], columns);
    belowOf.set(run, below);
    columns.set(run, below === null ? 0 : (columns.get(below) ?? 0) + 1);
  }
  const nodes = placed(drawn, belowOf, columns);
  return {
    nodes,
    columns: 1 + Math.max(-1, ...nodes.map(({ column }) => column)),
    rows: 1 + Math.max(-1, ...nodes.map(({ row }) => row)),
    left: runs.length - drawn.length,
  };
};

const compare = (one: Run, other: Run): number =>
  one.createdAt.localeCompare(other.createdAt) || one.testRunId.localeCompare(other.testRunId);

const nearestBelow = (
  run: Run,
  candidates: readonly Run[],
  columns: ReadonlyMap<Run, number>,
): Run | null => {
  const stack = new Set(run.testedOnTopOf);
  let best: Run | null = null;
  for (const other of candidates) {
    const prs = other.prNumbers;
    if (prs.length === 0 || !prs.every((pr) => stack.has(pr))) continue;
    if (best === null || (columns.get(other) ?? 0) > (columns.get(best) ?? 0)) best = other;
  }
  return best;
};

/** Rows by depth first: the first of those above goes on in the row, each other begins one. */
const placed = (
  runs: readonly Run[],
  belowOf: ReadonlyMap<Run, Run | null>,
  columns: ReadonlyMap<Run, number>,
): readonly GraphNode[] => {
  const nodes: GraphNode[] = [];
  let rows = 0;
  const visit = (run: Run, row: number, below: GraphNode | null): void => {
    const node = { run, column: columns.get(run) ?? 0, row, below };
    nodes.push(node);
    visitAll(
      runs.filter((other) => belowOf.get(other) === run),
      row,
      node,
    );
  };
  const visitAll = (above: readonly Run[], row: number | null, below: GraphNode | null): void => {
    for (const [index, run] of above.entries()) {
      if (row !== null && index === 0) visit(run, row, below);
      else {
        const own = rows;
        rows += 1;
        visit(run, own, below);
      }
    }
  };
  visitAll(
    runs.filter((run) => belowOf.get(run) === null),
    null,
    null,
  );
  return nodes;
};

export interface Progress {
  readonly done: number;
  readonly failed: number;
  readonly total: number;
}

interface WithChecks {
  readonly requiredStatuses: readonly string[];
  readonly checks: readonly Pick<Run['checks'][number], 'status' | 'conclusion'>[];
}

/** How far the required checks of a test run are. */
export const progressOf = ({ checks, requiredStatuses }: WithChecks): Progress => {
  const ended = checks.filter(({ status }) => status === 'COMPLETED');
  const failed = ended.filter(({ conclusion }) => conclusion === 'FAILURE' || conclusion === 'TIMED_OUT');
  return {
    done: ended.length,
    failed: failed.length,
    total: Math.max(checks.length, requiredStatuses.length),
  };
};
