import { type BuildTrialRequest, HostError, type Sha, type Trial, type TrialOutcome } from '@mq/core';
import { mergeTrees } from './merge.js';
import { trialRef } from './names.js';
import { areWhole, type CommitObject, readCommit, readCommits, writeCommit } from './objects.js';
import { type Applied, rebase, unrelated } from './picks.js';
import { changeRefs } from './refs.js';
import type { GitRepository } from './repositories.js';

type Part = BuildTrialRequest['parts'][number];
type Method = BuildTrialRequest['method'];
type Step = Trial['steps'][number];

/** Builds in memory: no work tree, no index, and nothing of the parts is run. Keeps the result at its trial ref. */
export const buildTrial = async (repo: GitRepository, request: BuildTrialRequest): Promise<TrialOutcome> => {
  const ref = trialRef(request.runId);
  const commits = await readCommits(repo, [request.base, ...request.parts.map((part) => part.head)]);
  const base = commits.get(request.base);
  if (base === undefined) {
    return {
      kind: 'refused',
      class: 'wait',
      pr: null,
      message: `The commit ${request.base} is not in the repository.`,
    };
  }
  const gone = request.parts.find((part) => !commits.has(part.head));
  if (gone !== undefined) return { kind: 'head_gone', pr: gone.pr };
  await refuseBroken(repo, request);
  const outcome = await stack(repo, request, base, commits);
  if (
    outcome.kind === 'built' &&
    !(await changeRefs(repo, [{ kind: 'update', ref, to: outcome.trial.commit }]))
  )
    throw new HostError(`${ref} could not be written.`, 'later');
  return outcome;
};

/** Git before 2.45 merges what it cannot read as if everything in it had been deleted. */
const refuseBroken = async (repo: GitRepository, { base, parts }: BuildTrialRequest): Promise<void> => {
  const heads = parts.map(({ head }) => head);
  if (heads.length === 0 || (await areWhole(repo, heads, base))) return;
  for (const { pr, head } of parts)
    if (!(await areWhole(repo, [head], base)))
      throw new HostError(
        `The repository is damaged (see git fsck): something that #${pr} brings with ${head} is missing.`,
        'later',
      );
};

const stack = async (
  repo: GitRepository,
  { runId, parts, method }: BuildTrialRequest,
  base: CommitObject,
  heads: ReadonlyMap<Sha, CommitObject>,
): Promise<TrialOutcome> => {
  const below: { readonly pr: number | 'target'; readonly commit: CommitObject }[] = [
    { pr: 'target', commit: base },
  ];
  const steps: Step[] = [];
  let onto = base;
  for (const part of parts) {
    const head = heads.get(part.head);
    if (head === undefined) return { kind: 'head_gone', pr: part.pr };
    const applied = await apply(repo, onto, head, part, method);
    switch (applied.kind) {
      case 'refused':
        return { kind: 'refused', class: 'pull_request', pr: part.pr, message: applied.message };
      case 'conflicted':
      case 'nothing': {
        const culprit = await firstBelow(below, applied.kind, (under) =>
          apply(repo, under, head, part, method),
        );
        return applied.kind === 'nothing'
          ? { kind: 'nothing_to_land', pr: part.pr, with: culprit }
          : { kind: 'conflicted', pr: part.pr, with: culprit, paths: applied.paths };
      }
      case 'applied':
        onto = await written(repo, applied.commit);
        steps.push({
          pr: part.pr,
          head: part.head,
          headTree: head.tree,
          commit: applied.commit,
          tree: applied.tree,
        });
        below.push({ pr: part.pr, commit: onto });
    }
  }
  const ref = trialRef(runId);
  return { kind: 'built', trial: { ref, commit: onto.sha, tree: onto.tree, steps } };
};

/** From the target upwards, the first on which the part comes to the same end. The last of them is known to be one. */
const firstBelow = async (
  below: readonly { readonly pr: number | 'target'; readonly commit: CommitObject }[],
  kind: Applied['kind'],
  applyOn: (commit: CommitObject) => Promise<Applied>,
): Promise<number | 'target'> => {
  for (const { pr, commit } of below.slice(0, -1)) if ((await applyOn(commit)).kind === kind) return pr;
  return below.at(-1)?.pr ?? 'target';
};

const apply = async (
  repo: GitRepository,
  onto: CommitObject,
  head: CommitObject,
  part: Part,
  method: Method,
): Promise<Applied> => {
  if (method === 'rebase') return rebase(repo, onto, head);
  const merge = await mergeTrees(repo, onto.sha, head.sha);
  if (merge.kind === 'unrelated') return unrelated;
  if (merge.kind === 'conflicted') return merge;
  if (merge.tree === onto.tree) return { kind: 'nothing' };
  const commit = await writeCommit(repo, {
    tree: merge.tree,
    parents: method === 'merge_commit' ? [onto.sha, head.sha] : [onto.sha],
    author: head.author,
    committedAtSeconds: Math.max(onto.committedAtSeconds, head.committedAtSeconds),
    message: messageOf(part),
  });
  return { kind: 'applied', commit, tree: merge.tree };
};

const messageOf = ({ message: { title, body } }: Part): string => {
  const text = body.trim() === '' ? title : `${title}\n\n${body}`;
  return `${text.replaceAll('\0', ' ').trimEnd()}\n`;
};

const written = async (repo: GitRepository, sha: Sha): Promise<CommitObject> => {
  const commit = await readCommit(repo, sha);
  if (commit === null) throw new HostError(`The commit ${sha} was written and is not there.`, 'later');
  return commit;
};
