import { type Decided, type MutableQueueState, putRows } from './state.js';
import type { Submission } from './submission.js';

/**
 * To be called before a decision is applied that may not come about: what it returns puts everything back as it is now, and is of use
 * for as long as nothing else has been applied.
 */
export const takingBack = (state: MutableQueueState, { writes }: Pick<Decided, 'writes'>): (() => void) => {
  const { queue, memos, isAtRest, restsUntil } = state;
  const underWay = [...state.underWay];
  // All of them, in the order in which they came: one that is put back by itself would come last.
  const runs = [...state.runs.values()];
  const before = writes.submissions.map(({ id }) => state.submissions.get(id));
  const prs = new Set(writes.targets.map(({ pr }) => pr));
  // Of whom there was nothing there was no book either.
  for (const was of before) if (was !== undefined) prs.add(was.pr);
  const books = [...prs].map((pr) => [pr, state.targets.get(pr)] as const);
  return () => {
    const submissions = writes.submissions.map(
      (row, index): Submission => before[index] ?? { ...row, state: 'cancelled' },
    );
    state.runs.clear();
    putRows(state, { queue, submissions, runs, targets: [] });
    for (const [pr, book] of books) putBack(state.targets, pr, book);
    for (const id of underWay) state.underWay.add(id);
    Object.assign(state, { memos, isAtRest, restsUntil });
  };
};

const putBack = <Id, Row>(rows: Map<Id, Row>, id: Id, row: Row | undefined): void => {
  if (row === undefined) rows.delete(id);
  else rows.set(id, row);
};
