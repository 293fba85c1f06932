import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HostError, type Sha } from '@mq/core';
import { git } from '@mq/test-git';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { branchFault, branchRef } from '../src/names.js';
import { type GitWorld, gitWorld, mqPr, openAt, repo } from './git-world.js';
import { asked, build, built, headOf, land, methods, RUN, shownBy } from './requests.js';

const NO_COMMIT = '1234567890123456789012345678901234567890' as Sha;
const NO_CANDIDATE = { ref: 'no-candidate', commit: NO_COMMIT, tree: NO_COMMIT, steps: [] };

let world: GitWorld;

beforeEach(async () => {
  world = await gitWorld();
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await world.close();
});

describe('T-N01: names of branches', () => {
  test.each([
    '--upload-pack=x',
    '-c',
    'a..b',
    '@{u}',
    'a b',
    'a.lock',
    'a~1',
    'a:b',
    'a\nb',
    '.a',
    'a/',
    '@',
    'HEAD',
    '',
  ])('the invalid branch name %j is never passed to git, and nothing is stored', async (branch) => {
    expect(branchFault(branch)).not.toBeNull();
    expect(await world.host.getBranch(repo, branch)).toBeNull();
    expect(await world.host.findPullRequest(repo, branch)).toBeNull();
    const request = { repo, runId: RUN, branch, onto: NO_COMMIT, candidate: NO_CANDIDATE, members: [] };
    await expect(world.host.land(request)).rejects.toMatchObject({ name: 'HostError', retry: 'never' });
    await expect(mqPr(world.place.bare, 'open', `--head=${branch}`, '--base=main')).rejects.toMatchObject({
      code: 'BAD_INPUT',
    });
    expect(await git(world.place.bare, 'for-each-ref', 'refs/mq')).toBe('');
  });

  test.each([
    'feature/100%+1',
    'ünïcode/日本',
    "it's$(id)`x`;&|<>",
    `long/${'x'.repeat(190)}`,
    'a/-c',
    'a@b',
    '{a,b}',
    '%00',
  ])('the branch name %j works from pull request to landing', async (branch) => {
    expect(branchRef(branch)).toBe(`refs/heads/${branch}`);
    await git(world.place.bare, 'check-ref-format', `refs/heads/${branch}`);
    await world.place.commit(branch, { 'a.txt': 'a\n' }, 'main');
    const number = await openAt(world.place.bare, branch);
    expect(await world.host.findPullRequest(repo, branch)).toBe(number);
    expect((await land(world, [number])).kind).toBe('landed');
    const [pull] = await shownBy(world.host, [number]);
    expect([pull?.state, pull?.headBranch]).toEqual(['merged', branch]);
  });

  test('owners and names that lead out of the root folder are no repositories', async () => {
    for (const [owner, name] of [
      ['..', 'widgets'],
      ['acme/../acme/tools', 'widgets'],
      ['acme//tools', 'widgets'],
      ['/acme/tools', 'widgets'],
      ['.acme', 'widgets'],
      ['acme/tools', '../tools/widgets'],
      ['acme/tools', '-c'],
      ['acme/tools', 'wid\0gets'],
      ['a'.repeat(101), 'widgets'],
      [Array(11).fill('a').join('/'), 'widgets'],
    ] as const)
      expect(await world.host.hasRepository({ host: 'local', owner, name }), `${owner} ${name}`).toBe(false);
    expect(await world.host.hasRepository({ ...repo, host: 'github.com' })).toBe(false);
  });

  test('a folder without a bare repository is no repository', async () => {
    await mkdir(join(world.place.root, 'acme', 'empty.git'), { recursive: true });
    const worktree = join(world.place.root, 'acme', 'tree.git');
    await mkdir(worktree, { recursive: true });
    await git(worktree, 'init', '--quiet');
    for (const name of ['empty', 'tree'])
      expect(await world.host.hasRepository({ host: 'local', owner: 'acme', name })).toBe(false);
    const inside = { host: 'local', owner: 'acme/tree.git', name: '.git' };
    expect(await world.host.hasRepository(inside)).toBe(false);
  });
});

/** The path of a loose object, so that it can be removed. */
const objectFile = (sha: string) => join(world.place.bare, 'objects', sha.slice(0, 2), sha.slice(2));

describe('T-N04, T-N06: git that fails', () => {
  test('T-N04: a missing object is a temporary fault of its pull request, never a conflict', async () => {
    const pr = await world.open({ files: { 'README.md': 'mine\n' } });
    await world.push({ 'README.md': 'theirs\nmore\n', 'b.txt': 'b\n' });
    const head = await headOf(world, pr);
    const blob = (await git(world.place.bare, 'rev-parse', `${head}:README.md`)).trim();
    await rm(objectFile(blob));
    for (const method of methods)
      expect(
        await world.host.buildCandidate({
          ...asked,
          base: await world.place.tip('main'),
          parts: [{ pr, head, message: { title: 'T', body: '' } }],
          method,
        }),
      ).toMatchObject({ kind: 'faulty', pr });
    expect(await world.host.listCandidates(repo)).toEqual([]);
  });

  test('T-N06: a lock that a crashed git left is named, and the landing works once it is gone', async () => {
    const pr = await world.open({ files: { 'a.txt': 'a\n' } });
    const candidate = await built(world, [pr]);
    const lock = join(world.place.bare, 'refs', 'heads', 'main.lock');
    await writeFile(lock, '');
    const onto = await world.place.tip('main');
    const request = {
      repo,
      runId: RUN,
      branch: 'main',
      onto,
      candidate,
      members: [{ pr, head: await headOf(world, pr), forced: false }],
    };
    const error: unknown = await world.host.land(request).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(HostError);
    expect(String(error)).toContain('main.lock');
    expect(await world.place.tip('main')).toBe(onto);
    await rm(lock);
    expect((await world.host.land(request)).kind).toBe('landed');
  });

  test('T-N06: a corrupt head is a fault of its pull request, and gives no candidate', async () => {
    const pr = await world.open({ files: { 'a.txt': 'a\n' } });
    const head = await headOf(world, pr);
    await chmod(objectFile(head), 0o644);
    await writeFile(objectFile(head), 'no object');
    const fault = { code: 'PULL_REQUEST_UNREADABLE', message: expect.stringContaining(head) };
    expect(await build(world, [pr])).toMatchObject({ kind: 'faulty', pr, with: 'target', fault });
    expect(await world.host.listCandidates(repo)).toEqual([]);
  });

  test('T-N06: a deleted repository is an error, and no folder is created in its place', async () => {
    const pr = await world.open({ files: { 'a.txt': 'a\n' } });
    await headOf(world, pr);
    await rm(world.place.bare, { recursive: true });
    await expect(shownBy(world.host, [pr])).rejects.toBeInstanceOf(HostError);
    expect(await world.host.hasRepository(repo)).toBe(false);
    expect(await readdir(join(world.place.root, 'acme', 'tools'))).toEqual([]);
  });
});

describe('candidates', () => {
  test('T-N05: a conflict names its paths, spaces and odd characters included, and the next candidate is built', async () => {
    const odd = 'a "b" ünï.txt';
    await world.push({ 'x.txt': 'x\n' });
    const files = { [`${odd}`]: 'mine\n' };
    // Quoted in the syntax of fast-import.
    const quote = (given: Record<string, string>) =>
      Object.fromEntries(Object.entries(given).map(([path, text]) => [JSON.stringify(path), text]));
    const pr = await world.open({ files: quote(files) });
    await world.push(quote({ [odd]: 'theirs\n' }));
    expect(await build(world, [pr])).toEqual({ kind: 'conflicted', pr, with: 'target', paths: [odd] });
    const other = await world.open({ files: { 'b.txt': 'b\n' } });
    expect((await build(world, [other])).kind).toBe('built');
  });

  test('T-N07: a missing head is reported as gone on each call, without an error', async () => {
    const head = '1234567890123456789012345678901234567890' as Sha;
    const base = await world.place.tip('main');
    const parts = [{ pr: 1, head, message: { title: 'T', body: '' } }];
    for (const method of methods) {
      const request = { ...asked, base, parts, method };
      expect(await world.host.buildCandidate(request)).toEqual({ kind: 'head_gone', pr: 1 });
    }
  });

  test('T-N09: unrelated histories are refused', async () => {
    const { bare } = world.place;
    const tree = (await git(bare, 'rev-parse', 'main^{tree}')).trim();
    const root = (await git(bare, 'commit-tree', tree, '-m', 'another root')).trim() as Sha;
    await git(bare, 'update-ref', 'refs/heads/other', root);
    await expect(mqPr(bare, 'open', '--head=other', '--base=main')).rejects.toMatchObject({
      code: 'BAD_INPUT',
    });
    const base = await world.place.tip('main');
    const parts = [{ pr: 1, head: root, message: { title: 'T', body: '' } }];
    for (const method of methods) {
      const outcome = await world.host.buildCandidate({ ...asked, base, parts, method });
      expect(outcome).toMatchObject({ kind: 'refused', class: 'pull_request', pr: 1 });
    }
    expect(await world.host.listCandidates(repo)).toEqual([]);
  });

  test('T-N11: the same inputs give the same commit, in another process and another copy', async () => {
    const prs = [
      await world.open({ files: { 'a.txt': 'a\n' } }),
      await world.open({ files: { 'b.txt': 'b\n' } }),
    ];
    const copy = join(world.place.root, 'copy', 'c.git');
    await mkdir(join(world.place.root, 'copy'));
    await git(world.place.root, 'clone', '--quiet', '--mirror', world.place.bare, copy);
    const { gitHost } = await import('../src/index.js');
    const other = gitHost({ repositories: { named: { 'other/copy': copy } } });
    for (const method of methods) {
      const mine = await built(world, prs, method);
      const parts = mine.steps.map(({ pr, head }) => ({
        pr,
        head,
        message: { title: `Land #${pr}`, body: '' },
      }));
      const base = await world.place.tip('main');
      const there = { host: 'local', owner: 'other', name: 'copy' };
      vi.stubEnv('TZ', 'Asia/Tokyo');
      const theirs = await other.buildCandidate({ ...asked, repo: there, base, parts, method });
      expect(theirs).toEqual({ kind: 'built', candidate: mine });
    }
    await other.close();
  });
});
