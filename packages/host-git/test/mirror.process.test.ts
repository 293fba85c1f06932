import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { LandRequest } from '@mq/core';
import { git } from '@mq/test-git';
import { describe, expect, test, vi } from 'vitest';
import { STALE_LOCK_MS } from '../src/stale-locks.js';
import { type MirrorWorld, mirrorWorld, squashOf } from './mirror-world.js';
import { asked } from './requests.js';
import { wrapGit } from './wrapped-git.js';

/** Files whose tree stays larger than the limit of a disk that is almost full. */
const manyFiles = (folder: string) =>
  Object.fromEntries(
    Array.from({ length: 1500 }, () => [`${folder}${randomBytes(40).toString('hex')}`, 'same\n']),
  );

/** A commit on top of `main` that does not fit on a disk that is almost full. */
const largeCommit = ({ place }: MirrorWorld, branch: string) =>
  place.commit(branch, { 'noise.txt': randomBytes(300_000).toString('base64') }, 'main');

/** From now on git can write no file of more than 50 kB. */
const fillDisk = ({ place }: MirrorWorld) => wrapGit(place, 'ulimit -f 100');

const isLater = { name: 'HostError', retry: 'later' };

describe('a fetch that ends before it has written all objects', () => {
  test.each(['big/', ''])(
    'a landing after an interrupted fetch of the target keeps all its files (in %j)',
    async (folder) => {
      const world = await mirrorWorld();
      const { place, mirror } = world;
      await place.commit('main', manyFiles(folder));
      await mirror.ensure([{ commit: await place.tip('main'), pr: null }]);
      const head = await place.commit('feature', { [`${folder}new`]: 'new\n' }, 'main');
      await mirror.ensure([{ commit: head, pr: 1 }]);
      const base = await place.commit('main', { [`${folder}other`]: 'other\n' });
      await fillDisk(world);
      await expect(mirror.ensure([{ commit: base, pr: null }])).rejects.toMatchObject(isLater);
      await expect(mirror.build(squashOf(1, head, base))).rejects.toMatchObject(isLater);
      vi.unstubAllEnvs();

      const outcome = await mirror.build(squashOf(1, head, base));
      if (outcome.kind !== 'built') throw new Error(JSON.stringify(outcome));
      const { repo, runId } = asked;
      const { candidate } = outcome;
      const landing: LandRequest = {
        repo,
        runId,
        branch: 'main',
        onto: base,
        candidate,
        members: [{ pr: 1, head }],
      };
      expect(await mirror.landings.fault(landing)).toBeNull();
      expect(await mirror.landings.advance(landing, await mirror.landings.look(landing))).toEqual({
        kind: 'pushed',
      });
      const changed = await git(place.bare, 'diff', '--name-status', base, 'main');
      expect(changed.trim()).toBe(`A\t${folder}new`);
    },
  );

  test.each(['same process', 'later process'])(
    'an interrupted fetch of a head is completed by the %s',
    async (which) => {
      const world = await mirrorWorld();
      const { place, mirror } = world;
      const base = await place.tip('main');
      await mirror.ensure([{ commit: base, pr: null }]);
      const head = await largeCommit(world, 'feature');
      await fillDisk(world);
      await mirror.ensure([{ commit: head, pr: 1 }]).catch(() => undefined);
      vi.unstubAllEnvs();

      const next = which === 'same process' ? mirror : await world.reopen();
      const question = { method: 'squash', base: 'main', baseTip: base, head } as const;
      expect(await next.ensure([{ commit: head, pr: 1 }])).toEqual(new Map());
      expect(await next.mergeability(question, false)).toMatchObject({ mergeability: 'mergeable' });
      expect(await next.build(squashOf(1, head, base))).toMatchObject({ kind: 'built' });
    },
  );
});

describe('a head that cannot be fetched', () => {
  const worldWithHeads = async () => {
    const world = await mirrorWorld();
    const { place, mirror } = world;
    const base = await place.tip('main');
    await mirror.ensure([{ commit: base, pr: null }]);
    const large = await largeCommit(world, 'large');
    const good = await place.commit('good', { 'good.txt': 'good\n' }, 'main');
    const wanted = [base, large, good].map((commit, pr) => ({ commit, pr: pr === 0 ? null : pr }));
    await fillDisk(world);
    return { ...world, base, large, good, wanted };
  };

  test('a head that cannot be fetched does not affect the others of the same read', async () => {
    const { mirror, base, large, good, wanted } = await worldWithHeads();
    const unavailable = await mirror.ensure(wanted);
    expect([...unavailable]).toEqual([[large, { kind: 'failed', error: expect.objectContaining(isLater) }]]);
    expect(await mirror.build(squashOf(2, good, base))).toMatchObject({ kind: 'built' });
    await expect(mirror.build(squashOf(1, large, base))).rejects.toThrow(
      `The head ${large} of #1 cannot be fetched`,
    );
  });

  test('a read fails if no head can be fetched because the server does not answer', async () => {
    const { place, mirror, wanted } = await worldWithHeads();
    await rm(place.bare, { recursive: true });
    await expect(mirror.ensure(wanted)).rejects.toMatchObject(isLater);
  });

  test('a read fails if the target cannot be fetched', async () => {
    const { mirror, large, good } = await worldWithHeads();
    const wanted = [
      { commit: large, pr: null },
      { commit: good, pr: 2 },
    ];
    await expect(mirror.ensure(wanted)).rejects.toMatchObject(isLater);
  });

  test.each(['a failed fetch', 'the next start'])(
    'temporary files of killed fetches are removed after %s',
    async (when) => {
      const { path, mirror, wanted, reopen } = await worldWithHeads();
      const folder = join(path, 'objects/pack');
      const [old, recent] = ['tmp_pack_aaaaaa', 'tmp_pack_bbbbbb'];
      await mkdir(folder, { recursive: true });
      for (const name of [old, recent]) await writeFile(join(folder, name), 'part');
      const longAgo = new Date(Date.now() - STALE_LOCK_MS);
      await utimes(join(folder, old), longAgo, longAgo);
      await (when === 'a failed fetch' ? mirror.ensure(wanted) : reopen());
      const left = await readdir(folder);
      expect(left).toContain(recent);
      expect(left).not.toContain(old);
    },
  );
});

test.each([
  ['mq', 1, { class: 'setting', pr: null }],
  ['mq/pr-1', 1, { class: 'pull_request', pr: 1 }],
  ['mq/pr-1', 2, null],
] as const)(
  'a branch %s at the server refuses a build of #%i only if it is in the way',
  async (branch, pr, refusal) => {
    const { place, mirror } = await mirrorWorld();
    const base = await place.tip('main');
    await place.commit(branch, { 'a.txt': 'a\n' }, 'main');
    const head = await place.commit('feature', { 'b.txt': 'b\n' }, 'main');
    const message = expect.stringContaining(`The branch ${branch} `);
    expect(await mirror.build(squashOf(pr, head, base))).toMatchObject(
      refusal === null ? { kind: 'built' } : { kind: 'refused', ...refusal, message },
    );
  },
);

describe('a lock that a killed git left in a mirror', () => {
  const lockAt = async (file: string, ageMs: number): Promise<void> => {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, '');
    const at = new Date(Date.now() - ageMs);
    await utimes(file, at, at);
  };

  test.each(['config', 'HEAD'])('a mirror opens in spite of an old %s.lock', async (name) => {
    const { path, reopen } = await mirrorWorld();
    await rm(path, { recursive: true });
    await lockAt(join(path, `${name}.lock`), STALE_LOCK_MS);
    const mirror = await reopen();
    expect(await mirror.tip('main')).toMatch(/^[0-9a-f]{40}$/);
    await lockAt(join(path, `${name}.lock`), STALE_LOCK_MS);
    await reopen();
  });

  test('a mirror that another git is configuring opens later', async () => {
    const { path, reopen } = await mirrorWorld();
    await lockAt(join(path, 'config.lock'), 0);
    await expect(reopen()).rejects.toMatchObject({
      ...isLater,
      message: expect.stringMatching(/config\.lock is held by another git process/),
    });
  });

  test('a fetch removes an old lock of the ref that it sets', async () => {
    const { place, path, mirror } = await mirrorWorld();
    await lockAt(join(path, 'refs/mq/pulls/1/head.lock'), STALE_LOCK_MS);
    const head = await place.commit('feature', { 'a.txt': 'a\n' }, 'main');
    expect(await mirror.ensure([{ commit: head, pr: 1 }])).toEqual(new Map());
    expect((await git(path, 'rev-parse', 'refs/mq/pulls/1/head')).trim()).toBe(head);
  });

  test('a head whose ref another git has locked is still read', async () => {
    const { place, path, mirror } = await mirrorWorld();
    await lockAt(join(path, 'refs/mq/pulls/1/head.lock'), 0);
    const head = await place.commit('feature', { 'a.txt': 'a\n' }, 'main');
    expect(await mirror.ensure([{ commit: head, pr: 1 }])).toEqual(new Map());
  });
});
