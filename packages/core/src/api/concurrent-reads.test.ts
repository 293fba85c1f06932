import { memoryStore } from '@mq/store-memory';
import { fakeHost, virtualClock } from '@mq/testkit';
import { expect, test } from 'vitest';
import type { Store } from '../ports/store.js';
import { createMergeQueue } from './create-merge-queue.js';

const repo = { host: 'fake.example', owner: 'acme', name: 'widgets' };
const ref = { repo, targetBranch: 'main' };

/** Two pull requests in a queue with one slot. A hook runs once the store has read a page of submissions. */
const withTwo = async () => {
  const clock = virtualClock();
  const host = fakeHost({ clock });
  const repository = host.createRepository({ ref: repo });
  const meanwhile: (() => Promise<unknown>)[] = [];
  const store = new Proxy(memoryStore({ clock }), {
    get: (target, name: keyof Store) => {
      if (name !== 'submissions') return target[name]?.bind(target);
      return async (...asked: Parameters<Store['submissions']>) => {
        const page = await target.submissions(...asked);
        await meanwhile.shift()?.();
        return page;
      };
    },
  });
  const mq = createMergeQueue({ store, hosts: { [repo.host]: host }, clock });
  await mq.createQueue({ ...ref, requiredStatuses: ['test'], concurrency: 1 });
  for (const number of [1, 2]) {
    repository.openPullRequest({ number });
    await mq.submit({ ...ref, pr: number });
    await clock.advance(10);
  }
  await mq.settled();
  const listed = async (request: Partial<Parameters<typeof mq.listSubmissions>[0]>) =>
    (await mq.listSubmissions({ ...ref, ...request })).items.map(
      ({ submission: { pr, state }, waiting }) => `#${pr} ${state} ${waiting?.code ?? '-'}`,
    );
  return { mq, meanwhile, listed };
};

test('a submission that changes while a list is read is listed in its current state', async () => {
  const { mq, meanwhile, listed } = await withTwo();

  meanwhile.push(async () => {
    await mq.cancel({ ...ref, pr: 1 });
    await mq.settled();
  });

  expect((await listed({})).sort()).toEqual(['#1 cancelled -', '#2 testing checks']);
});

test('a listed submission that left the requested state is left out, one that ended before is not', async () => {
  const { mq, meanwhile, listed } = await withTwo();

  meanwhile.push(() => mq.cancel({ ...ref, pr: 2 }));
  expect(await listed({ states: ['pending'] })).toEqual([]);

  meanwhile.push(() => mq.submit({ ...ref, pr: 2 }));
  expect(await listed({ states: ['cancelled'] })).toEqual(['#2 cancelled -']);
});

test('a submission with a new attempt while a list is read is left out', async () => {
  const { mq, meanwhile, listed } = await withTwo();

  meanwhile.push(async () => {
    await mq.cancel({ ...ref, pr: 2 });
    await mq.submit({ ...ref, pr: 2 });
  });

  expect(await listed({})).toEqual(['#1 testing checks']);
});
