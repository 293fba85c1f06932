import type { Sha } from './ids.js';
import type { MergeMethod } from './settings.js';

/** A pull request that another one was stacked on and that landed as other commits. */
export interface StackedOn {
  readonly pr: number;
  readonly head: Sha;
  readonly method: MergeMethod;
}

/** The same, with the branches that the stacked pull request is to be rebased with. */
export interface Restack extends StackedOn {
  readonly target: string;
  /** Null if the source branch is unknown. */
  readonly headBranch: string | null;
}

const became = { squash: 'squashed', rebase: 'rebased', merge_commit: 'merged' } as const;

/** Explains a conflict of a stacked pull request with commits that it contains itself. */
export const restackDetail = ({ pr, method, target }: Restack): string =>
  `its branch still has the commits of #${pr}, which was ${became[method]} into ${target}, and its copies of these changes conflict`;

/** The command that removes the landed commits from a stacked branch. */
export const restackRemedy = ({ pr, head, target, headBranch }: Restack): string =>
  `Remove the commits of #${pr} from its branch, push, and submit it again: git fetch origin && git rebase --onto ${shellWord(`origin/${target}`)} ${head} ${headBranch === null ? '<its branch>' : shellWord(headBranch)}`;

/** Quotes a name that a shell would not take as one plain word: branch names come from anyone. */
const shellWord = (name: string): string =>
  /^[\w./@+][\w./@+-]*$/.test(name) ? name : `'${name.replaceAll("'", String.raw`'\''`)}'`;
