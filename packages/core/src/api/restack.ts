import { prOf } from '../explain/phrases.js';
import type { Queue } from '../model/queue.js';
import type { StackedOn } from '../validation/requests.js';

const became = { squash: 'squashed', rebase: 'rebased', merge_commit: 'merged' } as const;

/** Explains a conflict of a stacked pull request with commits that it contains itself. */
export const restackDetail = ({ pr, method }: StackedOn, { branch }: Pick<Queue, 'branch'>): string =>
  `its branch still has the commits of ${prOf(pr)}, which was ${became[method]} into ${branch}, and its copies of these changes conflict`;

/** The command that removes the landed commits from a stacked branch. */
export const restackRemedy = (
  { pr, head }: StackedOn,
  { branch }: Pick<Queue, 'branch'>,
  headBranch: string | null,
): string =>
  `Remove the commits of ${prOf(pr)} from its branch, push, and submit it again: git fetch origin && git rebase --onto origin/${branch} ${head} ${headBranch ?? '<its branch>'}`;
