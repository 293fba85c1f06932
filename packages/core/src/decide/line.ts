import { mayStart } from '../model/gates.js';
import type { SubmissionId } from '../model/ids.js';
import { statusOf } from '../model/queue.js';
import type { Submission } from '../model/submission.js';
import { isAdmitted, isUrgent } from '../model/submission.js';
import type { Draft } from './draft.js';

/**
 * The admitted submissions in the order in which they are taken, from the front. What is being landed cannot be
 * overtaken. Urgent ones come next, those that wait only where they may begin. The others whose tests have begun keep
 * their places, and the rest stands behind them by one key that never changes, so that everybody's turn comes.
 */
export function* line(draft: Draft): Generator<Submission> {
  const landing = beingLanded(draft);
  yield* landing;
  const isAhead = new Set(landing.map((submission) => submission.id));
  const begun = draft.ordered('begun');
  const waiting = draft.ordered('waiting');
  const { urgent: begunUrgent, rest: begunRest } = urgentFirst(begun, isAhead);
  yield* begunUrgent;
  if (!mayStart(statusOf(draft.queue), false)) {
    yield* begunRest();
    yield* waiting;
    return;
  }
  const { urgent: waitingUrgent, rest: waitingRest } = urgentFirst(waiting, isAhead);
  yield* waitingUrgent;
  yield* begunRest();
  yield* waitingRest();
}

const beingLanded = (draft: Draft): readonly Submission[] =>
  (draft.queue.landing?.members ?? []).flatMap((member) => {
    const submission = draft.submission(member.submissionId);
    return submission?.attempt === member.attempt && isAdmitted(submission) ? [submission] : [];
  });

/** Urgent ones stand at the front of each order: they are taken off it, and the rest stays to be gone through. */
const urgentFirst = (rows: Generator<Submission>, isAhead: ReadonlySet<SubmissionId>) => {
  const urgent: Submission[] = [];
  let next = rows.next();
  for (; !next.done && isUrgent(next.value); next = rows.next())
    if (!isAhead.has(next.value.id)) urgent.push(next.value);
  const first = next;
  function* rest(): Generator<Submission> {
    for (let one = first; !one.done; one = rows.next()) if (!isAhead.has(one.value.id)) yield one.value;
  }
  return { urgent, rest };
};

/** The whole line, for reading. */
export const lineOf = (draft: Draft): readonly Submission[] =>
  draft.known.derived('line', () => [...line(draft)]);

/** How many of those who are admitted stand before one of them. */
export const placeInLine = (draft: Draft, submission: Submission): number =>
  submission.place === null
    ? [...draft.ordered('begun')].length + draft.rank('waiting', submission)
    : draft.rank('begun', submission);
