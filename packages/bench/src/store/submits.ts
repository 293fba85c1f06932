import { createMergeQueue } from '@mq/core';
import { mergeQueueApi, recommendedServerOptions, scopes, tokenAuthenticator } from '@mq/http';
import { pgDatabase, postgresStore } from '@mq/store-postgres';
import fastify, { type FastifyInstance } from 'fastify';
import { median } from '../numbers.js';
import { countedPool } from './counted-pool.js';
import { instantHost } from './instant-host.js';
import { Load, type Target } from './load.js';

/** Measurements per depth, requests per measurement, and how many requests come before, uncounted: that many wait. */
export interface Requests {
  readonly turns: number;
  readonly count: number;
  readonly depths: readonly [small: number, large: number];
}

/** The median of each a second. */
export interface SubmitsAndInserts {
  readonly submits: number;
  readonly inserts: number;
}

/** What is measured, and its cleanup. */
interface Served {
  readonly target: Target;
  readonly close: () => Promise<void>;
}

const TOKEN = 'bench-token';

const portOf = async (app: FastifyInstance): Promise<number> => {
  await app.listen({ port: 0, host: '127.0.0.1' });
  const address = app.server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
};

const repo = { host: 'local', owner: 'acme', name: 'widgets' };

/** Accepts pull requests: each is durable with its history and effects. */
const serveSubmits = async (url: string, schema: string): Promise<Served> => {
  const { pool } = countedPool(url);
  const store = await postgresStore({ database: pgDatabase(pool), schema });
  const mq = createMergeQueue({ store, hosts: { local: instantHost() } });
  const app: FastifyInstance = fastify({ ...recommendedServerOptions, logger: false });
  const authenticate = tokenAuthenticator([
    { token: TOKEN, id: 'bench', name: 'bench', scopes: new Set(scopes) },
  ]);
  await app.register(mergeQueueApi, { prefix: '/v1', mq, authenticate });
  const port = await portOf(app);
  await mq.createQueue({ repo, targetBranch: 'main', concurrency: 1, state: 'running' });
  const close = async () => {
    await app.close();
    await mq.close();
    await store.close();
    await pool.end();
  };
  return { target: { port, path: '/v1/submitPullRequest', token: TOKEN, repo }, close };
};

/** The reference: a bare server that writes each body with one prepared INSERT. */
const serveInserts = async (url: string, table: string): Promise<Served> => {
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
  const close = async () => {
    await app.close();
    await pool.end();
  };
  return { target: { port, path: '/submit', token: TOKEN, repo }, close };
};

/**
 * Submits and bare inserts per second, beside a queue of the small and of the large depth. They alternate in slices of
 * some tenths of a second, so that other load on the machine affects both.
 */
export const submitsAndInserts = async (
  url: string,
  name: string,
  { turns, count, depths: [small, large] }: Requests,
): Promise<{ readonly small: SubmitsAndInserts; readonly large: SubmitsAndInserts }> => {
  const submits = await serveSubmits(url, `${name}_submits`);
  const inserts = await serveInserts(url, `${name}_inserts`);
  const load = new Load();
  const afterMore = async (uncounted: number): Promise<SubmitsAndInserts> => {
    for (const { target } of [submits, inserts]) await load.perSecond(target, uncounted);
    return inTurns(load, { submits: submits.target, inserts: inserts.target }, { turns, count });
  };
  try {
    return { small: await afterMore(small), large: await afterMore(large - small - turns * count) };
  } finally {
    load.end();
    await submits.close();
    await inserts.close();
  }
};

const inTurns = async (
  load: Load,
  targets: { readonly submits: Target; readonly inserts: Target },
  { turns, count }: Pick<Requests, 'turns' | 'count'>,
): Promise<SubmitsAndInserts> => {
  const found: SubmitsAndInserts[] = [];
  for (let turn = 0; turn < turns; turn += 1)
    found.push({
      submits: await load.perSecond(targets.submits, count),
      inserts: await load.perSecond(targets.inserts, count),
    });
  return {
    submits: median(found.map((turn) => turn.submits)),
    inserts: median(found.map((turn) => turn.inserts)),
  };
};
