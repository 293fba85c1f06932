import type { FastifyRequest } from 'fastify';
import { HttpProblem } from './errors.js';

/** A body longer than this, or of unknown length, is large. */
export const LARGE_BODY_BYTES = 1024 * 1024;
/** Large bodies that are read at once. */
export const LARGE_BODIES_LIMIT = 4;
/** Requests that may wait to have their large body read; it stays with the client meanwhile. */
export const LARGE_BODIES_WAITING_LIMIT = 64;

export const isLarge = (request: FastifyRequest): boolean =>
  request.headers['transfer-encoding'] !== undefined ||
  Number(request.headers['content-length'] ?? 0) > LARGE_BODY_BYTES;

/** Bounds the memory of bodies: a request keeps its slot until its answer is sent or the client is gone. */
export class LargeBodies {
  #held = 0;
  readonly #waiting: (() => void)[] = [];

  /** Resolves with the function that gives the place back; calling it twice is no error. */
  async enter(): Promise<() => void> {
    if (this.#held < LARGE_BODIES_LIMIT) this.#held += 1;
    else {
      if (this.#waiting.length >= LARGE_BODIES_WAITING_LIMIT)
        throw new HttpProblem('OVERLOADED', 'Too many large requests at once; nothing was done. Try again.');
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const next = this.#waiting.shift();
      if (next === undefined) this.#held -= 1;
      else next();
    };
  }
}
