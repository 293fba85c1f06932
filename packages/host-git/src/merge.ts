import { HostError, isSha, type Sha } from '@mq/core';
import { readable } from './git.js';
import { areRelated, type ObjectReader } from './objects.js';

export const CONFLICT_PATHS_LIMIT = 100;

export type Merge =
  | { readonly kind: 'merged'; readonly tree: string }
  | { readonly kind: 'conflicted'; readonly paths: readonly string[] }
  | { readonly kind: 'unrelated' };

/** Merges two commits in memory. Throws if git returns neither a tree nor a conflict. */
export const mergeTrees = async (repo: ObjectReader, ours: Sha, theirs: Sha): Promise<Merge> => {
  const { code, stdout, stderr } = await repo.objects({
    command: 'merge-tree',
    args: ['--write-tree', '-z', '--name-only', '--no-messages', '--end-of-options', ours, theirs],
    codes: [0, 1, 128],
  });
  const [tree = '', ...rest] = stdout.toString('utf8').split('\0');
  const paths = rest.filter((path) => path !== '');
  if (code === 0 && isSha(tree)) return { kind: 'merged', tree };
  // A directory that was split, for instance, conflicts without a file that does.
  if (code === 1 && isSha(tree)) return { kind: 'conflicted', paths: paths.slice(0, CONFLICT_PATHS_LIMIT) };
  if (code === 128 && /unrelated histories/.test(stderr) && !(await areRelated(repo, ours, theirs)))
    return { kind: 'unrelated' };
  throw new HostError(`git merge-tree failed (exit ${code}): ${readable(stderr)}`, 'later');
};
