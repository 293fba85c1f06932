import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { LandRequest } from '@mq/core';
import { git } from '@mq/test-git';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { gitHost } from '../src/index.js';
import { LANDINGS_KEPT } from '../src/land.js';
import { OWNERLESS_LOCK_MS, STALE_LOCK_MS } from '../src/stale-locks.js';
import { type GitWorld, gitWorld, repo } from './git-world.js';
import { build, built, headOf, RUN, shownBy } from './requests.js';

let world: GitWorld;
let pr: number;

beforeEach(async () => {
  world = await gitWorld();
  pr = await world.open({ files: { 'a.txt': 'a\n' } });
});

afterEach(() => world.close());

const request = async (): Promise<LandRequest> => {
  const candidate = await built(world, [pr]);
  const members = candidate.steps.map(({ pr, head }) => ({ pr, head }));
  return { repo, runId: RUN, branch: 'main', onto: await world.place.tip('main'), candidate, members };
};

/** Makes a ref that git can neither read nor replace. */
const breakRef = async (ref: string): Promise<void> => {
  const file = join(world.place.bare, ref);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, 'broken\n');
};

describe('a ref that cannot be written', () => {
  test('a candidate whose ref cannot be written is not reported as built', async () => {
    await breakRef(`refs/mq/candidates/${RUN}`);
    await expect(build(world, [pr])).rejects.toMatchObject({ name: 'HostError', retry: 'later' });
  });

  test('a landing whose intent cannot be written does not move the target', async () => {
    const landing = await request();
    await breakRef(`refs/mq/landing/${RUN}`);
    await expect(world.host.land(landing)).rejects.toMatchObject({ name: 'HostError', retry: 'later' });
    expect(await world.place.tip('main')).toBe(landing.onto);
  });
});

test('a pull request that was deleted since it landed is not created again when the landing is repeated', async () => {
  const landing = await request();
  await world.host.land(landing);
  await world.update(pr, { deleted: true });

  expect((await world.host.land(landing)).kind).toBe('landed');
  expect(await git(world.place.bare, 'for-each-ref', 'refs/mq/pulls')).toBe('');
});

test('a person can fetch the ref that a candidate names', async () => {
  const { ref, commit } = await built(world, [pr]);
  const clone = join(world.place.root, 'clone');
  await mkdir(clone);
  await git(clone, 'init', '--quiet');
  await git(clone, 'fetch', '--quiet', world.place.bare, `${ref}:refs/heads/tried`);
  expect((await git(clone, 'rev-parse', 'tried')).trim()).toBe(commit);
});

test('a candidate without pull requests protects its base from garbage collection after a rewind of the target', async () => {
  const { bare } = world.place;
  const before = await world.place.tip('main');
  const pushed = await world.push({ 'b.txt': 'b\n' });
  const { ref, commit } = await built(world, []);
  await git(bare, 'update-ref', 'refs/heads/main', before);
  await git(bare, 'gc', '--quiet', '--prune=now');
  expect([commit, (await git(bare, 'rev-parse', `${ref}^{commit}`)).trim()]).toEqual([pushed, pushed]);
  await world.host.dropCandidate({ repo, runId: RUN });
  // The log by which tests count moves of the target keeps what it was, too.
  await git(bare, 'reflog', 'expire', '--expire=now', '--all');
  await git(bare, 'gc', '--quiet', '--prune=now');
  await expect(git(bare, 'cat-file', '-e', pushed)).rejects.toThrow();
});

const removeObject = (name: string): Promise<void> =>
  rm(join(world.place.bare, 'objects', name.slice(0, 2), name.slice(2)));

const unreadable = (pr: number, head: string) => ({
  kind: 'faulty',
  pr,
  fault: {
    code: 'PULL_REQUEST_UNREADABLE',
    message: expect.stringContaining(`#${pr} adds with ${head}`),
  },
});

describe('with objects missing from the repository', () => {
  test('a candidate with a missing object does not land, and lands once it is built again', async () => {
    const { bare } = world.place;
    await world.push({ 'c.txt': 'c\n' });
    const prs = [pr, await world.open({ files: { 'b.txt': 'b\n' } })];
    const candidate = await built(world, prs);
    const onto = await world.place.tip('main');
    const members = candidate.steps.map(({ pr, head }) => ({ pr, head }));
    await removeObject(candidate.steps[0]!.tree);

    const landing = { repo, runId: RUN, branch: 'main', onto, candidate, members };
    expect(await world.host.land(landing)).toMatchObject({ kind: 'refused', class: 'wait', pr: null });
    expect(await world.place.tip('main')).toBe(onto);
    expect(await world.host.land(landing)).toEqual({ kind: 'candidate_gone' });
    expect(await built(world, prs)).toEqual(candidate);
    expect((await world.host.land(landing)).kind).toBe('landed');
    await git(bare, 'fsck', '--connectivity-only', 'main');
  });

  test('no candidate is built of a head with a missing parent, even if a commit-graph lists that parent', async () => {
    const { bare } = world.place;
    const broken = await world.open({ files: { 'b.txt': 'b\n' }, commits: [{ 'c.txt': 'c\n' }] });
    const head = await headOf(world, broken);
    await git(bare, 'commit-graph', 'write', '--reachable');
    await removeObject((await git(bare, 'rev-parse', `${head}^`)).trim());
    expect(await build(world, [broken], 'squash')).toMatchObject(unreadable(broken, head));
  });

  test.each([
    ['squash', ':src'],
    ['merge_commit', ':'],
    ['rebase', ':src/b.txt'],
  ] as const)('no candidate is built (%s) of a head without its %s', async (method, lost) => {
    const { bare } = world.place;
    const files = { 'src/b.txt': 'b\n' };
    await world.push({ 'src/c.txt': 'c\n' });
    const broken = await world.open({ files });
    const head = await headOf(world, broken);
    await removeObject((await git(bare, 'rev-parse', `${head}${lost}`)).trim());
    await world.push({ 'd.txt': 'd\n' });
    expect(await build(world, [pr, broken], method)).toMatchObject(unreadable(broken, head));
    expect((await build(world, [pr], method)).kind).toBe('built');
  });
});

test('a landing of a pull request without a step in the candidate is refused before anything moves', async () => {
  const landing = await request();
  const other = await world.open({ files: { 'b.txt': 'b\n' } });
  const [pull] = await shownBy(world.host, [other]);
  const members = [...landing.members, { pr: other, head: pull!.head }];
  await expect(world.host.land({ ...landing, members })).rejects.toMatchObject({
    name: 'HostError',
    retry: 'never',
  });
  expect(await world.place.tip('main')).toBe(landing.onto);
  expect((await world.host.land(landing)).kind).toBe('landed');
});

test('a landing of a pull request without a step in the candidate is known not to have happened once the candidate is dropped', async () => {
  const landing = await request();
  const other = await world.open({ files: { 'b.txt': 'b\n' } });
  const [pull] = await shownBy(world.host, [other]);
  const wrong = { ...landing, members: [...landing.members, { pr: other, head: pull!.head }] };
  await expect(world.host.land(wrong)).rejects.toMatchObject({ retry: 'never', reach: null });
  await world.host.dropCandidate({ repo, runId: RUN });
  expect(await world.host.land(wrong)).toEqual({ kind: 'candidate_gone' });
  expect(await world.place.tip('main')).toBe(landing.onto);
});

test('a read of impossible pull request numbers returns nothing for them', async () => {
  const pulls = await shownBy(world.host, [4_294_967_296, 0, -1, 1.5, pr]);
  expect(pulls.map(({ number }) => number)).toEqual([pr]);
});

test('a branch has the same digests of checks as their results, and new ones after a change of a command', async () => {
  await world.configure('unit', 'true');
  const { candidate } = await request();
  await world.host.startChecks({ repo, runId: RUN, commit: candidate.commit, names: ['unit'] });
  await world.host.checksEnded();
  const [check] = (await world.host.getChecks(repo, [candidate.commit])).get(candidate.commit) ?? [];
  const digests = async () => (await world.host.getBranch(repo, 'main'))?.digests;
  expect(await digests()).toEqual({ unit: check!.digest });
  await world.configure('unit', 'true # and more');
  expect((await digests())?.unit).not.toBe(check!.digest);
  expect((await digests())?.unit).toMatch(/^[0-9a-f]{64}$/);
});

test('a repository keeps a limited number of landing marks, the newest ones', async () => {
  const { bare } = world.place;
  const landing = await request();
  const old = Array.from({ length: LANDINGS_KEPT + 150 }, (_, index) => `refs/mq/landed/old-${index}`);
  const base = (await git(bare, 'rev-list', '--max-parents=0', 'main')).trim();
  await writeFile(
    join(bare, 'packed-refs'),
    `${old
      .map((ref) => `${base} ${ref}`)
      .sort()
      .join('\n')}\n`,
  );
  expect((await world.host.land(landing)).kind).toBe('landed');
  const left = await git(bare, 'for-each-ref', '--format=%(refname)', 'refs/mq/landed');
  expect(left.trim().split('\n')).toHaveLength(LANDINGS_KEPT);
  expect(left).toContain(`refs/mq/landed/${RUN}\n`);
  expect((await world.host.land(landing)).kind).toBe('landed');
});

describe('a person who can only push', () => {
  const push = (spec: string) => git(world.place.bare, 'push', '--quiet', world.place.bare, spec);

  test('a push can neither write nor remove the refs of the queue', async () => {
    const { candidate } = await request();
    await world.host.getBranch(repo, 'main');
    const forged = `refs/mq/checks/${candidate.commit}/forged/${'0'.repeat(24)}/1`;
    for (const spec of [
      `main:${forged}`,
      `main:refs/mq/landed/${RUN}`,
      `+main:refs/mq/candidates/${RUN}`,
      `:refs/mq/candidates/${RUN}`,
      `+main:refs/mq/pulls/${pr}/meta`,
    ])
      await expect(push(spec)).rejects.toThrow(/hidden ref/);
    await push('main:refs/heads/other');
    expect(await world.place.tip('other')).toBe(await world.place.tip('main'));
  });

  test('concurrent hosts hide the refs of the queue by one setting, and keep an opposite setting of the owner', async () => {
    const { bare, root } = world.place;
    const settings = async () => (await git(bare, 'config', '--get-all', 'receive.hideRefs')).trim();
    await git(bare, 'config', '--unset-all', 'receive.hideRefs').catch(() => undefined);
    const hosts = Array.from({ length: 4 }, () => gitHost({ repositories: { root } }));
    await Promise.all(hosts.flatMap((host) => [1, 2].map(() => host.getBranch(repo, 'main'))));
    expect([...new Set((await settings()).split('\n'))]).toEqual(['refs/mq']);
    await git(bare, 'config', '--replace-all', 'receive.hideRefs', '!refs/mq');
    await gitHost({ repositories: { root } }).getBranch(repo, 'main');
    expect(await settings()).toBe('!refs/mq');
  });
});

test('a missing repository is reported without its path', async () => {
  await world.host.getBranch(repo, 'main');
  const { bare } = world.place;
  await rename(bare, `${bare}.away`);
  const error = await world.host.getBranch(repo, 'main').catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: 'HostError', retry: 'later' });
  expect(String(error)).not.toContain(world.place.root);
  await rename(`${bare}.away`, bare);
  expect(await world.host.getBranch(repo, 'main')).not.toBeNull();
});

test('a repository whose refs are a reftable is refused with the reason and the command that converts it', async () => {
  const { bare, root } = world.place;
  await git(bare, 'config', 'extensions.refStorage', 'reftable');
  const host = gitHost({ repositories: { root } });
  for (const asked of [() => host.hasRepository(repo), () => host.getBranch(repo, 'main')])
    await expect(asked()).rejects.toMatchObject({
      name: 'HostError',
      retry: 'never',
      message: expect.stringMatching(/reftable.*git refs migrate --ref-format=files/),
    });
});

describe('a lock of refs that a crashed git left', () => {
  const locks = ['refs/heads/main.lock', 'packed-refs.lock', 'HEAD.lock'] as const;

  const lockedAt = async (name: string, ageMs: number): Promise<string> => {
    const file = join(world.place.bare, name);
    await writeFile(file, '');
    const at = new Date(Date.now() - ageMs);
    await utimes(file, at, at);
    return file;
  };

  test.each(locks)('a stale lock %s is removed, and the landing happens', async (name) => {
    const landing = await request();
    await git(world.place.bare, 'pack-refs', '--all');
    const file = await lockedAt(name, STALE_LOCK_MS + 1_000);
    expect((await world.host.land(landing)).kind).toBe('landed');
    expect(existsSync(file)).toBe(false);
    expect((await readdir(join(world.place.bare, 'mq'))).filter((each) => each.endsWith('.lock'))).toEqual(
      [],
    );
  });

  test('a recent lock of refs is kept, and the error names it with the remedy', async () => {
    const landing = await request();
    const file = await lockedAt('refs/heads/main.lock', 0);
    await expect(world.host.land(landing)).rejects.toThrow(
      /^<repository>\/refs\/heads\/main.lock is held by another git process.*after 10 min/,
    );
    expect(existsSync(file)).toBe(true);
    expect(await world.place.tip('main')).toBe(landing.onto);
  });

  test.runIf(process.platform === 'linux')(
    'a lock of refs is removed within seconds if no git of this machine works in the repository',
    async () => {
      const landing = await request();
      const file = await lockedAt('refs/heads/main.lock', OWNERLESS_LOCK_MS + 1_000);
      expect((await world.host.land(landing)).kind).toBe('landed');
      expect(existsSync(file)).toBe(false);
    },
  );

  test('a lock of refs is kept while the git that made it lives, and removed once that git was killed', async () => {
    const landing = await request();
    const holder = spawn('git', ['update-ref', '--stdin'], { cwd: world.place.bare });
    holder.stdin.write(`start\ndelete refs/heads/main ${landing.onto}\nprepare\n`);
    const said = holder.stdout.setEncoding('utf8');
    for (let text = ''; !text.includes('prepare: ok'); ) text += (await once(said, 'data'))[0];
    const at = new Date(Date.now() - OWNERLESS_LOCK_MS - 1_000);
    const files = locks.map((name) => join(world.place.bare, name));
    for (const file of files) await utimes(file, at, at);
    await expect(world.host.land(landing)).rejects.toThrow(/held by another git process/);

    const ended = once(holder, 'close');
    holder.kill('SIGKILL');
    await ended;
    expect(files.map(existsSync)).toEqual([true, true, true]);
    expect((await world.host.land(landing)).kind).toBe('landed');
    expect(files.map(existsSync)).toEqual([false, false, false]);
  });

  test('a lock of refs is kept while a git that may hold it works in the repository', async () => {
    const landing = await request();
    const file = await lockedAt('refs/heads/main.lock', OWNERLESS_LOCK_MS + 1_000);
    const working = spawn('git', ['hash-object', '--stdin'], { cwd: world.place.bare });
    const ended = once(working, 'close');
    try {
      await once(working, 'spawn');
      await expect(world.host.land(landing)).rejects.toThrow(/held by another git process/);
      expect(existsSync(file)).toBe(true);
    } finally {
      working.stdin.end();
      await ended;
    }
  });
});
