import type { Queue } from './queue.js';

/** The checks that must pass, and who says so. Null: neither the queue nor the host's branch rules name any. */
export interface RequiredChecks {
  readonly names: readonly string[];
  readonly source: 'merge_instance' | 'repo_provider_branch_protection';
}

export const requiredChecksOf = (queue: Pick<Queue, 'settings' | 'target'>): RequiredChecks | null => {
  const override = queue.settings.requiredStatuses;
  if (override !== null) return { names: override, source: 'merge_instance' };
  const rules = queue.target.requiredChecks;
  if (rules === null || rules.length === 0) return null;
  return { names: rules, source: 'repo_provider_branch_protection' };
};
