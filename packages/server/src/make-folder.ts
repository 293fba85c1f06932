import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from './problem.js';

/**
 * Creates the folder and its missing parents. Idempotent. Node's `recursive` never ends on a file system that answers ENOENT
 * to a new folder, as /proc does.
 */
export const makeFolder = async (path: string): Promise<void> => {
  try {
    await mkdir(path);
  } catch (error) {
    if (await isFolder(path)) return;
    const above = dirname(path);
    if (codeOf(error) !== 'ENOENT' || (await isFolder(above))) throw error;
    await makeFolder(above);
    await makeFolder(path);
  }
};

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
