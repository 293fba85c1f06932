import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isAlive, markOf, type ProcessMark, processMark } from '@mq/host-git';
import { makeFolder } from './make-folder.js';
import { codeOf, StartProblem } from './problem.js';

export const REPOSITORIES = 'repos';
const LOCK = 'server.lock';
const LOCK_TRIES = 100;
const TURN_WAIT_MS = 20;
const TURN_LEFT_BEHIND_MS = 10_000;

export interface DataFolder {
  /** Contains the repositories as `<owner>/<name>.git`. */
  readonly repositories: string;
  /** Releases the folder for other servers. Idempotent. */
  release(): Promise<void>;
}

/** Creates the folder if it is missing, without a lock, for servers that share it. Throws a StartProblem if it is not writable. */
export const shareDataFolder = async (path: string): Promise<DataFolder> => {
  const repositories = join(path, REPOSITORIES);
  const probe = join(path, `probe.${randomUUID()}`);
  try {
    await makeFolder(repositories);
    await writeFile(probe, '');
  } catch (error) {
    throw cannotUse(path, error);
  } finally {
    await rm(probe, { force: true }).catch(() => undefined);
  }
  return { repositories, release: async () => {} };
};

/** Creates the folder if it is missing and locks it for this process. Throws a StartProblem if it is in use or not writable. */
export const takeDataFolder = async (path: string): Promise<DataFolder> => {
  const repositories = join(path, REPOSITORIES);
  const lock = join(path, LOCK);
  const mine = join(path, `${LOCK}.${randomUUID()}`);
  try {
    await makeFolder(repositories);
    await writeFile(mine, JSON.stringify(await ownMark()), { mode: 0o600 });
  } catch (error) {
    throw cannotUse(path, error);
  }
  try {
    await takeLock(path, lock, mine);
  } catch (error) {
    throw error instanceof StartProblem ? error : cannotUse(path, error);
  } finally {
    await rm(mine, { force: true });
  }
  let isMine = true;
  const release = async () => {
    if (isMine) await rm(lock, { force: true });
    isMine = false;
  };
  return { repositories, release };
};

const ownMark = async (): Promise<ProcessMark> =>
  (await markOf(process.pid)) ?? { machine: hostname(), pid: process.pid, began: 'unknown' };

/** Creates the lock as a hard link: `link` fails atomically if the name exists. */
const takeLock = async (path: string, lock: string, mine: string): Promise<void> => {
  for (let tries = 0; tries < LOCK_TRIES; tries += 1) {
    try {
      await link(mine, lock);
      return;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw cannotUse(path, error);
    }
    const holder = await holderOf(lock);
    if (holder === 'gone') continue;
    if (holder !== null && (await isAlive(holder)) !== false) throw inUse(path, lock, holder);
    await removeStale(lock, holder);
  }
  throw new StartProblem(`Other servers keep taking ${lock}.`, 'Start one server only, or try again.');
};

/** Null if the lock names no process, because a crash truncated it. */
const holderOf = async (lock: string): Promise<ProcessMark | null | 'gone'> => {
  try {
    const parsed = processMark.safeParse(JSON.parse(await readFile(lock, 'utf8')));
    return parsed.data ?? null;
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? 'gone' : null;
  }
};

/**
 * Removes a stale lock, one process at a time, after reading it again: another server may have locked the folder meanwhile.
 * Other processes wait a moment and retry.
 */
const removeStale = async (lock: string, stale: ProcessMark | null): Promise<void> => {
  const turn = `${lock}.turn`;
  if (!(await takeTurn(turn))) return wait(TURN_WAIT_MS);
  try {
    const found = await holderOf(lock);
    if (JSON.stringify(found) === JSON.stringify(stale)) await rm(lock, { force: true });
  } finally {
    await rm(turn, { recursive: true, force: true });
  }
};

/** `mkdir` fails if the folder exists. A folder left behind by a crash is removed once it is old. */
const takeTurn = async (turn: string): Promise<boolean> => {
  try {
    await mkdir(turn);
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  const since = await stat(turn).then(
    ({ mtimeMs }) => mtimeMs,
    () => Number.POSITIVE_INFINITY,
  );
  if (Date.now() - since > TURN_LEFT_BEHIND_MS) await rm(turn, { recursive: true, force: true });
  return false;
};

const inUse = (path: string, lock: string, { pid, machine }: ProcessMark): StartProblem =>
  machine === hostname()
    ? new StartProblem(
        `The data folder ${path} is in use by another server (process ${pid}).`,
        `End that server (kill ${pid}), or give this one a folder of its own: MQ_DATA=<folder> npm start`,
      )
    : new StartProblem(
        `The data folder ${path} is in use by a server on the machine ${machine} (process ${pid} there).`,
        `Give this server a folder of its own: MQ_DATA=<folder> npm start\nIf that machine is gone for good, remove ${lock}.`,
      );

const cannotUse = (path: string, error: unknown): StartProblem => {
  const elsewhere = 'or choose another folder: MQ_DATA=<folder> npm start';
  switch (codeOf(error)) {
    case 'EACCES':
    case 'EPERM':
      return new StartProblem(
        `No permission to write in the data folder ${path}.`,
        `Make it writable for the user that runs the server, ${elsewhere}`,
        { cause: error },
      );
    case 'EROFS':
      return new StartProblem(
        `The data folder ${path} is on a file system that is mounted read-only.`,
        `Mount it for writing, ${elsewhere}`,
        { cause: error },
      );
    case 'EEXIST':
    case 'ENOTDIR':
      return new StartProblem(
        `Cannot create the data folder ${path}: a file is in its place.`,
        `Move that file away, ${elsewhere}`,
        { cause: error },
      );
    case 'ENOENT':
      return new StartProblem(
        `Cannot create the data folder ${path}: its parent does not allow new folders.`,
        `Check that its disk is mounted, ${elsewhere}`,
        { cause: error },
      );
    case 'ENOSPC':
      return new StartProblem(
        `The disk of the data folder ${path} is full.`,
        `Free some space, ${elsewhere}`,
        {
          cause: error,
        },
      );
    default:
      return new StartProblem(
        `The data folder ${path} cannot be used: ${error instanceof Error ? error.message : String(error)}.`,
        `Fix that, ${elsewhere}`,
        { cause: error },
      );
  }
};
