import { createMergeQueue, systemClock } from '@mq/core';
import {
  mergeQueueApi,
  recommendedRates,
  recommendedServerOptions,
  scopes,
  tokenAuthenticator,
} from '@mq/http';
import { memoryStore } from '@mq/store-memory';
import { fakeHost } from '@mq/testkit';
import fastify, { type FastifyInstance } from 'fastify';
import { type Delays, LoopDelay } from './loop-delay.js';

export const repo = { host: 'fake.example', owner: 'acme', name: 'widgets' };
export const targetBranch = 'main';
export const TOKEN = 'bench-token';

/** Messages to the service, and its answers. */
export type Asked = 'begin' | 'end';
export type Answer =
  | { readonly type: 'ready'; readonly port: number }
  | { readonly type: 'delays'; readonly delays: Delays };

const TEST_MS = 600_000;
/** Above what the generator sends: a refusal would make the load lighter. */
const UNLIMITED = { ...recommendedRates, perToken: 1_000_000, perAddress: 1_000_000 };

/** The interface with a memory store and a fake host in this process, with a queue of this many waiting pull requests. */
export const serve = async (waiting: number, spare: number): Promise<void> => {
  const host = fakeHost({ clock: systemClock, ci: { mode: 'automatic', durationMs: TEST_MS } });
  const repository = host.createRepository({ ref: repo });
  for (let number = 1; number <= waiting + spare; number += 1) repository.openPullRequest({ number });
  const mq = createMergeQueue({ store: memoryStore(), hosts: { [repo.host]: host } });
  await mq.createQueue({ repo, targetBranch, mode: 'parallel', concurrency: 5 });
  const waitingOnes = Array.from({ length: waiting }, (_, n) => n + 1);
  // All at once: what has arrived when a decision starts is decided together.
  await Promise.all(waitingOnes.map((pr) => mq.submit({ repo, targetBranch, pr })));
  await Promise.all(
    waitingOnes.map((pr) =>
      mq.setImpactedTargets({ repo, targetBranch, pr, impactedTargets: [`//app/${pr}`] }),
    ),
  );
  mq.start();
  const app: FastifyInstance = fastify({ ...recommendedServerOptions, logger: false });
  const known = { token: TOKEN, id: 'bench', name: 'bench', scopes: new Set(scopes) };
  await app.register(mergeQueueApi, {
    ...{ prefix: '/v1', mq, rates: UNLIMITED },
    authenticate: tokenAuthenticator([known]),
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const address = app.server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const send = (answer: Answer): void => void process.send?.(answer);
  const delay = new LoopDelay();
  process.on('message', (asked: Asked) => {
    if (asked === 'begin') delay.begin();
    else send({ type: 'delays', delays: delay.end() });
  });
  process.once('disconnect', () => process.exit());
  send({ type: 'ready', port: address.port });
};
