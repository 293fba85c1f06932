import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pullRequestsOf } from '@mq/host-git';
import { watchUntilEnd } from '@mq/secret-watch';
import { expect, onTestFinished } from 'vitest';
import {
  BUILT_FOLDER,
  EMPTY_STORE,
  type Environment,
  type Program,
  type ProgramName,
  startProgram,
} from './program.js';

export const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'mq-server-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
};

/** A program of the server. Processes that still run when the test ends are killed. */
export const program = (name: ProgramName, env: Environment, args: readonly string[] = []): Program => {
  const started = startProgram(name, env, args);
  watchUntilEnd('a log', () => `${started.stdout()}\n${started.stderr()}`);
  onTestFinished(() => void started.child.kill('SIGKILL'));
  return started;
};

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
  readonly json: any;
}

export interface Server extends Program {
  readonly url: string;
  readonly token: string;
  readonly dataFolder: string;
  ask(path: string, init?: RequestInit): Promise<Answer>;
  /** An operation with the token and, unless a body is given, the queue of `acme/widgets`. */
  call(operation: string, body?: object | string, headers?: Environment): Promise<Answer>;
}

export const queueRef = { repo: { host: 'local', owner: 'acme', name: 'widgets' }, targetBranch: 'main' };

/** Creating a database takes seconds, so an empty one is copied. */
const giveEmptyStore = (dataFolder: string): void => {
  const folder = join(dataFolder, 'store');
  const built = process.env[BUILT_FOLDER];
  if (built !== undefined && !existsSync(folder))
    cpSync(join(built, EMPTY_STORE), folder, { recursive: true });
};

/** A server on a free port in a folder of its own, once it serves. */
export const serverWith = async (env: Environment = {}): Promise<Server> => {
  const dataFolder = env.MQ_DATA ?? temporaryFolder();
  if (env.DATABASE_URL === undefined) giveEmptyStore(dataFolder);
  return startedWith({ ...env, MQ_DATA: dataFolder });
};

/** A server on a free port, once it serves. It creates whatever is missing in the folder. */
export const startedWith = async (env: Environment & { readonly MQ_DATA: string }): Promise<Server> => {
  const dataFolder = env.MQ_DATA;
  const running = program('main', { PORT: '0', ...env });
  await running.prints('tutorial/first-merge.md');
  const url = /running at (\S+)/.exec(running.stdout())?.[1] ?? '';
  const token = env.MQ_TOKEN ?? /Token {3}(\S+)/.exec(running.stdout())?.[1] ?? '';
  const ask = async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const response = await fetch(path.startsWith('http') ? path : `${url}${path}`, init);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson ? JSON.parse(text) : null,
    };
  };
  const call = (operation: string, body: object | string = {}, headers: Environment = {}) =>
    ask(`/v1/${operation}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-token': token, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify({ ...queueRef, ...body }),
    });
  return { ...running, url, token, dataFolder, ask, call };
};

/** Git without any configuration of this machine or user. */
export const git = (folder: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C' },
    encoding: 'utf8',
  }).trim();

/**
 * Makes `acme/widgets` in the data folder, with a check and a pull request for each branch; a branch has one commit that
 * writes a file of its name.
 */
export const makeRepository = async (
  dataFolder: string,
  command: string,
  branches: Readonly<Record<string, string>>,
): Promise<string> => {
  const bare = join(dataFolder, 'repos/acme/widgets.git');
  const work = temporaryFolder();
  mkdirSync(bare, { recursive: true });
  git(bare, 'init', '--quiet', '--bare', '--initial-branch=main');
  git(bare, 'config', 'mq.check.unit.command', command);
  git(work, 'init', '--quiet', '--initial-branch=main');
  const commit = (file: string, text: string, message: string) => {
    writeFileSync(join(work, file), text);
    git(work, 'add', '--all');
    git(work, 'commit', '--quiet', '--message', message);
  };
  commit('begin.txt', 'begin\n', 'Begin');
  git(work, 'push', '--quiet', bare, 'main');
  const pulls = await pullRequestsOf(bare);
  for (const [branch, text] of Object.entries(branches)) {
    git(work, 'checkout', '--quiet', '-b', branch, 'main');
    commit(`${branch}.txt`, text, `Write ${branch}`);
    git(work, 'push', '--quiet', bare, branch);
    await pulls.open({ head: branch, base: 'main' });
  }
  return bare;
};

/** True once it has ended, also before its exit was collected. */
export const isGone = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
  } catch {
    return true;
  }
  if (!existsSync('/proc/self/stat')) return false;
  try {
    return /^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
};

/** A start that has to fail: with exit code 1 and a message for people. */
export const refusal = async (
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): Promise<string> => {
  const attempt = program('main', { PORT: '0', MQ_DATA: temporaryFolder(), ...env }, args);
  const { code } = await attempt.ended;
  expect(code).toBe(1);
  expect(attempt.stderr()).not.toMatch(/\n\s+at /);
  return attempt.stderr();
};
