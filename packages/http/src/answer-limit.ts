import type { FastifyReply } from 'fastify';
import { HttpProblem } from './errors.js';

/** Longer than the engine's timeouts for code hosts. */
export const ANSWER_LIMIT_MS = 140_000;

/** Answers HANDLER_TIMEOUT if a request takes longer, counted from the call of the returned function. */
export const answerLimit =
  (limitMs: number) =>
  (reply: FastifyReply): void => {
    const timer = setTimeout(() => {
      if (!reply.sent) reply.send(tooSlow());
    }, limitMs);
    // Some responses never emit `close`, e.g. pipelined ones of a reset connection. They must not keep the process alive.
    timer.unref();
    reply.raw.on('close', () => clearTimeout(timer));
  };

const tooSlow = (): HttpProblem =>
  new HttpProblem(
    'HANDLER_TIMEOUT',
    'It took too long, and it is not known whether it was done. Ask again with the same Idempotency-Key.',
  );
