import {
  type Candidate,
  type CandidateOutcome,
  type CodeHost,
  type HostPullRequest,
  isReadable,
  type LandOutcome,
  type MergeMethod,
  type Sha,
  type TestRunId,
} from '@mq/core';
import { type GitWorld, repo } from './git-world.js';

export const RUN = '00000003-0000-4000-8000-000000000001' as TestRunId;
/** Later than every commit of these worlds. */
export const DECIDED_AT = Date.UTC(2050, 0, 1);
/** The common fields of all requests to build a candidate. */
export const asked = { repo, runId: RUN, branch: 'main', decidedAt: DECIDED_AT } as const;
export const methods: readonly MergeMethod[] = ['merge_commit', 'squash', 'rebase'];

/** Reads pull requests by number, with their mergeability. Throws if one is unreadable. */
export const shownBy = async (
  host: CodeHost,
  numbers: readonly number[],
): Promise<readonly HostPullRequest[]> => {
  const answers = await host.getPullRequests(repo, numbers, { merging: 'squash' });
  return answers.map((answer) => {
    if (!isReadable(answer)) throw new Error(`#${answer.number} cannot be read: ${answer.fault.message}`);
    return answer;
  });
};

export const headOf = async (world: GitWorld, pr: number): Promise<Sha> => {
  const [pull] = await shownBy(world.host, [pr]);
  if (pull === undefined) throw new Error(`There is no pull request #${pr}.`);
  return pull.head;
};

export const build = async (
  world: GitWorld,
  prs: readonly number[],
  method: MergeMethod = 'squash',
): Promise<CandidateOutcome> => {
  const parts = [];
  for (const pr of prs)
    parts.push({ pr, head: await headOf(world, pr), message: { title: `Land #${pr}`, body: '' } });
  const base = await world.place.tip('main');
  return world.host.buildCandidate({ ...asked, base, parts, method });
};

export const built = async (
  world: GitWorld,
  prs: readonly number[],
  method?: MergeMethod,
): Promise<Candidate> => {
  const outcome = await build(world, prs, method);
  if (outcome.kind !== 'built') throw new Error(JSON.stringify(outcome));
  return outcome.candidate;
};

export const land = async (world: GitWorld, prs: readonly number[]): Promise<LandOutcome> => {
  const onto = await world.place.tip('main');
  const candidate = await built(world, prs);
  const members = candidate.steps.map(({ pr, head }) => ({ pr, head, forced: false }));
  return world.host.land({ repo, runId: RUN, branch: 'main', onto, candidate, members });
};
