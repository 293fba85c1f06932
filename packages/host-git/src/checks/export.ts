import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sha } from '@mq/core';
import type { GitRepository } from '../repositories.js';

export interface Workplace {
  readonly tree: string;
  readonly home: string;
  readonly temporary: string;
}

/**
 * Writes the files of a commit byte for byte, without a `.git`. Filters, line endings, `export-ignore` and `export-subst`
 * have no effect. Symbolic links are kept; submodules become empty folders. Throws on abort.
 */
export const exportTree = async (
  repo: GitRepository,
  commit: Sha,
  folder: string,
  stop: AbortSignal,
): Promise<Workplace> => {
  const folders = { tree: join(folder, 'tree'), home: join(folder, 'home'), temporary: join(folder, 'tmp') };
  for (const each of Object.values(folders)) await mkdir(each, { recursive: true });
  const git = { workTree: folders.tree, indexFile: join(folder, 'index'), stop };
  await repo.objects({ ...git, command: 'read-tree', args: ['--end-of-options', `${commit}^{tree}`] });
  await repo.objects({ ...git, command: 'checkout-index', args: ['--all', '--force', '--quiet'] });
  return folders;
};
