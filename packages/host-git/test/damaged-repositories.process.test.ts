import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { LandRequest } from '@mq/core';
import { git } from '@mq/test-git';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { gitHost } from '../src/index.js';
import { type GitWorld, gitWorld, mqPr, repo } from './git-world.js';
import { built, RUN } from './requests.js';

let world: GitWorld;

beforeEach(async () => {
  world = await gitWorld();
});

afterEach(() => world.close());

describe('a head branch whose file is damaged', () => {
  const damages = [
    ['empty', ''],
    ['no ref', 'garbage\n'],
  ] as const;

  test.each(damages)(
    'a head branch whose file is %s makes its own pull request unreadable',
    async (_, text) => {
      const other = await world.open({ files: { 'a.txt': 'a\n' } });
      const pr = await world.open({ files: { 'b.txt': 'b\n' } });
      await writeFile(join(world.place.bare, 'refs/heads/change/2'), text);
      const shown = await world.host.getPullRequests(repo, [other, pr], { merging: 'squash' });
      expect([...shown].sort((one, two) => one.number - two.number)).toMatchObject([
        { number: other, mergeability: 'mergeable' },
        {
          number: pr,
          fault: {
            code: 'PULL_REQUEST_UNREADABLE',
            message: expect.stringMatching(/change\/2.*delete that file/),
          },
        },
      ]);
      expect(await mqPr(world.place.bare, 'list')).toHaveLength(2);
    },
  );

  test.each(damages)('a landing is refused for the pull request whose branch file is %s', async (_, text) => {
    const other = await world.open({ files: { 'a.txt': 'a\n' } });
    const pr = await world.open({ files: { 'b.txt': 'b\n' } });
    const candidate = await built(world, [other, pr]);
    const members = candidate.steps.map(({ pr: number, head }) => ({ pr: number, head }));
    const onto = await world.place.tip('main');
    const landing: LandRequest = { repo, runId: RUN, branch: 'main', onto, candidate, members };
    await writeFile(join(world.place.bare, 'refs/heads/change/2'), text);
    expect(await world.host.land(landing)).toMatchObject({
      kind: 'refused',
      class: 'pull_request',
      pr,
      message: expect.stringContaining('change/2'),
    });
    expect(await world.place.tip('main')).toBe(onto);
  });
});

test('a shallow repository is refused with the reason and the command that completes it', async () => {
  const { bare, root } = world.place;
  await world.push({ 'a.txt': 'a\n' });
  const whole = join(root, 'whole.git');
  await rename(bare, whole);
  await git(root, 'clone', '--quiet', '--bare', '--depth=1', pathToFileURL(whole).href, bare);
  const host = gitHost({ repositories: { root } });
  for (const asked of [() => host.hasRepository(repo), () => host.getBranch(repo, 'main')])
    await expect(asked()).rejects.toMatchObject({
      name: 'HostError',
      retry: 'never',
      message: expect.stringMatching(/shallow.*git fetch --unshallow/),
    });
  await git(bare, 'fetch', '--quiet', '--unshallow');
  expect(await host.getBranch(repo, 'main')).not.toBeNull();
});
