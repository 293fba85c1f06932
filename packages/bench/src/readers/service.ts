import { createMergeQueue, systemClock } from '@mq/core';
import { memoryStore } from '@mq/store-memory';
import { fakeHost } from '@mq/testkit';
import { repo, serveApi, targetBranch } from '../api-service.js';
import { quantile } from '../numbers.js';

const ref = { repo, targetBranch };

/** One measurement: so many pull requests at this rate, each from its submit to its merge. */
export interface Asked {
  readonly submits: number;
  readonly everyMs: number;
}

export type Answer =
  | { readonly type: 'ready'; readonly port: number }
  | { readonly type: 'measured'; readonly measured: Measured };

export interface Measured {
  /** CPU time of the service. */
  readonly cpuMs: number;
  readonly landingP50Ms: number;
  readonly landingP95Ms: number;
}

const TEST_MS = 200;

/** The interface before an engine with a memory store and a fake host, which lands pull requests when it is asked to. */
export const serve = async (waiting: number): Promise<void> => {
  const host = fakeHost({ clock: systemClock, ci: { mode: 'automatic', durationMs: TEST_MS } });
  const repository = host.createRepository({ ref: repo });
  const mq = createMergeQueue({
    store: memoryStore(),
    hosts: { [repo.host]: host },
    pace: { pollChecksMs: 250 },
  });
  await mq.createQueue({ ...ref, mode: 'parallel', concurrency: 50 });
  let number = 0;
  /** In a lane of its own, so that a test run lands alone. */
  const open = async (): Promise<number> => {
    number += 1;
    repository.openPullRequest({ number });
    await mq.setImpactedTargets({ ...ref, pr: number, impactedTargets: [`//app/${number}`] });
    return number;
  };
  for (let made = 0; made < waiting; made += 1) await open();
  mq.start();
  const port = await serveApi(mq);

  const measure = async ({ submits, everyMs }: Asked): Promise<Measured> => {
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
    const before = process.cpuUsage();
    for (let made = 0; made < submits; made += 1) {
      const pr = await open();
      submittedAt.set(pr, performance.now());
      await mq.submit({ ...ref, pr });
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
    await all;
    const { user, system } = process.cpuUsage(before);
    follow.abort();
    await following;
    return {
      cpuMs: (user + system) / 1_000,
      landingP50Ms: quantile(landingMs, 0.5),
      landingP95Ms: quantile(landingMs, 0.95),
    };
  };
  const send = (answer: Answer): void => void process.send?.(answer);
  process.on('message', (asked: Asked) => {
    void measure(asked).then((measured) => send({ type: 'measured', measured }));
  });
  process.once('disconnect', () => process.exit());
  send({ type: 'ready', port });
};
