import { randomUUID } from 'node:crypto';
import { link, mkdir, realpath, rename, stat, unlink } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { isWithoutGit } from './lock-owners.js';
import type { GitRepository } from './repositories.js';

/**
 * A lock of refs older than this was left behind by a crashed git. Git holds a lock only during a transaction, and this
 * package stops its own git processes after two minutes.
 */
export const STALE_LOCK_MS = 10 * 60 * 1000;
/** The same limit if no git process of this machine works in the repository. It still protects a git on another machine. */
export const OWNERLESS_LOCK_MS = 10 * 1000;

/** Removes a lock of this repository's refs that was left behind. Returns true if it did. */
export const removeStaleLock = async (repo: GitRepository, lock: string): Promise<boolean> => {
  // Outside `refs`, where git would treat it as a ref.
  const aside = join(repo.folder, `${randomUUID()}.lock`);
  try {
    if (!isLockOfRefs(relative(await realpath(repo.path), await realpath(lock)))) return false;
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

const isLockOfRefs = (path: string): boolean =>
  !isAbsolute(path) &&
  (path === 'packed-refs.lock' || path === 'HEAD.lock' || path.startsWith(`refs${sep}`)) &&
  path.endsWith('.lock');
