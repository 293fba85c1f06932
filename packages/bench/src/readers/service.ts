import { createMergeQueue, systemClock } from '@mq/core';
import { pgDatabase, postgresStore } from '@mq/store-postgres';
import { fakeHost } from '@mq/testkit';
import { Pool } from 'pg';
import { repo, serveApi, targetBranch } from '../api-service.js';
import { cpuTimeMs } from '../cpu-time.js';
import { quantile } from '../numbers.js';

const ref = { repo, targetBranch };

/** A request to a service: to land this number of pull requests at this rate, or for its CPU time so far. */
export type Asked = { readonly submits: number; readonly everyMs: number } | 'cpu';

export type Answer =
  | { readonly type: 'ready'; readonly port: number }
  | { readonly type: 'landed'; readonly landed: Landed }
  | { readonly type: 'cpu'; readonly cpuMs: number };

/** From submit to merge. */
export interface Landed {
  readonly landingP50Ms: number;
  readonly landingP95Ms: number;
}

/** The two replicas on one database: one decides and lands, the other serves the readers. */
export type Role = 'lands' | 'serves';

const TEST_MS = 200;

export const serve = async (role: Role, url: string, waiting: number): Promise<void> => {
  const store = await postgresStore({ database: pgDatabase(new Pool({ connectionString: url })) });
  const host = fakeHost({ clock: systemClock, ci: { mode: 'automatic', durationMs: TEST_MS } });
  const repository = host.createRepository({ ref: repo });
  const mq = createMergeQueue({ store, hosts: { [repo.host]: host }, pace: { pollChecksMs: 250 } });
  const send = (answer: Answer): void => void process.send?.(answer);
  process.once('disconnect', () => process.exit());
  const cpu = (): void => send({ type: 'cpu', cpuMs: cpuTimeMs() });
  if (role === 'serves') {
    process.on('message', cpu);
    return send({ type: 'ready', port: await serveApi(mq) });
  }
  await mq.createQueue({ ...ref, mode: 'parallel', concurrency: 50 });
  let number = 0;
  for (let made = 0; made < waiting; made += 1) {
    number += 1;
    repository.openPullRequest({ number, draft: true });
  }
  await Promise.all(Array.from({ length: waiting }, (_, n) => mq.submit({ ...ref, pr: n + 1 })));
  mq.start();

  /** In a lane of its own, so that a test run lands alone. */
  const open = async (): Promise<number> => {
    number += 1;
    repository.openPullRequest({ number });
    await mq.setImpactedTargets({ ...ref, pr: number, impactedTargets: [`//app/${number}`] });
    return number;
  };
  const land = async ({ submits, everyMs }: Exclude<Asked, 'cpu'>): Promise<Landed> => {
    const submittedAt = new Map<number, number>();
    const landingMs: number[] = [];
    let isOver: () => void = () => undefined;
    const all = new Promise<void>((resolve) => {
      isOver = resolve;
    });
    const follow = new AbortController();
    const following = (async () => {
      for await (const step of mq.follow({ ...ref, signal: follow.signal })) {
        if (step.type !== 'row' || step.row.type !== 'moved' || step.row.to !== 'merged') continue;
        const since = submittedAt.get(step.row.pr);
        if (since !== undefined) landingMs.push(performance.now() - since);
        if (landingMs.length === submits) isOver();
      }
    })();
    for (let made = 0; made < submits; made += 1) {
      const pr = await open();
      submittedAt.set(pr, performance.now());
      await mq.submit({ ...ref, pr });
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
    await all;
    follow.abort();
    await following;
    return { landingP50Ms: quantile(landingMs, 0.5), landingP95Ms: quantile(landingMs, 0.95) };
  };
  process.on('message', (asked: Asked) => {
    if (asked === 'cpu') cpu();
    else void land(asked).then((landed) => send({ type: 'landed', landed }));
  });
  send({ type: 'ready', port: 0 });
};
