import { hasFailed, isAttemptOf, type Member, type TestRun } from './run.js';
import type { Submission } from './submission.js';

/** The pull requests that a failed one was tested on top of, as they were when it was failed. */
export interface FailedOnTopOf {
  /** In the order of the candidate. Never empty. */
  readonly prs: readonly number[];
  /** False if some of them had passed and were still to land. */
  readonly haveLanded: boolean;
  /** The branch that they land on. */
  readonly target: string;
}

/**
 * What a failed pull request was tested on top of: the stack of its failed test run and the members of the batch before it.
 * Those that left without landing are left out. Null if none is left, or if the run has no verdict against the pull request.
 */
export const failedOnTopOf = (
  run: TestRun,
  submission: Pick<Submission, 'id' | 'attempt'>,
  { target, isLive }: { readonly target: string; readonly isLive: (member: Member) => boolean },
): FailedOnTopOf | null => {
  if (!hasFailed(run)) return null;
  const members = [...run.stack, ...run.batch];
  const own = members.findIndex((member) => isAttemptOf(member, submission));
  const hasLanded = ({ pr }: Member): boolean => run.landed.includes(pr);
  const below = members.slice(0, Math.max(own, 0)).filter((member) => hasLanded(member) || isLive(member));
  if (below.length === 0) return null;
  return { prs: below.map(({ pr }) => pr), haveLanded: below.every(hasLanded), target };
};
