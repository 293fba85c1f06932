import { z } from 'zod';
import { MergeQueueError } from '../errors.js';
import type { Instant, QueueId } from '../model/ids.js';
import { type Position, parsePosition, positionText } from '../model/position.js';
import { sha256 } from '../model/sha256.js';

/** Queues whose positions a cursor names: those that were read last. */
export const NAMED_QUEUES_LIMIT = 100;
export const FOLLOW_CURSOR_CHARS_LIMIT = 12_000;
const REST_KEY = '*';
const DIGEST_BITS = 64;

/** A place in the order of all rows, by time and then by queue. */
export interface FollowPoint {
  readonly at: Instant;
  readonly queueId: string;
}

/**
 * The queues that a cursor does not name. All their rows up to a point were read. The digest of their positions shows
 * whether they are unchanged: a row that was committed late or lost leaves no other trace.
 */
export interface FollowRest {
  readonly point: FollowPoint;
  readonly digest: bigint;
}

export interface FollowCursor {
  /** Keyed by queue, those read last at the end. Null means before the first row. */
  readonly named: ReadonlyMap<QueueId, Position | null>;
  /** Null: the queues that are not named are before their first row. */
  readonly rest: FollowRest | null;
}

export const followCursorText = ({ named, rest }: FollowCursor): string => {
  const texts = [...named].map(([id, position]) => [id, position === null ? '' : positionText(position)]);
  const other =
    rest === null ? [] : [[REST_KEY, `${rest.point.at} ${rest.digest.toString(16)} ${rest.point.queueId}`]];
  return Buffer.from(JSON.stringify(Object.fromEntries([...texts, ...other]))).toString('base64url');
};

/** Throws CURSOR_INVALID for a text that `followCursorText` did not make. */
export const readFollowCursor = (cursor: string): FollowCursor => {
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
  if (!read.success) throw fault;
  const { [REST_KEY]: restText, ...texts } = read.data;
  if (Object.keys(texts).length > NAMED_QUEUES_LIMIT) throw fault;
  const rest = restText === undefined ? null : restIn(restText);
  if (rest === null && restText !== undefined) throw fault;
  const named = Object.entries(texts).map(([id, text]) => {
    const position = text === '' ? null : parsePosition(text);
    if (text !== '' && position === null) throw fault;
    return [id as QueueId, position] as const;
  });
  return { named: new Map(named), rest };
};

const restIn = (text: string): FollowRest | null => {
  const [, at, digest, queueId] = /^(\d{1,15}) ([0-9a-f]{1,16}) (.{1,100})$/.exec(text) ?? [];
  if (at === undefined || digest === undefined || queueId === undefined) return null;
  return { point: { at: Number(at), queueId }, digest: BigInt(`0x${digest}`) };
};

/** The contribution of one queue's position to the digest, which is the exclusive or of all contributions. */
export const digestOf = (id: QueueId, position: Position | null): bigint =>
  position === null ? 0n : BigInt(`0x${sha256(`${id} ${positionText(position)}`).slice(0, DIGEST_BITS / 4)}`);

export const isAfterPoint = (one: FollowPoint, other: FollowPoint | null): boolean =>
  other === null || one.at > other.at || (one.at === other.at && one.queueId > other.queueId);
