import { mayBegin } from '../model/gates.js';
import type { SubmissionId } from '../model/ids.js';
import { compareInLine, type Standing } from '../model/order.js';
import { statusOf } from '../model/queue.js';
import type { Submission } from '../model/submission.js';
import { goesFirst, isAdmitted } from '../model/submission.js';
import type { Draft } from './draft.js';

/**
 * The admitted submissions in the order in which they are taken, from the front. What is being landed cannot be
 * overtaken. Urgent ones come next, with who is tested together with them, and those that wait only where they may begin.
 * The others whose tests have begun keep their places, and the rest stands behind them by one key that never changes, so
 * that everybody's turn comes.
 */
export function* line(draft: Draft): Generator<Submission> {
  const landing = beingLanded(draft);
  yield* landing;
  const isTaken = new Set(landing.map((submission) => submission.id));
  const begun = urgentFirst(draft.ordered('begun'), isTaken);
  const waiting = urgentFirst(draft.ordered('waiting'), isTaken);
  yield* begun.urgent;
  if (mayBegin(statusOf(draft.queue))) {
    yield* waiting.urgent;
    yield* begun.rest();
  } else {
    yield* begun.rest();
    yield* waiting.urgent;
  }
  yield* waiting.rest();
}

const beingLanded = (draft: Draft): readonly Submission[] =>
  (draft.queue.landing?.members ?? []).flatMap((member) => {
    const submission = draft.attemptOf(member);
    return submission !== undefined && isAdmitted(submission) ? [submission] : [];
  });

/** Urgent ones stand at the front of each order: they are taken off it, and the rest stays to be gone through. */
const urgentFirst = (rows: Generator<Submission>, isTaken: ReadonlySet<SubmissionId>) => {
  const urgent: Submission[] = [];
  let next = rows.next();
  for (; !next.done && goesFirst(next.value); next = rows.next())
    if (!isTaken.has(next.value.id)) urgent.push(next.value);
  const first = next;
  function* rest(): Generator<Submission> {
    for (let one = first; !one.done; one = rows.next()) if (!isTaken.has(one.value.id)) yield one.value;
  }
  return { urgent, rest };
};

/** The whole line, for reading. */
export const lineOf = (draft: Draft): readonly Submission[] =>
  draft.known.derived('line', () => [...line(draft)]);

/** True where one of two who are admitted stands before the other: what `line` says of them, without going through it. */
export const isAhead = (draft: Draft, one: Standing, other: Standing): boolean => {
  const [ownPlace, otherPlace] = [placeInLanding(draft, one), placeInLanding(draft, other)];
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
