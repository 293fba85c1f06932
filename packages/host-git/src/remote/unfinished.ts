import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { GitRepository } from '../repositories.js';
import { isLeftBehind } from '../stale-locks.js';

/**
 * Removes the temporary packs and objects that a git left behind which was killed or found no space. Git removes them only
 * in its garbage collection, which never runs in a mirror. Files that a git may still write are kept.
 */
export const removeUnfinished = async (repo: GitRepository): Promise<void> => {
  const objects = join(repo.path, 'objects');
  for (const folder of await namesIn(objects)) {
    if (folder !== 'pack' && !/^[0-9a-f]{2}$/.test(folder)) continue;
    for (const name of await namesIn(join(objects, folder)))
      if (/^tmp_(?:pack|idx|rev|obj)_/.test(name))
        await removeIfLeftBehind(repo, join(objects, folder, name));
  }
};

const removeIfLeftBehind = async (repo: GitRepository, file: string): Promise<void> => {
  const found = await stat(file).catch(() => null);
  if (found !== null && (await isLeftBehind(repo, Date.now() - found.mtimeMs)))
    await rm(file, { force: true }).catch(() => undefined);
};

const namesIn = (folder: string): Promise<readonly string[]> => readdir(folder).catch(() => []);
