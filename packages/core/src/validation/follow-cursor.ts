import { z } from 'zod';
import { MergeQueueError } from '../errors.js';
import { type Position, parsePosition, positionText } from '../model/position.js';

/** Queues that one call may follow. */
export const FOLLOWED_QUEUES_LIMIT = 100;
export const FOLLOW_CURSOR_CHARS_LIMIT = 12_000;

/** A position in each of several histories, by queue; null: before the first row. */
export type FollowPositions = ReadonlyMap<string, Position | null>;

export const followCursorOf = (positions: FollowPositions): string => {
  const texts = [...positions].map(([id, position]) => [id, position === null ? '' : positionText(position)]);
  return Buffer.from(JSON.stringify(Object.fromEntries(texts))).toString('base64url');
};

/** Throws CURSOR_INVALID for a text that `followCursorOf` did not make. */
export const readFollowCursor = (cursor: string): FollowPositions => {
  const fault = new MergeQueueError('CURSOR_INVALID', 'The cursor was not issued by follow.', [
    { path: ['after'], message: 'must be the cursor of an earlier step, unchanged' },
  ]);
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    throw fault;
  }
  const read = z.record(z.string(), z.string()).safeParse(value);
  if (!read.success || Object.keys(read.data).length > FOLLOWED_QUEUES_LIMIT) throw fault;
  return new Map(
    Object.entries(read.data).map(([id, text]) => {
      const position = text === '' ? null : parsePosition(text);
      if (text !== '' && position === null) throw fault;
      return [id, position];
    }),
  );
};

/** The queues of the second cursor, each at its position in the first where that names it. */
export const continuedCursor = (before: string, now: string): string => {
  const earlier = readFollowCursor(before);
  const continued = [...readFollowCursor(now)].map(
    ([id, position]) => [id, earlier.has(id) ? (earlier.get(id) ?? null) : position] as const,
  );
  return followCursorOf(new Map(continued));
};
