import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { copyPrograms } from './programs.js';

export interface TestPostgres {
  /** The connection of a superuser. */
  readonly url: string;
  /** Cuts all connections and restarts the server at the same address. Null for a server that was given. */
  readonly restart: (() => Promise<void>) | null;
  /** Stops the server and removes its files. */
  stop(): Promise<void>;
}

// Durability is off, so that tests are fast.
const speed = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off', max_connections: '200' };
const READY = /database system is ready to accept connections/;
// Kills a start that hangs.
const START_LIMIT_MS = 150_000;

/**
 * Starts a PostgreSQL server, or uses the one in `MQ_TEST_DATABASE_URL`. The server ends with this process, even if it
 * crashes.
 */
export const startPostgres = async (
  settings: Readonly<Record<string, string>> = {},
): Promise<TestPostgres> => {
  const given = process.env.MQ_TEST_DATABASE_URL;
  if (given !== undefined && given !== '') return { url: given, restart: null, stop: async () => {} };
  const folder = await mkdtemp(join(tmpdir(), 'mq-postgres-'));
  try {
    return await startIn(folder, { ...speed, ...settings });
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
};

const startIn = async (folder: string, settings: Readonly<Record<string, string>>): Promise<TestPostgres> => {
  const [programs, data] = [join(folder, 'programs'), join(folder, 'data')];
  const user = await unprivileged();
  await copyPrograms(programs);
  await mkdir(data, { mode: 0o700 });
  if (user !== null) {
    await chmod(folder, 0o755);
    await chown(data, user.uid, user.gid);
  }
  const asUser = { ...user, cwd: data, env: { ...process.env, LC_ALL: 'C' } };
  const program = (name: string) => join(programs, 'bin', name);
  const init = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  await promisify(execFile)(program('initdb'), init, asUser);
  const port = await freePort();
  const all = { ...settings, port: String(port), listen_addresses: '127.0.0.1', unix_socket_directories: '' };
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const start = async (): Promise<ChildProcess> => {
    const server = watched([program('postgres'), '-D', data, ...options], asUser);
    await isReady(server);
    return server;
  };
  let server = await start();
  return {
    // Any password is right; this one must stand in no log.
    url: `postgres://postgres:secret-of-the-database@127.0.0.1:${port}/postgres`,
    restart: async () => {
      await end(server);
      server = await start();
    },
    stop: async () => {
      await end(server);
      await rm(folder, { recursive: true, force: true });
    },
  };
};

const end = async (server: ChildProcess): Promise<void> => {
  const ended = new Promise((resolve) => server.once('close', resolve));
  server.stdin?.end();
  await ended;
};

/** The server refuses to run as root, so it runs as an unprivileged user then. Null if it can run as the current user. */
const unprivileged = async (): Promise<{ readonly uid: number; readonly gid: number } | null> => {
  if (process.getuid?.() !== 0) return null;
  const id = async (flag: string) => Number((await promisify(execFile)('id', [flag, 'nobody'])).stdout);
  return { uid: await id('-u'), gid: await id('-g') };
};

/** Stops the server when its input is closed, which also happens if this process dies. */
const watched = (command: readonly string[], options: object): ChildProcess => {
  const watch = '"$@" & server=$!; read -r end; kill -INT $server; wait $server';
  return spawn('/bin/sh', ['-c', watch, 'sh', ...command], { ...options, stdio: ['pipe', 'ignore', 'pipe'] });
};

const isReady = (server: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    let said = '';
    const timer = setTimeout(() => server.stdin?.end(), START_LIMIT_MS);
    server.stderr?.setEncoding('utf8').on('data', (text: string) => {
      if (said.length < 100_000) said += text;
      if (!READY.test(said)) return;
      clearTimeout(timer);
      resolve();
    });
    server.once('close', () => reject(new Error(`PostgreSQL did not start:\n${said}`)));
  });

/**
 * Below the range of automatically assigned ports, so that no other program gets the port before the server has it or
 * during a restart. Each process starts at its own offset.
 */
const PORTS = { first: 20_000, count: 12_000, ofEachProcess: 8 };
let looked = 0;

const freePort = async (): Promise<number> => {
  for (; looked < PORTS.count; ) {
    const port = PORTS.first + ((process.pid * PORTS.ofEachProcess + looked) % PORTS.count);
    looked += 1;
    if (await isFree(port)) return port;
  }
  throw new Error(`No port from ${PORTS.first} on is free for PostgreSQL.`);
};

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
