import { mayBegin } from '../model/gates.js';
import type { InOrder } from '../model/indexes.js';
import { compareInLine, type Standing } from '../model/order.js';
import { statusOf } from '../model/queue.js';
import type { Submission } from '../model/submission.js';
import { goesFirst, isAdmitted } from '../model/submission.js';
import type { Draft } from './draft.js';

/** The line in two parts: whoever stands in its front, and behind them those who wait, from some place of theirs on. */
export interface Line {
  readonly front: readonly Submission[];
  readonly waiting: InOrder;
  /** So many of those who wait stand in the front. */
  readonly from: number;
}

/**
 * The admitted submissions in the order in which they are taken, from the front. What is being landed cannot be
 * overtaken. Urgent ones come next, with who is tested together with them, and those that wait only where they may begin.
 * The others whose tests have begun keep their places, and the rest stands behind them by one key that never changes, so
 * that everybody's turn comes.
 */
export const lineNow = (draft: Draft): Line => {
  const landing = beingLanded(draft);
  const isLeft = ({ id }: Submission) => !landing.some((one) => one.id === id);
  const begun = landing.length === 0 ? draft.ordered('begun') : draft.ordered('begun').filter(isLeft);
  const waiting = landing.some(({ place }) => place === null)
    ? draft.ordered('waiting').filter(isLeft)
    : draft.inOrder('waiting');
  const urgentBegun = inFront(begun);
  const isUrgentFirst = mayBegin(statusOf(draft.queue));
  const urgent = inFront(waiting);
  const front = [
    ...landing,
    ...urgentBegun,
    ...(isUrgentFirst ? urgent : []),
    ...begun.slice(urgentBegun.length),
    ...(isUrgentFirst ? [] : urgent),
  ];
  return { front, waiting, from: urgent.length };
};

const beingLanded = (draft: Draft): readonly Submission[] =>
  (draft.queue.landing?.members ?? []).flatMap((member) => {
    const submission = draft.attemptOf(member);
    return submission !== undefined && isAdmitted(submission) ? [submission] : [];
  });

/** Urgent ones, and who goes with them, stand at the front of each order. */
export const inFront = (rows: InOrder): readonly Submission[] => {
  const first: Submission[] = [];
  for (let one = rows.at(0); one !== undefined && goesFirst(one); one = rows.at(first.length))
    first.push(one);
  return first;
};

/** The whole line, for reading. */
export const lineOf = (draft: Draft): readonly Submission[] =>
  draft.known.derived('line', () => {
    const { front, waiting, from } = lineNow(draft);
    const line = front.slice();
    let place = from;
    for (let one = waiting.at(place); one !== undefined; one = waiting.at(place)) {
      line.push(one);
      place += 1;
    }
    return line;
  });

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
  if (isMixed && !mayBegin(statusOf(draft.queue))) return one.place !== null;
  return compareInLine(one, other, draft.context.pace.ageingMsPerPoint) < 0;
};

/** A place behind all who have one. */
export const nextPlace = (draft: Draft): number => {
  const lastPlace = draft.queue.lastPlace + 1;
  draft.changeQueue({ lastPlace });
  return lastPlace;
};
