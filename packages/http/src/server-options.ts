import { randomUUID } from 'node:crypto';
import type { FastifyServerOptions } from 'fastify';
import { BODY_LIMIT_BYTES } from './body.js';
import { refuseConnection, refusePath } from './refuse-connection.js';

/**
 * Server options that a plugin cannot set: spread them into `fastify({ ... })`. Fastify's defaults disable timeouts, and
 * answer invalid requests without our codes. Times are in milliseconds. With HTTP/2, override `forceCloseConnections` with
 * false, because Fastify refuses `'idle'` there.
 */
export const recommendedServerOptions = {
  bodyLimit: BODY_LIMIT_BYTES,
  /** For headers and body together: enough for 20 MiB in two minutes. */
  requestTimeout: 120_000,
  /** Max time without traffic on a connection. */
  connectionTimeout: 150_000,
  keepAliveTimeout: 72_000,
  onProtoPoisoning: 'error',
  onConstructorPoisoning: 'error',
  trustProxy: false,
  requestIdHeader: false,
  genReqId: () => randomUUID(),
  exposeHeadRoutes: false,
  /** False: the plugin itself answers 503 with Retry-After while the server closes. */
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
