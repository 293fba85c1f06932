import { randomUUID } from 'node:crypto';
import type { FastifyServerOptions } from 'fastify';
import { BODY_LIMIT_BYTES } from './body.js';
import { refuseConnection, refusePath } from './no-request.js';

/**
 * What a plugin cannot set for the server that it lives in: spread it into `fastify({ ... })`. Fastify's own defaults
 * switch the timeouts off, and have answers without our codes for what is no request. Times are milliseconds. They are for
 * HTTP/1: Fastify refuses `forceCloseConnections: 'idle'` for a server of HTTP/2, where it has to be set to false behind them.
 */
export const recommendedServerOptions = {
  bodyLimit: BODY_LIMIT_BYTES,
  /** For headers and body together: 20 MiB in two minutes. */
  requestTimeout: 120_000,
  /** For silence on a connection. */
  connectionTimeout: 150_000,
  keepAliveTimeout: 72_000,
  onProtoPoisoning: 'error',
  onConstructorPoisoning: 'error',
  trustProxy: false,
  requestIdHeader: false,
  genReqId: () => randomUUID(),
  exposeHeadRoutes: false,
  /** The plugin answers 503 with Retry-After itself while the server closes. */
  return503OnClosing: false,
  forceCloseConnections: 'idle',
  clientErrorHandler: refuseConnection,
  frameworkErrors: refusePath,
  http: {
    maxHeaderSize: 16 * 1024,
    headersTimeout: 15_000,
    insecureHTTPParser: false,
  },
} as const satisfies FastifyServerOptions & { http: object };
