import type { Instant, Sha } from './ids.js';
import { isSameWithin } from './same.js';

/** What the code host says about merging: not known yet, being computed, yes, no. */
export type Mergeability = 'unspecified' | 'in_progress' | 'mergeable' | 'not_mergeable';

export type PullRequestFaultCode = 'PULL_REQUEST_UNREADABLE' | 'MERGE_NOT_COMPUTABLE';

/** Why the code host fails on one pull request while it answers about others. */
export interface PullRequestFault {
  readonly code: PullRequestFaultCode;
  /** The host's own words, cut to a safe length. */
  readonly message: string;
}

/** A pull request as the code host shows it at one moment. A level, never a change. */
export interface PullRequest {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly author: string;
  readonly url: string;
  readonly head: Sha;
  /** Null where the source branch is gone or lives in a repository that is. */
  readonly headBranch: string | null;
  /** The branch that it wants to be merged into. */
  readonly base: string;
  readonly state: 'open' | 'closed' | 'merged';
  /** Where and as what it was merged; null unless `state` is merged. */
  readonly merged: { readonly branch: string; readonly commit: Sha | null } | null;
  readonly draft: boolean;
  readonly fork: boolean;
  readonly labels: readonly string[];
  readonly mergeability: Mergeability;
  /** One sentence of the host on why it is not mergeable, else null. */
  readonly mergeabilityReason: string | null;
  /** True where it is not mergeable because of a textual conflict with the base; false where people or rules withhold it. */
  readonly conflicts: boolean;
  /** When the question was put to the host: of two reads the later one counts. */
  readonly readAt: Instant;
}

/**
 * True of an open pull request that the host withholds for another reason than its content: an approval is missing, or a hold
 * is on it. A conflict is none of these: whether the change can be merged is for its candidate to show.
 */
export const isWithheld = ({ state, mergeability, conflicts }: PullRequest): boolean =>
  state === 'open' && mergeability === 'not_mergeable' && !conflicts;

/** What still has to hold of a pull request when it is landed. A conflict that the host shows is no objection: its candidate was built. */
export const mayStillLand = (
  pull: PullRequest,
  wanted: { readonly head: Sha; readonly branch: string; readonly forced: boolean },
): boolean =>
  pull.state === 'open' &&
  !pull.draft &&
  pull.base === wanted.branch &&
  pull.head === wanted.head &&
  (wanted.forced || !isWithheld(pull));

/** As it was read, and now at the latest: a clock that was set forwards must not blind the queue until that time has come. */
export const notOfTomorrow = (pull: PullRequest, now: Instant): PullRequest =>
  pull.readAt <= now ? pull : { ...pull, readAt: now };

/** True where two reads show the same, whenever they were made. Field by field: all that are in the queue are read again and again. */
export const isSameShown = (one: PullRequest, other: PullRequest): boolean =>
  one.head === other.head &&
  one.state === other.state &&
  one.mergeability === other.mergeability &&
  one.mergeabilityReason === other.mergeabilityReason &&
  one.conflicts === other.conflicts &&
  one.draft === other.draft &&
  one.base === other.base &&
  one.number === other.number &&
  one.title === other.title &&
  one.author === other.author &&
  one.url === other.url &&
  one.headBranch === other.headBranch &&
  one.fork === other.fork &&
  one.body === other.body &&
  isSameWithin(one.labels, other.labels) &&
  isSameWithin(one.merged, other.merged);
