import { createMergeQueue, systemClock } from '@mq/core';
import { memoryStore } from '@mq/store-memory';
import { fakeHost } from '@mq/testkit';
import { repo, serveApi, targetBranch } from '../api-service.js';
import { type Delays, LoopDelay } from './loop-delay.js';

/** Messages to the service, and its answers. */
export type Asked = 'begin' | 'end';
export type Answer =
  | { readonly type: 'ready'; readonly port: number }
  | { readonly type: 'delays'; readonly delays: Delays };

const TEST_MS = 600_000;

/** The API with a memory store and a fake host in this process, with a queue of this many waiting pull requests. */
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
  const port = await serveApi(mq);
  const send = (answer: Answer): void => void process.send?.(answer);
  const delay = new LoopDelay();
  process.on('message', (asked: Asked) => {
    if (asked === 'begin') delay.begin();
    else send({ type: 'delays', delays: delay.end() });
  });
  process.once('disconnect', () => process.exit());
  send({ type: 'ready', port });
};
