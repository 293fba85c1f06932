import { type BuildCandidateRequest, HostError, type Sha, type TestRunId } from '@mq/core';
import { BRANCHES, runSegment } from './names.js';
import { changeRefs, listRefs } from './refs.js';
import type { GitRepository } from './repositories.js';

/** Below it lie the branches of candidates. The queue alone writes there. */
export const CANDIDATE_BRANCHES = `${BRANCHES}mq`;

/** `mq/pr-<n>/<testRunId>` with the last pull request of the candidate; `mq/base/<testRunId>` for one without any. */
const branchOf = ({ parts, runId }: Pick<BuildCandidateRequest, 'parts' | 'runId'>): string => {
  const last = parts.at(-1);
  return `${CANDIDATE_BRANCHES}/${last === undefined ? 'base' : `pr-${last.pr}`}/${runSegment(runId)}`;
};

/** Shows a candidate as a branch, so that a CI which tests every branch tests it. Twice is no error. */
export const writeCandidateBranch = async (
  repo: GitRepository,
  request: Pick<BuildCandidateRequest, 'parts' | 'runId'>,
  commit: Sha,
): Promise<void> => {
  const ref = branchOf(request);
  if (!(await changeRefs(repo, [{ kind: 'update', ref, to: commit }])))
    throw new HostError(`The candidate branch ${ref} could not be written.`, 'later');
};

/** Twice is no error. */
export const dropCandidateBranch = async (repo: GitRepository, runId: TestRunId): Promise<void> => {
  const refs = await listRefs(repo, [`${CANDIDATE_BRANCHES}/*/${runSegment(runId)}`]);
  if (refs.size === 0) return;
  if (
    !(await changeRefs(
      repo,
      [...refs.keys()].map((ref) => ({ kind: 'delete', ref })),
    ))
  )
    throw new HostError(`The candidate branch of test run ${runId} could not be removed.`, 'later');
};
