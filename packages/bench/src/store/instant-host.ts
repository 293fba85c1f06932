import type { Check, CodeHost, RepoRef, RunId, Sha } from '@mq/core';
import { aCheck, aPullRequest, aTrial, shaOf } from '@mq/testkit';

/** What the bench wants to know of, as it happens. */
export interface Watch {
  readonly verdictGiven?: (commit: Sha) => void;
  readonly landing?: (commit: Sha) => void;
}

/** A code host that does everything at once and whose tests pass: what is left is the time of engine and store. */
export const instantHost = (watch: Watch = {}): CodeHost & { readonly landed: () => number } => {
  const heads = new Map<string, Sha>();
  const runs = new Map<Sha, RunId>();
  let landed = 0;
  let commits = 0;
  const headOf = (repo: RepoRef) => heads.get(repo.name) ?? shaOf(1);
  return {
    landed: () => landed,
    hasRepository: async () => true,
    getBranch: async (repo) => ({ head: headOf(repo), requiredChecks: ['build'] }),
    contains: async () => true,
    getPullRequests: async (_, numbers) => numbers.map((number) => aPullRequest(number)),
    findPullRequest: async () => null,
    buildTrial: async ({ runId, parts }) => {
      const steps = parts.map(({ pr, head }) => {
        commits += 1;
        return {
          pr,
          head,
          headTree: shaOf(pr, 'e'),
          commit: shaOf(0xf00000 + commits),
          tree: shaOf(commits, 'd'),
        };
      });
      const last = steps.at(-1);
      const trial =
        last === undefined ? aTrial([]) : { ref: runId, commit: last.commit, tree: last.tree, steps };
      runs.set(trial.commit, runId);
      return { kind: 'built', trial };
    },
    getChecks: async (_, wanted) =>
      new Map(wanted.map((commit) => [commit, passOf(commit, runs.get(commit) ?? null, watch)])),
    land: async ({ repo, trial }) => {
      watch.landing?.(trial.commit);
      heads.set(repo.name, trial.commit);
      landed += 1;
      return { kind: 'landed', head: trial.commit, tree: trial.tree };
    },
    dropTrial: async () => undefined,
    listTrials: async () => [],
  };
};

const passOf = (commit: Sha, runId: RunId | null, watch: Watch): readonly Check[] => {
  watch.verdictGiven?.(commit);
  return [aCheck({ id: `check-${commit}`, runId, startedAt: Date.now(), completedAt: Date.now() })];
};
