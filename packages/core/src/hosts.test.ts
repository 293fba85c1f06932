import { memoryStore } from '@mq/store-memory';
import { fakeHost, virtualClock } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { createMergeQueue } from './create-merge-queue.js';
import { ANSWER_LIMIT_MS } from './engine/in-time.js';
import type { MergeQueue } from './merge-queue.js';
import type { CodeHost } from './ports/code-host.js';

const repo = { host: 'git.test', owner: 'acme', name: 'widgets' };
const ref = { repo, branch: 'main' };

/** A queue on a host that answers one question no more from when it is told to. */
const aQueueWithout = async (call: keyof CodeHost) => {
  const clock = virtualClock();
  const host = fakeHost({ clock });
  host.createRepository({ ref: repo }).openPullRequest({ number: 1 });
  let isSilent = false;
  const silent = new Proxy(host, {
    get: (target, key) => {
      const method: unknown = Reflect.get(target, key);
      if (typeof method !== 'function') return method;
      return key === call && isSilent ? () => new Promise(() => undefined) : method.bind(target);
    },
  });
  const mq = createMergeQueue({ store: memoryStore({ clock }), hosts: { [repo.host]: silent }, clock });
  await mq.createQueue(ref);
  isSilent = true;
  return { mq, clock };
};

const asked: readonly (readonly [string, keyof CodeHost, (mq: MergeQueue) => Promise<unknown>])[] = [
  ['a submit', 'getPullRequests', (mq) => mq.submit({ ...ref, pr: 1 })],
  [
    'an upload of targets without a head',
    'getPullRequests',
    (mq) => mq.setImpactedTargets({ ...ref, pr: 1, targets: [] }),
  ],
  [
    'a queue in a repository that is asked after',
    'hasRepository',
    (mq) => mq.createQueue({ ...ref, branch: 'next' }),
  ],
  [
    'a queue on a branch that is asked after',
    'getBranch',
    (mq) => mq.createQueue({ ...ref, branch: 'next' }),
  ],
];

describe('a host that never answers', () => {
  test.each(asked)('refuses %s after a while, and nothing is stored', async (_, call, ask) => {
    const { mq, clock } = await aQueueWithout(call);
    let refusal: unknown = null;
    void ask(mq).catch((error: unknown) => {
      refusal = error;
    });

    await clock.advance(ANSWER_LIMIT_MS - 1);
    expect(refusal).toBe(null);
    await clock.advance(1);
    expect(refusal).toMatchObject({
      code: 'HOST_UNREACHABLE',
      message: expect.stringContaining('it did not answer in time'),
    });
    expect(clock.waiting).toBe(0);
    expect((await mq.getQueue(ref)).enqueued).toEqual([]);
    expect(await mq.listQueues({ repo })).toMatchObject({ items: [{ branch: 'main' }] });
  });
});
