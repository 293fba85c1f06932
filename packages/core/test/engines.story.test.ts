import {
  createMergeQueue,
  type Fact,
  HostError,
  type InputId,
  type MergeQueue,
  type QueueRef,
  type Store,
} from '@mq/core';
import { memoryStore } from '@mq/store-memory';
import { type FakeHost, fakeHost, type Intercept, virtualClock } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { faultyStore, lostAfter } from './engine-world.js';

const HOST = 'fake.example';
const refOf = (name: string): QueueRef => ({
  repo: { host: HOST, owner: 'acme', name },
  branch: 'main',
});
const widgets = refOf('widgets');

/** Several engines on one store and one host, and a queue with concurrency 2 for each repository. */
const world = async (setup: {
  readonly engines?: number;
  readonly repositories?: readonly QueueRef[];
  readonly intercept?: Intercept;
}) => {
  const clock = virtualClock();
  const { engines: count = 1, repositories = [widgets], intercept } = setup;
  const host = fakeHost({ clock, ...(intercept === undefined ? {} : { intercept }) });
  const memory = memoryStore({ clock });
  const { store, next } = faultyStore(memory);
  const engineOn = (on: Store) => createMergeQueue({ store: on, hosts: { [HOST]: host }, clock });
  const engines = Array.from({ length: count }, () => engineOn(store));
  const [mq] = engines as [MergeQueue, ...MergeQueue[]];
  for (const ref of repositories) {
    host.createRepository({ ref: ref.repo });
    host.repository(ref.repo).reportTipChecks('main', { test: 'success' });
    await mq.createQueue({ ...ref, settings: { concurrency: 2 } });
  }
  const settle = async () => {
    for (let still = true; still; ) {
      await Promise.all(engines.map((one) => one.settled()));
      still = (await memory.due({ forMs: 0, limit: 1 })).length > 0;
    }
  };
  const submit = (ref: QueueRef, pr: number, by = mq) => {
    const repository = host.repository(ref.repo);
    if (!repository.pulls.has(pr)) repository.openPullRequest({ number: pr });
    return by.submit({ ...ref, pr });
  };
  const stateOf = async (ref: QueueRef, pr: number) =>
    (await mq.getSubmission({ ...ref, pr })).submission.state;
  return { clock, host, memory, next, engines, mq, settle, submit, stateOf };
};

const passAll = (host: FakeHost, ref: QueueRef) => {
  const { ci } = host.repository(ref.repo);
  for (const check of ci.checks()) if (check.status !== 'completed') ci.finish(check.commit, null, 'success');
};

const landed = (host: FakeHost, ref: QueueRef) => {
  const repository = host.repository(ref.repo);
  return repository.contents(repository.branches.get('main')!);
};

const movesOf = (host: FakeHost, ref: QueueRef) =>
  host.repository(ref.repo).moves.filter(({ runId }) => runId !== null);

describe('several engines on one store', () => {
  test('T-I01 ten that turn at once build one trial', async () => {
    const built: unknown[] = [];
    const { engines, submit, settle, host } = await world({
      engines: 10,
      intercept: (call, perform) => {
        if (call.method === 'buildTrial') built.push(call.args);
        return perform();
      },
    });
    await submit(widgets, 1);

    await Promise.all(engines.map((one) => one.tick()));
    await settle();

    expect(built).toHaveLength(1);
    expect(host.repository(widgets.repo).trials.size).toBe(1);
    expect(
      host
        .repository(widgets.repo)
        .ci.checks()
        .filter(({ runId }) => runId !== null),
    ).toHaveLength(1);
  });

  test('T-I02 one event that two of them hear has one effect', async () => {
    const { engines, submit, settle, host, stateOf } = await world({ engines: 2 });
    await submit(widgets, 1);
    await settle();

    passAll(host, widgets);
    await Promise.all(engines.map((one) => one.notice({ repo: widgets.repo, what: 'checks' })));
    await settle();

    expect(await stateOf(widgets, 1)).toBe('merged');
    expect(movesOf(host, widgets)).toHaveLength(1);
  });

  test('T-I13 what one decided on an older state is refused by the store, and decided anew', async () => {
    const { engines, submit, settle, host, stateOf } = await world({ engines: 2 });
    const [one, other] = engines;

    await Promise.all([submit(widgets, 1, one), submit(widgets, 2, other)]);
    await settle();

    expect(await stateOf(widgets, 1)).toBe('testing');
    expect(await stateOf(widgets, 2)).toBe('testing');
    expect(host.repository(widgets.repo).trials.size).toBe(2);
  });
});

describe('an engine whose store or inbox fails', () => {
  test('T-I11 applies a commit once whose answer was lost', async () => {
    const { mq, next, submit, settle, stateOf } = await world({});
    next('commit', lostAfter);

    await submit(widgets, 1);
    await settle();

    expect(await stateOf(widgets, 1)).toBe('testing');
    const { items } = await mq.history({ ...widgets, order: 'oldest_first' });
    const begun = items.filter((row) => row.type === 'moved' && row.from === null);
    expect(begun).toHaveLength(1);
  });

  test('T-I15 takes in what arrives after an earlier event of the same kind was consumed', async () => {
    const { mq, submit, settle, host, stateOf } = await world({});
    await submit(widgets, 1);
    await submit(widgets, 2);
    await settle();
    await mq.notice({ repo: widgets.repo, what: 'checks' });
    await settle();

    passAll(host, widgets);
    await mq.notice({ repo: widgets.repo, what: 'checks' });
    await settle();

    expect(await stateOf(widgets, 1)).toBe('merged');
    expect(await stateOf(widgets, 2)).toBe('merged');
  });

  test('T-I16 sets a fact aside that always throws, says so, and takes in the others', async () => {
    const { mq, memory, submit, settle, stateOf } = await world({});
    await submit(widgets, 1);
    await settle();
    const { queue } = await mq.getQueue(widgets);
    const poison = {
      id: '00000000-0000-4000-8000-000000000bad' as InputId,
      type: 'noticed',
      what: 'nothing that is known',
    } as unknown as Fact;

    await memory.push(queue.id, [poison]);
    await mq.cancel({ ...widgets, pr: 1 });
    await settle();

    expect(await stateOf(widgets, 1)).toBe('cancelled');
    const { items } = await mq.history({ ...widgets, order: 'oldest_first' });
    expect(items.filter((row) => row.type === 'alarm')).toMatchObject([{ code: 'POISONED_INPUT' }]);
    expect((await memory.load(queue.id, 0, { prs: [], inputIds: [] }))?.inbox).toEqual([]);
  });

  test('T-O01 tells every listener, also when one of them throws', async () => {
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
      passAll(host, { repo, branch: 'main' });
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

  test('T-K17 because every call fails holds up only itself, and goes on when it is back', () =>
    holdsUpOnlyItself(() => new Error('connection reset')));

  test('T-K09 because the host no longer knows it holds up only itself, and goes on when it is back', () =>
    holdsUpOnlyItself(() => new HostError('Not Found', 'never')));
});
