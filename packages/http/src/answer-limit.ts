import { Alarms } from '@mq/core';
import type { FastifyReply } from 'fastify';
import { HttpProblem } from './errors.js';

/** Longer than the engine waits for a code host. */
export const ANSWER_LIMIT_MS = 140_000;

/**
 * Has whatever takes longer answered, from the call of the returned function on. Fastify's own `handlerTimeout` ends a signal
 * with every request, also where nobody listens to it, and that takes longer than all else that a small request takes.
 */
export const answerLimit = (limitMs: number): ((reply: FastifyReply) => void) => {
  // Of some answers the end is never heard, as where several were asked for over a connection that was cut: no reason to go on.
  const alarms = new Alarms({ keepsProcess: false });
  return (reply) => {
    const callOff = alarms.set(limitMs, () => {
      if (!reply.sent) reply.send(tooSlow());
    });
    reply.raw.on('close', callOff);
  };
};

const tooSlow = (): HttpProblem =>
  new HttpProblem(
    'HANDLER_TIMEOUT',
    'It took too long, and it is not known whether it was done. Ask again with the same Idempotency-Key.',
  );
