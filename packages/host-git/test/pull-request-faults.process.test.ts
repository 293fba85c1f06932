import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LandRequest, PullRequestAnswer } from '@mq/core';
import { corrupt, git, type HostileTree, hostileCommit, hostileTrees, writeRaw } from '@mq/test-git';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type GitWorld, gitWorld, mqPr, openAt, repo } from './git-world.js';
import { build, built, headOf, methods, RUN } from './requests.js';
import { wrapGit } from './wrapped-git.js';

let world: GitWorld;

beforeEach(async () => {
  world = await gitWorld();
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await world.close();
});

const opened = async (kind: HostileTree): Promise<number> => {
  const { bare } = world.place;
  await git(bare, 'branch', 'hostile', 'main');
  await hostileCommit(bare, 'hostile', kind);
  return openAt(world.place.bare, 'hostile');
};

const read = async (...numbers: readonly number[]): Promise<readonly PullRequestAnswer[]> => {
  const answers = await world.host.getPullRequests(repo, numbers, { merging: 'squash' });
  return [...answers].sort((one, other) => one.number - other.number);
};

/** One side splits a folder and the other adds a file to it: a conflict for which git names no path. */
const openPathless = async (): Promise<number> => {
  const lines = (from: number) => Array.from({ length: 30 }, (_, line) => `${from + line}\n`).join('');
  const old = { 'old/1': lines(100), 'old/2': lines(200), 'old/3': lines(300), 'old/4': lines(400) };
  await world.push(old);
  const adds = await world.open({ files: { 'old/new': 'new\n' } });
  await world.push({
    ...Object.fromEntries(Object.keys(old).map((path) => [path, null])),
    ...{ 'x/1': old['old/1'], 'x/2': old['old/2'], 'y/3': old['old/3'], 'y/4': old['old/4'] },
  });
  return adds;
};

describe('a conflict that names no path', () => {
  test('a conflict without paths is shown as a conflict, and other pull requests are read beside it', async () => {
    const adds = await openPathless();
    const other = await world.open({ files: { other: 'other\n' } });
    expect(await read(adds, other)).toMatchObject([
      { mergeability: 'not_mergeable', conflicts: true, mergeabilityReason: 'It conflicts with main.' },
      { mergeability: 'mergeable' },
    ]);
    expect(await mqPr(world.place.bare, 'list')).toHaveLength(2);
  });

  test('a conflict without paths makes a candidate conflicted with an empty list of paths', async () => {
    const adds = await openPathless();
    const other = await world.open({ files: { other: 'other\n' } });
    for (const prs of [[adds], [other, adds]])
      expect(await build(world, prs)).toEqual({ kind: 'conflicted', pr: adds, with: 'target', paths: [] });
  });
});

test('a conflict names its paths as people know them, on one line', async () => {
  await world.push({ 'file/a': 'a\n' });
  const pr = await world.open({ files: { '"new\\nline"': 'mine\n', 'file/b': 'b\n' } });
  await world.push({ '"new\\nline"': 'theirs\n', 'file/a': null, file: 'a file\n' });
  for (const method of methods)
    expect(await build(world, [pr], method)).toMatchObject({
      kind: 'conflicted',
      paths: ['file', 'new line'],
    });
});

describe('a tree that git does not merge', () => {
  const aborting = [
    ['slash', 'MERGE_NOT_COMPUTABLE'],
    ['a slash in a folder', 'MERGE_NOT_COMPUTABLE'],
    ['an empty name', 'PULL_REQUEST_UNREADABLE'],
  ] as const;

  test.each(aborting)('a tree with %s is a fault of its own pull request', async (kind, code) => {
    const other = await world.open({ files: { 'a.txt': 'a\n' } });
    const hostile = await opened(kind);
    const [shown, faulty] = await read(other, hostile);
    expect(shown).toMatchObject({ mergeability: 'mergeable' });
    expect(faulty).toMatchObject({ state: 'open', mergeability: 'unspecified' });
    for (const prs of [[hostile], [other, hostile]])
      expect(await build(world, prs)).toMatchObject({
        kind: 'faulty',
        pr: hostile,
        with: 'target',
        fault: { code },
      });
    expect((await build(world, [other])).kind).toBe('built');
    expect(await mqPr(world.place.bare, 'list')).toHaveLength(2);
  });

  test('a tree that git does not merge is a fault of its pull request even if there is no other one', async () => {
    const hostile = await opened('slash');
    expect(await build(world, [hostile])).toMatchObject({ kind: 'faulty', pr: hostile });
  });

  test('a tree that git does not merge is a fault of its pull request beside many such pull requests', async () => {
    const { bare } = world.place;
    const good = await world.open({ files: { 'a.txt': 'a\n' } });
    const bad: number[] = [];
    for (const name of ['1', '2', '3', '4', '5', '6', '7']) {
      await world.place.commit(`bad/${name}`, { 'b.txt': name }, 'main');
      bad.push(await openAt(world.place.bare, `bad/${name}`));
      await hostileCommit(bare, `bad/${name}`, 'slash');
    }
    const [shown, ...faulty] = await read(good, ...bad);
    expect(shown).toMatchObject({ mergeability: 'mergeable' });
    for (const one of faulty)
      expect(one).toMatchObject({ mergeFault: expect.stringContaining('merge-tree') });
    expect(await mqPr(bare, 'list')).toHaveLength(8);
  });

  test('a tree that git does not merge is no fault of the pull request if the target itself cannot be merged', async () => {
    const other = await world.open({ files: { 'a.txt': 'a\n' } });
    await hostileCommit(world.place.bare, 'main', 'slash');
    await expect(build(world, [other])).rejects.toMatchObject({ name: 'HostError', retry: 'later' });
    await expect(read(other)).rejects.toMatchObject({ name: 'HostError', retry: 'later' });
  });

  test('a tree with a missing file makes its pull request unreadable, and a candidate of the others is built', async () => {
    const { bare } = world.place;
    const other = await world.open({ files: { 'a.txt': 'a\n' } });
    await git(bare, 'branch', 'missing', 'main');
    const entry = Buffer.concat([Buffer.from('100644 gone\0'), Buffer.from('1'.repeat(40), 'hex')]);
    const tree = await writeRaw(bare, 'tree', entry);
    const parent = await world.place.tip('main');
    const who = 'Eve <eve@example.org> 1700000000 +0000';
    const text = `tree ${tree}\nparent ${parent}\nauthor ${who}\ncommitter ${who}\n\nGone\n`;
    await git(bare, 'update-ref', 'refs/heads/missing', await writeRaw(bare, 'commit', Buffer.from(text)));
    const missing = await openAt(world.place.bare, 'missing');
    expect(await build(world, [other, missing])).toMatchObject({
      kind: 'faulty',
      pr: missing,
      fault: { code: 'PULL_REQUEST_UNREADABLE' },
    });
    expect((await build(world, [other])).kind).toBe('built');
  });
});

/** Puts a git wrapper on the PATH that sleeps before merges with one of these commits. */
const slowOn = (...shas: readonly string[]): Promise<void> =>
  wrapGit(
    world.place,
    shas.map((sha) => `case "$*" in *merge-tree*${sha}*) exec sleep 600;; esac`).join('\n'),
  );

describe('a merge that takes longer than the limit', () => {
  beforeEach(async () => {
    await world.close();
    world = await gitWorld({ mergeLimitMs: 4_000 });
  });

  test('a merge beyond the time limit is a fault of its own pull request, and the others are read and built meanwhile', async () => {
    const other = await world.open({ files: { 'a.txt': 'a\n' } });
    const slow = await world.open({ files: { 'b.txt': 'b\n' } });
    await slowOn(await world.place.tip('change/2'));
    const [shown, faulty] = await read(other, slow);
    expect(shown).toMatchObject({ mergeability: 'mergeable' });
    expect(faulty).toMatchObject({ mergeability: 'unspecified', mergeFault: expect.stringContaining('4 s') });
    const message = expect.stringContaining('4 s');
    expect(await build(world, [slow])).toMatchObject({
      kind: 'faulty',
      pr: slow,
      with: 'target',
      fault: { code: 'MERGE_NOT_COMPUTABLE', message },
    });
  });

  test('a merge beyond the time limit is no fault of the pull request if the host merges nothing in that time', async () => {
    const pr = await world.open({ files: { 'b.txt': 'b\n' } });
    await world.open({ files: { 'a.txt': 'a\n' } });
    await headOf(world, pr);
    await slowOn('');
    await expect(build(world, [pr])).rejects.toMatchObject({ name: 'HostError', retry: 'later' });
  });

  test('the time in which a merge waits for slow merges of others does not count for its limit', async () => {
    const slow: number[] = [];
    for (let count = 0; count < 12; count += 1)
      slow.push(await world.open({ files: { [`${count}`]: 'slow\n' } }));
    const good = await world.open({ files: { good: 'good\n' } });
    const heads = await Promise.all([...slow, good].map((pr) => headOf(world, pr)));
    await slowOn(...heads.slice(0, -1));
    const outcomes = await Promise.all([...slow, good].map((pr) => build(world, [pr])));
    expect(outcomes.map(({ kind }) => kind)).toEqual([...slow.map(() => 'faulty'), 'built']);
  });

  test('a merge beyond the time limit does not delay a landing', async () => {
    const pr = await world.open({ files: { 'a.txt': 'a\n' } });
    const candidate = await built(world, [pr]);
    const members: LandRequest['members'] = candidate.steps.map(({ pr: number, head }) => ({
      pr: number,
      head,
    }));
    const onto = await world.place.tip('main');
    await slowOn(await headOf(world, pr));
    const landing = { repo, runId: RUN, branch: 'main', onto, candidate, members };
    expect(await world.host.getPullRequests(repo, [pr])).toMatchObject([{ number: pr, state: 'open' }]);
    expect((await world.host.land(landing)).kind).toBe('landed');
  });
});

test('a head on which git crashes is a fault of its own pull request', async () => {
  const other = await world.open({ files: { 'a.txt': 'a\n' } });
  const deep = await world.open({ files: { [`${'d/'.repeat(3_000)}f`]: 'deep\n' } });
  // Less stack, so that a few thousand folders crash git.
  await wrapGit(world.place, 'case "$*" in *rev-list*|*merge-tree*) ulimit -s 300;; esac');
  for (const prs of [[deep], [other, deep]])
    expect(await build(world, prs)).toMatchObject({ kind: 'faulty', pr: deep, with: 'target' });
  expect((await build(world, [other])).kind).toBe('built');
});

test.each(methods)('a disk on which git cannot write is no fault of a pull request (%s)', async (method) => {
  const [one, two] = [await world.open({ files: { a: 'a\n' } }), await world.open({ files: { b: 'b\n' } })];
  await read(one, two);
  await wrapGit(
    world.place,
    'case "$*" in *hash-object*) echo "fatal: No space left on device" >&2; exit 128;; esac',
  );
  for (const pr of [one, two])
    await expect(build(world, [pr], method)).rejects.toMatchObject({ name: 'HostError', retry: 'later' });
});

test('a member whose new head is unreadable stops its landing, which reports what is known of it', async () => {
  const pr = await world.open({ files: { 'a.txt': 'a\n' } });
  await world.open({ files: { 'b.txt': 'b\n' } });
  const candidate = await built(world, [pr]);
  const members = candidate.steps.map(({ pr: number, head }) => ({ pr: number, head }));
  const onto = await world.place.tip('main');
  const head = await world.place.commit('change/1', { 'a.txt': 'newer\n' });
  await corrupt(world.place.bare, head);
  const outcome = await world.host.land({ repo, runId: RUN, branch: 'main', onto, candidate, members });
  expect(outcome).toMatchObject({ kind: 'members_changed', pulls: [{ number: pr, head }], missing: [] });
});

describe('pushes to a guarded repository', () => {
  const settingsOf = (bare: string) => readFile(join(bare, 'config'), 'utf8');
  /** Pushes a commit from a clone. */
  const push = async (bare: string, write: (clone: string) => Promise<string>): Promise<void> => {
    const clone = join(world.place.root, `clone-${Math.random()}`);
    await git(world.place.root, 'clone', '--quiet', '--bare', bare, clone);
    const commit = await write(clone);
    await git(clone, 'push', '--quiet', bare, `${commit}:refs/heads/pushed`);
  };
  const pushTree = (bare: string, kind: HostileTree) =>
    push(bare, async (clone) => {
      await git(clone, 'branch', 'hostile', 'main');
      return hostileCommit(clone, 'hostile', kind);
    });
  const accepted: readonly HostileTree[] = ['a zero-padded mode', 'a null submodule'];
  const refused = hostileTrees.filter((kind) => !accepted.includes(kind));

  test('pushes of trees that git cannot merge or check out are refused', async () => {
    const { bare } = world.place;
    await world.host.getBranch(repo, 'main');
    for (const kind of refused) await expect(pushTree(bare, kind), kind).rejects.toThrow(/remote/);
    for (const kind of accepted)
      await git(bare, 'update-ref', '-d', 'refs/heads/pushed').then(() => pushTree(bare, kind));
    expect(await git(bare, 'for-each-ref', 'refs/heads/pushed')).not.toBe('');
  });

  test('a push of an old history with dates, time zones and names that git would not write today is accepted', async () => {
    const { bare } = world.place;
    await world.host.getBranch(repo, 'main');
    const lines = [
      ['Ann <ann@example.org> 1700000000 +051800', 'Ann <ann@example.org> 1700000000 +0000'],
      ['Ann <ann@example.org>1700000000 +0000', 'Ann <ann@example.org> 1700000000 +0000'],
      ['Ann <ann <x>> 1700000000 +0000', 'Ann <ann@example.org> 01700000000 +0000'],
      ['<ann@example.org> 1700000000 +0000', 'Ann ann@example.org 1700000000 +0000'],
    ];
    await push(bare, async (clone) => {
      const tree = (await git(clone, 'rev-parse', 'main^{tree}')).trim();
      let parent = (await git(clone, 'rev-parse', 'main')).trim();
      for (const [author, committer] of lines) {
        const text = `tree ${tree}\nparent ${parent}\nauthor ${author}\ncommitter ${committer}\n\nOld\n`;
        parent = await writeRaw(clone, 'commit', Buffer.from(text));
      }
      return parent;
    });
    expect(await git(bare, 'for-each-ref', 'refs/heads/pushed')).not.toBe('');
  });

  test('the settings against bad pushes are written once, also for a repository recreated under the same name', async () => {
    const { bare } = world.place;
    await world.host.getBranch(repo, 'main');
    const once = await settingsOf(bare);
    expect(once.match(/fsckObjects/g)).toHaveLength(1);
    await world.host.getBranch(repo, 'main');
    expect(await settingsOf(bare)).toBe(once);
    await rm(bare, { recursive: true });
    await mkdir(bare);
    await git(bare, 'init', '--quiet', '--bare', '--initial-branch=main', '--template=');
    await world.place.commit('main', { 'README.md': 'begin again\n' }, null);
    await world.host.getBranch(repo, 'main');
    expect(await settingsOf(bare)).toMatch(/hideRefs = refs\/mq\n\tfsckObjects = true/);
    await expect(pushTree(bare, 'slash')).rejects.toThrow(/remote/);
  });

  test.each([
    ['receive.fsckObjects', 'false'],
    ['transfer.fsckObjects', 'true'],
    ['receive.fsck.hasDot', 'warn'],
  ])('pushes to a guarded repository pushes are left to the owner if %s is set', async (key, value) => {
    const { bare } = world.place;
    await git(bare, 'config', key, value);
    await world.host.getBranch(repo, 'main');
    expect((await git(bare, 'config', '--get-all', key)).trim()).toBe(value);
    const isOn = (await git(bare, 'config', '--get-all', 'receive.fsckObjects').catch(() => '')).trim();
    expect(isOn).toBe({ 'receive.fsckObjects': 'false', 'transfer.fsckObjects': '' }[key] ?? 'true');
  });

  test('settings against bad pushes are left to the owner if a file that the configuration includes has them', async () => {
    const { bare } = world.place;
    await writeFile(join(bare, 'rules'), '[receive]\n\tfsckObjects = false\n\thideRefs = refs/mq\n');
    await git(bare, 'config', 'include.path', 'rules');
    const before = await settingsOf(bare);
    await world.host.getBranch(repo, 'main');
    expect(await settingsOf(bare)).toBe(before);
  });
});
