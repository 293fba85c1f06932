import { constants } from 'node:fs';
import { cp, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { bytesIn, freeBytes, isThere, syncPath, syncTree } from './files.js';
import { unwritable } from './folder-lock.js';

/** Larger databases are not copied, since that would delay each start. */
const COPY_BYTES_LIMIT = 1024 * 1024 * 1024;

/** A copy of a database from before it was opened. Exactly one of the methods is called, once. */
export interface StartupCopy {
  /** Opening worked: removes the copy. */
  discard(): Promise<void>;
  /** Opening failed, and the database is closed: restores the copy. */
  restore(): Promise<void>;
}

const namesBeside = (data: string) => ({
  /** An incomplete copy; renamed when it is complete. */
  copying: `${data}.copying`,
  before: `${data}.before`,
  /** Files to be removed. */
  tried: `${data}.tried`,
});

/**
 * Copies a database before it is opened. Opening changes it: PostgreSQL replays its log and writes the control file
 * before it finds a damaged file. No copy is made of more than `COPY_BYTES_LIMIT`, or if the disk has no room for it in
 * addition to `neededBytes`.
 */
export const keepCopy = async (data: string, neededBytes: number): Promise<StartupCopy> => {
  const { copying, before, tried } = namesBeside(data);
  for (const left of [copying, before, tried]) await remove(left);
  const bytes = await bytesIn(data);
  if (bytes > COPY_BYTES_LIMIT || bytes + neededBytes > (await freeBytes(data))) return nothingKept;
  try {
    const mode = constants.COPYFILE_FICLONE;
    await cp(data, copying, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true, mode });
    await rename(copying, before);
  } catch (error) {
    await remove(copying).catch(() => undefined);
    throw unwritable(dirname(data), error);
  }
  return {
    discard: async () => {
      // Renamed first, so that a partly removed copy does not have the name of a complete one.
      await rename(before, tried);
      await remove(tried);
    },
    restore: async () => {
      await syncTree(before);
      await rename(data, tried);
      await finishRestore(data);
    },
  };
};

/** Completes a restore that a crash interrupted. A copy under the name `before` is complete. */
export const finishRestore = async (data: string): Promise<void> => {
  const { before, tried } = namesBeside(data);
  if ((await isThere(data)) || !(await isThere(before))) return;
  await rename(before, data);
  await syncPath(dirname(data));
  await remove(tried);
};

const remove = (path: string): Promise<void> => rm(path, { recursive: true, force: true });

const nothingKept: StartupCopy = { discard: async () => {}, restore: async () => {} };
