import { isSameWithin } from './equality.js';
import type { Instant, Sha } from './ids.js';

/** Whether the host can merge it: not known yet, being computed, yes, no. */
export type Mergeability = 'unspecified' | 'in_progress' | 'mergeable' | 'not_mergeable';

export type PullRequestFaultCode = 'PULL_REQUEST_UNREADABLE' | 'MERGE_NOT_COMPUTABLE';

/** Why the code host fails on one pull request while it answers for others. */
export interface PullRequestFault {
  readonly code: PullRequestFaultCode;
  /** The host's message, cut to a safe length. */
  readonly message: string;
}

/** A pull request as the code host showed it at one moment. */
export interface PullRequest {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly author: string;
  /** The author as commits name people: the name, with ` <address>` if the host may publish it. Absent if unknown. */
  readonly authorIdentity?: string;
  readonly url: string;
  readonly head: Sha;
  /** Null if the source branch or its repository was deleted. */
  readonly headBranch: string | null;
  /** The branch that it is to be merged into. */
  readonly base: string;
  readonly state: 'open' | 'closed' | 'merged';
  /** The branch and commit of the merge; null unless `state` is merged. */
  readonly merged: { readonly branch: string; readonly commit: Sha | null } | null;
  readonly draft: boolean;
  readonly fork: boolean;
  readonly labels: readonly string[];
  readonly mergeability: Mergeability;
  /** The host's message on why it is not mergeable, else null. */
  readonly mergeabilityReason: string | null;
  /** True if a textual conflict with the base makes it not mergeable. False if people or rules block it. */
  readonly conflicts: boolean;
  /** When the read was sent. Of two reads the later one counts. */
  readonly readAt: Instant;
}

/**
 * Whether the host blocks an open pull request for another reason than its content, e.g. a missing approval. A conflict
 * does not count: the candidate shows whether the change can be merged.
 */
export const isWithheld = ({ state, mergeability, conflicts }: PullRequest): boolean =>
  state === 'open' && mergeability === 'not_mergeable' && !conflicts;

/**
 * Whether a pull request can still land as `wanted`. A conflict shown by the host does not prevent it, because the
 * candidate was built.
 */
export const mayStillLand = (
  pull: PullRequest,
  wanted: { readonly head: Sha; readonly branch: string; readonly forced: boolean },
): boolean =>
  pull.state === 'open' &&
  !pull.draft &&
  pull.base === wanted.branch &&
  pull.head === wanted.head &&
  (wanted.forced || !isWithheld(pull));

/**
 * Caps `readAt` at `now`: after the clock was set forward and back, the queue would ignore newer reads until that time.
 */
export const notOfTomorrow = (pull: PullRequest, now: Instant): PullRequest =>
  pull.readAt <= now ? pull : { ...pull, readAt: now };

/**
 * Whether two reads show the same, regardless of when. Compares field by field, since every queued pull request is read
 * repeatedly.
 */
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
  one.authorIdentity === other.authorIdentity &&
  one.url === other.url &&
  one.headBranch === other.headBranch &&
  one.fork === other.fork &&
  one.body === other.body &&
  isSameWithin(one.labels, other.labels) &&
  isSameWithin(one.merged, other.merged);
