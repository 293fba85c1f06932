import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { git } from '@mq/test-git';
import { expect, onTestFinished, test } from 'vitest';
import { gitWorld, repo } from './git-world.js';

const hook = async (folder: string, name: string, mode = 0o755) => {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, name), '#!/bin/sh\nexit 0\n');
  await chmod(join(folder, name), mode);
};

test('the hooks that git would run on a push are named, and no others', async () => {
  const { host, place } = await gitWorld();
  onTestFinished(() => host.close());
  const folder = join(place.bare, 'hooks');
  await hook(folder, 'post-receive');
  await hook(folder, 'pre-receive');
  await hook(folder, 'update', 0o644);
  await hook(folder, 'post-update');

  expect(await host.hooksNotRun(repo)).toEqual(['pre-receive', 'post-receive']);

  await git(place.bare, 'config', 'core.hooksPath', 'elsewhere');
  await hook(join(place.bare, 'elsewhere'), 'update');
  expect(await host.hooksNotRun(repo)).toEqual(['update']);
});

test('the hooks that git would run on a push are found if an included file names their folder', async () => {
  const { host, place } = await gitWorld();
  onTestFinished(() => host.close());
  await hook(join(place.bare, 'elsewhere'), 'update');
  await writeFile(join(place.bare, 'more'), '[core]\n\thooksPath = elsewhere\n');
  await git(place.bare, 'config', 'include.path', 'more');

  expect(await host.hooksNotRun(repo)).toEqual(['update']);
});
