import { memoryStore } from '@mq/store-memory';
import {
  aCommit,
  aMove,
  aQueue,
  commitIdOf,
  queueIdOf,
  someWrites,
  type VirtualClock,
  virtualClock,
} from '@mq/testkit';
import { expect, test } from 'vitest';
import { createMergeQueue, type Followed, type FollowRequest, type Store } from '../src/index.js';

const QUEUES = 250;

/** A service with many queues, and the number of its reads. */
const service = async () => {
  const clock = virtualClock();
  const own = memoryStore({ clock });
  const reads: Record<string, number> = {};
  const store: Store = new Proxy(own, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      reads[String(name)] = (reads[String(name)] ?? 0) + 1;
      return value.bind(target);
    },
  });
  for (let n = 1; n <= QUEUES; n += 1) {
    const repo = { ...aQueue().repo, name: `widgets-${n}` };
    await own.createQueue(aQueue({ id: queueIdOf(n), repo }), clock.now(), null);
  }
  const versions = new Map<number, number>();
  const commit = async (n: number, at = clock.now()): Promise<void> => {
    const expected = versions.get(n) ?? 1;
    versions.set(n, expected + 1);
    const writes = someWrites({ history: [aMove(expected, { at })] });
    const id = commitIdOf(n * 1_000 + expected);
    const { kind } = await own.commit(aCommit({ id, queueId: queueIdOf(n), expected, writes }));
    expect(kind).toBe('committed');
  };
  return { clock, commit, reads, mq: createMergeQueue({ store, clock, hosts: {} }) };
};

const started = async ({ mq, clock }: Awaited<ReturnType<typeof service>>, request: FollowRequest = {}) => {
  const steps: Followed[] = [];
  const end = new AbortController();
  const ended = (async () => {
    for await (const step of mq.follow({ ...request, signal: end.signal })) steps.push(step);
  })();
  for (let turns = 0; turns < 50 && steps.length === 0; turns += 1) await clock.idle();
  return {
    steps,
    rows: () =>
      steps.flatMap((step) => (step.type === 'row' ? [`${step.row.queueId} ${step.row.sequence}`] : [])),
    resets: () => steps.flatMap((step) => (step.type === 'reset' ? [step.queue.id] : [])),
    cursor: () => steps.at(-1)?.cursor ?? '',
    stop: async () => {
      end.abort();
      await ended;
    },
  };
};

const wait = async (clock: VirtualClock): Promise<void> => {
  for (let n = 0; n < 4; n += 1) await clock.advance(250);
};

test('a reader of 250 queues gets each row once, with cursors that stay short, also over cuts', async () => {
  const world = await service();
  let reader = await started(world);
  const rows: string[] = [];
  const lengths: number[] = [];
  const numbers = Array.from({ length: QUEUES }, (_, index) => index + 1);
  for (let turn = 1; turn <= 4; turn += 1) {
    for (const n of numbers) {
      await world.clock.advance(1);
      await world.commit(n);
    }
    if (turn % 2 === 0) await wait(world.clock);
    await reader.stop();
    rows.push(...reader.rows());
    lengths.push(...reader.steps.map(({ cursor }) => cursor.length));
    expect(reader.resets()).toEqual([]);
    reader = await started(world, { after: reader.cursor() });
  }
  await wait(world.clock);
  rows.push(...reader.rows());
  await reader.stop();

  expect(rows.toSorted()).toEqual(
    numbers.flatMap((n) => [1, 2, 3, 4].map((sequence) => `${queueIdOf(n)} ${sequence}`)).toSorted(),
  );
  expect(Math.max(...lengths)).toBeLessThan(12_000);
});

test('a poll of 250 idle queues is one read, and a changed queue costs one more', async () => {
  const world = await service();
  await world.commit(7);
  const reader = await started(world);
  await world.clock.advance(250);
  const readsOf = async (act: () => Promise<void>): Promise<Record<string, number>> => {
    const before = { ...world.reads };
    await act();
    await world.clock.advance(250);
    const names = Object.keys(world.reads).filter((name) => ['history', 'queueVersions'].includes(name));
    return Object.fromEntries(names.map((name) => [name, (world.reads[name] ?? 0) - (before[name] ?? 0)]));
  };

  expect(await readsOf(async () => {})).toEqual({ history: 0, queueVersions: 1 });
  expect(await readsOf(() => world.commit(7))).toEqual({ history: 1, queueVersions: 1 });
  expect(reader.rows()).toEqual([`${queueIdOf(7)} 2`]);
  await reader.stop();
});

test('a late commit in a queue that the cursor of an absent reader does not name is not skipped silently', async () => {
  const world = await service();
  for (let n = 1; n <= QUEUES; n += 1) await world.commit(n);
  const began = world.clock.now();
  await world.clock.advance(1_000);
  for (let n = 2; n <= QUEUES; n += 1) await world.commit(n);
  const before = await started(world);
  await before.stop();
  await world.commit(1, began + 1);
  const reader = await started(world, { after: before.cursor() });
  await wait(world.clock);

  expect(reader.resets()).toContain(queueIdOf(1));
  const again = await started(world, { after: reader.cursor() });
  await wait(world.clock);
  expect(again.steps.map(({ type }) => type)).toEqual(['started']);
  for (const one of [reader, again]) await one.stop();
});
