import { type MemoryStore, memoryStore } from '@mq/store-memory';
import { aRepo, fakeHost, pagedStore, runIdOf, type Story, stories, virtualClock } from '@mq/testkit';
import { afterEach, describe, expect, test } from 'vitest';
import { openRunsOf, Sweep, sweepCandidates } from '../src/engine/sweep.js';
import { createMergeQueue, type MergeQueue, type QueueRef, silentLogger } from '../src/index.js';

const story = stories(afterEach);

/** A queue with history, next to another one of its repository, on a store with one row per page. */
const withAPast = async () => {
  const memory: MemoryStore[] = [];
  const storeFor = (clock: Story['world']['clock']) => {
    const store = memoryStore({ clock });
    memory.push(store);
    return pagedStore(store, 1);
  };
  const q = await story({ concurrency: 2 }, { storeFor, ciTakes: '10m' });
  const { clock, host, mq, repository, ref } = q.world;
  for (const pr of [1, 2, 3]) {
    await q.opens({ number: pr, headBranch: `feature-${pr}`, broken: pr === 3 });
    await q.submit(pr);
    await q.after('11m');
  }
  const release = { ...ref, targetBranch: 'release' };
  repository.createBranch('release', 'main');
  repository.openPullRequest({ number: 9, base: 'release' });
  await q.world.act(async () => {
    await mq.createQueue(release);
    await mq.submit({ ...release, pr: 9 });
  });
  await q.submit(4);
  const [store] = memory;
  if (store === undefined) throw new Error('The story has no store.');
  const unpaged = createMergeQueue({ store, hosts: { [ref.repo.host]: host }, clock });
  return { q, ref, mq, unpaged };
};

/** Answers that need a whole list of the store. */
const wholeAnswers: Readonly<Record<string, (mq: MergeQueue, ref: QueueRef) => Promise<unknown>>> = {
  'the metrics are': (mq) => mq.metrics(),
  'the metrics of a repository are': (mq, { repo }) => mq.metrics({ repo }),
  'an explanation is': (mq, ref) => mq.explain({ ...ref, pr: 1 }),
  'an estimate is': (mq, ref) => mq.estimate({ ...ref, pr: 4 }),
  'the testing results are': (mq, ref) => mq.listTestingResults({ ...ref, since: 0 }),
  'the pull request of a head branch is': (mq, ref) => mq.getSubmission({ ...ref, headBranch: 'feature-1' }),
};

describe('a store with one row per page', () => {
  test.for(Object.entries(wholeAnswers))('%s is read to the last page', async ([, ask]) => {
    const { mq, unpaged, ref } = await withAPast();

    const answer = await ask(mq, ref);

    expect(answer).toEqual(await ask(unpaged, ref));
    await unpaged.close();
  });
});

/** Three queues of two repositories with a test run each, on a store with one row per page. */
const threeQueues = async () => {
  const clock = virtualClock();
  const store = pagedStore(memoryStore({ clock }), 1);
  const host = fakeHost({ clock });
  const mq = createMergeQueue({ store, hosts: { [aRepo.host]: host }, clock });
  const refs = [
    { repo: aRepo, targetBranch: 'main' },
    { repo: aRepo, targetBranch: 'release' },
    { repo: { ...aRepo, name: 'gadgets' }, targetBranch: 'main' },
  ];
  for (const [index, ref] of refs.entries()) {
    const { repo, targetBranch: branch } = ref;
    const repository = index === 1 ? host.repository(repo) : host.createRepository({ ref: repo });
    if (index === 1) repository.createBranch(branch, 'main');
    repository.openPullRequest({ number: index + 1, base: branch });
    await mq.createQueue(ref);
    await mq.submit({ ...ref, pr: index + 1 });
  }
  await mq.settled();
  const states = () =>
    Promise.all(
      refs.map(async (ref, index) => (await mq.getSubmission({ ...ref, pr: index + 1 })).submission.state),
    );
  return { clock, store, host, mq, refs, states };
};

describe('queues on different pages of the store', () => {
  test('queues on different pages of the store are all reached by a hint for their repository', async () => {
    const { host, mq, refs, states } = await threeQueues();
    expect(await states()).toEqual(['testing', 'testing', 'testing']);

    const [{ repo }] = refs as [QueueRef];
    const { ci } = host.repository(repo);
    for (const { commit } of ci.checks()) ci.finish(commit, null, 'success');
    await mq.notice({ repo, what: 'checks' });
    await mq.settled();

    expect(await states()).toEqual(['merged', 'merged', 'testing']);
    await mq.close();
  });

  test('queues on different pages of the store keep the candidates of their open test runs when leftovers of crashed engines are dropped', async () => {
    const { clock, store, host, mq, refs } = await threeQueues();

    const dropped = await sweepCandidates(
      { host, clock, isOpen: openRunsOf(store) },
      refs.map(({ repo }) => repo),
    );

    expect(dropped).toBe(0);
    await mq.close();
  });

  test('queues on different pages of the store have leftovers of crashed engines dropped in every repository', async () => {
    const { clock, store, host, mq, refs } = await threeQueues();
    const left = runIdOf(999);
    for (const { repo, targetBranch: branch } of refs) {
      const { candidates, branches } = host.repository(repo);
      const tip = branches.get(branch);
      if (tip !== undefined) candidates.set(left, tip);
    }
    const sweep = new Sweep({ store, clock, logger: silentLogger, hostOf: () => host });

    sweep.wantAll('0');
    await sweep.run();

    for (const { repo } of refs) expect(await host.listCandidates(repo)).not.toContain(left);
    await mq.close();
  });
});
