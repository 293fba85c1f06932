import { access, open, readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from './folder-lock.js';

/** Of files, of which a database has a thousand and more. */
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

/** Free for this user. A file system that does not say how large it is has room. */
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

/** Rejects with the error of the first that may not be used so. */
export const requireAccess = (folder: string, mode: number): Promise<void> =>
  forEachIn(folder, (path) => access(path, mode));

/** The folder and all in it but links. */
const forEachIn = async (folder: string, look: (path: string) => Promise<void>): Promise<void> => {
  const paths = [folder];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (!entry.isSymbolicLink()) paths.push(join(entry.parentPath, entry.name));
  for (let from = 0; from < paths.length; from += ASKED_AT_ONCE)
    await Promise.all(paths.slice(from, from + ASKED_AT_ONCE).map(look));
};

/** What is in the folder is on disk when it resolves. */
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
