import type { Instant } from '@mq/core';

interface Entry<Key> {
  readonly key: Key;
  readonly at: Instant;
  readonly order: number;
}

/** Max heap entries that were replaced or removed, beyond twice the number of live ones. Then the heap is rebuilt. */
const STALE_ENTRIES_LIMIT = 64;

/** Keys ordered by due time. A heap in which replaced entries are skipped when they reach the top. */
export class Agenda<Key> {
  readonly #current = new Map<Key, Entry<Key>>();
  #heap: Entry<Key>[] = [];
  #order = 0;

  at(key: Key): Instant | null {
    return this.#current.get(key)?.at ?? null;
  }

  /** Sets the time of a key. Keys with equal times are ordered by when they were set. */
  set(key: Key, at: Instant): void {
    this.#put({ key, at, order: this.#order++ });
  }

  /** Like `set`, but keeps the key's order among keys with equal times. */
  move(key: Key, at: Instant): void {
    this.#put({ key, at, order: this.#current.get(key)?.order ?? this.#order++ });
  }

  #put(entry: Entry<Key>): void {
    this.#current.set(entry.key, entry);
    if (this.#heap.length > 2 * this.#current.size + STALE_ENTRIES_LIMIT) {
      this.#heap = [...this.#current.values()].sort((one, other) => (isBefore(one, other) ? -1 : 1));
      return;
    }
    this.#heap.push(entry);
    this.#rise(this.#heap.length - 1);
  }

  delete(key: Key): void {
    this.#current.delete(key);
  }

  /** The earliest due time; null if there is none. */
  next(): Instant | null {
    return this.#first()?.at ?? null;
  }

  /** Removes up to `limit` keys that are due at `now` and returns them, earliest first. */
  take(now: Instant, limit: number): readonly Key[] {
    const keys: Key[] = [];
    while (keys.length < limit) {
      const first = this.#first();
      if (first === undefined || first.at > now) break;
      this.#current.delete(first.key);
      keys.push(first.key);
    }
    return keys;
  }

  #first(): Entry<Key> | undefined {
    for (;;) {
      const first = this.#heap[0];
      if (first === undefined || this.#current.get(first.key) === first) return first;
      this.#drop();
    }
  }

  #drop(): void {
    const last = this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return;
    this.#heap[0] = last;
    this.#sink();
  }

  #rise(from: number): void {
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#swapIfBefore(index, parent)) return;
      index = parent;
    }
  }

  #sink(): void {
    let index = 0;
    for (;;) {
      const [left, right] = [this.#heap[2 * index + 1], this.#heap[2 * index + 2]];
      if (left === undefined) return;
      const child = right !== undefined && isBefore(right, left) ? 2 * index + 2 : 2 * index + 1;
      if (!this.#swapIfBefore(child, index)) return;
      index = child;
    }
  }

  #swapIfBefore(index: number, other: number): boolean {
    const [one, two] = [this.#heap[index], this.#heap[other]];
    if (one === undefined || two === undefined || !isBefore(one, two)) return false;
    this.#heap[index] = two;
    this.#heap[other] = one;
    return true;
  }
}

const isBefore = (one: Entry<unknown>, other: Entry<unknown>): boolean =>
  one.at !== other.at ? one.at < other.at : one.order < other.order;
