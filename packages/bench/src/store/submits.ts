import { createMergeQueue } from '@mq/core';
import { mergeQueueApi, recommendedServerOptions, scopes, tokenAuthenticator } from '@mq/http';
import { pgDatabase, postgresStore } from '@mq/store-postgres';
import fastify, { type FastifyInstance } from 'fastify';
import { countedPool } from './counted-pool.js';
import { instantHost } from './instant-host.js';
import { requestsPerSecond } from './load.js';

/** Requests of one measurement, and those before it. */
export interface Requests {
  readonly count: number;
  readonly warmUp: number;
}

const TOKEN = 'bench-token';

const portOf = async (app: FastifyInstance): Promise<number> => {
  await app.listen({ port: 0, host: '127.0.0.1' });
  const address = app.server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
};

/** Pull requests submitted per second over HTTP, each durable, with its history and what is wished of the host. */
export const submitsPerSecond = async (url: string, schema: string, requests: Requests): Promise<number> => {
  const { pool } = countedPool(url);
  const store = await postgresStore({ database: pgDatabase(pool), schema });
  const mq = createMergeQueue({ store, hosts: { local: instantHost() } });
  const app: FastifyInstance = fastify({ ...recommendedServerOptions, logger: false });
  const authenticate = tokenAuthenticator([
    { token: TOKEN, id: 'bench', name: 'bench', scopes: new Set(scopes) },
  ]);
  await app.register(mergeQueueApi, { prefix: '/v1', mq, authenticate });
  const repo = { host: 'local', owner: 'acme', name: 'widgets' };
  const port = await portOf(app);
  await mq.createQueue({ repo, branch: 'main', settings: { concurrency: 1 }, wanted: 'running' });
  try {
    return await requestsPerSecond({ port, path: '/v1/submitPullRequest', token: TOKEN, repo, ...requests });
  } finally {
    await app.close();
    await mq.close();
    await store.close();
    await pool.end();
  }
};

/** The reference: a bare server that writes the body of each request with one prepared INSERT. */
export const insertsPerSecond = async (url: string, table: string, requests: Requests): Promise<number> => {
  const { pool } = countedPool(url);
  await pool.query(
    `create table ${table} (id bigserial primary key, repo text, branch text, pr bigint, value jsonb)`,
  );
  const app = fastify({ logger: false });
  const text = `insert into ${table} (repo, branch, pr, value) values ($1, $2, $3, $4) returning id`;
  app.post('/submit', async ({ body }) => {
    const { repo, targetBranch, pr } = body as {
      repo: { name: string };
      targetBranch: string;
      pr: { number: number };
    };
    const values = [repo.name, targetBranch, pr.number, JSON.stringify(body)];
    const { rows } = await pool.query({ name: 'submit', text, values });
    return { id: rows[0].id };
  });
  const port = await portOf(app);
  const repo = { host: 'local', owner: 'acme', name: 'widgets' };
  try {
    return await requestsPerSecond({ port, path: '/submit', token: TOKEN, repo, ...requests });
  } finally {
    await app.close();
    await pool.end();
  }
};
