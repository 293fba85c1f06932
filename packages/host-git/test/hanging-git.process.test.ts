import { once } from 'node:events';
import { access, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { RepoRef } from '@mq/core';
import { git } from '@mq/test-git';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { runGit } from '../src/git.js';
import { type GitWorld, gitWorld, repo } from './git-world.js';
import { build, headOf } from './requests.js';
import { wrapGit } from './wrapped-git.js';

let world: GitWorld;

beforeEach(async () => {
  world = await gitWorld();
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await world.close();
});

const pidIn = async (file: string): Promise<number | null> =>
  Number(await readFile(file, 'utf8').catch(() => '')) || null;

const isRunning = async (pid: number): Promise<boolean> =>
  !/^\d+ \(.*\) Z|^$/s.test(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''));

describe('a git that hangs', () => {
  test('a git that hangs in one repository does not delay the reads of another one', async () => {
    const { root, bare } = world.place;
    const pr = await world.open({ files: { 'a.txt': 'a\n' } });
    const other: RepoRef = { ...repo, name: 'other' };
    await git(root, 'clone', '--quiet', '--bare', bare, join(root, repo.owner, 'other.git'));
    await world.host.getBranch(other, 'main');
    const [begun, released] = [join(root, 'begun'), join(root, 'released')];
    const hang = `while ! test -e ${released}; do sleep 0.1; done`;
    await wrapGit(world.place, `case "$*" in *${bare}*for-each-ref*) touch ${begun}; ${hang};; esac`);
    let isHanging = true;
    const hanging = Array.from({ length: 20 }, () => world.host.getBranch(repo, 'main'));
    void Promise.allSettled(hanging).then(() => {
      isHanging = false;
    });
    await expect
      .poll(() =>
        access(begun).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);

    expect(await world.host.getBranch(other, 'main')).toMatchObject({ head: await world.place.tip('main') });
    expect(isHanging).toBe(true);

    await writeFile(released, '');
    expect((await Promise.all(hanging)).map((branch) => branch?.head)).toContain(
      await world.place.tip('main'),
    );
    expect(await world.host.getPullRequests(repo, [pr])).toMatchObject([{ number: pr, state: 'open' }]);
  });

  test.each([
    ['cat-file', 'alone in its repository', 0],
    ['cat-file', 'beside another one', 1],
    ['rev-list', 'alone in its repository', 0],
    ['rev-list', 'beside another one', 1],
  ])(
    'a git %s that hangs during a merge is no fault of a pull request that is %s',
    async (command, _, others) => {
      await world.close();
      world = await gitWorld({ mergeLimitMs: 4_000 });
      const pr = await world.open({ files: { 'a.txt': 'a\n' } });
      for (let other = 0; other < others; other += 1) await world.open({ files: { 'b.txt': 'b\n' } });
      await headOf(world, pr);
      const merging = join(world.place.root, 'merging');
      const hang = `*merge-tree*) touch ${merging};; *${command}*) ! test -e ${merging} || exec sleep 600;;`;
      await wrapGit(world.place, `case "$*" in ${hang} esac`);
      await expect(build(world, [pr])).rejects.toMatchObject({
        ...{ name: 'HostError', retry: 'later' },
        message: expect.stringContaining(`git ${command} needs more than 4 s`),
      });
    },
  );

  test('a git that waits for a server that never answers ends with an error at its time limit', async () => {
    const server = createServer().listen(0);
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : null;
    const args = ['--end-of-options', `http://127.0.0.1:${port}/a.git`];
    const network = { settings: {}, timeoutMs: 500 };
    try {
      await expect(runGit({ command: 'ls-remote', args, network })).rejects.toMatchObject({
        retry: 'later',
        message: expect.stringMatching(/^git ls-remote was stopped: .* 0.5 s/),
      });
    } finally {
      server.close();
    }
  });

  test('a git that is stopped ends with the processes that it started', async () => {
    const pids = join(world.place.root, 'pids');
    await wrapGit(world.place, `case "$*" in *for-each-ref*) sleep 600 & echo $! > ${pids}; wait;; esac`);
    const stop = new AbortController();
    const answer = runGit({ command: 'for-each-ref', args: [], gitDir: world.place.bare, stop: stop.signal });
    await expect.poll(() => pidIn(pids)).not.toBeNull();
    stop.abort();
    await expect(answer).rejects.toThrow('git for-each-ref was stopped');
    const pid = (await pidIn(pids)) ?? 0;
    await expect.poll(() => isRunning(pid)).toBe(false);
  });
});
