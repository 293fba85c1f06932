/** What was derived from something that has revisions, kept by name for as long as the revision is the same. */
export class Memo {
  readonly #known = new Map<string, { readonly revision: number; readonly value: unknown }>();

  at<Value>(revision: number, name: string, derive: () => Value): Value {
    const known = this.#known.get(name);
    if (known?.revision === revision) return known.value as Value;
    const value = derive();
    this.#known.set(name, { revision, value });
    return value;
  }
}

/** What was derived from a state: kept with it, and let go of as soon as a row changes that it was derived from. */
export interface Memos {
  /** From who stands in line, and where. */
  readonly line: Memo;
  /** From the live runs. */
  readonly runs: Memo;
}
