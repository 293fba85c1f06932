import type { FastifyReply } from 'fastify';
import { HttpProblem } from './errors.js';

/** Longer than the engine waits for a code host. */
export const ANSWER_LIMIT_MS = 140_000;

type Raw = FastifyReply['raw'];

interface Open {
  readonly reply: FastifyReply;
  readonly until: number;
}

/**
 * Has whatever takes longer answered, from the call of the returned function on. One timer serves for all, as whoever asked
 * first is late first. Fastify's own `handlerTimeout` ends a signal with every request, also where nobody listens to it, and
 * that takes longer than all else that a small request takes.
 */
export const answerLimit = (limitMs: number): ((reply: FastifyReply) => void) => {
  const open = new Map<Raw, Open>();
  let isSet = false;
  const setFor = ({ until }: Open): void => {
    isSet = true;
    setTimeout(answerLate, until - performance.now()).unref();
  };
  const answerLate = (): void => {
    isSet = false;
    for (const [raw, one] of open) {
      if (one.until > performance.now()) return setFor(one);
      open.delete(raw);
      if (!one.reply.sent) one.reply.send(tooSlow());
    }
  };
  const end = function (this: Raw): void {
    open.delete(this);
  };
  return (reply) => {
    const one = { reply, until: performance.now() + limitMs };
    open.set(reply.raw, one);
    reply.raw.on('close', end);
    if (!isSet) setFor(one);
  };
};

const tooSlow = (): HttpProblem =>
  new HttpProblem(
    'HANDLER_TIMEOUT',
    'It took too long, and it is not known whether it was done. Ask again with the same Idempotency-Key.',
  );
