import { type BuildCandidateRequest, HostError, type HostRefusal, type Sha, type TestRunId } from '@mq/core';
import { BRANCHES, isRunId, runSegment } from './names.js';
import { branchesInTheWay, changeRefs, listRefs } from './refs.js';
import type { GitRepository } from './repositories.js';

/** Prefix of the candidate branches. Only the queue writes there. */
export const CANDIDATE_BRANCHES = `${BRANCHES}mq`;

type Named = Pick<BuildCandidateRequest, 'parts' | 'runId'>;

/** `mq/pr-<n>/<testRunId>` with the last pull request of the candidate; `mq/base/<testRunId>` for one without any. */
export const candidateBranchRef = ({ parts, runId }: Named): string => {
  const last = parts.at(-1);
  return `${CANDIDATE_BRANCHES}/${last === undefined ? 'base' : `pr-${last.pr}`}/${runSegment(runId)}`;
};

const candidateBranch = new RegExp(`^${CANDIDATE_BRANCHES}/(?:pr-[1-9]\\d*|base)/([^/]+)$`);

/** The test run whose candidate the ref is; null for any other ref, such as a branch of people below the prefix. */
export const runOfCandidateBranch = (ref: string): TestRunId | null => {
  const [, runId = ''] = candidateBranch.exec(ref) ?? [];
  return isRunId(runId) ? (runId as TestRunId) : null;
};

/** The folders of a candidate branch, outermost first. Git cannot create it while one of them is a branch itself. */
export const foldersOf = (request: Named): readonly string[] => {
  const ref = candidateBranchRef(request);
  return [CANDIDATE_BRANCHES, ref.slice(0, ref.lastIndexOf('/'))];
};

/** The refusal to build because of a branch in the way: of all candidates, or only of those with the same last pull request. */
export const refusalBecauseOf = (ref: string, { parts }: Named, where = 'at the host'): HostRefusal => {
  const last = ref === CANDIDATE_BRANCHES ? undefined : parts.at(-1);
  const name = ref.slice(BRANCHES.length);
  const message = `The branch ${name} keeps git from creating candidate branches below ${name}/. Rename or delete it ${where}.`;
  return {
    kind: 'refused',
    class: last === undefined ? 'setting' : 'pull_request',
    pr: last?.pr ?? null,
    message,
  };
};

/** Null if the branch of the candidate can be created. */
export const refusalOfCandidateBranch = async (
  repo: GitRepository,
  request: Named,
): Promise<HostRefusal | null> => {
  const ref = candidateBranchRef(request);
  const other = (await branchesInTheWay(repo, [ref])).get(ref);
  return other === undefined ? null : refusalBecauseOf(other.ref, request, 'in the bare repository');
};

/** Creates a branch for a candidate, for a CI that tests every branch. Idempotent. */
export const writeCandidateBranch = async (
  repo: GitRepository,
  request: Named,
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
