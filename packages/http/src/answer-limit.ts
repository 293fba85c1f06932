import type { FastifyReply } from 'fastify';
import { HttpProblem } from './errors.js';

/** Longer than the engine waits for a code host. */
export const ANSWER_LIMIT_MS = 140_000;

/** Answers a request as failed if that takes longer, counted from the call of the returned function. */
export const answerLimit =
  (limitMs: number) =>
  (reply: FastifyReply): void => {
    const timer = setTimeout(() => {
      if (!reply.sent) reply.send(tooSlow());
    }, limitMs);
    // `close` never comes for some answers, as for pipelined requests of a connection that was cut: the process may end.
    timer.unref();
    reply.raw.on('close', () => clearTimeout(timer));
  };

const tooSlow = (): HttpProblem =>
  new HttpProblem(
    'HANDLER_TIMEOUT',
    'It took too long, and it is not known whether it was done. Ask again with the same Idempotency-Key.',
  );
