import type { ImpactedTargets } from './impacted-targets.js';
import type { Mergeability } from './pull-request.js';
import type { Queue } from './queue.js';
import type { Submission } from './submission.js';
import type { WaitCode } from './waits.js';

/** The wait codes of a submission that is not ready. */
export type Lack = Extract<
  WaitCode,
  | 'reopening'
  | 'base_branch'
  | 'target_branch'
  | 'ready_for_review'
  | 'impacted_targets'
  | 'mergeable'
  | 'mergeability_unknown'
>;

/** Short phrases for what was missing. */
const lackWords = {
  reopening: 'it was closed',
  base_branch: 'its base branch was another',
  target_branch: 'the target branch did not exist',
  ready_for_review: 'it was a draft',
  impacted_targets: 'it had no impacted targets for its head',
  mergeable: 'the code host said that it could not be merged',
  mergeability_unknown: 'the code host had not said whether it could be merged',
} as const satisfies Record<Lack, string>;

/** What was missing, with the code host's message about merging. */
export const lackPhrase = (lack: Lack, said: string | null): string =>
  lack === 'mergeable' && said !== null ? `${lackWords[lack]}: ${said}` : lackWords[lack];

/** The facts that decide whether a submission can be admitted to the line. */
export interface Readiness {
  readonly requiresImpactedTargets: boolean;
  readonly hasImpactedTargets: boolean;
  readonly doesBaseBranchMatch: boolean;
  readonly hostMergeability: Mergeability;
}

/**
 * A submission from before the queue became parallel needs no impacted targets; it touches everything until some are
 * uploaded.
 */
export const readinessOf = (
  { branch, settings, lastBeforeParallel }: Pick<Queue, 'branch' | 'settings' | 'lastBeforeParallel'>,
  submission: Pick<Submission, 'pull' | 'submittedRank'>,
  targets: ImpactedTargets | null,
): Readiness => {
  const isParallel = settings.mode === 'parallel';
  const isOlder = lastBeforeParallel !== null && submission.submittedRank <= lastBeforeParallel;
  return {
    requiresImpactedTargets: isParallel && !isOlder,
    hasImpactedTargets: isParallel && targets !== null,
    doesBaseBranchMatch: submission.pull.base === branch,
    hostMergeability: submission.pull.mergeability,
  };
};

/**
 * What keeps a submission out of the line, most fundamental first. A closed one lacks only reopening. The host's
 * mergeability counts only if nothing else is missing, and not at all for a forced one.
 */
export const lacksOf = (
  queue: Pick<Queue, 'branch' | 'settings' | 'target' | 'lastBeforeParallel'>,
  submission: Pick<Submission, 'pull' | 'forceEnqueued' | 'submittedRank'>,
  targets: ImpactedTargets | null,
): readonly Lack[] => {
  const { pull } = submission;
  const readiness = readinessOf(queue, submission, targets);
  if (pull.state === 'closed') return ['reopening'];
  const lacks: Lack[] = [];
  if (!readiness.doesBaseBranchMatch) lacks.push('base_branch');
  if (!queue.target.exists) lacks.push('target_branch');
  if (pull.draft) lacks.push('ready_for_review');
  if (readiness.requiresImpactedTargets && !readiness.hasImpactedTargets) lacks.push('impacted_targets');
  if (lacks.length > 0 || submission.forceEnqueued || pull.mergeability === 'mergeable') return lacks;
  return [pull.mergeability === 'not_mergeable' ? 'mergeable' : 'mergeability_unknown'];
};
