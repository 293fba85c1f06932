import { join } from 'node:path';
import { createMergeQueue, MergeQueueError, type Receipt } from '@mq/core';
import { gitHost } from '@mq/host-git';
import { openPGlite, pgDatabase, postgresStore } from '@mq/store-postgres';
import { Pool } from 'pg';
import { deadly, pointNamed } from './points.js';

// A process that fills a queue, works until everything is quiet, reports the result and ends, unless it is killed on
// the way.

/** Printed at the end, as one line of JSON. */
export interface Outcome {
  readonly states: Readonly<Record<number, string>>;
  readonly receipts: readonly Receipt[];
  /** Effects and wake times that are left in the store. */
  readonly left: number;
}

export const ref = { repo: { host: 'local', owner: 'acme', name: 'widgets' }, targetBranch: 'main' };
const PULLS = [1, 2, 3, 4];
/** The pull request with long tests, which is cancelled while they run. */
const CANCELLED = 4;
const LOOK_EVERY_MS = 200;
/** A leftover effect is offered within a minute; later wake times are polls of an empty queue. */
const QUIET_MS = 65_000;

const open = async (folder: string, url: string | undefined) => {
  if (url === undefined) {
    const store = await postgresStore({ database: await openPGlite({ folder: join(folder, 'store') }) });
    return { store, end: () => store.close() };
  }
  const pool = new Pool({ connectionString: url, max: 5 });
  const store = await postgresStore({ database: pgDatabase(pool) });
  return { store, end: () => store.close().then(() => pool.end()) };
};

const unless = async (code: MergeQueueError['code'], work: Promise<unknown>): Promise<void> => {
  await work.catch((error: unknown) => {
    if (!(error instanceof MergeQueueError) || error.code !== code) throw error;
  });
};

const run = async (folder: string): Promise<Outcome> => {
  const opened = await open(folder, process.env.DATABASE_URL);
  const real = gitHost({
    repositories: { root: join(folder, 'repos') },
    workFolder: join(folder, 'work'),
    concurrency: PULLS.length,
    killGraceMs: 500,
  });
  const point = pointNamed(process.env.MQ_CRASH_POINT ?? '');
  const { store, host } =
    point === null ? { store: opened.store, host: real } : deadly(point, opened.store, real);
  await host.sweep();
  const mq = createMergeQueue({ store, hosts: { local: host }, pace: { pollChecksMs: 500 } });
  await unless('QUEUE_EXISTS', mq.createQueue({ ...ref, concurrency: PULLS.length }));
  mq.start();
  await mq.notice({ repo: ref.repo, what: 'checks' });
  for (const pr of PULLS) {
    const before = await mq.getSubmissions({ ...ref, prs: [pr] });
    if (before.found.length === 0) await mq.submit({ ...ref, pr });
  }
  const states = async () => {
    const { found } = await mq.getSubmissions({ ...ref, prs: PULLS });
    return Object.fromEntries(found.map(({ submission }) => [submission.pr, submission.state]));
  };
  const isQuiet = async () =>
    ((await store.nextDueAt()) ?? Number.POSITIVE_INFINITY) - (await store.now()) > QUIET_MS;
  for (let seen = await states(); !isOver(seen) || !(await isQuiet()); seen = await states()) {
    if (seen[CANCELLED] === 'testing') await unless('NOT_ACTIVE', mq.cancel({ ...ref, pr: CANCELLED }));
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  const { items } = await mq.receipts({ ...ref });
  const left = (await store.lease({ owner: 'look', forMs: 1, limit: 9 })).length;
  const outcome = { states: await states(), receipts: items, left };
  await Promise.all([mq.close(), real.close()]);
  await opened.end();
  return outcome;
};

const isOver = (states: Readonly<Record<number, string>>): boolean =>
  PULLS.every((pr) => ['merged', 'failed', 'cancelled'].includes(states[pr] ?? ''));

const [folder = ''] = process.argv.slice(2);
process.stdout.write(`${JSON.stringify(await run(folder))}\n`);
