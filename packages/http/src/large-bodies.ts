import type { FastifyRequest } from 'fastify';
import { type Principal, reporterOf } from './auth.js';
import { HttpProblem } from './errors.js';

/** A body longer than this, or of unknown length, is large. */
export const LARGE_BODY_BYTES = 1024 * 1024;
/** Max large bodies read at the same time. */
export const LARGE_BODIES_LIMIT = 4;
/** Max large bodies of one token at the same time, so that it cannot use up all slots. */
export const LARGE_BODIES_PER_TOKEN = 2;
/** Max requests that wait for a slot. Their bodies are not read meanwhile. */
export const LARGE_BODIES_WAITING_LIMIT = 64;
export const LARGE_BODIES_WAITING_PER_TOKEN = 32;

export const isLarge = (request: FastifyRequest): boolean =>
  request.headers['transfer-encoding'] !== undefined ||
  Number(request.headers['content-length'] ?? 0) > LARGE_BODY_BYTES;

/** The key by which large bodies are counted: the token. Report tokens of a reporter share one, and builds of forks do. */
export const senderOf = (principal: Principal): string => {
  if (principal.forkBuild !== undefined) return 'builds of forks';
  return principal.reporting === undefined ? principal.id : `reports of ${reporterOf(principal)}`;
};

interface Waiting {
  readonly sender: string;
  readonly admit: () => void;
}

/** Limits the memory for bodies. A request keeps its slot until its answer is sent or its client has disconnected. */
export class LargeBodies {
  /** Slots in use by sender; senders without one are absent. */
  readonly #countBySender = new Map<string, number>();
  #waiting: readonly Waiting[] = [];

  /** Waits for a slot. Resolves with an idempotent function that releases it. */
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
    return [...this.#countBySender.values()].reduce((sum, count) => sum + count, 0) >= LARGE_BODIES_LIMIT;
  }

  #heldBy(sender: string): number {
    return this.#countBySender.get(sender) ?? 0;
  }

  #hold(sender: string, more: number): void {
    const count = this.#heldBy(sender) + more;
    if (count === 0) this.#countBySender.delete(sender);
    else this.#countBySender.set(sender, count);
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

  /** Admits the request of the sender with the fewest slots, and among equals the one that has waited longest. */
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
