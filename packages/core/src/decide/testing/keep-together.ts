import { isForUrgentOnly } from '../../model/gates.js';
import type { SubmissionId } from '../../model/ids.js';
import { type Member, remainingStack, type TestRun } from '../../model/run.js';
import { goesFirst, isUrgent, type Submission } from '../../model/submission.js';
import type { Draft } from '../draft/draft.js';
import { frontPositions } from '../line/positions.js';
import { isBeingLanded } from '../moves/landing.js';
import { holdsBackUntil } from '../moves/retry.js';
import { gather } from './batch.js';
import { isPart } from './bisection.js';

/**
 * Whom an urgent one is tested with goes first together with it, as long as nobody but such stands ahead of them: its own
 * tests go on then, and are not begun anew for the sake of an order in which its batch would pass all the same.
 * Where a freeze lets urgent ones through, nothing goes with them.
 */
export const keepTogether = (draft: Draft): void => {
  const [front] = draft.ordered('begun');
  if (front === undefined || !goesFirst(front)) return;
  const first = goingFirst(draft);
  for (const one of [...draft.ordered('begun')]) {
    const goesWithUrgent = first.has(one.id) && !isUrgent(one);
    if (one.goesWithUrgent !== goesWithUrgent) draft.change(one, { goesWithUrgent });
  }
};

/** Urgent ones and their batches, from the front on: who goes with an urgent one is not in the way of those behind. */
const goingFirst = (draft: Draft): ReadonlySet<SubmissionId> => {
  if (isForUrgentOnly(draft)) return new Set();
  const begun = draft.ordered('begun');
  const urgent = begun.filter(isUrgent);
  const withoutRun = begun.filter((one) => urgent.some((other) => isStillWith(draft, other, one)));
  const first = new Set([...urgent, ...withoutRun].map(({ id }) => id));
  const led = draft.openRuns().filter((run) => isLedByUrgent(draft, run));
  let known: number;
  do {
    known = first.size;
    for (const run of led)
      if (remainingStack(run).every((member) => isInFront(draft, first, member)))
        for (const { id } of draft.membersOf(run)) first.add(id);
  } while (first.size > known);
  return first;
};

/** True of one that went first and has no run of its own any more: another vouches for it, or it is to be tested again with the urgent one. */
const isStillWith = (draft: Draft, urgent: Submission, one: Submission): boolean =>
  one.goesWithUrgent &&
  one.batch !== null &&
  one.batch === urgent.batch &&
  one.state !== 'pending' &&
  draft.runsOf(one).length === 0 &&
  (one.state !== 'testing' || isTestedWith(draft, urgent, one));

/** What they touch, or a wish to be alone, may part them while they hold back: that shows once they do so no longer. */
const isTestedWith = (draft: Draft, urgent: Submission, one: Submission): boolean => {
  const until = holdsBackUntil(draft, one);
  if (until !== null) return until === holdsBackUntil(draft, urgent);
  return gather(draft, frontPositions(draft)).some(
    ({ members }) => members.includes(one) && members.includes(urgent),
  );
};

/** A batch under test, or a part of one that failed: of the failed batch itself nothing lands as it was tested. */
const isLedByUrgent = (draft: Draft, run: TestRun): boolean =>
  (run.purpose.kind === 'test' || isPart(run)) &&
  run.bisection === null &&
  draft.membersOf(run).some(isUrgent);

const isInFront = (draft: Draft, first: ReadonlySet<SubmissionId>, member: Member): boolean => {
  const ahead = draft.attemptOf(member);
  return ahead !== undefined && (first.has(ahead.id) || isBeingLanded(draft, ahead));
};
