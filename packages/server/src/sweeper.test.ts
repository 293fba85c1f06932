import { type RepoRef, repoKey, SWEEP_EVERY_MS, silentLogger, type TestRunId } from '@mq/core';
import { memoryStore } from '@mq/store-memory';
import { aClosedRun, aCommit, aQueue, aRepo, aRun, runIdOf, someWrites, virtualClock } from '@mq/testkit';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { sweeper } from './sweeper.js';

afterEach(() => vi.useRealTimers());

const another: RepoRef = { ...aRepo, name: 'without-a-queue' };
const broken: RepoRef = { ...aRepo, name: 'broken' };

/** A queue with an open run 1 and a run 2 that is over, and candidates in its repository, in one without a queue and in none. */
const sweeping = async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const store = memoryStore();
  const queue = aQueue();
  await store.createQueue(queue, 0, null);
  await store.commit(aCommit({ writes: someWrites({ runs: [aRun(1), aClosedRun(2)] }) }));
  const candidates = new Map<string, Set<TestRunId>>([
    [repoKey(aRepo), new Set([1, 2, 3].map(runIdOf))],
    [repoKey(another), new Set([runIdOf(4)])],
  ]);
  const of = (repo: RepoRef) => {
    const kept = candidates.get(repoKey(repo));
    if (kept === undefined) throw new Error('it cannot be read');
    return kept;
  };
  const logged: object[] = [];
  const ended = { one: (): void => undefined };
  const clock = virtualClock();
  const hung = new Set<RepoRef>();
  let held: Promise<void> = Promise.resolve();
  /** From now on nothing is dropped before the function that is returned is called. */
  const holdDrops = () => {
    let release = (): void => undefined;
    held = new Promise((resolve) => {
      release = resolve;
    });
    return () => release();
  };
  const swept = sweeper({
    host: {
      hasRepository: async () => true,
      listCandidates: (repo) =>
        hung.has(repo) ? new Promise(() => undefined) : Promise.resolve([...of(repo)]),
      dropCandidate: async ({ repo, runId }) => {
        await held;
        of(repo).delete(runId);
        ended.one();
      },
    },
    store,
    clock,
    repositories: async () => [broken, aRepo, another],
    logger: { ...silentLogger, info: (facts: object) => void logged.push(facts) },
  });
  onTestFinished(() => swept.stop());
  const left = () => [...candidates.values()].map((kept) => [...kept]);
  return {
    ...swept,
    clock,
    hung,
    logged,
    left,
    ended,
    holdDrops,
    leave: (repo: RepoRef, run: number) =>
      candidates.set(repoKey(repo), (candidates.get(repoKey(repo)) ?? new Set()).add(runIdOf(run))),
  };
};

test('as a server starts, repositories with queues are left to the engine, and a broken one is passed over', async () => {
  const { start, left } = await sweeping();
  await start();
  expect(left()).toEqual([[1, 2, 3].map(runIdOf), []]);
});

test('every ten minutes candidates are dropped where there is no queue', async () => {
  const { start, stop, left, leave } = await sweeping();
  await start();
  leave(another, 5);
  await vi.advanceTimersByTimeAsync(SWEEP_EVERY_MS);
  await stop();
  expect(left()).toEqual([[1, 2, 3].map(runIdOf), []]);
});

test('a sweep that hung is not the last one', async () => {
  const { start, left, leave, hung, clock } = await sweeping();
  await start();
  hung.add(broken);
  for (let times = 0; times < 2; times += 1) await vi.advanceTimersByTimeAsync(SWEEP_EVERY_MS);
  leave(another, 5);
  hung.clear();
  await clock.advance(120_000);
  await vi.advanceTimersByTimeAsync(0);
  expect(left()[1]).toEqual([]);

  leave(another, 6);
  await vi.advanceTimersByTimeAsync(SWEEP_EVERY_MS);
  await clock.advance(0);
  expect(left()[1]).toEqual([]);
});

test('how many were dropped in all repositories is logged, and nothing if none was', async () => {
  const { start, stop, leave, logged } = await sweeping();
  leave(broken, 7);
  await start();
  await vi.advanceTimersByTimeAsync(SWEEP_EVERY_MS);
  await stop();
  expect(logged).toEqual([{ dropped: 2 }]);
});

test('once it is stopped nothing is swept any more', async () => {
  const { start, stop, left, leave } = await sweeping();
  await start();
  await stop();
  leave(another, 5);
  await vi.advanceTimersByTimeAsync(2 * SWEEP_EVERY_MS);
  expect(left()).toEqual([[1, 2, 3].map(runIdOf), [runIdOf(5)]]);
});

test('a sweep that is under way when it is stopped ends with the candidate at hand', async () => {
  const { start, stop, left, leave, ended } = await sweeping();
  await start();
  for (const run of [5, 6]) leave(another, run);
  ended.one = () => void stop();
  await vi.advanceTimersByTimeAsync(SWEEP_EVERY_MS);
  await stop();
  expect(left()).toEqual([[1, 2, 3].map(runIdOf), [runIdOf(6)]]);
});

test('a sweep does not start while an earlier one runs, and a stop waits for it', async () => {
  const { start, stop, leave, ended, left, holdDrops } = await sweeping();
  await start();
  for (const run of [5, 6]) leave(another, run);
  let drops = 0;
  ended.one = () => {
    drops += 1;
  };
  const release = holdDrops();
  for (let times = 0; times < 3; times += 1) await vi.advanceTimersByTimeAsync(SWEEP_EVERY_MS);
  let isStopped = false;
  const stopped = stop().then(() => {
    isStopped = true;
  });
  await vi.advanceTimersByTimeAsync(0);
  expect([isStopped, vi.getTimerCount()]).toEqual([false, 0]);

  release();
  await stopped;

  expect(drops).toBe(1);
  expect(left()[1]).toEqual([runIdOf(6)]);
});

test('a host that never answers for one repository holds neither the others nor the end of the server for ever', async () => {
  const { start, stop, left, clock, hung } = await sweeping();
  hung.add(broken);
  const started = start();
  await clock.advance(120_000);
  await started;
  expect(left()[1]).toEqual([]);

  await vi.advanceTimersByTimeAsync(SWEEP_EVERY_MS);
  const stopped = stop();
  await clock.advance(120_000);
  await stopped;
});
