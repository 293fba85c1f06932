/** Entries that pass before the map is made anew, where no more are in it. */
const RENEWED_AFTER = 1_000;

/**
 * A map of what is there for a moment only, while a lot passes through it. A Map of V8 has each table that it outgrows name the next one: one table that
 * has come to the old generation keeps all later ones there, with what was in them, until that is collected. So the map is made anew
 * now and then, for no more than each entry costs anyway.
 */
export class Passage<Key, Value> {
  #map = new Map<Key, Value>();
  #passed = 0;

  get size(): number {
    return this.#map.size;
  }

  get(key: Key): Value | undefined {
    return this.#map.get(key);
  }

  set(key: Key, value: Value): void {
    this.#passed += 1;
    if (this.#passed > Math.max(RENEWED_AFTER, this.#map.size)) {
      this.#map = new Map(this.#map);
      this.#passed = 0;
    }
    this.#map.set(key, value);
  }

  delete(key: Key): void {
    this.#map.delete(key);
  }

  keys(): Iterable<Key> {
    return this.#map.keys();
  }

  values(): Iterable<Value> {
    return this.#map.values();
  }

  /** In the order in which they came. What is set while they are gone through may not be met. */
  [Symbol.iterator](): Iterator<[Key, Value]> {
    return this.#map[Symbol.iterator]();
  }
}
