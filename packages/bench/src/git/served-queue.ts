import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CodeHost, createMergeQueue, type HostPullRequest, type MergeQueue, type Sha } from '@mq/core';
import { gitHost } from '@mq/host-git';
import { mergeQueueApi, recommendedServerOptions, scopes, tokenAuthenticator } from '@mq/http';
import { openPGlite, postgresStore } from '@mq/store-postgres';
import fastify, { type FastifyInstance } from 'fastify';
import type { Target } from '../store/load.js';
import { makeRepository } from './repository.js';

const TOKEN = 'bench-token';
/** Concurrent requests while the queue is filled or emptied. */
const AT_ONCE = 40;
const CHECK_SECONDS = 0.3;

/** A queue on a git repository and PGlite in a folder, served over HTTP, that lands while it is measured. */
export interface ServedQueue {
  /** The size that the queue is kept at. */
  readonly size: number;
  readonly target: Target;
  /** Starts or pauses testing and landing, so that the other queue is not disturbed while one is measured. */
  runs(isRunning: boolean): Promise<unknown>;
  /** Cancels these pull requests, and submits others for those that have landed. */
  restore(submitted: readonly number[]): Promise<void>;
  /** The number of landed pull requests so far. */
  landed(): Promise<number>;
  close(): Promise<void>;
}

const portOf = async (app: FastifyInstance): Promise<number> => {
  await app.listen({ port: 0, host: '127.0.0.1' });
  // The other queue is measured in between.
  app.server.keepAliveTimeout = 0;
  const address = app.server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
};

const inTurns = async (
  numbers: readonly number[],
  each: (number: number) => Promise<unknown>,
): Promise<void> => {
  for (let at = 0; at < numbers.length; at += AT_ONCE)
    await Promise.all(numbers.slice(at, at + AT_ONCE).map(each));
};

const upTo = (from: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => from + index);

/** `spare`: the number of pull requests to submit during the measurement, numbered from 1. */
export const serveQueue = async (size: number, spare: number, reserve: number): Promise<ServedQueue> => {
  const folder = await mkdtemp(join(tmpdir(), 'mq-bench-git-'));
  const repo = { host: 'local', owner: 'acme', name: `of-${size}` };
  const place = { repo, targetBranch: 'main' };
  const heads = await makeRepository(join(folder, 'repos'), repo.name, spare + size + reserve, CHECK_SECONDS);
  const host = gitHost({ repositories: { root: join(folder, 'repos') } });
  let isFilling = true;
  const served: CodeHost = {
    ...host,
    // Filling is not measured, so it does not use git.
    getPullRequests: (...asked) =>
      isFilling
        ? Promise.resolve(asked[1].map((number) => shownAs(number, heads)))
        : host.getPullRequests(...asked),
  };
  const store = await postgresStore({ database: await openPGlite({ folder: join(folder, 'store') }) });
  const mq: MergeQueue = createMergeQueue({ store, hosts: { local: served } });
  const app = fastify({ ...recommendedServerOptions, logger: false });
  const owner = { token: TOKEN, id: 'bench', name: 'bench', scopes: new Set(scopes) };
  await app.register(mergeQueueApi, { prefix: '/v1', mq, authenticate: tokenAuthenticator([owner]) });
  const port = await portOf(app);
  await mq.createQueue({ ...place, concurrency: 2, state: 'paused' });
  let next = spare + 1;
  const submit = (count: number): Promise<void> => {
    const numbers = upTo(next, count);
    next += count;
    return inTurns(numbers, (pr) => mq.submit({ ...place, pr }));
  };
  await submit(size);
  isFilling = false;
  mq.start();
  const landed = async (): Promise<number> => {
    const { head } = (await host.getBranch(repo, 'main')) ?? { head: null };
    return head === null ? 0 : countOf(folder, repo.name);
  };
  let known = 0;
  return {
    size,
    target: { port, path: '/v1/submitPullRequest', token: TOKEN, repo },
    landed,
    runs: (isRunning) => mq.updateQueue({ ...place, state: isRunning ? 'running' : 'paused' }),
    restore: async (submitted) => {
      await inTurns(submitted, (pr) => mq.cancel({ ...place, pr }).catch(() => undefined));
      const now = await landed();
      await submit(now - known);
      known = now;
    },
    close: async () => {
      await app.close();
      await mq.close();
      await host.close();
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

const shownAs = (number: number, heads: ReadonlyMap<number, string>): HostPullRequest => ({
  ...{ number, title: `Change ${number}`, body: '', author: 'ada', url: '', base: 'main', state: 'open' },
  ...{ merged: null, draft: false, fork: false, labels: [], headBranch: `change/${number}` },
  head: heads.get(number) as Sha,
  mergeability: 'mergeable',
  mergeabilityReason: null,
  conflicts: false,
});

/** The number of commits on the target beyond the first. */
const countOf = async (folder: string, name: string): Promise<number> => {
  const { execFile } = await import('node:child_process');
  const { promisify } = await import('node:util');
  const bare = join(folder, 'repos', 'acme', `${name}.git`);
  const args = [`--git-dir=${bare}`, 'rev-list', '--count', 'main'];
  return Number((await promisify(execFile)('git', args)).stdout) - 1;
};
