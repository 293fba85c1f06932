import type { Sha } from '@mq/core';
import type { CommitObject } from './commit-objects.js';
import { mergeTrees } from './merge.js';
import { type ObjectReader, writeCommit } from './objects.js';

/** The first merge commit that differs from the automatic merge of its parents; null if none does. */
export const firstWithContent = async (
  repo: ObjectReader,
  merges: readonly CommitObject[],
): Promise<Sha | null> => {
  for (const merge of merges) if ((await automaticTree(repo, merge)) !== merge.tree) return merge.sha;
  return null;
};

/** Merges the parents one after another, like git's octopus. Null if they conflict or are unrelated. */
const automaticTree = async (repo: ObjectReader, { parents }: CommitObject): Promise<string | null> => {
  const [first, ...others] = parents;
  let tip = first;
  let tree: string | null = null;
  for (const [index, other] of others.entries()) {
    if (tip === undefined) return null;
    const merge = await mergeTrees(repo, tip, other);
    if (merge.kind !== 'merged') return null;
    tree = merge.tree;
    if (index < others.length - 1) tip = await writeCommit(repo, placeholderCommit(tree, [tip, other]));
  }
  return tree;
};

/** A temporary commit for computing merges. */
export const placeholderCommit = (tree: string, parents: readonly Sha[]) => ({
  ...{ tree, parents },
  author: 'mq <mq@localhost> 0 +0000',
  committedAtSeconds: 0,
  message: 'stands in for the tip\n',
});
