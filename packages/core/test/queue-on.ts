import { memoryStore } from '@mq/store-memory';
import { fakeHost, virtualClock } from '@mq/testkit';
import { createMergeQueue } from '../src/api/create-merge-queue.js';
import type { CodeHost } from '../src/ports/code-host.js';

export const repo = { host: 'git.test', owner: 'acme', name: 'widgets' };
export const ref = { repo, targetBranch: 'main' };

/** A queue on a host, one call of which can be replaced. */
export const aQueueOn = async (call: keyof CodeHost, answer: unknown) => {
  const clock = virtualClock();
  const host = fakeHost({ clock });
  host.createRepository({ ref: repo }).openPullRequest({ number: 1 });
  let lies = false;
  const served = new Proxy(host, {
    get: (target, key) => {
      const method: unknown = Reflect.get(target, key);
      if (typeof method !== 'function') return method;
      return key === call && lies ? async () => answer : method.bind(target);
    },
  });
  const mq = createMergeQueue({ store: memoryStore({ clock }), hosts: { [repo.host]: served }, clock });
  await mq.createQueue({
    ...ref,
    requiredStatuses: call === 'land' ? [] : ['test'],
    allowNoRequiredStatuses: true,
  });
  return {
    mq,
    clock,
    lies: (does: boolean) => {
      lies = does;
    },
  };
};
