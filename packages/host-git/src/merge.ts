import { HostError, isSha, oneLine, type Sha } from '@mq/core';
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
  const paths = [...new Set(rest.filter((path) => path !== '').map((path) => shown(path, [ours, theirs])))];
  if (code === 0 && isSha(tree)) return { kind: 'merged', tree };
  // A directory that was split, for instance, conflicts without a file that does.
  if (code === 1 && isSha(tree)) return { kind: 'conflicted', paths: paths.slice(0, CONFLICT_PATHS_LIMIT) };
  if (code === 128 && /unrelated histories/.test(stderr) && !(await areRelated(repo, ours, theirs)))
    return { kind: 'unrelated' };
  throw new HostError(`git merge-tree failed (exit ${code}): ${readable(stderr)}`, 'later');
};

/** One line. Git names a file `path~<commit>` if the other side has a folder at its path. */
const shown = (path: string, sides: readonly Sha[]): string => {
  const side = sides.find((sha) => path.endsWith(`~${sha}`));
  return oneLine(side === undefined ? path : path.slice(0, -side.length - 1));
};
