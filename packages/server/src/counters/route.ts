import { type Authenticate, recommendedServerOptions, tokenIn } from '@mq/http';
import fastify, { type FastifyInstance } from 'fastify';
import type { Counters } from './counters.js';

interface CounterParts {
  readonly counters: Counters;
  readonly authenticate: Authenticate;
}

/** A Fastify instance that serves only the counters. The caller listens and closes. */
export const countersApp = (parts: CounterParts): FastifyInstance => {
  const app: FastifyInstance = fastify(recommendedServerOptions);
  addCounters(app, parts);
  return app;
};

/** `GET /metrics`, for a token with the scope `metrics` and without a limit to repositories. */
export const addCounters = (app: FastifyInstance, { counters, authenticate }: CounterParts): void => {
  app.get('/metrics', { exposeHeadRoute: false, logLevel: 'warn' }, async (request, reply) => {
    reply.headers({
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    const token = tokenIn(request.headers);
    const principal = token === null ? null : await authenticate(token);
    if (principal === null)
      return reply
        .code(401)
        .header('www-authenticate', 'Bearer')
        .send(
          'Send a token with the scope metrics: Authorization: Bearer <token>, in Prometheus authorization.credentials_file.\n',
        );
    if (!principal.scopes.has('metrics') || principal.repositories !== undefined)
      return reply
        .code(403)
        .send('/metrics needs a token with the scope metrics that is not limited to repositories.\n');
    const text = await counters.text();
    return reply.header('content-type', counters.contentType).send(text);
  });
};
