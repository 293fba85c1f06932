import type { FastifyRequest } from 'fastify';
import { type Principal, reporterOf } from './auth.js';
import { HttpProblem } from './errors.js';

/** A body longer than this, or of unknown length, is large. */
export const LARGE_BODY_BYTES = 1024 * 1024;
/** Large bodies that are read at once. */
export const LARGE_BODIES_LIMIT = 4;
/** Those of one token: it cannot use up the places of others. */
export const LARGE_BODIES_PER_TOKEN = 2;
/** Requests that may wait to have their large body read; it stays with the client meanwhile. */
export const LARGE_BODIES_WAITING_LIMIT = 64;
export const LARGE_BODIES_WAITING_PER_TOKEN = 32;

export const isLarge = (request: FastifyRequest): boolean =>
  request.headers['transfer-encoding'] !== undefined ||
  Number(request.headers['content-length'] ?? 0) > LARGE_BODY_BYTES;

/** What large bodies are counted by: the token, and for all report tokens of a reporter the reporter. */
export const senderOf = (principal: Principal): string =>
  principal.reporting === undefined ? principal.id : `reports of ${reporterOf(principal)}`;

interface Waiting {
  readonly sender: string;
  readonly admit: () => void;
}

/** Bounds the memory of bodies: a request keeps its slot until its answer is sent or the client is gone. */
export class LargeBodies {
  /** How many bodies of each sender are read now; none without any. */
  readonly #held = new Map<string, number>();
  #waiting: readonly Waiting[] = [];

  /** Resolves with the function that gives the place back; calling it twice is no error. */
  async enter(sender: string): Promise<() => void> {
    if (this.#isFull || this.#heldBy(sender) >= LARGE_BODIES_PER_TOKEN) await this.#turn(sender);
    else this.#hold(sender, 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#hold(sender, -1);
      this.#admitNext();
    };
  }

  get #isFull(): boolean {
    return [...this.#held.values()].reduce((sum, count) => sum + count, 0) >= LARGE_BODIES_LIMIT;
  }

  #heldBy(sender: string): number {
    return this.#held.get(sender) ?? 0;
  }

  #hold(sender: string, more: number): void {
    const count = this.#heldBy(sender) + more;
    if (count === 0) this.#held.delete(sender);
    else this.#held.set(sender, count);
  }

  #turn(sender: string): Promise<void> {
    const own = this.#waiting.filter((one) => one.sender === sender).length;
    if (own >= LARGE_BODIES_WAITING_PER_TOKEN)
      throw new HttpProblem(
        'OVERLOADED',
        'Too many large requests at once with this token; nothing was done. Send one after the other.',
      );
    if (this.#waiting.length >= LARGE_BODIES_WAITING_LIMIT)
      throw new HttpProblem('OVERLOADED', 'Too many large requests at once; nothing was done. Try again.');
    return new Promise((admit) => {
      this.#waiting = [...this.#waiting, { sender, admit }];
    });
  }

  /** The sender with the fewest places comes first; of several, the request that waits longest. */
  #admitNext(): void {
    const [next] = this.#waiting
      .filter(({ sender }) => this.#heldBy(sender) < LARGE_BODIES_PER_TOKEN)
      .sort((one, other) => this.#heldBy(one.sender) - this.#heldBy(other.sender));
    if (next === undefined) return;
    this.#waiting = this.#waiting.filter((one) => one !== next);
    this.#hold(next.sender, 1);
    next.admit();
  }
}
