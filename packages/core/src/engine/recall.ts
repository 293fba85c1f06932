import type { CommitId } from '../model/ids.js';
import { type Command, pullRequestOf } from '../model/input.js';
import type { QueueState } from '../model/state.js';
import type { Recall, Recalled } from '../ports/store.js';

/** Taken for what is on record of commands before anybody has looked: most have no past. */
export const emptyRecall: Recalled = { submissions: [], targets: [], answers: [], commits: [] };

/** What has to be known of the past to decide these, and of commits whose answer was lost. */
export const recallOf = (commands: readonly Command[], commits: readonly CommitId[]): Recall => ({
  prs: commands.flatMap((command) => pullRequestOf(command) ?? []),
  inputIds: commands.flatMap(({ id, digest }) => (digest === null ? [] : id)),
  commits,
});

/** What must not be there if `noPast` is to be true of these. Of who is live everything is known. */
export const absentFor = ({ byPr }: Pick<QueueState, 'byPr'>, commands: readonly Command[]): Recall => {
  const { prs, inputIds } = recallOf(commands, []);
  return { prs: prs.filter((pr) => !byPr.has(pr)), inputIds };
};
