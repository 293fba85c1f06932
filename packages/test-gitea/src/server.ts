import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chmod, copyFile, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export interface RunningGitea {
  readonly url: string;
  /** The token of an administrator, with every scope. */
  readonly token: string;
  readonly folder: string;
  readonly port: number;
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Stops it, if it runs, and starts it on the same port. */
  restart(): Promise<void>;
}

export const GITEA_VERSION = '1.26.0';
const GITEA = 'code.gitea.io/gitea';
const TAGS = 'sqlite sqlite_unlock_notify';
const MODULE = fileURLToPath(new URL('../gitea/', import.meta.url));
const START_LIMIT_MS = 120_000;
const STOP_LIMIT_MS = 10_000;
const PROGRESS_EVERY_MS = 15_000;
const FETCH_LIMIT_MS = 15 * 60_000;
const LIST_BYTES_LIMIT = 16 * 1024 * 1024;
const run = promisify(execFile);

const cacheFolder = () =>
  process.env.MQ_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'mq');
const placeOf = () => join(cacheFolder(), `gitea-${GITEA_VERSION}`);
const binaryOf = () => join(placeOf(), 'bin', 'gitea');

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Whether Gitea has been built on this machine. */
const isGiteaBuilt = (): Promise<boolean> => exists(binaryOf());

const hasGo = (): Promise<boolean> =>
  run('go', ['version']).then(
    () => true,
    () => false,
  );

/**
 * Builds Gitea from its published source into the cache, unless it is there. About 7 minutes of two processors, once.
 * Null once it is there, or why it cannot be built here. Throws if the build fails.
 */
export const buildGitea = async (say: (line: string) => void): Promise<string | null> => {
  if (await isGiteaBuilt()) return null;
  if (!(await hasGo()))
    return 'there is no `go` on the PATH to build Gitea with. Install Go 1.26: https://go.dev/dl/';
  const folder = await moduleFolder();
  say('Fetching the source of Gitea, once: about 2 GB with what it builds on.');
  const fault = await whileSaying(say, 'fetching', () => fetchFault(folder));
  if (fault !== null)
    return `Go cannot fetch the source of Gitea: ${fault}. Check the network and \`go env GOPROXY\`.`;
  const built = `${binaryOf()}.${process.pid}`;
  const flags = ['-tags', TAGS, '-ldflags', `-X main.Version=${GITEA_VERSION}`];
  say(`Building Gitea ${GITEA_VERSION} into ${placeOf()}. This happens once and takes 5 to 15 minutes.`);
  const begunAt = Date.now();
  await whileSaying(say, 'building', () => finished('go', ['build', ...flags, '-o', built, GITEA], folder));
  await mkdir(join(placeOf(), 'bin'), { recursive: true });
  await rename(built, binaryOf());
  say(`Built in ${Math.round((Date.now() - begunAt) / 1000)} s.`);
  return null;
};

/** Fetches what the build needs into the cache of Go. Null once it is there, or what stopped it. */
const fetchFault = (folder: string): Promise<string | null> =>
  run('go', ['list', '-deps', '-tags', TAGS, GITEA], {
    cwd: folder,
    maxBuffer: LIST_BYTES_LIMIT,
    timeout: FETCH_LIMIT_MS,
  }).then(
    () => null,
    ({ stderr, killed }: { stderr?: string; killed?: boolean }) =>
      killed === true
        ? `that took longer than ${FETCH_LIMIT_MS / 60_000} min; another start goes on from there`
        : (stderr?.trim().split('\n').at(-1) ?? 'go did not start'),
  );

/** A copy of the Go module that names Gitea and the sums of all that it builds on. */
const moduleFolder = async (): Promise<string> => {
  const folder = join(placeOf(), 'module');
  await mkdir(folder, { recursive: true });
  for (const file of ['go.mod', 'go.sum']) await copyFile(join(MODULE, file), join(folder, file));
  return folder;
};

const whileSaying = async <Result>(
  say: (line: string) => void,
  what: string,
  work: () => Promise<Result>,
): Promise<Result> => {
  const begunAt = Date.now();
  const timer = setInterval(
    () => say(`  … still ${what} after ${Math.round((Date.now() - begunAt) / 1000)} s`),
    PROGRESS_EVERY_MS,
  );
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
};

const finished = (program: string, args: readonly string[], cwd: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] });
    child.once('error', reject);
    child.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`${program} ended with ${code}`)),
    );
  });

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });

/** Where the source of Gitea lies: it reads licences and locales from there. */
const sourceFolder = async () => {
  const { stdout } = await run('go', ['list', '-m', '-f', '{{.Dir}}', GITEA], {
    cwd: join(placeOf(), 'module'),
  });
  return stdout.trim();
};

const settings = (folder: string, port: number, source: string): string => `
APP_NAME = Gitea for mq
RUN_MODE = prod
RUN_USER = ${process.env.USER ?? process.env.LOGNAME ?? 'root'}
WORK_PATH = ${folder}
I_AM_BEING_UNSAFE_RUNNING_AS_ROOT = true

[server]
PROTOCOL = http
HTTP_ADDR = 127.0.0.1
HTTP_PORT = ${port}
ROOT_URL = http://127.0.0.1:${port}/
DISABLE_SSH = true
OFFLINE_MODE = true
STATIC_ROOT_PATH = ${source}

[database]
DB_TYPE = sqlite3
PATH = ${join(folder, 'gitea.db')}
SQLITE_JOURNAL_MODE = WAL

[repository]
ROOT = ${join(folder, 'repositories')}

[security]
INSTALL_LOCK = true
SECRET_KEY = for-tests-on-loopback-only
PASSWORD_HASH_ALGO = pbkdf2_v1

[service]
DISABLE_REGISTRATION = true
ENABLE_NOTIFY_MAIL = false

[webhook]
ALLOWED_HOST_LIST = loopback

[cron]
ENABLED = false

[cron.update_checker]
ENABLED = false

[actions]
ENABLED = false

[indexer]
REPO_INDEXER_ENABLED = false
ISSUE_INDEXER_TYPE = db

[log]
MODE = file
LEVEL = Warn
ROOT_PATH = ${join(folder, 'log')}
`;

/** Starts Gitea on loopback, with an administrator `mq-admin` and a token with every scope. A folder that holds one goes on. */
export const startGitea = async ({
  folder,
  port: wanted,
}: {
  readonly folder: string;
  readonly port?: number;
}): Promise<RunningGitea> => {
  const port = wanted ?? (await freePort());
  const config = join(folder, 'app.ini');
  const tokenFile = join(folder, 'admin-token');
  await mkdir(folder, { recursive: true });
  await writeFile(config, settings(folder, port, await sourceFolder()));
  const gitea = async (args: readonly string[]) =>
    (
      await run(binaryOf(), [...args, '--config', config, '--work-path', folder], {
        env: environment(folder),
      })
    ).stdout;
  if (!(await exists(tokenFile))) {
    await gitea(['migrate']);
    const password = `P${Math.random().toString(36).slice(2)}-${Math.random().toString(36).slice(2)}`;
    await gitea([
      ...['admin', 'user', 'create', '--admin', '--username', 'mq-admin', '--email', 'mq-admin@example.org'],
      ...['--password', password, '--must-change-password=false'],
    ]);
    const said = await gitea([
      ...['admin', 'user', 'generate-access-token', '--username', 'mq-admin', '--token-name', 'mq'],
      ...['--scopes', 'all', '--raw'],
    ]);
    const token = /\b[0-9a-f]{40}\b/.exec(said)?.[0];
    if (token === undefined) throw new Error(`Gitea answered no token: ${said.slice(0, 300)}`);
    await writeFile(tokenFile, token);
    await chmod(tokenFile, 0o600);
  }
  const token = (await readFile(tokenFile, 'utf8')).trim();
  const url = `http://127.0.0.1:${port}`;
  const start = async () => {
    const child = spawn(binaryOf(), ['web', '--config', config, '--work-path', folder], {
      stdio: 'ignore',
      env: environment(folder),
    });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await answering(url, child);
    return { child, ended };
  };
  let running = await start();
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    const { child, ended } = running;
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
    await ended;
    clearTimeout(timer);
  };
  return {
    url,
    token,
    folder,
    port,
    stop,
    restart: async () => {
      await stop();
      running = await start();
    },
  };
};

/** Only the needed variables: a proxy of the machine must not be used. */
const environment = (folder: string): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
  HOME: folder,
  USER: process.env.USER ?? process.env.LOGNAME ?? 'root',
  GITEA_WORK_DIR: folder,
  LC_ALL: 'C',
  TZ: 'UTC',
});

const answering = async (url: string, child: ChildProcess): Promise<void> => {
  const until = Date.now() + START_LIMIT_MS;
  while (Date.now() < until) {
    if (child.exitCode !== null) throw new Error(`Gitea ended with ${child.exitCode} while it started.`);
    const answer = await fetch(`${url}/api/v1/version`).catch(() => null);
    if (answer?.ok === true) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  child.kill('SIGKILL');
  throw new Error(`Gitea did not answer within ${START_LIMIT_MS / 1000} s.`);
};

export interface GiteaClientOptions {
  /** The user that makes the request, instead of the administrator. */
  readonly as?: string;
  /** Expected statuses besides 2xx. */
  readonly statuses?: readonly number[];
}

/** A call of its API for people and for tests. Throws for every status but 2xx and those named. */
export type GiteaClient = (
  method: string,
  path: string,
  body?: unknown,
  options?: GiteaClientOptions,
) => Promise<Readonly<Record<string, unknown>>>;

export const giteaClient =
  ({ url, token }: Pick<RunningGitea, 'url' | 'token'>): GiteaClient =>
  async (method, path, body, { as, statuses = [] } = {}) => {
    const asked = as === undefined ? path : `${path}${path.includes('?') ? '&' : '?'}sudo=${as}`;
    const answer = await fetch(`${url}/api/v1${asked}`, {
      method,
      headers: { authorization: `token ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok && !statuses.includes(answer.status))
      throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 300)}`);
    return text === '' ? {} : (JSON.parse(text) as Readonly<Record<string, unknown>>);
  };

export const removeGitea = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true, maxRetries: 5 });
