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

  /** What is known at this revision, as what is known at the first. */
  since(revision: number): Memo {
    const memo = new Memo();
    for (const [name, known] of this.#known)
      if (known.revision === revision) memo.#known.set(name, { revision: 0, value: known.value });
    return memo;
  }
}

/** What was derived from a state: kept with it, and let go of as soon as a row changes that it was derived from. */
export interface Memos {
  /** From who stands in line, and where. */
  readonly line: Memo;
  /** From the runs that failed, and the batches that are looked into. */
  readonly failures: Memo;
  /** From the open runs. */
  readonly runs: Memo;
  /** Whatever changes: whoever uses it sees for himself what of it is still so. */
  readonly lasting: Memo;
}

/** The kinds of things that memos are derived from. */
export type MemoKind = Exclude<keyof Memos, 'lasting'>;

export const noMemos = (): Memos => ({
  line: new Memo(),
  failures: new Memo(),
  runs: new Memo(),
  lasting: new Memo(),
});

/** Those of which nothing has changed that they were derived from. */
export const memosAfter = (memos: Memos, changes: Readonly<Record<MemoKind, number>>): Memos => {
  const none = noMemos();
  const kept = (kind: MemoKind): Memo => (changes[kind] === 0 ? memos : none)[kind];
  return { line: kept('line'), failures: kept('failures'), runs: kept('runs'), lasting: memos.lasting };
};
