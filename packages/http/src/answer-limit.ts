import type { FastifyReply } from 'fastify';
import { HttpProblem } from './errors.js';

/** Longer than the engine waits for a code host. */
export const ANSWER_LIMIT_MS = 140_000;

/** One of a list in the order of time. What has left it names nobody: else each would keep whoever came after it. */
interface Open {
  readonly reply: FastifyReply;
  readonly until: number;
  before: Open | null;
  after: Open | null;
}

/**
 * Has whatever takes longer answered, from the call of the returned function on. One timer serves for all, as whoever asked
 * first is late first. Fastify's own `handlerTimeout` ends a signal with every request, also where nobody listens to it, and
 * that takes longer than all else that a small request takes.
 */
export const answerLimit = (limitMs: number): ((reply: FastifyReply) => void) => {
  let first: Open | null = null;
  let last: Open | null = null;
  let isSet = false;
  const leave = (one: Open): void => {
    if (one.before === null && first !== one) return;
    if (one.before === null) first = one.after;
    else one.before.after = one.after;
    if (one.after === null) last = one.before;
    else one.after.before = one.before;
    one.before = null;
    one.after = null;
  };
  const setFor = ({ until }: Open): void => {
    isSet = true;
    setTimeout(answerLate, until - performance.now()).unref();
  };
  const answerLate = (): void => {
    isSet = false;
    while (first !== null) {
      const one: Open = first;
      if (one.until > performance.now()) return setFor(one);
      leave(one);
      if (!one.reply.sent) one.reply.send(tooSlow());
    }
  };
  return (reply) => {
    const one: Open = { reply, until: performance.now() + limitMs, before: last, after: null };
    if (last === null) first = one;
    else last.after = one;
    last = one;
    reply.raw.on('close', () => leave(one));
    if (!isSet) setFor(one);
  };
};

const tooSlow = (): HttpProblem =>
  new HttpProblem(
    'HANDLER_TIMEOUT',
    'It took too long, and it is not known whether it was done. Ask again with the same Idempotency-Key.',
  );
