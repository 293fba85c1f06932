import { mayTest } from '../../model/gates.js';
import { compareInLine, type OrderFields } from '../../model/order.js';
import { statusOf } from '../../model/queue.js';
import { goesFirst, isAdmitted, type Submission } from '../../model/submission.js';
import type { Draft } from '../draft/draft.js';

/**
 * The admitted submissions in line order, from the front. What is being landed cannot be overtaken. Urgent pull
 * requests come next, together with their batches. Pull requests whose tests have begun keep their places behind
 * them, but ahead of waiting urgent ones that may not begin now. All others follow in the order of a key that never
 * changes, so that each gets its turn.
 */
export function* lineOf(draft: Draft): Generator<Submission> {
  const landing = beingLanded(draft);
  const isNotLanding = ({ id }: Submission) => !landing.some((one) => one.id === id);
  const [begun, waiting] = [draft.ordered('begun').filter(isNotLanding), draft.ordered('waiting')];
  const urgentBegun = inFront(begun);
  const urgent = inFront(waiting).filter(isNotLanding);
  const isUrgentFirst = urgent.every((one) => mayTest(statusOf(draft.queue), draft, one));
  yield* landing;
  yield* urgentBegun;
  if (isUrgentFirst) yield* urgent;
  yield* begun.slice(urgentBegun.length);
  if (!isUrgentFirst) yield* urgent;
  for (const submission of waiting) if (!goesFirst(submission) && isNotLanding(submission)) yield submission;
}

const beingLanded = (draft: Draft): readonly Submission[] =>
  (draft.queue.landing?.members ?? []).flatMap((member) => {
    const submission = draft.attemptOf(member);
    return submission !== undefined && isAdmitted(submission) ? [submission] : [];
  });

/** Urgent pull requests and those that go with them stand at the front of each order. */
export const inFront = (rows: readonly Submission[]): readonly Submission[] => {
  const end = rows.findIndex((one) => !goesFirst(one));
  return end === -1 ? rows : rows.slice(0, end);
};

/** True if `one` stands ahead of `other`. The same order as `lineOf`, without walking the line. */
export const isAhead = (draft: Draft, one: OrderFields, other: OrderFields): boolean => {
  const ownIndex = landingIndexOf(draft, one);
  const otherIndex = landingIndexOf(draft, other);
  if (ownIndex === null || otherIndex === null)
    return ownIndex === otherIndex ? isBefore(draft, one, other) : ownIndex !== null;
  return ownIndex < otherIndex;
};

/** Compares by the order of the line. */
export const byLine =
  (draft: Draft) =>
  (one: OrderFields, other: OrderFields): number =>
    isAhead(draft, one, other) ? -1 : 1;

/** The number of admitted submissions ahead of this one. */
export const countAhead = (draft: Draft, submission: Submission): number => {
  const indexInLanding = landingIndexOf(draft, submission);
  if (indexInLanding !== null) return indexInLanding;
  const [own, other] =
    submission.place === null ? (['waiting', 'begun'] as const) : (['begun', 'waiting'] as const);
  let count = draft.rank(own, submission);
  for (const one of draft.ordered(other)) {
    if (!isBefore(draft, one, submission)) break;
    count += 1;
  }
  return count + beingLanded(draft).filter((one) => !isBefore(draft, one, submission)).length;
};

/** The index among what is being landed, in landing order; null if it is not being landed. */
const landingIndexOf = (draft: Draft, one: OrderFields): number | null => {
  if (draft.queue.landing === null) return null;
  const index = beingLanded(draft).findIndex(({ id }) => id === one.id);
  return index === -1 ? null : index;
};

/** The order if nothing was being landed. */
const isBefore = (draft: Draft, one: OrderFields, other: OrderFields): boolean => {
  const isMixed = (one.place === null) !== (other.place === null);
  const waiting = one.place === null ? one : other;
  if (isMixed && !mayTest(statusOf(draft.queue), draft, waiting)) return waiting !== one;
  return compareInLine(one, other, draft.context.pace.ageingMsPerPoint) < 0;
};

/** Takes the next place number, behind all that have been given. */
export const nextPlace = (draft: Draft): number => {
  const lastPlace = draft.queue.lastPlace + 1;
  draft.changeQueue({ lastPlace });
  return lastPlace;
};
