import type { RequiredChecks } from './checks.js';
import type { Queue } from './queue.js';
import type { QueueSettings } from './settings.js';

export const requiredChecksOf = (queue: Pick<Queue, 'settings' | 'target'>): RequiredChecks | null => {
  const override = queue.settings.requiredStatuses;
  if (override !== null) return { names: override, source: 'merge_instance' };
  const rules = queue.target.requiredChecks;
  if (rules === null || rules.length === 0) return null;
  return { names: rules, source: 'repo_provider_branch_protection' };
};

/** Who names the required checks, as a request says it: the queue's own list, or the rules of the branch. */
export const requiredStatusesSources = ['queue', 'host'] as const;
export type RequiredStatusesSource = (typeof requiredStatusesSources)[number];

/** What a request says of the required checks. */
export interface StatusesAsked {
  /** Null drops the override; undefined where the request names none. */
  readonly names: readonly string[] | null | undefined;
  readonly source: RequiredStatusesSource | null;
  /** True where an empty list means that no check is needed. */
  readonly allowsNone: boolean;
}

export type OverrideAsked =
  | { readonly kind: 'keep' }
  | { readonly kind: 'set'; readonly names: QueueSettings['requiredStatuses'] }
  | { readonly kind: 'fault'; readonly field: string; readonly message: string }
  /** What the branch requires is not known yet, so that nothing can be compared with it. */
  | { readonly kind: 'unknown' };

const keep = { kind: 'keep' } as const;
const set = (names: readonly string[] | null): OverrideAsked => ({
  kind: 'set',
  names: names === null ? null : [...names],
});
const fault = (field: string, message: string): OverrideAsked => ({ kind: 'fault', field, message });

/**
 * The override that a request asks for. A list equal to the one in force changes nothing, unless the source `queue` pins
 * it; so a client that writes back what it read neither pins the rules of the branch nor switches testing off.
 */
export const overrideAsked = (
  queue: Pick<Queue, 'settings' | 'target'>,
  { names, source, allowsNone }: StatusesAsked,
): OverrideAsked => {
  const override = queue.settings.requiredStatuses;
  if (names === undefined) return withoutList(override, source);
  if (names === null)
    return source === 'queue'
      ? fault('requiredStatusesSource', 'must not be "queue" without a list')
      : set(null);
  if (names.length === 0 && allowsNone) return set([]);
  if (source === 'queue' && names.length > 0) return set(names);
  if (override === null && queue.target.readAt === null) return { kind: 'unknown' };
  const ofHost = queue.target.requiredChecks ?? [];
  if (source === 'host')
    return isSameSet(names, ofHost)
      ? set(null)
      : fault(
          'requiredStatuses',
          `must be what the branch requires (${shownNames(ofHost)}), or come without a source`,
        );
  if (names.length === 0) return emptyList(override ?? ofHost);
  return override === null && isSameSet(names, ofHost) ? keep : set(names);
};

const withoutList = (
  override: readonly string[] | null,
  source: RequiredStatusesSource | null,
): OverrideAsked => {
  if (source === null || (source === 'queue' && override !== null)) return keep;
  return source === 'host' ? set(null) : fault('requiredStatuses', 'is required beside the source "queue"');
};

/** Only a repetition of what is answered: that stores nothing. */
const emptyList = (inForce: readonly string[]): OverrideAsked =>
  inForce.length === 0
    ? keep
    : fault(
        'requiredStatuses',
        `must not be empty while ${shownNames(inForce)} must pass: send allowNoRequiredStatuses: true if no check is needed, or null to follow the rules of the branch`,
      );

/** Of names in a message, so many are shown. */
const NAMES_SHOWN_LIMIT = 5;

const shownNames = (names: readonly string[]): string => {
  if (names.length === 0) return 'none';
  const more = names.length - NAMES_SHOWN_LIMIT;
  return names.slice(0, NAMES_SHOWN_LIMIT).join(', ') + (more > 0 ? ` and ${more} more` : '');
};

const isSameSet = (some: readonly string[], others: readonly string[]): boolean => {
  const known = new Set(others);
  return known.size === new Set(some).size && some.every((name) => known.has(name));
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
