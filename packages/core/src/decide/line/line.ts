import { mayTest } from '../../model/gates.js';
import { compareInLine, type Standing } from '../../model/order.js';
import { statusOf } from '../../model/queue.js';
import { goesFirst, isAdmitted, type Submission } from '../../model/submission.js';
import type { Draft } from '../draft/draft.js';

/**
 * The admitted submissions in the order in which they are taken, from the front. What is being landed cannot be
 * overtaken. Urgent ones come next, with who is tested together with them, and those that wait only where they may begin.
 * The others whose tests have begun keep their places, and the rest stands behind them by one key that never changes, so
 * that everybody's turn comes.
 */
export function* lineOf(draft: Draft): Generator<Submission> {
  const landing = beingLanded(draft);
  const isLeft = ({ id }: Submission) => !landing.some((one) => one.id === id);
  const [begun, waiting] = [draft.ordered('begun').filter(isLeft), draft.ordered('waiting')];
  const urgentBegun = inFront(begun);
  const urgent = inFront(waiting).filter(isLeft);
  const isUrgentFirst = urgent.every((one) => mayTest(statusOf(draft.queue), draft, one));
  yield* landing;
  yield* urgentBegun;
  if (isUrgentFirst) yield* urgent;
  yield* begun.slice(urgentBegun.length);
  if (!isUrgentFirst) yield* urgent;
  for (const submission of waiting) if (!goesFirst(submission) && isLeft(submission)) yield submission;
}

const beingLanded = (draft: Draft): readonly Submission[] =>
  (draft.queue.landing?.members ?? []).flatMap((member) => {
    const submission = draft.attemptOf(member);
    return submission !== undefined && isAdmitted(submission) ? [submission] : [];
  });

/** Urgent ones, and who goes with them, stand at the front of each order. */
export const inFront = (rows: readonly Submission[]): readonly Submission[] => {
  const end = rows.findIndex((one) => !goesFirst(one));
  return end === -1 ? rows : rows.slice(0, end);
};

/** True where one of two who are admitted stands before the other: what `line` says of them, without going through it. */
export const isAhead = (draft: Draft, one: Standing, other: Standing): boolean => {
  const ownPlace = placeInLanding(draft, one);
  const otherPlace = placeInLanding(draft, other);
  if (ownPlace === null || otherPlace === null)
    return ownPlace === otherPlace ? isBefore(draft, one, other) : ownPlace !== null;
  return ownPlace < otherPlace;
};

/** How many of those who are admitted stand before one of them. */
export const placeInLine = (draft: Draft, submission: Submission): number => {
  const placeOfLanding = placeInLanding(draft, submission);
  if (placeOfLanding !== null) return placeOfLanding;
  const [own, other] =
    submission.place === null ? (['waiting', 'begun'] as const) : (['begun', 'waiting'] as const);
  let place = draft.rank(own, submission);
  for (const one of draft.ordered(other)) {
    if (!isBefore(draft, one, submission)) break;
    place += 1;
  }
  return place + beingLanded(draft).filter((one) => !isBefore(draft, one, submission)).length;
};

/** Where one stands among those that are being landed, which stand first in the order in which they land; null where it is none. */
const placeInLanding = (draft: Draft, one: Standing): number | null => {
  if (draft.queue.landing === null) return null;
  const place = beingLanded(draft).findIndex(({ id }) => id === one.id);
  return place === -1 ? null : place;
};

/** The order in which they would stand if nothing was being landed. */
const isBefore = (draft: Draft, one: Standing, other: Standing): boolean => {
  const isMixed = (one.place === null) !== (other.place === null);
  const waiting = one.place === null ? one : other;
  if (isMixed && !mayTest(statusOf(draft.queue), draft, waiting)) return waiting !== one;
  return compareInLine(one, other, draft.context.pace.ageingMsPerPoint) < 0;
};

/** A place behind all who have one. */
export const nextPlace = (draft: Draft): number => {
  const lastPlace = draft.queue.lastPlace + 1;
  draft.changeQueue({ lastPlace });
  return lastPlace;
};
