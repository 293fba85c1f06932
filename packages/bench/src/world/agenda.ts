/** Events in virtual time; equal times are in order of insertion. */
export class Agenda<Item> {
  readonly #heap: { readonly at: number; readonly order: number; readonly item: Item }[] = [];
  #orders = 0;

  get nextAt(): number {
    return this.#heap[0]?.at ?? Number.POSITIVE_INFINITY;
  }

  put(at: number, item: Item): void {
    this.#orders += 1;
    const entry = { at, order: this.#orders, item };
    let index = this.#heap.push(entry) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#isBefore(index, parent)) return;
      this.#swap(index, parent);
      index = parent;
    }
  }

  take(): Item | undefined {
    const first = this.#heap[0];
    const last = this.#heap.pop();
    if (first === undefined || last === undefined || this.#heap.length === 0) return first?.item;
    this.#heap[0] = last;
    this.#sink();
    return first.item;
  }

  #sink(): void {
    for (let index = 0; ; ) {
      let least = index;
      for (const child of [2 * index + 1, 2 * index + 2])
        if (child < this.#heap.length && this.#isBefore(child, least)) least = child;
      if (least === index) return;
      this.#swap(index, least);
      index = least;
    }
  }

  #isBefore(index: number, other: number): boolean {
    const [one, two] = [this.#heap[index], this.#heap[other]];
    if (one === undefined || two === undefined) return false;
    return one.at < two.at || (one.at === two.at && one.order < two.order);
  }

  #swap(index: number, other: number): void {
    const [one, two] = [this.#heap[index], this.#heap[other]];
    if (one === undefined || two === undefined) return;
    this.#heap[index] = two;
    this.#heap[other] = one;
  }
}
