import { prOf } from '../explain/words.js';
import type { Queue } from '../model/queue.js';
import type { StackedOn } from '../validation/requests.js';

const became = { squash: 'squashed', rebase: 'rebased', merge_commit: 'merged' } as const;

/** Why a stacked pull request conflicts with lines that it brings itself. */
export const restackDetail = ({ pr, method }: StackedOn, { branch }: Pick<Queue, 'branch'>): string =>
  `its branch still holds the commits of ${prOf(pr)}, which was ${became[method]} into ${branch}: what conflicts are its own copies of those lines`;

/** The command that takes the landed commits out of a stacked branch. */
export const restackRemedy = (
  { pr, head }: StackedOn,
  { branch }: Pick<Queue, 'branch'>,
  headBranch: string | null,
): string =>
  `Take the commits of ${prOf(pr)} out of its branch, push, and submit it again: git fetch origin && git rebase --onto origin/${branch} ${head} ${headBranch ?? '<its branch>'}`;
