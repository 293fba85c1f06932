import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { openApiDocument } from '@mq/http';
import type { FastifyInstance } from 'fastify';

/** The page on which people read the API reference, and try the API with their own token. */
export const API_PAGE = '/api';

/**
 * The page loads and requests only from this server, and no other page may frame it. Its renderer sets styles by
 * itself.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Serves the OpenAPI document as a page under `API_PAGE`. Its renderer is part of the package, so that no other site is asked. */
export const addApiPage = async (app: FastifyInstance): Promise<void> => {
  const document = openApiDocument() as Parameters<FastifyInstance['swagger']>[0] & object;
  await app.register(async (own) => {
    await own.register(swagger, { mode: 'static', specification: { document: document as never } });
    await own.register(swaggerUi, {
      routePrefix: API_PAGE,
      staticCSP: policy,
      // `null` keeps it from asking a validator on the web.
      uiConfig: { validatorUrl: null as never, docExpansion: 'none', deepLinking: true },
      theme: { title: 'mq: the API' },
    });
  });
};
