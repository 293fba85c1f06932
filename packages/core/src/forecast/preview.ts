import { decide } from '../decide/decide.js';
import type { Context } from '../decide/draft/context.js';
import { Draft } from '../decide/draft/draft.js';
import { inputsOf } from '../decide/inputs/newer-facts.js';
import { queueOrder, viewOf } from '../explain/explain.js';
import { ciMsOf } from '../model/ci-time.js';
import type { Command, Fact } from '../model/input.js';
import type { Preview, PreviewedMove, PreviewedPosition, PreviewedRun } from '../model/preview.js';
import { type CloseCause, isOpenRun, type TestRun } from '../model/run.js';
import { applyRows, copyOfState, type QueueState, type Writes } from '../model/state.js';

/** Rows of each list of a preview; the count beside the list says how many there are. */
export const PREVIEW_ROWS_LIMIT = 100;

/** A command and the state on which it would be decided, with the facts that wait there. */
export interface PreviewQuestion {
  readonly state: QueueState;
  readonly facts: readonly Fact[];
  readonly command: Command;
  readonly context: Context;
}

export interface Previewed {
  readonly preview: Omit<Preview, 'merges'>;
  /** The rows after the decision, including those that it ends. */
  readonly after: Pick<PreviewQuestion, 'state'> & Pick<Context, 'recalled'>;
  /** Pull requests that it concerns, those at the front of the line first; a change of settings concerns all of them. */
  readonly prs: readonly number[];
}

/**
 * Runs the decision that the command would cause, on a copy. It covers all that the decision does: also what waiting facts
 * and elapsed times cause, which the command did not cause.
 */
export const previewOf = ({ state, facts, command, context }: PreviewQuestion): Previewed => {
  const { writes, answers } = decide(state, inputsOf(state.queue, facts, [command]), context, viewOf);
  const result = answers.find(({ inputId }) => inputId === command.id)?.result;
  const after = copyOfState(state);
  applyRows(after, writes);
  const refusal = result === undefined || result.ok ? null : result.refusal;
  const before = ranksOf(state, context);
  const then = ranksOf(after, context);
  const positions = changedPositions(before, then);
  const moves = movesIn(writes);
  const cancelled = writes.runs.flatMap((run) => (isCancelled(state, run) ? [cancelledOf(run)] : []));
  const started = writes.runs.filter((run) => isOpenRun(run) && !state.runs.has(run.id)).map(shownRun);
  const concerned = new Set([
    ...[...positions, ...moves].map(({ pr }) => pr),
    ...[...started, ...cancelled].flatMap((run) => run.prs),
  ]);
  const isOfQueue = command.type === 'configure' && refusal === null;
  const prs = [...new Set([...then.keys(), ...before.keys()])].filter((pr) => isOfQueue || concerned.has(pr));
  return {
    preview: {
      refusal: refusal === null ? null : { code: refusal.code, detail: refusal.detail },
      started: started.slice(0, PREVIEW_ROWS_LIMIT),
      startedCount: started.length,
      cancelled: cancelled.slice(0, PREVIEW_ROWS_LIMIT),
      cancelledCount: cancelled.length,
      ciMsLost: cancelled.reduce((sum, { ciMs }) => sum + ciMs, 0),
      moves: moves.slice(0, PREVIEW_ROWS_LIMIT),
      movesCount: moves.length,
      positions: positions.slice(0, PREVIEW_ROWS_LIMIT),
      positionsCount: positions.length,
    },
    after: { state: after, recalled: recalledAfter(context.recalled, writes) },
    prs,
  };
};

const recalledAfter = (
  { submissions, targets }: Context['recalled'],
  writes: Writes,
): Context['recalled'] => ({
  submissions: [
    ...submissions.filter(({ pr }) => !writes.submissions.some((row) => row.pr === pr)),
    ...writes.submissions,
  ],
  targets,
});

/** Rank in the order of getQueue, from 1. */
const ranksOf = (state: QueueState, context: Context): ReadonlyMap<number, number> => {
  const { enqueued } = queueOrder(new Draft(state, context));
  return new Map(enqueued.map(({ pr }, index) => [pr, index + 1]));
};

const changedPositions = (
  before: ReadonlyMap<number, number>,
  after: ReadonlyMap<number, number>,
): readonly PreviewedPosition[] => {
  const prs = new Set([...after.keys(), ...before.keys()]);
  return [...prs].flatMap((pr) => {
    const [from, to] = [before.get(pr) ?? null, after.get(pr) ?? null];
    return from === to ? [] : [{ pr, from, to }];
  });
};

const movesIn = ({ history }: Writes): readonly PreviewedMove[] =>
  history.flatMap((row) =>
    row.type === 'moved' ? [{ pr: row.pr, from: row.from, to: row.to, reason: row.reason }] : [],
  );

/** Closed because its work was used: it landed, vouched for others, or its verdict was taken. */
const usedCauses: ReadonlySet<CloseCause> = new Set(['landed', 'vouched_for', 'judged', 'isolated']);

/** A test run whose tests are stopped, or whose pass is given up. */
const isCancelled = (state: QueueState, run: TestRun): boolean =>
  state.runs.has(run.id) &&
  run.closedBecause !== null &&
  !usedCauses.has(run.closedBecause) &&
  (run.outcome === null || run.outcome === 'passed') &&
  run.purpose.kind !== 'compose';

const shownRun = (run: TestRun): PreviewedRun => ({
  purpose: run.purpose.kind,
  prs: run.batch.map(({ pr }) => pr),
  testedOnTopOf: run.stack.map(({ pr }) => pr),
});

const cancelledOf = (run: TestRun) => ({
  ...shownRun(run),
  runId: run.id,
  cause: run.closedBecause ?? 'superseded',
  hadPassed: run.outcome === 'passed',
  ciMs: ciMsOf(run),
});
