import { type BuildCandidateRequest, HostError, type Sha, type TestRunId } from '@mq/core';
import { BRANCHES, isRunId, runSegment } from './names.js';
import { changeRefs, listRefs } from './refs.js';
import type { GitRepository } from './repositories.js';

/** Prefix of the candidate branches. Only the queue writes there. */
export const CANDIDATE_BRANCHES = `${BRANCHES}mq`;

/** `mq/pr-<n>/<testRunId>` with the last pull request of the candidate; `mq/base/<testRunId>` for one without any. */
export const candidateBranchRef = ({
  parts,
  runId,
}: Pick<BuildCandidateRequest, 'parts' | 'runId'>): string => {
  const last = parts.at(-1);
  return `${CANDIDATE_BRANCHES}/${last === undefined ? 'base' : `pr-${last.pr}`}/${runSegment(runId)}`;
};

const candidateBranch = new RegExp(`^${CANDIDATE_BRANCHES}/(?:pr-[1-9]\\d*|base)/([^/]+)$`);

/** The test run whose candidate the ref is; null for any other ref, such as a branch of people below the prefix. */
export const runOfCandidateBranch = (ref: string): TestRunId | null => {
  const [, runId = ''] = candidateBranch.exec(ref) ?? [];
  return isRunId(runId) ? (runId as TestRunId) : null;
};

/** Creates a branch for a candidate, for a CI that tests every branch. Idempotent. */
export const writeCandidateBranch = async (
  repo: GitRepository,
  request: Pick<BuildCandidateRequest, 'parts' | 'runId'>,
  commit: Sha,
): Promise<void> => {
  const ref = candidateBranchRef(request);
  if (!(await changeRefs(repo, [{ kind: 'update', ref, to: commit }])))
    throw new HostError(`The candidate branch ${ref} could not be written.`, 'later');
};

/** Deletes the branch of a candidate. Idempotent. */
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
