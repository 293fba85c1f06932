import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { RepoRef } from '@mq/core';

const OWNER_DEPTH_LIMIT = 10;
const REPOSITORIES_LIMIT = 10_000;

/** Lists every `<owner>/<name>.git` below the folder. An owner may span several folders. */
export const repositoriesBelow = async (root: string): Promise<readonly RepoRef[]> => {
  const found: RepoRef[] = [];
  const walk = async (owners: readonly string[]): Promise<void> => {
    for (const entry of await readdir(join(root, ...owners), { withFileTypes: true })) {
      if (found.length >= REPOSITORIES_LIMIT) return;
      if (!entry.isDirectory() && !entry.isSymbolicLink()) continue;
      if (owners.length > 0 && entry.name.endsWith('.git'))
        found.push({ host: 'local', owner: owners.join('/'), name: entry.name.slice(0, -'.git'.length) });
      else if (entry.isDirectory() && owners.length < OWNER_DEPTH_LIMIT) await walk([...owners, entry.name]);
    }
  };
  await walk([]);
  return found;
};
