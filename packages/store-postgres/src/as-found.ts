import { constants } from 'node:fs';
import { cp, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { bytesIn, freeBytes, isThere, syncPath, syncTree } from './files.js';
import { unwritable } from './folder-lock.js';

/** Of a larger one no copy is made: it would hold up each start. */
const COPY_BYTES_LIMIT = 1024 * 1024 * 1024;

/** A database as it was before it was opened. One of the two is called, once. */
export interface AsFound {
  /** It is of use: what was kept is removed. */
  letGo(): Promise<void>;
  /** It is of none, and closed: it is as it was found again. */
  putBack(): Promise<void>;
}

const namesBeside = (data: string) => ({
  /** A copy that is being made; renamed when it is whole. */
  copying: `${data}.copying`,
  before: `${data}.before`,
  /** What is of no use any more, until it is removed. */
  tried: `${data}.tried`,
});

/**
 * To open a database is to change it: its log is replayed and its control file written before a damaged file behind it is
 * found. So a copy is kept until it is known to be of use. None is made of more than `COPY_BYTES_LIMIT`, nor where the disk
 * has no room for it beside `neededBytes`.
 */
export const keepAsFound = async (data: string, neededBytes: number): Promise<AsFound> => {
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
    letGo: async () => {
      // Not file by file under a name that says that it is whole.
      await rename(before, tried);
      await remove(tried);
    },
    putBack: async () => {
      await syncTree(before);
      await rename(data, tried);
      await finishPuttingBack(data);
    },
  };
};

/** A crash may have left the database under no name of its own: whatever is named `before` is whole. */
export const finishPuttingBack = async (data: string): Promise<void> => {
  const { before, tried } = namesBeside(data);
  if ((await isThere(data)) || !(await isThere(before))) return;
  await rename(before, data);
  await syncPath(dirname(data));
  await remove(tried);
};

const remove = (path: string): Promise<void> => rm(path, { recursive: true, force: true });

const nothingKept: AsFound = { letGo: async () => {}, putBack: async () => {} };
