import { git, type HostileTree, hostileCommit, hostileTrees, writeRaw } from '@mq/test-git';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type GitWorld, gitWorld, mqPr, openAt } from './git-world.js';
import { build, built, methods } from './requests.js';

let world: GitWorld;

beforeEach(async () => {
  world = await gitWorld();
});

afterEach(() => world.close());

/** Opens a pull request of one hostile commit on the tip of the target. */
const openHostile = async (kind: HostileTree, folder: string | null): Promise<number> => {
  const { bare } = world.place;
  const branch = `hostile/${Math.random()}`;
  await git(bare, 'branch', branch, 'main');
  await hostileCommit(bare, branch, kind, folder);
  return openAt(bare, branch);
};

/** Expects the entries of a tree to be in order, without duplicates or forbidden names. */
const isSound = async (tree: string): Promise<void> => {
  const names = (await git(world.place.bare, 'ls-tree', '-z', '--name-only', tree))
    .split('\0')
    .filter(Boolean);
  expect(names).toEqual([...new Set(names)].sort());
  expect(names.every((name) => /^(\w|\.\w*\w)[\w.]*$/.test(name) && name !== '.git')).toBe(true);
};

const hostileKinds = hostileTrees.filter((kind) => kind !== 'a zero-padded mode');

describe.each(methods)('a hostile tree of one commit on the tip (%s)', (method) => {
  test.each(hostileKinds)('a tree with %s never lands, at the top or in a folder', async (kind) => {
    const other = await world.open({ files: { 'a.txt': 'a\n' } });
    for (const folder of [null, 'sub']) {
      const hostile = await openHostile(kind, folder);
      for (const prs of [[hostile], [other, hostile], [hostile, other]]) {
        const outcome = await build(world, prs, method);
        // Git puts the entries of a tree that it merges into order.
        if (outcome.kind === 'built' && folder === null) await isSound(outcome.candidate.tree);
        else
          expect(outcome, `${folder}`).toMatchObject({
            ...{ kind: 'faulty', pr: hostile, with: 'target' },
            fault: { code: expect.stringMatching(/^(PULL_REQUEST_UNREADABLE|MERGE_NOT_COMPUTABLE)$/) },
          });
      }
    }
    expect((await build(world, [other], method)).kind).toBe('built');
  });

  test('a tree with a zero-padded mode is built', async () => {
    const odd = await openHostile('a zero-padded mode', null);
    expect((await build(world, [odd], method)).kind).toBe('built');
  });

  test('a hostile tree is reported as unreadable, with the name of its entry', async () => {
    const hostile = await openHostile('a null submodule', 'sub');
    expect(await build(world, [hostile], method)).toMatchObject({
      fault: {
        code: 'PULL_REQUEST_UNREADABLE',
        message: expect.stringMatching(new RegExp(`#${hostile}.*"a"`)),
      },
    });
  });

  test.each(['wrong order', '.git'] as const)(
    'a tree with %s that the target already holds fails no pull request',
    async (kind) => {
      await hostileCommit(world.place.bare, 'main', kind);
      const other = await openHostile('a zero-padded mode', 'sub');
      expect(await build(world, [other], method)).toMatchObject({ kind: 'built' });
    },
  );
});

test('a hostile tree of an earlier commit, absent from the head, does not stop a squash', async () => {
  const { bare } = world.place;
  await git(bare, 'branch', 'cleaned', 'main');
  await hostileCommit(bare, 'cleaned', '.git', 'sub');
  await world.place.commit('cleaned', { 'sub/.git': null, 'a.txt': 'a\n' });
  await mqPr(bare, 'open', '--head=cleaned', '--base=main');
  await built(world, [1]);
});

test('a hostile tree does not land because another folder of the target has the same fault', async () => {
  const hostile = await openHostile('wrong order', 'new');
  await world.push({ 'README.md': 'changed\n' });
  await hostileCommit(world.place.bare, 'main', 'wrong order', 'old');
  expect(await build(world, [hostile])).toMatchObject({
    ...{ kind: 'faulty', pr: hostile, with: 'target' },
    fault: { message: expect.stringMatching(/an entry "a" in the wrong order in "new"$/) },
  });
});

test('a fault at the end of a very large folder is found', async () => {
  const { bare } = world.place;
  const blob = await writeRaw(bare, 'blob', Buffer.from('same\n'));
  const entry = (head: string, id: string) =>
    Buffer.concat([Buffer.from(`${head}\0`), Buffer.from(id, 'hex')]);
  const entries = Array.from({ length: 100_000 }, (_, at) => entry(`100644 ${100_000 + at}`, blob));
  const folder = await writeRaw(bare, 'tree', Buffer.concat([...entries, entry('100644 0-last', blob)]));
  const tip = await world.place.tip('main');
  const readme = (await git(bare, 'rev-parse', 'main:README.md')).trim();
  const content = [entry('100644 README.md', readme), entry('40000 large', folder)];
  const tree = await writeRaw(bare, 'tree', Buffer.concat(content));
  const text = (await git(bare, 'cat-file', 'commit', tip)).replace(
    /^tree .*\n(parent .*\n)*/,
    `tree ${tree}\nparent ${tip}\n`,
  );
  await git(bare, 'update-ref', 'refs/heads/large', await writeRaw(bare, 'commit', Buffer.from(text)));
  expect(await build(world, [await openAt(bare, 'large')])).toMatchObject({
    ...{ kind: 'faulty', with: 'target' },
    fault: { message: expect.stringContaining('an entry "0-last" in the wrong order') },
  });
});

test('a second line of a parent in the header of a commit does not change the reviewed tree of a rebase', async () => {
  const { bare } = world.place;
  const own = await world.place.commit('hidden', { 'own.txt': 'own\n' }, 'main');
  const tip = await world.push({ 'theirs.txt': 'theirs\n' });
  const text = await git(bare, 'cat-file', 'commit', own);
  const forged = await writeRaw(bare, 'commit', Buffer.from(text.replace('\n\n', `\nparent ${tip}\n\n`)));
  await git(bare, 'update-ref', 'refs/heads/hidden', forged);
  const { steps } = await built(world, [await openAt(bare, 'hidden')], 'rebase');
  expect(steps.map(({ tree, reviewedTree }) => tree === reviewedTree)).toEqual([true]);
});
