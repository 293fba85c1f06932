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

/** The source of the required checks in a request: the queue's own list, or the rules of the branch. */
export const requiredStatusesSources = ['queue', 'host'] as const;
export type RequiredStatusesSource = (typeof requiredStatusesSources)[number];

/** The required checks as given in a request. */
export interface StatusesAsked {
  /** Null removes the override; undefined if the request has no list. */
  readonly names: readonly string[] | null | undefined;
  readonly source: RequiredStatusesSource | null;
  /** True if the caller confirms that an empty list means "no check is needed". */
  readonly allowsNone: boolean;
}

export type OverrideAsked =
  | { readonly kind: 'keep' }
  | { readonly kind: 'set'; readonly names: QueueSettings['requiredStatuses'] }
  | { readonly kind: 'fault'; readonly field: string; readonly message: string }
  /** The rules of the branch have not been read yet, so the list cannot be compared with them. */
  | { readonly kind: 'unknown' };

const keep = { kind: 'keep' } as const;
const set = (names: readonly string[] | null): OverrideAsked => ({
  kind: 'set',
  names: names === null ? null : [...names],
});
const fault = (field: string, message: string): OverrideAsked => ({ kind: 'fault', field, message });

/**
 * The override that a request asks for. A list equal to the one in force changes nothing, unless the source `queue`
 * pins it. So a client that writes back what it read neither pins the rules of the branch nor turns testing off.
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

// An empty list is accepted only if it repeats the current value, which stores nothing.
const emptyList = (inForce: readonly string[]): OverrideAsked =>
  inForce.length === 0
    ? keep
    : fault(
        'requiredStatuses',
        `must not be empty while ${shownNames(inForce)} must pass: send allowNoRequiredStatuses: true if no check is needed, or null to follow the rules of the branch`,
      );

/** Max names shown in a message. */
const NAMES_SHOWN_LIMIT = 5;

const shownNames = (names: readonly string[]): string => {
  if (names.length === 0) return 'none';
  const more = names.length - NAMES_SHOWN_LIMIT;
  return names.slice(0, NAMES_SHOWN_LIMIT).join(', ') + (more > 0 ? ` and ${more} more` : '');
};

const isSameSet = (some: readonly string[], others: readonly string[]): boolean => {
  const otherNames = new Set(others);
  return otherNames.size === new Set(some).size && some.every((name) => otherNames.has(name));
};

export const REPORTED_CHECKS_LIMIT = 1_000;

/** The reported checks after these names were seen. If there are too many, required ones are kept first. */
export const withReported = (
  queue: Pick<Queue, 'settings' | 'target' | 'reportedChecks'>,
  reportedNow: ReadonlySet<string>,
): readonly string[] => {
  const required = new Set(requiredChecksOf(queue)?.names);
  const news = [...required].filter((name) => reportedNow.has(name) && !queue.reportedChecks.includes(name));
  if (news.length === 0) return queue.reportedChecks;
  const all = [...queue.reportedChecks, ...news];
  return all.length <= REPORTED_CHECKS_LIMIT
    ? all
    : [...all]
        .sort((one, other) => Number(required.has(other)) - Number(required.has(one)))
        .slice(0, REPORTED_CHECKS_LIMIT);
};

/**
 * Required names that no test run has reported, although other checks were reported. They may never be reported at all.
 */
export const unreportedChecks = (
  queue: Pick<Queue, 'settings' | 'target' | 'reportedChecks'>,
): readonly string[] => (queue.reportedChecks.length === 0 ? [] : neverReported(queue));

/** Required names that no test run has reported, also if no check was reported at all. */
export const neverReported = (
  queue: Pick<Queue, 'settings' | 'target' | 'reportedChecks'>,
): readonly string[] => {
  const reported = new Set(queue.reportedChecks);
  return (requiredChecksOf(queue)?.names ?? []).filter((name) => !reported.has(name));
};
