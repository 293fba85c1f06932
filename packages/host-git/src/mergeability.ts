import { HostError, type HostPullRequest, type MergeMethod, type Sha } from '@mq/core';
import { type Merge, mergeTrees } from './merge.js';
import { readCommits } from './objects.js';
import { rebase, unrelated } from './rebase.js';
import type { GitRepository } from './repositories.js';

export type Mergeable = Pick<
  HostPullRequest,
  'mergeability' | 'mergeabilityReason' | 'conflicts' | 'mergeFault'
>;

/** The outcome of applying `head` to `tip` by a method. Throws if git fails. A rebase writes the commits of the candidate. */
export const mergeBy = async (
  repo: GitRepository,
  method: MergeMethod,
  tip: Sha,
  head: Sha,
): Promise<Merge> => {
  if (method !== 'rebase') return mergeTrees(repo, tip, head);
  const commits = await readCommits(repo, [tip, head]);
  const [onto, own] = [commits.get(tip), commits.get(head)];
  if (onto === undefined || own === undefined)
    throw new HostError(`The commit ${onto === undefined ? tip : head} is missing.`, 'later');
  // Dates do not affect trees.
  const { committedAtSeconds: seconds } = own;
  const applied = await rebase(repo, onto, own, { ownSeconds: seconds, decidedAtSeconds: seconds });
  if (applied.kind === 'conflicted') return applied;
  if (applied === unrelated) return { kind: 'unrelated' };
  // Other refusals are reported by the candidate, with the reason.
  return { kind: 'merged', tree: applied.kind === 'applied' ? applied.tree : onto.tree };
};

/** The mergeability as a read shows it. */
export const mergeableOf = (base: string, merge: Merge): Mergeable => {
  const not = (mergeabilityReason: string, conflicts = false): Mergeable => ({
    mergeability: 'not_mergeable',
    mergeabilityReason,
    conflicts,
  });
  switch (merge.kind) {
    case 'merged':
      return { mergeability: 'mergeable', mergeabilityReason: null, conflicts: false };
    case 'unrelated':
      return not(`It has no commit in common with ${base}.`);
    case 'conflicted': {
      const shown = merge.paths.slice(0, 5).join(', ');
      const where = shown === '' ? '' : ` in ${shown}${merge.paths.length > 5 ? ', …' : ''}`;
      return not(`It conflicts with ${base}${where}.`, true);
    }
  }
};

/** The mergeability before it was computed. */
export const notAsked: Mergeable = {
  mergeability: 'unspecified',
  mergeabilityReason: null,
  conflicts: false,
};
