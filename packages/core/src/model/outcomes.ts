import type { Sha } from './ids.js';
import type { PullRequest, PullRequestFault } from './pull-request.js';
import type { Candidate } from './run.js';

/** The scope of a refusal by the host. The core decides what follows from it. */
export type RefusalClass = 'wait' | 'policy' | 'setting' | 'pull_request';

/** What the host permanently fails on: the repository itself, or the queue's access to it. */
export type HostReach = 'repository' | 'access';

/** The host refused, and certainly changed nothing. */
export interface HostRefusal {
  readonly kind: 'refused';
  readonly class: RefusalClass;
  /** The pull request that the refusal names; null if it names none. */
  readonly pr: number | null;
  /** The message of the host, cut to a safe length. */
  readonly message: string;
  /** True if the host gave no answer in several tries. Then `message` says how the last one failed. */
  readonly isUnanswered?: true;
}

/** The result of the request to build a candidate. */
export type CandidateOutcome =
  | { readonly kind: 'built'; readonly candidate: Candidate }
  /** `with`: the pull request below it in the same candidate that it conflicts with, or the target itself. */
  | {
      readonly kind: 'conflicted';
      readonly pr: number;
      readonly with: number | 'target';
      readonly paths: readonly string[];
    }
  /** The target, or a pull request below it in the same candidate, already contains its change. */
  | { readonly kind: 'nothing_to_land'; readonly pr: number; readonly with: number | 'target' }
  /**
   * Rebase only: a merge commit of its branch has content of its own, which rebasing onto `with` would lose.
   */
  | {
      readonly kind: 'merge_content_lost';
      readonly pr: number;
      readonly with: number | 'target';
      readonly commit: Sha;
    }
  /**
   * The host fails on this pull request alone. Right before that, it could merge the base with itself and with another pull
   * request, if the repository has one. `with`: as for a conflict.
   */
  | {
      readonly kind: 'faulty';
      readonly pr: number;
      readonly with: number | 'target';
      readonly fault: PullRequestFault;
    }
  /** The requested head does not exist (any more). */
  | { readonly kind: 'head_gone'; readonly pr: number }
  | HostRefusal;

/** The result of the effect that lands. Outcomes other than `landed` and `partly_landed` changed nothing, and never will. */
export type LandOutcome =
  | { readonly kind: 'landed'; readonly head: Sha; readonly tree: string }
  /** Only for hosts that merge one by one: the first `count` members landed, then it stopped. */
  | {
      readonly kind: 'partly_landed';
      readonly count: number;
      readonly head: Sha;
      readonly tree: string;
      readonly cause: string;
    }
  | { readonly kind: 'base_moved'; readonly head: Sha | null }
  /** Members are no longer as submitted: pushed to, closed, draft or retargeted. `missing` are unknown to the host. */
  | {
      readonly kind: 'members_changed';
      readonly pulls: readonly PullRequest[];
      readonly missing: readonly number[];
    }
  /** A check of a test run that proves the candidate was started again after its pass, or no longer shows a pass. */
  | { readonly kind: 'checks_changed' }
  | { readonly kind: 'candidate_gone' }
  | HostRefusal;

/** The outcomes that moved the target, by all members or by the first of them. */
export type MovedOutcome = Extract<LandOutcome, { kind: 'landed' | 'partly_landed' }>;
