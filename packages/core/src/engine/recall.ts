import type { CommitId } from '../model/ids.js';
import { type Command, pullRequestOf } from '../model/input.js';
import type { QueueState } from '../model/state.js';
import type { Recall, Recalled } from '../ports/store.js';

/** Assumed for commands before the store is read: most pull requests have no earlier rows. */
export const emptyRecall: Recalled = { submissions: [], targets: [], answers: [], commits: [] };

/** The earlier data needed to decide these commands, and to resolve commits whose answer was lost. */
export const recallOf = (commands: readonly Command[], commits: readonly CommitId[]): Recall => ({
  prs: commands.flatMap((command) => pullRequestOf(command) ?? []),
  inputIds: commands.flatMap(({ id, digest }) => (digest === null ? [] : id)),
  commits,
});

/** The rows that must be absent for `emptyRecall` to be correct. Live rows are in the state already. */
export const absentFor = ({ byPr }: Pick<QueueState, 'byPr'>, commands: readonly Command[]): Recall => {
  const { prs, inputIds } = recallOf(commands, []);
  return { prs: prs.filter((pr) => !byPr.has(pr)), inputIds };
};
