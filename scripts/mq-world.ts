import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Client, createClient } from '@mq/client';
import { pullRequestsOf } from '@mq/host-git';
import { build } from 'esbuild';
import { type Program, startProgram } from '../packages/server/test/program.js';
import { startPostgres } from '../packages/test-postgres/src/index.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

export const TOKEN = 'token-of-the-tests-of-mq';

export interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
  readonly json: () => any;
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves when standard output or standard error has the text. */
  prints(text: string | RegExp): Promise<void>;
  readonly output: () => string;
}

export interface Repository {
  readonly bare: string;
  readonly clone: string;
  readonly ref: {
    readonly repo: { host: string; owner: string; name: string };
    readonly targetBranch: string;
  };
}

export interface World {
  readonly url: () => string;
  /** A home folder other than the user's, without configuration. */
  readonly home: string;
  readonly client: Client;
  /** A bare repository of that name with a branch for each pull request, and a clone of it. */
  repository(name: string, branches: Readonly<Record<string, string>>): Repository;
  /** The same, with an open pull request for each branch, and a queue. */
  queue(name: string, branches: Readonly<Record<string, string>>): Promise<Repository>;
  /** Runs mq in a folder, with MQ_URL and MQ_TOKEN unless `env` says otherwise. */
  run(cwd: string, args: readonly string[], env?: NodeJS.ProcessEnv, input?: string): Promise<Ended>;
  start(cwd: string, args: readonly string[], env?: NodeJS.ProcessEnv): Running;
  /** The same as a command line of sh, for `script`. */
  readonly command: string;
  stopServer(): Promise<void>;
  startServer(): Promise<void>;
  close(): Promise<void>;
}

/** Git without any configuration of this machine or user. */
export const git = (folder: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C' },
    encoding: 'utf8',
  }).trim();

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });

/** The command in one folder, as it is packed: without a loader of TypeScript, which would take a second each time. */
const bundled = async (folder: string): Promise<string> => {
  const dist = join(folder, 'dist');
  await build({
    entryPoints: [join(ROOT, 'packages/cli/src/mq.ts')],
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    conditions: ['mq-source'],
    outdir: dist,
    outExtension: { '.js': '.mjs' },
    logLevel: 'error',
    banner: {
      js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
    },
  });
  writeFileSync(join(folder, 'package.json'), '{ "version": "0.0.0-test", "type": "module" }');
  return join(dist, 'mq.mjs');
};

const follow = (child: ChildProcess, input?: string): Running => {
  const said = { stdout: '', stderr: '' };
  const looks = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      said[name] += text;
      for (const look of looks) look();
    });
  child.stdin?.end(input ?? '');
  const output = () => said.stdout + said.stderr;
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (exitCode) => resolve({ exitCode, ...said, json: () => JSON.parse(said.stdout) }));
  });
  const prints = (text: string | RegExp) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (typeof text === 'string' ? output().includes(text) : text.test(output())) resolve();
      };
      looks.add(look);
      look();
      void ended.then(() => reject(new Error(`it ended without ${text}:\n${output()}`)));
    });
  return { child, ended, prints, output };
};

const makeRepository = (
  folder: string,
  bare: string,
  name: string,
  branches: Readonly<Record<string, string>>,
): string => {
  const clone = join(folder, name);
  mkdirSync(bare, { recursive: true });
  git(bare, 'init', '--quiet', '--bare', '--initial-branch=main');
  git(bare, 'config', 'mq.check.unit.command', 'sh test.sh');
  git(folder, 'clone', '--quiet', bare, name);
  git(clone, 'checkout', '--quiet', '-B', 'main');
  const commit = (file: string, text: string, message: string) => {
    writeFileSync(join(clone, file), text);
    git(clone, 'add', '--all');
    git(clone, 'commit', '--quiet', '--message', message);
  };
  commit('test.sh', 'for one in *.sh.txt; do test ! -e "$one" || sh "$one" || exit 1; done\n', 'Begin');
  for (const [branch, test] of Object.entries(branches)) {
    git(clone, 'checkout', '--quiet', '-b', branch, 'main');
    commit(`${branch}.sh.txt`, `${test}\n`, `Write ${branch}`);
  }
  git(clone, 'push', '--quiet', '--all', 'origin');
  return clone;
};

/** A server and the command mq, for the tests of one file; each test has a repository of its own. */
export const mqWorld = async (): Promise<World> => {
  const folder = mkdtempSync(join(tmpdir(), 'mq-command-test-'));
  const home = join(folder, 'home');
  mkdirSync(home);
  const port = await freePort();
  // A PostgreSQL server takes a third of the processor time of the embedded one.
  const [program, postgres] = await Promise.all([bundled(join(folder, 'mq')), startPostgres()]);
  const data = join(folder, 'data');
  mkdirSync(data);
  // Some tests hold a slot for as long as they run.
  writeFileSync(join(data, 'mq.config.json'), '{ "ci": { "concurrency": 16 } }');
  const url = `http://127.0.0.1:${port}`;
  const client = createClient({ url, token: TOKEN });
  let server: Program | null = null;
  const running = new Set<ChildProcess>();
  const environment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
    ...{ PATH: process.env.PATH, HOME: home, LC_ALL: 'C.UTF-8', MQ_URL: url, MQ_TOKEN: TOKEN },
    ...env,
  });
  const world: World = {
    url: () => url,
    home,
    command: `'${process.execPath}' '${program}'`,
    client,
    repository: (name, branches) => {
      const bare = join(data, 'repos/acme', `${name}.git`);
      const repo = { host: 'local', owner: 'acme', name };
      return {
        bare,
        clone: makeRepository(folder, bare, name, branches),
        ref: { repo, targetBranch: 'main' },
      };
    },
    queue: async (name, branches) => {
      const made = world.repository(name, branches);
      const pulls = await pullRequestsOf(made.bare);
      for (const head of Object.keys(branches)) await pulls.open({ head, base: 'main' });
      await client.createQueue({ ...made.ref, concurrency: 2 });
      return made;
    },
    start: (cwd, args, env = {}) => {
      const child = spawn(process.execPath, [program, ...args], { cwd, env: environment(env) });
      running.add(child);
      return follow(child);
    },
    run: (cwd, args, env = {}, input = '') => {
      const child = spawn(process.execPath, [program, ...args], { cwd, env: environment(env) });
      running.add(child);
      return follow(child, input).ended;
    },
    startServer: async () => {
      server = startProgram('main', {
        ...{ PORT: String(port), MQ_DATA: data, MQ_TOKEN: TOKEN, HOME: home, DATABASE_URL: postgres.url },
      });
      await server.prints('tutorial/first-merge.md');
    },
    stopServer: async () => {
      server?.child.kill('SIGTERM');
      await server?.ended;
    },
    close: async () => {
      for (const child of running) child.kill('SIGKILL');
      server?.child.kill('SIGKILL');
      await server?.ended;
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
  await world.startServer();
  return world;
};
