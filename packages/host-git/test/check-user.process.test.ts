import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Check } from '@mq/core';
import { afterEach, describe, expect, test } from 'vitest';
import type { GitHostOptions } from '../src/index.js';
import { type GitWorld, gitWorld, repo } from './git-world.js';
import { built, RUN } from './requests.js';

const USER = 'daemon';
const isRoot = process.platform === 'linux' && process.getuid?.() === 0;

const worlds: GitWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

const worldWith = async (options: Partial<GitHostOptions>): Promise<GitWorld> => {
  const world = await gitWorld(options);
  worlds.push(world);
  return world;
};

/** Runs one check on a new pull request to its end, and adds its log. */
const checked = async (world: GitWorld, command: string): Promise<Check & { readonly log: string }> => {
  await world.configure('probe', command, 60);
  const { commit } = await built(world, [await world.open({ files: { 'a.txt': 'a\n' } })]);
  await world.host.startChecks({ repo, runId: RUN, commit, names: ['probe'] });
  await world.host.checksEnded();
  const [check] = (await world.host.getChecks(repo, [commit])).get(commit) ?? [];
  const log = join(world.place.bare, 'mq', 'logs', `${check!.id}.log`);
  return { ...check!, log: await readFile(log, 'utf8').catch(() => '') };
};

/** A command that tries to read secrets of the server: environments of processes, a secret file, the repository. */
const snoop = (file: string, bare: string): string =>
  `cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep '^PROBE_SECRET='; cat ${file}; ls ${bare}; id -un; pwd`;

describe.runIf(isRoot)('a check that runs as another user', () => {
  const SECRET = 'of-the-server-only';

  const withSecrets = async <Value>(work: (file: string) => Promise<Value>): Promise<Value> => {
    const folder = await mkdtemp(join(tmpdir(), 'mq-secret-'));
    const file = join(folder, 'token');
    await chmod(folder, 0o755);
    await writeFile(file, SECRET, { mode: 0o600 });
    const server = spawn('sleep', ['600'], { env: { PROBE_SECRET: SECRET, PATH: process.env.PATH } });
    await once(server, 'spawn');
    try {
      return await work(file);
    } finally {
      server.kill('SIGKILL');
      await rm(folder, { recursive: true });
    }
  };

  test('a check without a configured user can read the secrets of the server', async () => {
    const world = await worldWith({});
    const { log } = await withSecrets((file) => checked(world, snoop(file, world.place.bare)));
    expect(log).toContain(`PROBE_SECRET=${SECRET}`);
    expect(log).toContain('objects');
  });

  test('a check that runs as another user can read no secrets of the server, and has its own home', async () => {
    const world = await worldWith({ user: USER });
    await chmod(world.place.root, 0o700);
    const command = `${snoop('$FILE', '$BARE')}; touch here "$HOME/there" "$TMPDIR/there" && cat a.txt`;
    const { log, conclusion } = await withSecrets((file) =>
      checked(world, command.replace('$FILE', file).replace('$BARE', world.place.bare)),
    );
    expect(conclusion).toBe('success');
    expect(log).not.toContain(`PROBE_SECRET=${SECRET}`);
    expect(log.split('\n').filter((line) => line === SECRET)).toEqual([]);
    expect(log).not.toContain('\nobjects\n');
    expect(log).toContain(`\n${USER}\n`);
  });

  test('processes that a check left in another session are killed when the check ends', async () => {
    const world = await worldWith({ user: USER });
    const command =
      'setsid sleep 617 >/dev/null 2>&1 & env -i setsid /bin/sleep 618 >/dev/null 2>&1 & sleep 0.2';
    expect((await checked(world, command)).conclusion).toBe('success');
    for (const seconds of ['617', '618']) expect(await runs(`sleep\0${seconds}\0`)).toBe(false);
  });

  test('a check whose user does not exist is an infrastructure failure that names the remedy', async () => {
    const world = await worldWith({ user: 'mq-no-such-user' });
    expect(await checked(world, 'true')).toMatchObject({
      conclusion: 'infrastructure',
      summary: expect.stringContaining('There is no user mq-no-such-user. Create it (useradd'),
    });
  });
});

/** True if the command line of a process of this machine ends with these NUL-terminated words. */
const runs = async (words: string): Promise<boolean> => {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name)))
    if ((await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).endsWith(words)) return true;
  return false;
};

describe('a wrapper', () => {
  test('a wrapper gets the command of a check, and its placeholders are replaced by the folders of the check', async () => {
    const world = await worldWith({ wrapper: ['/usr/bin/env', 'WRAPPED={tree}:{home}:{tmp}'] });
    const { conclusion } = await checked(world, 'test "$WRAPPED" = "$PWD:$HOME:$TMPDIR"');
    expect(conclusion).toBe('success');
  });

  test('a wrapper that cannot be run is an infrastructure failure, not a failure of the pull request', async () => {
    const world = await worldWith({ wrapper: ['mq-no-such-wrapper'] });
    expect(await checked(world, 'true')).toMatchObject({
      conclusion: 'infrastructure',
      summary: 'It could not be started: mq-no-such-wrapper cannot be run here.',
    });
  });
});
