import { existsSync, readFileSync } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Candidate, Check, TestRunId } from '@mq/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LOG_LIMIT_BYTES } from '../src/index.js';
import { type GitWorld, gitWorld, repo } from './git-world.js';
import { shownBy } from './requests.js';

const RUN = '00000003-0000-4000-8000-000000000001' as TestRunId;

let world: GitWorld;
let candidate: Candidate;

beforeEach(async () => {
  world = await gitWorld();
  const number = await world.open({ files: { 'a.txt': 'a\n' } });
  const [pull] = await shownBy(world.host, [number]);
  const outcome = await world.host.buildCandidate({
    decidedAt: Date.now(),
    repo,
    runId: RUN,
    branch: 'main',
    base: await world.place.tip('main'),
    method: 'squash',
    parts: [{ pr: number, head: pull!.head, message: { title: 'T', body: '' } }],
  });
  if (outcome.kind !== 'built') throw new Error(JSON.stringify(outcome));
  candidate = outcome.candidate;
});

afterEach(() => world.close());

const start = (names: readonly string[], runId = RUN) =>
  world.host.startChecks({ repo, runId, commit: candidate.commit, names });

const checks = async (): Promise<readonly Check[]> =>
  (await world.host.getChecks(repo, [candidate.commit])).get(candidate.commit) ?? [];

const outcomeOf = async (command: string, timeoutSeconds?: number): Promise<Check> => {
  await world.configure('unit', command, timeoutSeconds);
  await start(['unit']);
  await world.host.checksEnded();
  const [check] = await checks();
  return check!;
};

const logOf = (check: Check) => readFile(fileURLToPath(check.url ?? ''), 'utf8');

/** Resolves with the file's content once the command has written it, i.e. while it runs. */
const madeFile = async (path: string): Promise<string> => {
  for (;;) {
    const text = await readFile(path, 'utf8').catch(() => '');
    if (text.endsWith('\n')) return text.trim();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};

const isRunning = (pid: string): boolean => {
  try {
    process.kill(Number(pid), 0);
  } catch {
    return false;
  }
  // Ended processes stay in the table as zombies if no parent reaps them.
  return !existsSync(`/proc/${pid}/stat`) || !/^\d+ \(.*\) Z/s.test(statOf(pid));
};

const statOf = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return '0 (gone) Z';
  }
};

describe('the end of a command', () => {
  test.each([
    ['true', 'success', null],
    ['exit 1', 'failure', 'It ended with exit code 1.'],
    ['exit 255', 'failure', 'It ended with exit code 255.'],
    ['./a.txt-not-there && true; exit 3', 'failure', 'It ended with exit code 3.'],
    ['cd . && no-such-program', 'failure', 'It ended with exit code 127.'],
    ['sh -c "no-such-program"', 'failure', 'It ended with exit code 127.'],
  ] as const)('the command %j ends as %s', async (command, conclusion, summary) => {
    const check = await outcomeOf(command);
    expect([check.status, check.conclusion, check.summary]).toEqual(['completed', conclusion, summary]);
  });

  test.each([
    ['no-such-program --flag', /no-such-program/],
    ['LEVEL=3 OTHER= no-such-program', /no-such-program/],
    ['/no/such/program', /no\/such\/program/],
    ['./no-such-script.sh', /no-such-script/],
    ['./a.txt', /a\.txt/],
    ['kill -9 $$', /SIGKILL/],
    ['kill -SEGV $$', /SIGSEGV/],
    ['sh -c "kill -9 \\$\\$"; exit $?', /SIGKILL/],
    ['', /has no command/],
  ] as const)('the command %j ends as infrastructure, not as a failure', async (command, summary) => {
    const check = await outcomeOf(command);
    expect([check.status, check.conclusion]).toEqual(['completed', 'infrastructure']);
    expect(check.summary).toMatch(summary);
  });

  test('a check with an invalid timeout is an infrastructure failure that names the timeout', async () => {
    await world.configure('unit', 'true', -5);
    await start(['unit']);
    const [check] = await checks();
    expect([check?.conclusion, check?.summary]).toEqual(['infrastructure', expect.stringMatching(/timeout/)]);
  });

  test('a command that hangs and ignores SIGTERM times out, and its whole process group is killed', async () => {
    const pids = join(world.place.root, 'pids');
    const check = await outcomeOf(
      `trap '' TERM; sh -c 'trap "" TERM; sleep 600' & echo $! > ${pids}; sleep 600; wait`,
      3,
    );
    expect([check.conclusion, check.summary]).toEqual([
      'timed_out',
      'It ran longer than its timeout of 3 s.',
    ]);
    expect(isRunning(await madeFile(pids))).toBe(false);
  });

  test('a background process of a command is ended with it, and does not change the verdict', async () => {
    const pids = join(world.place.root, 'pids');
    const check = await outcomeOf(`sleep 600 & echo $! > ${pids}; exit 0`);
    expect(check.conclusion).toBe('success');
    expect(isRunning(await madeFile(pids))).toBe(false);
  });

  test('a child that leaves the process group and keeps the output open does not delay the end of the check', async () => {
    const pids = join(world.place.root, 'pids');
    const check = await outcomeOf(
      `setsid sh -c 'echo $$ > ${pids}; exec sleep 600' & until test -s ${pids}; do :; done`,
    );
    expect(check.conclusion).toBe('success');
    process.kill(Number(await madeFile(pids)), 'SIGKILL');
  });

  test('a flood of output is cut at the limit and does not change the verdict', async () => {
    const check = await outcomeOf('head -c 20000000 /dev/zero; echo the end; exit 7');
    expect([check.conclusion, check.summary]).toEqual(['failure', 'It ended with exit code 7.']);
    const { size } = await stat(fileURLToPath(check.url ?? ''));
    expect(size).toBeGreaterThan(LOG_LIMIT_BYTES);
    expect(size).toBeLessThan(LOG_LIMIT_BYTES + 1000);
    expect((await logOf(check)).trimEnd()).toMatch(/\[cut here: .*\]$/);
  });

  test('the log of a check has the command and both output streams', async () => {
    const check = await outcomeOf('echo out; echo err >&2; cat; exit 1');
    const log = await logOf(check);
    expect(log.split('\n')[0]).toBe('$ echo out; echo err >&2; cat; exit 1');
    expect(log).toContain('out\n');
    expect(log).toContain('err\n');
  });

  test('a log that cannot be written does not change the verdict', async () => {
    const narrow = await gitWorldOn(1);
    await world.configure('first', `rm -r '${join(world.place.bare, 'mq/logs')}'`);
    await world.configure('second', 'exit 1');
    await narrow.startChecks({ repo, runId: RUN, commit: candidate.commit, names: ['first', 'second'] });
    await narrow.checksEnded();
    const ended = (await narrow.getChecks(repo, [candidate.commit])).get(candidate.commit) ?? [];
    expect(ended.map(({ name, conclusion }) => [name, conclusion]).sort()).toEqual([
      ['first', 'success'],
      ['second', 'failure'],
    ]);
    await narrow.close();
  });

  test('a check finds the files and ids of its candidate, and no files or variables of the server', async () => {
    const check = await outcomeOf(
      'pwd; ls -A; echo "$MQ_RUN_ID $MQ_COMMIT"; echo x > "$HOME/f" && echo y > "$TMPDIR/f"',
    );
    const [, folder = '', ...rest] = (await logOf(check)).trimEnd().split('\n');
    expect(rest).toEqual(['README.md', 'a.txt', `${RUN} ${candidate.commit}`]);
    expect(existsSync(folder)).toBe(false);
  });
});

describe('cancelling', () => {
  test('a cancel ends the running command with its children, and the waiting command never runs', async () => {
    const pids = join(world.place.root, 'pids');
    const ran = join(world.place.root, 'ran');
    await world.host.close();
    const narrow = await gitWorldOn(1);
    await world.configure('slow', `sleep 600 & echo $! > ${pids}; wait`);
    await world.configure('waiting', `touch ${ran}`);
    await narrow.startChecks({ repo, runId: RUN, commit: candidate.commit, names: ['slow', 'waiting'] });
    const pid = await madeFile(pids);
    await narrow.cancelChecks({ repo, runId: RUN, commit: candidate.commit });
    const ended = (await narrow.getChecks(repo, [candidate.commit])).get(candidate.commit) ?? [];
    expect(ended.map(({ name, conclusion }) => [name, conclusion]).sort()).toEqual([
      ['slow', 'cancelled'],
      ['waiting', 'cancelled'],
    ]);
    await narrow.checksEnded();
    expect(isRunning(pid)).toBe(false);
    expect(existsSync(ran)).toBe(false);
    await narrow.close();
  });

  test('another host object of the repository can cancel a check', async () => {
    const pids = join(world.place.root, 'pids');
    await world.configure('slow', `echo $$ > ${pids}; sleep 600`);
    await start(['slow']);
    const pid = await madeFile(pids);
    const other = await gitWorldOn(1);
    await until(async () => (await checks())[0]?.status === 'running');
    await other.cancelChecks({ repo, runId: RUN, commit: candidate.commit });
    await world.host.checksEnded();
    expect((await checks()).map(({ conclusion }) => conclusion)).toEqual(['cancelled']);
    expect(isRunning(pid)).toBe(false);
    await other.close();
  });
});

const gitWorldOn = async (concurrency: number) => {
  const { gitHost } = await import('../src/index.js');
  return gitHost({ repositories: { root: world.place.root }, concurrency, killGraceMs: 500 });
};

const until = async (holds: () => Promise<boolean>): Promise<void> => {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
};

describe('the concurrency of commands', () => {
  test('no more commands than the limit run at the same time, over all test runs', async () => {
    const folder = join(world.place.root, 'running');
    const most = join(world.place.root, 'most');
    const { mkdir } = await import('node:fs/promises');
    await mkdir(folder);
    await writeFile(most, '');
    await world.configure(
      'unit',
      `mkdir ${folder}/$$; ls ${folder} | wc -l >> ${most}; sleep 0.1; rmdir ${folder}/$$`,
    );
    for (let run = 1; run <= 6; run += 1)
      await start(['unit'], `00000003-0000-4000-8000-00000000000${run}` as TestRunId);
    await world.host.checksEnded();
    const seen = (await readFile(most, 'utf8')).trim().split('\n').map(Number);
    expect(seen.length).toBe(6);
    expect(Math.max(...seen)).toBeLessThanOrEqual(2);
  });
});

describe('hints', () => {
  test('hints report the end of checks until their listener is removed', async () => {
    const heard: string[] = [];
    const stop = world.host.onEvent(({ what }) => heard.push(what));
    await outcomeOf('true');
    expect(heard).toEqual(['checks']);
    stop();
    await start(['unknown']);
    expect(heard).toEqual(['checks']);
  });
});

describe('after closing', () => {
  test('a closed host leaves its checks to the next one, without processes or folders', async () => {
    const pids = join(world.place.root, 'pids');
    const work = join(world.place.root, 'work');
    const { gitHost } = await import('../src/index.js');
    const host = gitHost({ repositories: { root: world.place.root }, workFolder: work, killGraceMs: 500 });
    await world.configure('slow', `echo $$ > ${pids}; sleep 600`);
    await host.startChecks({ repo, runId: RUN, commit: candidate.commit, names: ['slow'] });
    const pid = await madeFile(pids);
    await host.close();
    await host.close();
    expect(isRunning(pid)).toBe(false);
    expect(await readdir(work)).toEqual([]);
    expect((await checks()).map(({ conclusion }) => conclusion)).toEqual([null]);
    await expect(
      host.startChecks({ repo, runId: RUN, commit: candidate.commit, names: ['slow'] }),
    ).rejects.toThrow();
  });
});
