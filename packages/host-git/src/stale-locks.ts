import { randomUUID } from 'node:crypto';
import { link, mkdir, realpath, rename, stat, unlink } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { HostError } from '@mq/core';
import { type GitAnswer, PLACE } from './git.js';
import { isWithoutGit } from './lock-owners.js';
import type { GitRepository } from './repositories.js';

type Folders = Pick<GitRepository, 'path' | 'folder'>;

/**
 * A lock older than this was left behind by a crashed git. Git holds a lock only during a transaction, and this
 * package stops its own git processes after two minutes.
 */
export const STALE_LOCK_MS = 10 * 60 * 1000;
/** The same limit if no git process of this machine works in the repository. It still protects a git on another machine. */
export const OWNERLESS_LOCK_MS = 10 * 1000;

const STALE_LOCKS_LIMIT = 5;

/**
 * Runs git, and again as long as it fails because of a lock that was left behind and is now removed. Resolves with the last
 * answer.
 */
export const pastStaleLocks = async (repo: Folders, run: () => Promise<GitAnswer>): Promise<GitAnswer> => {
  for (let removed = 0; ; removed += 1) {
    const answer = await run();
    const lock = answer.code === 0 ? null : lockIn(answer);
    if (lock === null || removed === STALE_LOCKS_LIMIT) return answer;
    if (!(await removeStaleLock(repo, lock.replace(PLACE, repo.path)))) return answer;
  }
};

/** The error if git failed because another git holds a lock; null otherwise. */
export const heldLock = (answer: GitAnswer): HostError | null => {
  const lock = lockIn(answer);
  if (lock === null) return null;
  const remedy = `If a crashed git left it behind, the queue removes it after ${STALE_LOCK_MS / 60_000} min, or after ${OWNERLESS_LOCK_MS / 1000} s if no git of this machine works in the repository. To continue sooner, remove it while no git is running.`;
  return new HostError(`${lock} is held by another git process. ${remedy}`, 'later');
};

const lockIn = ({ stderr }: GitAnswer): string | null => {
  const config = /could not lock config file (.*): File exists/.exec(stderr)?.[1];
  return config === undefined
    ? (/Unable to create '(.*\.lock)': File exists/s.exec(stderr)?.[1] ?? null)
    : `${config}.lock`;
};

/** Removes a lock of this repository that was left behind. Returns true if it did. */
const removeStaleLock = async (repo: Folders, lock: string): Promise<boolean> => {
  // Outside `refs`, where git would treat it as a ref.
  const aside = join(repo.folder, `${randomUUID()}.lock`);
  try {
    if (!isOwnLock(relative(await realpath(repo.path), await realpath(lock)))) return false;
    const stale = await stat(lock);
    if (!(await isLeftBehind(repo, Date.now() - stale.mtimeMs))) return false;
    await mkdir(repo.folder, { recursive: true });
    await rename(lock, aside);
    // Since the read, another process may have removed it and a third may have locked again.
    if ((await stat(aside)).ino !== stale.ino) await link(aside, lock).catch(() => undefined);
    await unlink(aside);
    return true;
  } catch {
    return false;
  }
};

/** Whether no git works any more on a lock or a temporary file that was last written `ageMs` ago. */
export const isLeftBehind = async (repo: Pick<GitRepository, 'path'>, ageMs: number): Promise<boolean> =>
  ageMs >= STALE_LOCK_MS || (ageMs >= OWNERLESS_LOCK_MS && (await isWithoutGit(repo.path)));

const isOwnLock = (path: string): boolean =>
  !isAbsolute(path) &&
  (['packed-refs.lock', 'HEAD.lock', 'config.lock'].includes(path) || path.startsWith(`refs${sep}`)) &&
  path.endsWith('.lock');
