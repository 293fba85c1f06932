import { execFile } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { HostError } from '@mq/core';

const run = promisify(execFile);

/** The user that check commands run as, in place of the user of this process. */
export interface CheckUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** Names the folder of a check in the environment of its processes, so that those that left its process group are found. */
export const CHECK_MARK = 'MQ_CHECK';
/** Processes may be started while others are ended: so often they are looked for. */
const KILL_ROUNDS_LIMIT = 20;
/** What the name of a check's folder begins with. */
export const PLACE_PREFIX = 'check-';

/**
 * Looks a user up by its name. Throws a HostError (`never`) with the remedy where there is none, where it is root, and
 * where this process may not run commands as another user.
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

/** Gives folders with all that is in them to the user; links are not followed. */
export const giveTo = async ({ uid, gid }: CheckUser, folders: readonly string[]): Promise<void> => {
  await run('chown', ['-R', '-h', '-P', `${uid}:${gid}`, '--', ...folders]);
};

/** Whether the user can read a file, or list a folder. */
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

/** When a process began, in ticks since the machine started; null where it has ended, and where there is no `/proc`. */
export const ticksOf = async (pid: number): Promise<number | null> => {
  const fields = await statOf(pid);
  return fields === null ? null : Number(fields[19]);
};

export interface FinishedCheck {
  /** The folder that the check worked in. */
  readonly place: string;
  /** When its first process began, as `ticksOf` says. */
  readonly sinceTicks: number;
}

/**
 * Kills what a check left running outside of its process group: every process of the user that is marked as the check's,
 * and every one begun since that is not marked as one of a check whose folder is still there, of this or another server.
 * Without effect where there is no `/proc`.
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

const isStray = async (uid: number, { place, sinceTicks }: FinishedCheck, pid: number): Promise<boolean> => {
  if (!(await isOwnedBy(uid, pid))) return false;
  const fields = await statOf(pid);
  if (fields === null || fields[0] === 'Z') return false;
  const found = await markedIn(pid);
  if (found === place) return true;
  if (found !== null && (await isPlaceOfOurs(found))) return false;
  // It may have cleared its environment. What ran before the check is not the check's.
  return Number(fields[19]) >= sinceTicks;
};

/** Of `status`, which names the user also where a process hides from others: the folder belongs to root then. */
const isOwnedBy = async (uid: number, pid: number): Promise<boolean> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^Uid:\s+(\d+)/m.exec(status)?.[1] ?? -1) === uid;
};

const markedIn = async (pid: number): Promise<string | null> => {
  const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
  const entry = environment.split('\0').find((each) => each.startsWith(`${CHECK_MARK}=`));
  return entry?.slice(CHECK_MARK.length + 1) ?? null;
};

/** A check of another server may have set the mark; the user itself can make no such folder. */
const isPlaceOfOurs = async (path: string): Promise<boolean> =>
  stat(path).then(
    ({ uid }) => uid === process.getuid?.() && basename(path).startsWith(PLACE_PREFIX),
    () => false,
  );

/** The fields behind the name of the program, from the state on. */
const statOf = async (pid: number): Promise<readonly string[] | null> => {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  return line === null ? null : line.slice(line.lastIndexOf(')') + 2).split(' ');
};

const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
};
