import type { SubmissionId } from '../model/ids.js';
import type { Submission } from '../model/submission.js';
import type { Draft } from './draft.js';
import { lineNow } from './line.js';
import { Placed, type Position } from './placed.js';
import { tiesOf } from './standpoint.js';

/** Those who wait are looked at up to here: who stands behind waits until those ahead have moved on. */
export const WINDOW_LIMIT = 2_000;

/** Who cannot begin, or holds back, takes nobody's room. */
const takesRoom = ({ retryAt }: Submission, { isInPlay }: Position): boolean => isInPlay && retryAt === null;

/** How far the line was looked at. */
interface Seen {
  readonly placed: Placed;
  /** How often anybody had been placed anew by then: what was seen before that is not there any more. */
  cuts: number;
  /** For so many of those who wait it was looked at. */
  waiting: number;
  /** How many have to be looked at to see so many of those who wait; all of the line, where there are no more. */
  readonly enough: number[];
  /** So many stand in line, once all were looked at. Who was placed behind them for others is none of them. */
  end: number;
}

/**
 * The line as it is, from its front: all that have begun, and then as many of those who wait as it takes to see so many who
 * can begin. Several lanes stand side by side in it; in single mode there is one.
 */
export const positions = (draft: Draft, waiting = 0): readonly Position[] => {
  const { placed, enough, end } = seenOf(draft, waiting);
  return placed.all.slice(0, enough[waiting] ?? end);
};

/** Where one stands; undefined where it stands behind those who are looked at, or not in line at all. */
export const positionIn = (draft: Draft, id: SubmissionId, waiting = 0): Position | undefined => {
  const { placed, enough, end } = seenOf(draft, waiting);
  const at = placed.placeOf(id);
  return at === undefined || at >= (enough[waiting] ?? end) ? undefined : placed.all[at];
};

const seenOf = (draft: Draft, waiting: number): Seen => {
  const seen = draft.known.from('line', 'seen', () => nothingSeen(draft));
  if (seen.cuts !== seen.placed.cuts) seen.waiting = -1;
  if (seen.waiting < waiting) lookFurther(draft, seen, waiting);
  return seen;
};

/** Who has been placed is kept beyond the decision, whatever changes: before anybody in it is believed, the line is gone through. */
const nothingSeen = (draft: Draft): Seen => {
  const placed = draft.known.lasting('placed', () => new Placed());
  return { placed, cuts: placed.cuts, waiting: -1, enough: [], end: 0 };
};

/** Whoever stood there before, on the same ones, still does: only from the first other one on is anybody placed anew. */
const lookFurther = (draft: Draft, seen: Seen, wanted: number): void => {
  seen.waiting = placeUpTo(draft, seen, wanted);
  seen.cuts = seen.placed.cuts;
};

/** For how many of those who wait it was looked at. */
const placeUpTo = (draft: Draft, seen: Seen, wanted: number): number => {
  const { placed, enough } = seen;
  const { front, waiting, from } = lineNow(draft);
  const isSingle = draft.queue.settings.mode === 'single';
  const ties = tiesOf(draft);
  let [at, room, isOver] = [0, 0, false];
  for (const submission of front) {
    isOver = placed.put(draft, ties, at, submission).isTooDeep && isSingle;
    at += 1;
    if (isOver) break;
  }
  const end = Math.min(waiting.length, from + WINDOW_LIMIT);
  for (let next = from; !isOver; next += 1) {
    const submission = waiting.at(next);
    if (submission === undefined) break;
    enough[room] ??= at;
    if (room >= wanted) return wanted;
    if (next >= end) break;
    const position = placed.put(draft, ties, at, submission);
    at += 1;
    room += Number(takesRoom(submission, position));
    isOver = position.isTooDeep && isSingle;
  }
  seen.end = at;
  return Number.POSITIVE_INFINITY;
};
