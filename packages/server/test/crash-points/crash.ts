import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pullRequestsOf, verifyLandings } from '@mq/host-git';
import { argvOf } from '../program.js';
import { type CrashPoint, nameOf } from './points.js';
import type { Outcome } from './program.js';

export type StoreKind = 'PGlite' | 'PostgreSQL';

/** What came of one crash. `faults` is empty if every promise was kept. */
export interface Crashed {
  readonly point: CrashPoint;
  readonly faults: readonly string[];
  /** From the start of the second process until everything was quiet. */
  readonly quietMs: number;
}

const LIMIT_MS = 400_000;

/** Fails if the tree has the change of #2, and takes long if it has that of #4. */
const CHECK = 'sleep 0.3; test ! -f four.txt || sleep 60; test ! -f two.txt';
const ENDS = { 1: 'merged', 2: 'failed', 3: 'merged', 4: 'cancelled' };
const LANDED = ['Write three (#3)', 'Write one (#1)', 'Begin'];

const git = (folder: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C' },
    encoding: 'utf8',
  }).trim();

const makeRepository = async (folder: string): Promise<string> => {
  const [bare, work] = [join(folder, 'repos/acme/widgets.git'), join(folder, 'clone')];
  for (const path of [bare, work]) mkdirSync(path, { recursive: true });
  git(bare, 'init', '--quiet', '--bare', '--initial-branch=main');
  git(bare, 'config', 'mq.check.unit.command', CHECK);
  git(work, 'init', '--quiet', '--initial-branch=main');
  const commit = (file: string, message: string) => {
    writeFileSync(join(work, file), `${message}\n`);
    git(work, 'add', '--all');
    git(work, 'commit', '--quiet', '--message', message);
  };
  commit('begin.txt', 'Begin');
  git(work, 'push', '--quiet', bare, 'main');
  const pulls = await pullRequestsOf(bare);
  for (const branch of ['one', 'two', 'three', 'four']) {
    git(work, 'checkout', '--quiet', '-b', branch, 'main');
    commit(`${branch}.txt`, `Write ${branch}`);
    git(work, 'push', '--quiet', bare, branch);
    await pulls.open({ head: branch, base: 'main' });
  }
  return bare;
};

interface Ended {
  readonly signal: string | null;
  readonly said: string;
  readonly tookMs: number;
}

const runProgram = (folder: string, env: Readonly<Record<string, string>>): Promise<Ended> =>
  new Promise((resolve) => {
    const startedAt = performance.now();
    const child = spawn(process.execPath, [...argvOf('crash-point'), folder], {
      env: { PATH: process.env.PATH ?? '', HOME: folder, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const pipe of [child.stdout, child.stderr])
      pipe.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
    const timer = setTimeout(() => child.kill('SIGTERM'), LIMIT_MS);
    child.once('close', (_, signal) => {
      clearTimeout(timer);
      resolve({ signal, said, tookMs: performance.now() - startedAt });
    });
  });

/** Kills a process at the point, starts another, lets it run until all is quiet, and looks whether every promise was kept. */
export const crashAt = async (
  point: CrashPoint,
  url: string | null,
  prepare: (folder: string) => void = () => undefined,
): Promise<Crashed> => {
  const folder = mkdtempSync(join(tmpdir(), 'mq-crash-'));
  try {
    const bare = await makeRepository(folder);
    prepare(folder);
    const store: Record<string, string> = url === null ? {} : { DATABASE_URL: url };
    const first = await runProgram(folder, { ...store, MQ_CRASH_POINT: nameOf(point) });
    if (first.signal !== 'SIGKILL')
      return { point, faults: [`it never came to the point: ${first.said}`], quietMs: Number.NaN };
    const second = await runProgram(folder, store);
    if (second.signal !== null || !second.said.startsWith('{'))
      return { point, faults: [`it did not come to rest: ${second.said}`], quietMs: second.tookMs };
    return { point, faults: await faultsOf(bare, JSON.parse(second.said)), quietMs: second.tookMs };
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
};

const faultsOf = async (bare: string, { states, receipts, left }: Outcome): Promise<readonly string[]> => {
  const faults: string[] = [];
  const expect = (what: string, found: unknown, wanted: unknown) => {
    const [is, should] = [JSON.stringify(found), JSON.stringify(wanted)];
    if (is !== should) faults.push(`${what}: ${is} instead of ${should}`);
  };
  expect('the ends of the submissions', states, ENDS);
  expect('what landed', git(bare, 'log', '--format=%s', 'main').split('\n'), LANDED);
  expect('candidates that are left', git(bare, 'for-each-ref', 'refs/mq/candidates', 'refs/mq/landing'), '');
  expect('effects that are left', left, 0);
  expect('checks that have not ended', openChecks(bare), 0);
  const verified = await verifyLandings({ receipts, repository: bare });
  for (const { code, sentence } of verified.faults) faults.push(`${code}: ${sentence}`);
  expect('what landed past the queue', verified.pastTheQueue.length, 0);
  // Pull requests that wait together may land together, but each has its receipt.
  expect('receipts', receipts.map(({ pr }) => pr).sort(), [1, 3]);
  return faults;
};

const openChecks = (bare: string): number => {
  const refs = git(bare, 'for-each-ref', '--format=%(objectname)', 'refs/mq/checks')
    .split('\n')
    .filter(Boolean);
  return refs.filter((blob) => JSON.parse(git(bare, 'cat-file', 'blob', blob)).status !== 'completed').length;
};
