import { randomUUID } from 'node:crypto';
import { link, mkdir, realpath, rename, stat, unlink } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { isWithoutGit } from './lock-owners.js';
import type { GitRepository } from './repositories.js';

/**
 * A lock of refs this old was left by a git that crashed: git holds one for the moment of its transaction, and ours are
 * ended after two minutes.
 */
export const STALE_LOCK_MS = 10 * 60 * 1000;
/** The same where no git that runs on this machine works in the repository. A git on another machine has this long. */
export const OWNERLESS_LOCK_MS = 10 * 1000;

/** Removes the lock where it is one of this repository's refs and was left behind. Whether it did. */
export const removeStaleLock = async (repo: GitRepository, lock: string): Promise<boolean> => {
  // Outside of `refs`, where git would take it for a ref.
  const aside = join(repo.folder, `${randomUUID()}.lock`);
  try {
    if (!isLockOfRefs(relative(await realpath(repo.path), await realpath(lock)))) return false;
    const stale = await stat(lock);
    if (!(await isStale(repo, Date.now() - stale.mtimeMs))) return false;
    await mkdir(repo.folder, { recursive: true });
    await rename(lock, aside);
    // Another process may have removed it, and a third one locked again, since it was read.
    if ((await stat(aside)).ino !== stale.ino) await link(aside, lock).catch(() => undefined);
    await unlink(aside);
    return true;
  } catch {
    return false;
  }
};

const isStale = async (repo: GitRepository, ageMs: number): Promise<boolean> =>
  ageMs >= STALE_LOCK_MS || (ageMs >= OWNERLESS_LOCK_MS && (await isWithoutGit(repo.path)));

const isLockOfRefs = (path: string): boolean =>
  !isAbsolute(path) &&
  (path === 'packed-refs.lock' || path === 'HEAD.lock' || path.startsWith(`refs${sep}`)) &&
  path.endsWith('.lock');
