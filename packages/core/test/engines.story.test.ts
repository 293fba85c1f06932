import { createMergeQueue, HostError, type QueueRef } from '@mq/core';
import { memoryStore } from '@mq/store-memory';
import { type FakeHost, fakeHost, type Intercept, story, type VirtualClock, virtualClock } from '@mq/testkit';
import { describe, expect, test } from 'vitest';

const HOST = 'fake.example';
const refOf = (name: string): QueueRef => ({
  repo: { host: HOST, owner: 'acme', name },
  targetBranch: 'main',
});
const widgets = refOf('widgets');

/** A queue with concurrency 2 for each repository. */
const world = async (setup: {
  readonly repositories?: readonly QueueRef[];
  readonly intercept?: Intercept;
}) => {
  const clock = virtualClock();
  const { repositories = [widgets], intercept } = setup;
  const host = fakeHost({ clock, ...(intercept === undefined ? {} : { intercept }) });
  const mq = createMergeQueue({ store: memoryStore({ clock }), hosts: { [HOST]: host }, clock });
  for (const ref of repositories) {
    host.createRepository({ ref: ref.repo });
    host.repository(ref.repo).reportTipChecks('main', { test: 'success' });
    await mq.createQueue({ ...ref, concurrency: 2 });
  }
  const submit = (ref: QueueRef, pr: number) => {
    const repository = host.repository(ref.repo);
    if (!repository.pulls.has(pr)) repository.openPullRequest({ number: pr });
    return mq.submit({ ...ref, pr });
  };
  const stateOf = async (ref: QueueRef, pr: number) =>
    (await mq.getSubmission({ ...ref, pr })).submission.state;
  return { clock, host, mq, settle: () => mq.settled(), submit, stateOf };
};

const passAll = (host: FakeHost, ref: QueueRef) => {
  const { ci } = host.repository(ref.repo);
  for (const check of ci.checks()) if (check.status !== 'completed') ci.finish(check.commit, null, 'success');
};

const landed = (host: FakeHost, ref: QueueRef) => {
  const repository = host.repository(ref.repo);
  return repository.contents(repository.branches.get('main')!);
};

test('T-O01 calls every listener, also when one of them throws', async () => {
  const { mq, submit, settle, host } = await world({});
  const heard: string[] = [];
  mq.on('submission.changed', () => {
    throw new Error('this notifier is down');
  });
  mq.on('submission.changed', ({ submission }) => void heard.push(submission.state));
  await submit(widgets, 1);
  await settle();
  passAll(host, widgets);
  await mq.notice({ repo: widgets.repo, what: 'checks' });
  await settle();

  expect(heard.at(-1)).toBe('merged');
});

describe('one repository that cannot be served', () => {
  const gadgets = refOf('gadgets');

  const holdsUpOnlyItself = async (error: () => Error) => {
    let isDown = false;
    const { mq, clock, submit, settle, host, stateOf } = await world({
      repositories: [widgets, gadgets],
      intercept: (call, perform) =>
        isDown && JSON.stringify(call.args).includes('"widgets"') ? Promise.reject(error()) : perform(),
    });
    const halfAnHour = async () => {
      for (let minutes = 0; minutes < 30; minutes += 1) {
        await settle();
        await clock.advance(60_000);
      }
    };
    await submit(widgets, 1);
    await submit(gadgets, 1);
    await settle();
    isDown = true;
    for (const { repo } of [widgets, gadgets]) {
      passAll(host, { repo, targetBranch: 'main' });
      await mq.notice({ repo, what: 'checks' });
    }
    await halfAnHour();
    expect(await stateOf(gadgets, 1)).toBe('merged');
    expect(await stateOf(widgets, 1)).toBe('testing');

    isDown = false;
    await halfAnHour();
    expect(await stateOf(widgets, 1)).toBe('merged');
    expect(landed(host, widgets)).toEqual([1]);
  };

  test('T-K17 blocks only itself while all its calls fail, and continues when it is back', () =>
    holdsUpOnlyItself(() => new Error('connection reset')));

  test('T-K09 blocks only itself while the host no longer finds it, and continues when it is back', () =>
    holdsUpOnlyItself(() => new HostError('Not Found', 'never')));
});

test('a story whose queue cannot be read says why, not that it is empty', async () => {
  let isBroken = false;
  const breaks = new Error('the store broke');
  const storeFor = (clock: VirtualClock) => {
    const store = memoryStore({ clock });
    const load: typeof store.load = (...asked) =>
      isBroken ? Promise.reject(breaks) : store.load.call(store, ...asked);
    return new Proxy(store, {
      get: (of, name) => {
        if (name === 'load') return load;
        const part: unknown = Reflect.get(of, name, of);
        return typeof part === 'function' ? part.bind(of) : part;
      },
    });
  };
  const shown = await story({}, { storeFor });
  await shown.opens(1);
  await shown.submit(1);

  isBroken = true;
  await expect(shown.world.settle()).rejects.toThrow('the store broke');
});
