import { execFile } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { HostError } from '@mq/core';

const run = promisify(execFile);

/** The user that check commands run as, instead of the user of this process. */
export interface CheckUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** Environment variable with the folder of a check. It identifies the check's processes outside its process group. */
export const CHECK_MARK = 'MQ_CHECK';
/** Max scans for stray processes, because new ones may start while others are killed. */
const KILL_ROUNDS_LIMIT = 20;
/** Prefix of the name of a check's folder. */
export const PLACE_PREFIX = 'check-';

/**
 * Looks up a user by name. Throws a HostError (`never`) with the remedy if the user does not exist or is root, or if this
 * process may not run commands as another user.
 */
export const findCheckUser = async (name: string): Promise<CheckUser> => {
  const uid = await idOf(name, '-u');
  const gid = await idOf(name, '-g');
  if (uid === null || gid === null)
    throw new HostError(
      `There is no user ${name}. Create it (useradd --system ${name}), or name another one.`,
      'never',
    );
  if (uid === 0)
    throw new HostError(
      'Checks cannot be separated from the server when they run as root. Name another user.',
      'never',
    );
  if (process.getuid?.() !== 0)
    throw new HostError(
      `Only a server that runs as root can run checks as ${name}. Start it as root, or use a wrapper such as sudo.`,
      'never',
    );
  return { name, uid, gid };
};

const idOf = async (name: string, option: '-u' | '-g'): Promise<number | null> => {
  if (!/^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/.test(name)) return null;
  try {
    const { stdout } = await run('id', [option, '--', name]);
    const id = Number(stdout.trim());
    return Number.isSafeInteger(id) ? id : null;
  } catch {
    return null;
  }
};

/** Makes the user the owner of folders and of everything in them. Does not follow links. */
export const giveTo = async ({ uid, gid }: CheckUser, folders: readonly string[]): Promise<void> => {
  await run('chown', ['-R', '-h', '-P', `${uid}:${gid}`, '--', ...folders]);
};

/** True if the user can read a file or enter a folder. */
export const canReach = async ({ uid, gid }: CheckUser, path: string): Promise<boolean> =>
  run('/bin/sh', ['-c', 'test -r "$1" || { test -d "$1" && test -x "$1"; }', 'sh', path], {
    cwd: '/',
    uid,
    gid,
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
  }).then(
    () => true,
    () => false,
  );

/** The start time of a process in clock ticks since boot; null if it has ended or if there is no `/proc`. */
export const ticksOf = async (pid: number): Promise<number | null> => {
  const fields = await statOf(pid);
  return fields === null ? null : Number(fields[19]);
};

export interface FinishedCheck {
  /** The folder that the check worked in. */
  readonly folder: string;
  /** The start time of its first process, in the unit of `ticksOf`. */
  readonly sinceTicks: number;
}

/**
 * Kills the processes that a check left running outside its process group: those of the user that carry the check's mark,
 * and those started since the check, unless they carry the mark of another check whose folder exists, of this or another
 * server. No effect without `/proc`.
 */
export const killStrays = async ({ uid }: CheckUser, check: FinishedCheck): Promise<void> => {
  for (let round = 0; round < KILL_ROUNDS_LIMIT; round += 1) {
    const names = await readdir('/proc').catch(() => []);
    const pids = names.filter((name) => /^\d+$/.test(name)).map(Number);
    const strays = await Promise.all(pids.map((pid) => isStray(uid, check, pid)));
    const found = pids.filter((_, index) => strays[index]);
    if (found.length === 0) return;
    for (const pid of found) kill(pid);
  }
};

const isStray = async (
  uid: number,
  { folder: place, sinceTicks }: FinishedCheck,
  pid: number,
): Promise<boolean> => {
  if (!(await isOwnedBy(uid, pid))) return false;
  const fields = await statOf(pid);
  if (fields === null || fields[0] === 'Z') return false;
  const found = await markedIn(pid);
  if (found === place) return true;
  if (found !== null && (await isPlaceOfOurs(found))) return false;
  // A process may have cleared its environment and so its mark. One that started before the check is not the check's.
  return Number(fields[19]) >= sinceTicks;
};

/** Reads `status`, because the folder of a process that is not dumpable belongs to root whatever its user. */
const isOwnedBy = async (uid: number, pid: number): Promise<boolean> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^Uid:\s+(\d+)/m.exec(status)?.[1] ?? -1) === uid;
};

const markedIn = async (pid: number): Promise<string | null> => {
  const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
  const entry = environment.split('\0').find((each) => each.startsWith(`${CHECK_MARK}=`));
  return entry?.slice(CHECK_MARK.length + 1) ?? null;
};

/** True if the mark names a check's folder that a server created. The check user cannot forge it: the owner differs. */
const isPlaceOfOurs = async (path: string): Promise<boolean> =>
  stat(path).then(
    ({ uid }) => uid === process.getuid?.() && basename(path).startsWith(PLACE_PREFIX),
    () => false,
  );

/** The fields of `/proc/<pid>/stat` after the program's name, starting with the state; null if the process has ended. */
const statOf = async (pid: number): Promise<readonly string[] | null> => {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  return line === null ? null : line.slice(line.lastIndexOf(')') + 2).split(' ');
};

const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended already.
  }
};
