import { memoryStore } from '@mq/store-memory';
import { fakeHost, virtualClock } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { aQueueOn, ref, repo } from '../../test/queue-on.js';
import { ANSWER_LIMIT_MS } from '../engine/timeout.js';
import type { CodeHost } from '../ports/code-host.js';
import { createMergeQueue } from './create-merge-queue.js';
import { RULES_READ_LIMIT_MS } from './hosts.js';
import type { MergeQueue } from './merge-queue.js';

const asked: readonly (readonly [string, keyof CodeHost, (mq: MergeQueue) => Promise<unknown>])[] = [
  ['a submit', 'getPullRequests', (mq) => mq.submit({ ...ref, pr: 1 })],
  [
    'an upload of targets without a head',
    'getPullRequests',
    (mq) => mq.setImpactedTargets({ ...ref, pr: 1, impactedTargets: [] }),
  ],
  [
    'a queue in a repository that is asked after',
    'hasRepository',
    (mq) => mq.createQueue({ ...ref, targetBranch: 'next' }),
  ],
  [
    'a queue on a branch that is asked after',
    'getBranch',
    (mq) => mq.createQueue({ ...ref, targetBranch: 'next' }),
  ],
];

/** A queue without pull requests, whose branch requires the check `test`. The calls of `served` can be replaced. */
const anIdleQueue = async () => {
  const clock = virtualClock();
  const host = fakeHost({ clock });
  const repository = host.createRepository({ ref: repo });
  repository.setRequiredChecks('main', ['test']);
  const served: CodeHost = Object.assign(Object.create(host), { getBranch: host.getBranch.bind(host) });
  const mq = createMergeQueue({ store: memoryStore({ clock }), hosts: { [repo.host]: served }, clock });
  await mq.createQueue(ref);
  return { mq, clock, served, repository };
};

const READ_MS = 100;

test('views of an idle queue at the same time share one read of its branch, and later ones read it again', async () => {
  const { mq, clock, served, repository } = await anIdleQueue();
  const { getBranch } = served;
  let reads = 0;
  served.getBranch = async (...args) => {
    reads += 1;
    await clock.wait(clock.now() + READ_MS, new AbortController().signal);
    return getBranch(...args);
  };
  const look = async () => (await mq.getQueue(ref)).requiredChecks?.names;
  const lookLater = async () => {
    const [found] = await Promise.all([look(), clock.advance(READ_MS)]);
    return found;
  };

  expect(await Promise.all([lookLater(), look(), look()])).toEqual([['test'], ['test'], ['test']]);
  expect(reads).toBe(1);
  repository.setRequiredChecks('main', ['lint']);
  expect(await lookLater()).toEqual(['lint']);
  expect(reads).toBe(2);
});

test('the reads of a branch that a person waits for go before polls', async () => {
  const { mq, served } = await anIdleQueue();
  const { getBranch } = served;
  const options: unknown[] = [];
  served.getBranch = (...args) => {
    options.push(args[2]);
    return getBranch(...args);
  };
  await mq.getQueue(ref);
  await mq.updateQueue({ ...ref, requiredStatuses: ['test'] });
  await mq.createQueue({ ...ref, targetBranch: 'next' }).catch(() => null);
  expect(options).toEqual([{ isUrgent: true }, { isUrgent: true }, { isUrgent: true }]);
});

describe('a host that never answers', () => {
  test.each(asked)(
    'a host that never answers refuses %s at the timeout, and nothing is stored',
    async (_, call, ask) => {
      const { mq, clock, lies } = await aQueueOn(call, new Promise(() => undefined));
      lies(true);
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
      lies(false);
      expect((await mq.getQueue(ref)).enqueued).toEqual([]);
      expect(await mq.listQueues({ repo })).toMatchObject({ items: [{ branch: 'main' }] });
    },
  );

  test('a host that never answers holds back getQueue of an idle queue for a few seconds only', async () => {
    const { mq, clock, served } = await anIdleQueue();
    served.getBranch = () => new Promise(() => undefined);
    const answered: unknown[] = [];
    const answer = mq.getQueue(ref).then((view) => answered.push(view));
    await clock.advance(RULES_READ_LIMIT_MS - 1);
    expect(answered).toEqual([]);
    await clock.advance(1);
    await answer;

    expect(answered).toMatchObject([{ requiredChecks: { names: ['test'] }, enqueued: [] }]);
    expect(clock.waiting).toBe(0);
  });

  test.each(asked)(
    'a host that never answers refuses %s as soon as the engine is closed',
    async (_, call, ask) => {
      const { mq, clock, lies } = await aQueueOn(call, new Promise(() => undefined));
      lies(true);
      const refused = ask(mq).catch((error: unknown) => error);
      await clock.advance(1);
      await mq.close();

      expect(await refused).toMatchObject({ code: 'CLOSED' });
      expect(clock.waiting).toBe(0);
    },
  );

  test('many concurrent calls to a host cause no warning of a leak', async () => {
    const warnings: string[] = [];
    const note = ({ name }: Error) => warnings.push(name);
    process.on('warning', note);
    const { mq, clock, lies } = await aQueueOn('getPullRequests', new Promise(() => undefined));
    lies(true);
    const asked = Array.from({ length: 20 }, (_, n) => mq.submit({ ...ref, pr: n + 1 }));
    const refused = Promise.allSettled(asked);
    await clock.advance(1);
    await mq.close();
    await refused;
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', note);

    expect(warnings).toEqual([]);
  });
});
