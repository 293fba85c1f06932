import type { MergeQueue } from '@mq/core';
import {
  mergeQueueApi,
  recommendedRates,
  recommendedServerOptions,
  scopes,
  tokenAuthenticator,
} from '@mq/http';
import fastify, { type FastifyInstance } from 'fastify';

export const repo = { host: 'fake.example', owner: 'acme', name: 'widgets' };
export const targetBranch = 'main';
export const TOKEN = 'bench-token';

/** Above the requests of a bench: a refusal would make the load lighter. */
const UNLIMITED = { ...recommendedRates, perToken: 10_000_000, perAddress: 10_000_000 };

/** Serves the API of a queue on loopback to clients with the token. Resolves with the port. */
export const serveApi = async (mq: MergeQueue): Promise<number> => {
  const app: FastifyInstance = fastify({ ...recommendedServerOptions, logger: false });
  const known = { token: TOKEN, id: 'bench', name: 'bench', scopes: new Set(scopes) };
  await app.register(mergeQueueApi, {
    ...{ prefix: '/v1', mq, rates: UNLIMITED },
    authenticate: tokenAuthenticator([known]),
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const address = app.server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
};
