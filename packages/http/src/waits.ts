import { HttpProblem } from './errors.js';

/** Max long polls and event streams of one token at the same time. Each reads the store every second. */
export const WAITS_PER_TOKEN = 100;

/** Counts long polls and streams by token. */
export class Waits {
  readonly #held = new Map<string, number>();

  /** Returns a function that ends the wait, to be called exactly once. Throws OVERLOADED at the limit. */
  enter(sender: string): () => void {
    const count = this.#held.get(sender) ?? 0;
    if (count >= WAITS_PER_TOKEN)
      throw new HttpProblem(
        'OVERLOADED',
        `${WAITS_PER_TOKEN} requests of this token wait already; nothing was done. End one, or use another token.`,
      );
    this.#held.set(sender, count + 1);
    return () => {
      const left = (this.#held.get(sender) ?? 1) - 1;
      if (left === 0) this.#held.delete(sender);
      else this.#held.set(sender, left);
    };
  }
}
