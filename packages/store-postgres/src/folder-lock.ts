import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { StoreProblem } from './store-problem.js';

const LOCK = 'lock';
const TRIES_LIMIT = 20;

/** Identifies a process, also if its id is reused later. */
interface Holder {
  readonly machine: string;
  readonly pid: number;
  readonly began: string;
}

/**
 * Creates the folder if needed and locks it for this process. Resolves with the function that releases it. Takes over a
 * lock whose process is gone. Rejects with a StoreProblem if the folder cannot be used.
 */
export const takeFolder = async (folder: string): Promise<() => Promise<void>> => {
  const lock = join(folder, LOCK);
  const mine = join(folder, `${LOCK}.${randomUUID()}`);
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(mine, JSON.stringify(await ownMark()), { mode: 0o600 });
    await takeLock(folder, lock, mine);
  } catch (error) {
    throw error instanceof StoreProblem ? error : unwritable(folder, error);
  } finally {
    await rm(mine, { force: true }).catch(() => undefined);
  }
  return () => rm(lock, { force: true });
};

/** Takes the lock by a hard link, which fails if the name exists. */
const takeLock = async (folder: string, lock: string, mine: string): Promise<void> => {
  for (let tries = 0; tries < TRIES_LIMIT; tries += 1) {
    try {
      return await link(mine, lock);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
    const holder = await holderOf(lock);
    if (holder !== null && (await isAlive(holder))) throw inUse(folder, lock, holder);
    await removeStale(lock, holder);
  }
  throw new StoreProblem('FOLDER_IN_USE', `Other processes keep taking ${lock}.`, 'Try again.');
};

/**
 * Removes a stale lock. Another process may have replaced it meanwhile, so the moved file is checked again and restored
 * if it is not the stale one.
 */
const removeStale = async (lock: string, stale: Holder | null): Promise<void> => {
  const aside = `${lock}.${randomUUID()}`;
  try {
    await rename(lock, aside);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  const moved = await holderOf(aside);
  if (JSON.stringify(moved) !== JSON.stringify(stale)) await link(aside, lock).catch(() => undefined);
  await rm(aside, { force: true });
};

/** Null if there is no lock, or a crash cut it off. */
const holderOf = async (lock: string): Promise<Holder | null> => {
  try {
    const mark: Partial<Holder> | null = JSON.parse(await readFile(lock, 'utf8'));
    const { machine, pid, began } = mark ?? {};
    const isMark = typeof machine === 'string' && typeof began === 'string' && Number.isSafeInteger(pid);
    return isMark ? { machine, pid: Number(pid), began } : null;
  } catch {
    return null;
  }
};

const ownMark = async (): Promise<Holder> => ({
  machine: hostname(),
  pid: process.pid,
  began: (await beganOf(process.pid)) ?? 'unknown',
});

/** Processes of other machines cannot be checked and count as alive. */
const isAlive = async ({ machine, pid, began }: Holder): Promise<boolean> =>
  machine !== hostname() || (await beganOf(pid)) === began || (pid === process.pid && began === 'unknown');

/** The start time of a process, with the boot id of the machine; null if there is no such process. */
const beganOf = async (pid: number): Promise<string | null> => {
  try {
    if (process.platform !== 'linux') {
      const { stdout } = await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)]);
      return stdout.trim() || null;
    }
    const [boot, stat] = await Promise.all([
      readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
      readFile(`/proc/${pid}/stat`, 'utf8'),
    ]);
    // The second field is the program name in brackets and may contain anything. The start time is the 22nd.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? null : `${boot.trim()} ${fields[19]}`;
  } catch {
    return null;
  }
};

const inUse = (folder: string, lock: string, { pid, machine }: Holder): StoreProblem =>
  new StoreProblem(
    'FOLDER_IN_USE',
    `The folder ${folder} is in use by process ${pid} on ${machine}; an embedded database can be used by one process at a time.`,
    machine === hostname()
      ? 'End that process, or choose another folder. For several processes use PostgreSQL.'
      : `Choose another folder. If that machine is gone for good, remove ${lock}.`,
  );

export const unwritable = (folder: string, cause: unknown): StoreProblem => {
  const said = cause instanceof Error ? cause.message : 'no details are known';
  const reason = codeOf(cause) === 'ENOSPC' ? 'the disk is full' : said;
  return new StoreProblem(
    'FOLDER_UNWRITABLE',
    `The folder ${folder} cannot be written to: ${reason}.`,
    'Free disk space or grant write access, or choose another folder.',
    { cause },
  );
};

export const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
