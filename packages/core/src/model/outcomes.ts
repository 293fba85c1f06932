import type { Sha } from './ids.js';
import type { PullRequest, PullRequestFault } from './pull-request.js';
import type { Candidate } from './run.js';

/** How far a refusal of the host reaches. The core judges what follows from it. */
export type RefusalClass = 'wait' | 'policy' | 'setting' | 'pull_request';

/** What a host that can never answer is about: the repository itself, or the queue's access to it. */
export type HostReach = 'repository' | 'access';

/** The host said no, for certain, and changed nothing. */
export interface HostRefusal {
  readonly kind: 'refused';
  readonly class: RefusalClass;
  /** The pull request that it is about; null where it is about none in particular. */
  readonly pr: number | null;
  /** The host's own words, cut to a safe length. */
  readonly message: string;
}

/** What came of the request to build a candidate. */
export type CandidateOutcome =
  | { readonly kind: 'built'; readonly candidate: Candidate }
  /** `with` is the pull request below it in the same candidate that it conflicts with, or the target itself. */
  | {
      readonly kind: 'conflicted';
      readonly pr: number;
      readonly with: number | 'target';
      readonly paths: readonly string[];
    }
  /** Its change is already there: on the target itself, or brought by a pull request below it in the same candidate. */
  | { readonly kind: 'nothing_to_land'; readonly pr: number; readonly with: number | 'target' }
  /**
   * Only by rebase: the merge commit of its branch holds content of its own, which rebasing it onto `with` would lose.
   */
  | {
      readonly kind: 'merge_content_lost';
      readonly pr: number;
      readonly with: number | 'target';
      readonly commit: Sha;
    }
  /**
   * The host fails on this pull request alone: right before it answered, it merged the base with itself and did the same
   * for another pull request, where the repository has one. `with` as for a conflict.
   */
  | {
      readonly kind: 'faulty';
      readonly pr: number;
      readonly with: number | 'target';
      readonly fault: PullRequestFault;
    }
  /** The head that was asked for is not there (any more). */
  | { readonly kind: 'head_gone'; readonly pr: number }
  | HostRefusal;

/** What becomes of the wish to land. Whatever is not `landed` or `partly_landed` changed nothing, and never will. */
export type LandOutcome =
  | { readonly kind: 'landed'; readonly head: Sha; readonly tree: string }
  /** Only where the host merges one by one: the first `count` of the members landed, then it stopped. */
  | {
      readonly kind: 'partly_landed';
      readonly count: number;
      readonly head: Sha;
      readonly tree: string;
      readonly cause: string;
    }
  | { readonly kind: 'base_moved'; readonly head: Sha | null }
  /** They are no longer what was submitted: pushed to, closed, draft, retargeted. `missing` are unknown to the host. */
  | {
      readonly kind: 'members_changed';
      readonly pulls: readonly PullRequest[];
      readonly missing: readonly number[];
    }
  /** A check of a run that it rests on was run again after its pass, or shows that it passed no longer. */
  | { readonly kind: 'checks_changed' }
  | { readonly kind: 'candidate_gone' }
  | HostRefusal;

/** The target was moved, by all of it or by its beginning. */
export type MovedOutcome = Extract<LandOutcome, { kind: 'landed' | 'partly_landed' }>;
