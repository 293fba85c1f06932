/** Rows that are never changed, overlaid with the rows that a decision puts. */
export class Overlay<Id, Row> {
  readonly #original: ReadonlyMap<Id, Row>;
  readonly #changed = new Map<Id, Row>();

  constructor(original: ReadonlyMap<Id, Row>) {
    this.#original = original;
  }

  /** The rows that the decision has put, each in its last version. */
  get changed(): ReadonlyMap<Id, Row> {
    return this.#changed;
  }

  get(id: Id): Row | undefined {
    return (this.#changed.size === 0 ? undefined : this.#changed.get(id)) ?? this.#original.get(id);
  }

  put(id: Id, row: Row): void {
    this.#changed.set(id, row);
  }

  /** The rows that match, in their original order. */
  all(matches: (row: Row) => boolean): readonly Row[] {
    const rows: Row[] = [];
    for (const [id, originalRow] of this.#original) {
      const row = this.#changed.get(id) ?? originalRow;
      if (matches(row)) rows.push(row);
    }
    for (const [id, row] of this.#changed) if (!this.#original.has(id) && matches(row)) rows.push(row);
    return rows;
  }

  /** Counts the rows that match. Every base row has to match. */
  count(matches: (row: Row) => boolean): number {
    let count = this.#original.size;
    for (const [id, row] of this.#changed) count += Number(matches(row)) - Number(this.#original.has(id));
    return count;
  }
}
