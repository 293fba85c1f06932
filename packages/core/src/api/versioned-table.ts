import type { TableChange } from '../model/snapshot.js';

/** Max removals that are remembered; a reader of an older version gets the whole table. */
const REMOVALS_LIMIT = 2_000;

/** The rows of a snapshot, each with the version in which it last changed. Rows are compared as JSON. */
export class VersionedTable<Key extends number | string, Row extends object> {
  #rows = new Map<Key, { readonly row: Row; readonly text: string; readonly changedIn: number }>();
  #orderChangedIn = 0;
  #more = 0;
  #removals: readonly { readonly key: Key; readonly removedIn: number }[] = [];
  /** Removals in earlier versions than this one are forgotten. */
  #knownSince = 0;

  constructor(private readonly keyOf: (row: Row) => Key) {}

  /** Replaces all rows; returns whether anything is different. The version counts only then. */
  put(rows: readonly Row[], more: number, version: number): boolean {
    const before = this.#rows;
    const after: typeof before = new Map();
    let isChanged = more !== this.#more;
    for (const row of rows) {
      const [key, text] = [this.keyOf(row), JSON.stringify(row)];
      const previous = before.get(key);
      const isSame = previous?.text === text;
      if (!isSame) isChanged = true;
      after.set(key, isSame ? previous : { row, text, changedIn: version });
    }
    const gone = [...before.keys()].filter((key) => !after.has(key));
    if (gone.length > 0) isChanged = true;
    if (!areEqual([...before.keys()], [...after.keys()])) {
      isChanged = true;
      this.#orderChangedIn = version;
    }
    [this.#rows, this.#more] = [after, more];
    this.#remember(gone.map((key) => ({ key, removedIn: version })));
    return isChanged;
  }

  /** Whether what has changed since that version is known. */
  knows(version: number): boolean {
    return version >= this.#knownSince;
  }

  whole(): TableChange<Key, Row> {
    const rows = [...this.#rows.values()].map(({ row }) => row);
    return { rows, removed: [], order: [...this.#rows.keys()], more: this.#more };
  }

  since(version: number): TableChange<Key, Row> {
    const changed = [...this.#rows.values()].filter(({ changedIn }) => changedIn > version);
    const removed = this.#removals.filter(
      ({ key, removedIn }) => removedIn > version && !this.#rows.has(key),
    );
    return {
      rows: changed.map(({ row }) => row),
      removed: [...new Set(removed.map(({ key }) => key))],
      order: this.#orderChangedIn > version ? [...this.#rows.keys()] : null,
      more: this.#more,
    };
  }

  #remember(gone: readonly { readonly key: Key; readonly removedIn: number }[]): void {
    const all = [...this.#removals, ...gone];
    const forgotten = all.slice(0, Math.max(0, all.length - REMOVALS_LIMIT));
    this.#knownSince = forgotten.at(-1)?.removedIn ?? this.#knownSince;
    this.#removals = all.slice(forgotten.length);
  }
}

const areEqual = <Key>(some: readonly Key[], others: readonly Key[]): boolean =>
  some.length === others.length && some.every((key, index) => key === others[index]);
