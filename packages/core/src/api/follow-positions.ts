import type { QueueId } from '../model/ids.js';
import type { Position } from '../model/position.js';
import {
  digestOf,
  type FollowPoint,
  type FollowRest,
  followCursorText,
  isAfterPoint,
} from '../validation/follow-cursor.js';

/**
 * How far each of many queues was read. Its cursor is bounded for any number of queues. It names the queues that were
 * read last, and the point in time up to which all others were read. So rows have to be read in that order. Rows that
 * were committed late, or are lost since, change the digest.
 */
export class FollowPositions {
  /** The queues that a cursor names; the one that was read last is at the end. */
  readonly #named = new Map<QueueId, Position | null>();
  readonly #others = new Map<QueueId, Position | null>();
  /** Named queues that are not followed any more. */
  readonly #left = new Set<QueueId>();
  #point: FollowPoint | null = null;
  #digest = 0n;
  #mistrust = 0n;

  constructor(private readonly namedLimit: number) {}

  of(id: QueueId): Position | null {
    return this.#named.get(id) ?? this.#others.get(id) ?? null;
  }

  /** The queue was read up to there. */
  move(id: QueueId, position: Position | null): void {
    this.#takeFromOthers(id);
    this.#named.delete(id);
    this.#named.set(id, position);
    this.#left.delete(id);
    for (const first of this.#named.keys()) {
      if (this.#named.size <= this.namedLimit) return;
      this.#unname(first);
    }
  }

  /** The queue is not followed any more. A cursor still names it, since a deleted queue may have rows behind the point. */
  leave(id: QueueId): void {
    if (this.#named.has(id)) this.#left.add(id);
    else this.#takeFromOthers(id);
  }

  cursor(): string {
    const rest = this.#point === null ? null : { point: this.#point, digest: this.#digest ^ this.#mistrust };
    return followCursorText({ named: this.#named, rest });
  }

  /** A queue that a cursor does not name, as it was read up to the point of the cursor. */
  addOther(id: QueueId, position: Position | null): void {
    this.#others.set(id, position);
    this.#digest ^= digestOf(id, position);
  }

  /** False if the others are not where a cursor with this rest was. Then none of its cursors fits, until `trust` is called. */
  isAt({ point, digest }: FollowRest): boolean {
    this.#reach(point);
    this.#mistrust = this.#digest ^ digest;
    return this.#mistrust === 0n;
  }

  trust(): void {
    this.#mistrust = 0n;
  }

  #reach(point: FollowPoint): void {
    if (isAfterPoint(point, this.#point)) this.#point = point;
  }

  #unname(id: QueueId): void {
    const position = this.#named.get(id) ?? null;
    this.#named.delete(id);
    if (position !== null) this.#reach({ at: position.at, queueId: id });
    if (!this.#left.delete(id)) this.addOther(id, position);
  }

  #takeFromOthers(id: QueueId): void {
    if (!this.#others.has(id)) return;
    this.#digest ^= digestOf(id, this.#others.get(id) ?? null);
    this.#others.delete(id);
  }
}
