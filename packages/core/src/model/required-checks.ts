import type { RequiredChecks } from './checks.js';
import type { Queue } from './queue.js';

export const requiredChecksOf = (queue: Pick<Queue, 'settings' | 'target'>): RequiredChecks | null => {
  const override = queue.settings.requiredStatuses;
  if (override !== null) return { names: override, source: 'merge_instance' };
  const rules = queue.target.requiredChecks;
  if (rules === null || rules.length === 0) return null;
  return { names: rules, source: 'repo_provider_branch_protection' };
};

export const REPORTED_CHECKS_LIMIT = 1_000;

/** What is on record as reported once these names have been seen. Where there is no room, what is required goes first. */
export const withReported = (
  queue: Pick<Queue, 'settings' | 'target' | 'reportedChecks'>,
  seen: ReadonlySet<string>,
): readonly string[] => {
  const required = new Set(requiredChecksOf(queue)?.names);
  const news = [...required].filter((name) => seen.has(name) && !queue.reportedChecks.includes(name));
  if (news.length === 0) return queue.reportedChecks;
  const all = [...queue.reportedChecks, ...news];
  return all.length <= REPORTED_CHECKS_LIMIT
    ? all
    : [...all]
        .sort((one, other) => Number(required.has(other)) - Number(required.has(one)))
        .slice(0, REPORTED_CHECKS_LIMIT);
};

/** Required names that no run has ever shown, though runs have shown others: nobody may ever report them. */
export const unreportedChecks = (
  queue: Pick<Queue, 'settings' | 'target' | 'reportedChecks'>,
): readonly string[] => (queue.reportedChecks.length === 0 ? [] : neverReported(queue));

/** The same, also where runs have shown nothing at all. */
export const neverReported = (
  queue: Pick<Queue, 'settings' | 'target' | 'reportedChecks'>,
): readonly string[] => {
  const known = new Set(queue.reportedChecks);
  return (requiredChecksOf(queue)?.names ?? []).filter((name) => !known.has(name));
};
