/** Rows that are never changed, with those on top that a decision puts in their places. */
export class Overlay<Id, Row> {
  readonly #base: ReadonlyMap<Id, Row>;
  readonly #changed = new Map<Id, Row>();

  constructor(base: ReadonlyMap<Id, Row>) {
    this.#base = base;
  }

  /** What was put, as it is now. */
  get changed(): ReadonlyMap<Id, Row> {
    return this.#changed;
  }

  get(id: Id): Row | undefined {
    return (this.#changed.size === 0 ? undefined : this.#changed.get(id)) ?? this.#base.get(id);
  }

  put(id: Id, row: Row): void {
    this.#changed.set(id, row);
  }

  /** Those of a kind, in the order in which they came. */
  all(isOne: (row: Row) => boolean): readonly Row[] {
    const rows: Row[] = [];
    for (const [id, known] of this.#base) {
      const row = this.#changed.get(id) ?? known;
      if (isOne(row)) rows.push(row);
    }
    for (const [id, row] of this.#changed) if (!this.#base.has(id) && isOne(row)) rows.push(row);
    return rows;
  }

  /** How many there are of a kind to which everything below belongs. */
  count(isOne: (row: Row) => boolean): number {
    let count = this.#base.size;
    for (const [id, row] of this.#changed) count += Number(isOne(row)) - Number(this.#base.has(id));
    return count;
  }
}
