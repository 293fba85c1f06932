import type { Instant } from '@mq/core';

interface Entry<Key> {
  readonly key: Key;
  readonly at: Instant;
  readonly order: number;
}

/** Heap entries that were replaced or removed are tolerated up to this many beyond the living ones. */
const STALE_ENTRIES_LIMIT = 64;

/** Keys by the instant at which they are due: a heap whose replaced entries are skipped when they come up. */
export class Agenda<Key> {
  readonly #current = new Map<Key, Entry<Key>>();
  #heap: Entry<Key>[] = [];
  #order = 0;

  at(key: Key): Instant | null {
    return this.#current.get(key)?.at ?? null;
  }

  /** Replaces what was set for the key. Of keys due at one instant the one set first comes first. */
  set(key: Key, at: Instant): void {
    this.#put({ key, at, order: this.#order++ });
  }

  /** As `set`, but among keys due at one instant it keeps the place that it has. */
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

  /** The earliest instant at which anything is due; null when nothing is set. */
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
