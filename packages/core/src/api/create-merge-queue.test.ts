import { memoryStore } from '@mq/store-memory';
import { fakeHost, virtualClock } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import type { HostEvent } from '../ports/code-host.js';
import type { Store } from '../ports/store.js';
import { createMergeQueue } from './create-merge-queue.js';

const repo = { host: 'fake.example', owner: 'acme', name: 'widgets' };
const ref = { repo, targetBranch: 'main' };

/** A store without hints. */
const withoutHints = (store: Store): Store =>
  new Proxy(store, {
    get: (target, name) => {
      if (name === 'onWake') return undefined;
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });

/** A queue with one pull request, on a host whose candidates are built when `build` is called. */
const slowly = async () => {
  const clock = virtualClock();
  const host = fakeHost({ clock });
  host.createRepository({ ref: repo }).openPullRequest({ number: 1 });
  let build = (): void => undefined;
  const built = new Promise<void>((resolve) => {
    build = resolve;
  });
  const listeners = new Set<(event: HostEvent) => void>();
  const ended: unknown[] = [];
  const served = {
    ...host,
    buildCandidate: async (request: Parameters<typeof host.buildCandidate>[0]) => {
      await built;
      return host.buildCandidate(request);
    },
    onEvent: (listener: (event: HostEvent) => void) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        ended.push(listener);
      };
    },
  };
  const store = withoutHints(memoryStore({ clock }));
  const mq = createMergeQueue({ store, hosts: { [repo.host]: served }, clock });
  await mq.createQueue({ ...ref, requiredStatuses: ['test'] });
  return { mq, clock, build: () => build(), listeners, ended, store };
};

/** Checks that closing waits for what `release` completes, and leaves no timer. */
const isClosedOnce = async (
  { mq, clock }: Pick<Awaited<ReturnType<typeof slowly>>, 'mq' | 'clock'>,
  happens: () => void,
): Promise<void> => {
  let isClosed = false;
  const closed = mq.close().then(() => {
    isClosed = true;
  });
  await clock.idle();
  expect(isClosed).toBe(false);

  happens();
  await closed;

  expect(clock.waiting).toBe(0);
};

describe('a merge queue that is started', () => {
  test('a started merge queue gets events of its hosts until it is closed, and after each restart', async () => {
    const { mq, listeners, ended } = await slowly();

    for (let times = 1; times <= 3; times += 1) {
      const running = mq.start();
      expect(listeners.size).toBe(1);
      await running.close();
      expect([listeners.size, ended.length]).toEqual([0, times]);
    }
    await mq.close();
    expect(ended).toHaveLength(3);
  });

  test('a merge queue cannot be started twice at once', async () => {
    const { mq } = await slowly();
    const running = mq.start();

    expect(() => mq.start()).toThrow('already been started');
    await running.close();
    await mq.start().close();
  });

  test('closing a merge queue waits for its calls to the host', async () => {
    const { mq, clock, build } = await slowly();
    mq.start();
    await mq.submit({ ...ref, pr: 1 });
    await clock.idle();
    await isClosedOnce({ mq, clock }, build);
  });

  test('closing a merge queue waits for its calls to the store', async () => {
    const { mq, clock, store } = await slowly();
    let answer = (): void => undefined;
    const answered = new Promise<readonly never[]>((resolve) => {
      answer = () => resolve([]);
    });
    store.due = () => answered;
    mq.start();
    await clock.idle();
    await isClosedOnce({ mq, clock }, answer);
  });

  test('a hint of a host is handled at once, without a hint of the store', async () => {
    const { mq, clock, listeners } = await slowly();
    mq.start();
    await clock.advance(500);
    const changed: unknown[] = [];
    mq.on('queue.changed', ({ queue }) => changed.push(queue.polls.checks.dueAt));
    await clock.idle();
    const before = changed.length;

    for (const listener of listeners) listener({ repo, what: 'checks' });
    await clock.idle();

    expect(changed.length).toBeGreaterThan(before);
    await mq.close();
  });
});

test('closing a merge queue that was never started waits for effects of a tick', async () => {
  const { mq, clock, build } = await slowly();
  await mq.submit({ ...ref, pr: 1 });
  const ticking = mq.tick();
  await clock.idle();
  let isClosed = false;
  const closed = mq.close().then(() => {
    isClosed = true;
  });
  await clock.idle();
  expect(isClosed).toBe(false);

  build();
  await Promise.all([closed, ticking]);
});
