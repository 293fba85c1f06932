import { randomBytes } from 'node:crypto';
import type { LandRequest } from '@mq/core';
import { git } from '@mq/test-git';
import { describe, expect, test, vi } from 'vitest';
import { type MirrorWorld, mirrorWorld, squashOf } from './mirror-world.js';
import { asked } from './requests.js';
import { wrapGit } from './wrapped-git.js';

/** Files whose tree stays larger than the limit of a disk that is almost full. */
const manyFiles = (folder: string) =>
  Object.fromEntries(
    Array.from({ length: 1500 }, () => [`${folder}${randomBytes(40).toString('hex')}`, 'same\n']),
  );

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
      const head = await place.commit(
        'feature',
        { 'noise.txt': randomBytes(300_000).toString('base64') },
        'main',
      );
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
