import type { FastifyInstance } from 'fastify';
import { SILENCE_LIMIT_MS } from './heartbeat.js';

export type Phase = 'starting' | 'serving' | 'stopping';

/** What the server is about, as its parts see it. */
export interface Condition {
  readonly phase: () => Phase;
  readonly silentForMs: () => number;
}

/** Why nothing can be served now; null where all is well. */
export const troubleOf = ({ phase }: Pick<Condition, 'phase'>): string | null =>
  phase() === 'serving' ? null : `The service is ${phase()}.`;

/** `/health/live`: this process answers. `/health/ready`: it is of use. Neither needs a token. */
export const addHealth = (app: FastifyInstance, condition: Condition): void => {
  app.get('/health/live', { logLevel: 'warn' }, async (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ status: 'live' }),
  );
  app.get('/health/ready', { logLevel: 'warn' }, async (_request, reply) => {
    reply.header('cache-control', 'no-store');
    const reason = troubleOf(condition) ?? stuck(condition.silentForMs());
    if (reason === null) return reply.send({ status: 'ready' });
    return reply.code(503).header('retry-after', '1').send({ status: condition.phase(), reason });
  });
};

const stuck = (silentForMs: number): string | null =>
  silentForMs <= SILENCE_LIMIT_MS
    ? null
    : `The engine has not finished a pass for ${Math.round(silentForMs / 1000)} s; the log says why.`;
