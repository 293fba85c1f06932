import type { Version } from '@mq/core';

interface Entry<Row> {
  readonly row: Row;
  readonly version: Version;
  /** The version at which it last became live; null while it is not. */
  readonly liveFrom: Version | null;
}

interface Change<Id> {
  readonly id: Id;
  readonly version: Version;
}

const STALE_CHANGES_LIMIT = 64;

/** Rows of one kind in one queue, with the version that wrote each. Changes are found without scanning all rows. */
export class Table<Id, Row> {
  readonly #entries = new Map<Id, Entry<Row>>();
  readonly #live = new Set<Id>();
  /** By ascending version. A change is stale and skipped if its row was written again later. */
  #changes: Change<Id>[] = [];

  constructor(readonly isLive: (row: Row) => boolean) {}

  get(id: Id): Row | null {
    return this.#entries.get(id)?.row ?? null;
  }

  rows(): readonly Row[] {
    return [...this.#entries.values()].map(({ row }) => row);
  }

  /** Call at most once per id and version. */
  put(id: Id, row: Row, version: Version): void {
    const live = this.isLive(row);
    this.#entries.set(id, {
      row,
      version,
      liveFrom: live ? (this.#entries.get(id)?.liveFrom ?? version) : null,
    });
    if (live) this.#live.add(id);
    else this.#live.delete(id);
    this.#changes.push({ id, version });
    if (this.#changes.length > 2 * this.#entries.size + STALE_CHANGES_LIMIT)
      this.#changes = this.#changes.filter((change) => this.#isLatest(change));
  }

  /** Replaces a row without changing its version. */
  replace(id: Id, row: Row): void {
    const entry = this.#entries.get(id);
    if (entry !== undefined) this.#entries.set(id, { ...entry, row });
  }

  remove(id: Id): void {
    this.#entries.delete(id);
    this.#live.delete(id);
  }

  /** The rows written after `since`, live or not. For 0 only live ones. */
  changed(since: Version): readonly Row[] {
    return this.#changedEntries(since).map(({ row }) => row);
  }

  /** The rows that became live after `since`. */
  risen(since: Version): readonly Row[] {
    return this.#changedEntries(since)
      .filter(({ liveFrom }) => liveFrom !== null && liveFrom > since)
      .map(({ row }) => row);
  }

  #changedEntries(since: Version): readonly Entry<Row>[] {
    const ids =
      since === 0
        ? [...this.#live]
        : this.#changes
            .slice(this.#firstAfter(since))
            .filter((change) => this.#isLatest(change))
            .map(({ id }) => id);
    return ids.flatMap((id) => this.#entries.get(id) ?? []);
  }

  #isLatest({ id, version }: Change<Id>): boolean {
    return this.#entries.get(id)?.version === version;
  }

  #firstAfter(since: Version): number {
    let [low, high] = [0, this.#changes.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#changes[middle]?.version ?? 0) <= since) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
