import type { FastifyInstance } from 'fastify';
import { HttpProblem } from './errors.js';

/** Longer than the engine waits for a code host. */
export const ANSWER_LIMIT_MS = 140_000;

/**
 * Answers for whatever takes longer. Fastify's own `handlerTimeout` ends a signal with every request, also where nobody
 * listens to it, and that takes longer than all else that a small request takes.
 */
export const limitAnswers = (app: FastifyInstance, limitMs: number): void => {
  app.addHook('onRequest', (_, reply, done) => {
    const timer = setTimeout(() => {
      if (!reply.sent) reply.send(tooSlow());
    }, limitMs);
    timer.unref();
    reply.raw.once('close', () => clearTimeout(timer));
    done();
  });
};

const tooSlow = (): HttpProblem =>
  new HttpProblem(
    'HANDLER_TIMEOUT',
    'It took too long, and it is not known whether it was done. Ask again with the same Idempotency-Key.',
  );
