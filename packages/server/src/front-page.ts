import { HttpProblem, markAnswer, openApiDocument, securityHeaders, sendProblem } from '@mq/http';
import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify';

/** The answer of `/` to a client that does not ask for HTML. */
export const FRONT_PAGE = `mq, a merge queue.

  GET  /                         in a browser: the queues as a page
  POST /v1/<operation>           the API; every request needs a token in the header x-api-token
  GET  /v1/getMergeQueueMetrics  metrics in the Prometheus text format
  GET  /metrics                  counters of this process, for Prometheus
  GET  /v1/openapi.json          the OpenAPI document
  GET  /api                      the same as a page
  GET  /health/live              whether this process answers
  GET  /health/ready             whether it is of use now

How to begin: docs/tutorial/first-merge.md; every operation: docs/reference/http.md.
`;

/** Routes outside the /v1 interface. */
export const addPages = (app: FastifyInstance): void => {
  let document: object | null = null;
  app.get('/v1/openapi.json', async (_request, reply) => {
    document ??= openApiDocument();
    return reply.send(document);
  });
  app.setNotFoundHandler(async (request) => {
    throw new HttpProblem(
      'PATH_NOT_FOUND',
      `There is nothing at ${pathOf(request.url)}. The API is under /v1.`,
    );
  });
  app.setErrorHandler((error, request, reply) => {
    markAnswer(request, reply);
    return sendProblem(error, request, reply, request.log);
  });
};

/** An `onRequest` hook that sets the security headers; with an https `publicUrl` also HSTS. */
export const protectAnswers = ({ publicUrl }: { readonly publicUrl?: string }): onRequestAsyncHookHandler => {
  const headers = {
    ...securityHeaders,
    ...(publicUrl?.startsWith('https:') === true ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  };
  return async (_request, reply) => void reply.headers(headers);
};

/** Drops the query, which may contain the signature of a log link. */
export const pathOf = (url: string): string => (url.split('?', 1)[0] ?? '').slice(0, 200);
