import { HttpProblem } from './errors.js';

/** Max waiting requests of one token, by cost: readers of events share their reads, polls do not. */
export const waitsPerToken = { follows: 2_000, polls: 100 } as const;

export type WaitKind = keyof typeof waitsPerToken;

/** Counts long polls and streams by token. */
export class Waits {
  readonly #countByKey = new Map<string, number>();

  /** Returns a function that ends the wait, to be called exactly once. Throws OVERLOADED at the limit. */
  enter(sender: string, kind: WaitKind): () => void {
    const key = `${kind} ${sender}`;
    const count = this.#countByKey.get(key) ?? 0;
    if (count >= waitsPerToken[kind])
      throw new HttpProblem(
        'OVERLOADED',
        `${waitsPerToken[kind]} requests of this token wait already; nothing was done. End one, or use another token.`,
      );
    this.#countByKey.set(key, count + 1);
    return () => {
      const left = (this.#countByKey.get(key) ?? 1) - 1;
      if (left === 0) this.#countByKey.delete(key);
      else this.#countByKey.set(key, left);
    };
  }
}
