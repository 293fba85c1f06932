import { createMergeQueue } from '@mq/core';
import { mergeQueueApi, recommendedServerOptions, scopes, tokenAuthenticator } from '@mq/http';
import { pgDatabase, postgresStore } from '@mq/store-postgres';
import fastify from 'fastify';
import { quantile } from '../numbers.js';
import { countedPool } from './counted-pool.js';
import { instantHost } from './instant-host.js';

const TOKEN = 'bench-token';

export interface Reads {
  /** `POST /v1/getQueue` of a queue of this size, sequentially: the second longest of a hundred. */
  readonly getQueueMs: number;
  /** The metrics of this many queues, in a process that has none of them cached. */
  readonly metricsMs: number;
}

const repoOf = (n: number) => ({ host: 'local', owner: 'acme', name: `widgets-${n}` });

export const reads = async (
  url: string,
  schema: string,
  { submissions, queues, calls }: { submissions: number; queues: number; calls: number },
): Promise<Reads> => {
  const { pool } = countedPool(url);
  const store = await postgresStore({ database: pgDatabase(pool), schema });
  const hosts = { local: instantHost() };
  const mq = createMergeQueue({ store, hosts });
  const place = { repo: repoOf(0), targetBranch: 'main' };
  for (let n = 0; n < queues; n += 1)
    await mq.createQueue({ repo: repoOf(n), targetBranch: 'main', concurrency: 20 });
  await Promise.all(Array.from({ length: submissions }, (_, n) => mq.submit({ ...place, pr: n + 1 })));
  const app = fastify({ ...recommendedServerOptions, logger: false });
  const authenticate = tokenAuthenticator([
    { token: TOKEN, id: 'bench', name: 'bench', scopes: new Set(scopes) },
  ]);
  await app.register(mergeQueueApi, { prefix: '/v1', mq, authenticate });
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  const took: number[] = [];
  for (let n = 0; n < calls; n += 1) {
    const startedAt = performance.now();
    const response = await fetch(`${address}/v1/getQueue`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-token': TOKEN },
      body: JSON.stringify({ repo: place.repo, targetBranch: place.targetBranch }),
    });
    const body = await response.text();
    if (response.status !== 200) throw new Error(`getQueue answered ${response.status}: ${body}`);
    took.push(performance.now() - startedAt);
  }
  const stranger = createMergeQueue({ store, hosts });
  const startedAt = performance.now();
  await stranger.metrics();
  const metricsMs = performance.now() - startedAt;
  await app.close();
  await mq.close();
  await store.close();
  await pool.end();
  return { getQueueMs: quantile(took, 0.99), metricsMs };
};
