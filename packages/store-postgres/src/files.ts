import { access, open, readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from './folder-lock.js';

/** Max concurrent file operations: a database has more than a thousand files. */
const ASKED_AT_ONCE = 100;

export const isThere = async (folder: string): Promise<boolean> => {
  try {
    await readdir(folder);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
};

/** The bytes that this user can write. Infinite if the file system does not report its size. */
export const freeBytes = async (folder: string): Promise<number> => {
  const { blocks, bavail, bsize } = await statfs(folder).catch(() => ({ blocks: 0, bavail: 0, bsize: 0 }));
  return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize;
};

export const bytesIn = async (folder: string): Promise<number> => {
  let bytes = 0;
  await forEachIn(folder, async (path) => {
    bytes += (await stat(path)).size;
  });
  return bytes;
};

/** Rejects with the error of the first file without this access. */
export const requireAccess = (folder: string, mode: number): Promise<void> =>
  forEachIn(folder, (path) => access(path, mode));

/** Calls `look` for the folder and everything in it but links. */
const forEachIn = async (folder: string, look: (path: string) => Promise<void>): Promise<void> => {
  const paths = [folder];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (!entry.isSymbolicLink()) paths.push(join(entry.parentPath, entry.name));
  for (let from = 0; from < paths.length; from += ASKED_AT_ONCE)
    await Promise.all(paths.slice(from, from + ASKED_AT_ONCE).map(look));
};

/** Resolves once the content of the folder is on disk. */
export const syncTree = async (folder: string): Promise<void> => {
  const entries = await readdir(folder, { withFileTypes: true });
  await Promise.all(
    entries.filter((entry) => entry.isFile()).map((entry) => syncPath(join(folder, entry.name))),
  );
  for (const entry of entries) if (entry.isDirectory()) await syncTree(join(folder, entry.name));
  await syncPath(folder);
};

export const syncPath = async (path: string): Promise<void> => {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
};
