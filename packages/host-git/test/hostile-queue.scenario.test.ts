import { corrupt, git, type HostileTree, hostileCommit } from '@mq/test-git';
import { assertionsOf, queueVerbs, worldVerbs } from '@mq/testkit';
import { afterEach, describe, test } from 'vitest';
import { pullRequestsOf } from '../src/index.js';
import { peopleVerbs } from './git-people.js';
import { GitStoryWorld } from './git-story-world.js';

/** The engine on a real repository, with pushes of objects that git cannot read or merge. */
const queueOn = async () => {
  const world = await GitStoryWorld.begin({});
  open.push(world);
  const { bare } = world.place;
  const verbs = queueVerbs(world);
  await verbs.createsQueue({ concurrency: 3 });
  const opensAt = async (branch: string): Promise<number> => {
    const { number } = await (await pullRequestsOf(bare)).open({ head: branch, base: 'main' });
    world.knows(number, branch);
    return number;
  };
  return {
    ...peopleVerbs(world),
    ...verbs,
    ...worldVerbs(world),
    ...assertionsOf(world),
    world,
    passes: (content: string) => world.act(() => world.end(content, null, 'success')),
    opensHostile: async (kind: HostileTree): Promise<number> => {
      await git(bare, 'branch', 'hostile', 'main');
      await hostileCommit(bare, 'hostile', kind);
      return opensAt('hostile');
    },
    pushesHostile: (pr: number, kind: HostileTree) =>
      world.act(async () => {
        await hostileCommit(bare, world.headBranches.get(pr) ?? '', kind);
      }),
    spoilsHead: (pr: number) => world.act(async () => corrupt(bare, await world.headOf(pr))),
  };
};

const open: GitStoryWorld[] = [];
afterEach(async () => {
  for (const world of open.splice(0)) await world.close();
});

const kinds = [
  ['slash', 'MERGE_NOT_COMPUTABLE'],
  ['an empty name', 'MERGE_NOT_COMPUTABLE'],
] as const;

describe('a pull request that git cannot merge', () => {
  test.each(kinds)('an unmergeable pull request (%s) fails alone, the others merge', async (kind, code) => {
    const q = await queueOn();
    await q.opens(1);
    const hostile = await q.opensHostile(kind);
    await q.opens(3);
    await q.submit(1, hostile, 3);
    await q.isIn({ 1: 'testing', [hostile]: 'not_ready', 3: 'testing' });
    await q.passes('main+1');
    await q.passes('main+1+3');
    await q.isIn({ 1: 'merged', 3: 'merged' });
    await q.after('3m');
    await q.isIn({ [hostile]: 'failed' });
    await q.hasReason(hostile, code);
  });

  test('a waiting pull request whose head becomes unreadable fails alone, and the others are merged', async () => {
    const q = await queueOn();
    await q.opens(1, 2, 3);
    await q.submit(1, 2, 3);
    await q.pushesHostile(2, 'slash');
    await q.passes('main+1');
    await q.isIn({ 1: 'merged', 2: 'cancelled', 3: 'testing' });
    await q.hasReason(2, 'PR_PUSHED_TO');
    await q.passes('main+1+3');
    await q.isIn({ 3: 'merged' });
  });
});

describe('while a landing is under way', () => {
  test('a push of a head that git cannot merge during the landing cancels its pull request, and other cancels work', async () => {
    const q = await queueOn();
    await q.opens(1, 2);
    await q.submit(1, 2);
    await q.beforeLanding(() => q.pushesHostile(1, 'slash'));
    await q.passes('main+1');
    await q.isIn({ 1: 'cancelled', 2: 'testing' });
    await q.cancel(2);
    await q.isIn({ 2: 'cancelled' });
  });

  test('an unreadable head of another pull request delays neither a landing nor a cancel', async () => {
    const q = await queueOn();
    await q.opens(1, 2, 3);
    await q.submit(1, 2, 3);
    await q.beforeLanding(async () => {
      await q.pushes(2);
      await q.spoilsHead(2);
    });
    await q.passes('main+1');
    await q.isIn({ 1: 'merged' });
    await q.cancel(3);
    await q.after('5m');
    await q.isIn({ 2: 'failed', 3: 'cancelled' });
    await q.hasReason(2, 'PULL_REQUEST_UNREADABLE');
  });
});
