import { HostError, isSha, type Receipt, type ReceiptedLanding, type Sha } from '@mq/core';
import type { CommitObject } from '../commit-objects.js';
import { mergeTrees } from '../merge.js';
import { firstWithContent } from '../merge-content.js';
import { type ObjectReader, readCommits } from '../objects.js';
import { ownShas, PICKS_LIMIT } from '../rebase.js';
import type { ReadableRepository } from './repository.js';

export interface LostContent {
  readonly receipt: Receipt;
  readonly code: 'MERGE_CONTENT_LOST' | 'REVIEWED_TREE_DIFFERS';
  readonly sentence: string;
}

export interface MergeContent {
  readonly lost: readonly LostContent[];
  /** Number of landings by rebase that could not be checked, because objects of the head or below are missing here. */
  readonly unchecked: number;
}

/** Checks that landings by rebase contain the content of their branches' merge commits. Recomputes the merges. */
export const compareMergeContent = async (
  repo: ReadableRepository,
  landings: readonly ReceiptedLanding[],
): Promise<MergeContent> => {
  const rebased = landings.flatMap(({ onto, receipts }) =>
    receipts.flatMap((receipt, index) => {
      const below = receipts[index - 1]?.landed.commit ?? onto;
      return receipt.mergeMethod === 'rebase' && isSha(below) ? [{ receipt, below }] : [];
    }),
  );
  if (rebased.length === 0) return { lost: [], unchecked: 0 };
  return repo.withScratch(async (scratch) => {
    const lost: LostContent[] = [];
    let unchecked = 0;
    for (const { receipt, below } of rebased) {
      const found = await lostBy(scratch, receipt, below).catch((error: unknown) => {
        if (error instanceof HostError) return null;
        throw error;
      });
      if (found === null) unchecked += 1;
      else lost.push(...found);
    }
    return { lost, unchecked };
  });
};

/** The content that one landing lost; null if the repository lacks the objects to compute it. */
const lostBy = async (
  scratch: ObjectReader,
  receipt: Receipt,
  below: Sha,
): Promise<readonly LostContent[] | null> => {
  const { head } = receipt;
  if (!isSha(head)) return null;
  const there = await readCommits(scratch, [head, below]);
  if (!there.has(head) || !there.has(below)) return null;
  const merges = await mergesOf(scratch, below, head);
  if (merges.length === 0) return [];
  const merge = await mergeTrees(scratch, below, head);
  const tree = merge.kind === 'merged' ? merge.tree : null;
  const lost: LostContent[] = [];
  if (receipt.reviewedTree !== undefined && receipt.reviewedTree !== tree) {
    const sentence = `the merge of ${head} and ${below} has the tree ${tree ?? 'none'}, not ${receipt.reviewedTree ?? 'none'}.`;
    lost.push({ receipt, code: 'REVIEWED_TREE_DIFFERS', sentence });
  }
  const changed = tree === receipt.landed.tree ? null : await firstWithContent(scratch, merges);
  if (changed !== null) {
    const sentence = `${receipt.landed.commit} lacks content of the merge commit ${changed} of its branch.`;
    lost.push({ receipt, code: 'MERGE_CONTENT_LOST', sentence });
  }
  return lost;
};

const mergesOf = async (scratch: ObjectReader, below: Sha, head: Sha): Promise<readonly CommitObject[]> => {
  const shas = await ownShas(scratch, below, head, '--min-parents=2', PICKS_LIMIT);
  return [...(await readCommits(scratch, shas)).values()];
};
