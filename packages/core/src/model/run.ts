import type { Check, Outcome } from './checks.js';
import type { EffectId, Instant, RunId, Sha, SubmissionId } from './ids.js';
import type { MergeMethod } from './settings.js';

/** One attempt of one submission at one head: what a run contains or rests on. */
export interface Member {
  readonly submissionId: SubmissionId;
  readonly attempt: number;
  readonly pr: number;
  readonly head: Sha;
}

/** What one pull request became in a trial. `headTree` is the tree of `head` itself: what its own checks ran on. */
export interface Step {
  readonly pr: number;
  readonly head: Sha;
  readonly headTree: string;
  readonly commit: Sha;
  readonly tree: string;
}

/** The commit and tree built for a run. `steps` follow the order of stack and batch; the last one is the trial itself. Without any it is the base. */
export interface Trial {
  /** The name under which the host keeps it, for people to fetch it by; it belongs to the run. */
  readonly ref: string;
  readonly commit: Sha;
  readonly tree: string;
  readonly steps: readonly Step[];
}

/**
 * One test of a batch on a stated base and stack. Several runs of one batch may be live at once, on different stacks;
 * nothing may assume one run per submission. A run never changes what it tests.
 */
export interface Run {
  readonly id: RunId;
  /** The submissions tested together, in order. */
  readonly batch: readonly Member[];
  /** The undecided submissions under the batch when the run was made, in order: it assumes that they land. */
  readonly stack: readonly Member[];
  /** Those ahead that were left out: it assumes that they do not land first. */
  readonly without: readonly Member[];
  readonly base: Sha;
  readonly method: MergeMethod;
  /** How many of the stack have landed since, and the tip of the target when the last of them did. */
  readonly landedCount: number;
  readonly onto: Sha;
  readonly state: 'building' | 'testing' | 'ended';
  /** Null until it has ended; also null where it was closed before it came to an end. */
  readonly outcome: Outcome | null;
  /** The check that decided against it; null otherwise. */
  readonly decidedBy: Check | null;
  /** What the host said where it could not build or start it; null otherwise. */
  readonly failure: string | null;
  readonly trial: Trial | null;
  /** What the host shows of its checks, and passes that were on record for its tree when it was built. */
  readonly checks: readonly Check[];
  readonly known: readonly Check[];
  /** The names that it was started for; what lands is judged by the names in force when it lands. */
  readonly requiredChecks: readonly string[];
  /** Those of them that the host was asked to start: what was known to pass for this tree is not started. */
  readonly startedChecks: readonly string[];
  readonly createdAt: Instant;
  /** When the trial was there and the tests were asked for; null before. */
  readonly testingSince: Instant | null;
  /** When the host was asked for the checks that it holds; null before. */
  readonly checksReadAt: Instant | null;
  /** When it is given up; null where the queue sets no timeout, or before the tests were asked for. */
  readonly deadlineAt: Instant | null;
  /** Set once the host was read after a deadline and had nothing to show: no verdict, or not a single check. */
  readonly expired: 'no_verdict' | 'not_begun' | null;
  readonly endedAt: Instant | null;
  /** When the queue let go of it: landed, superseded or judged. A run without it is live. */
  readonly closedAt: Instant | null;
  readonly closedBecause: CloseCause | null;
  /** Wishes of this run that may still be under way. */
  readonly building: EffectId | null;
  readonly starting: EffectId | null;
}

export type CloseCause =
  | 'landed'
  | 'superseded'
  | 'judged'
  | 'member_left'
  | 'target_moved'
  | 'restarted'
  | 'tests_incomplete'
  | 'not_landed';

export const isSameMember = (one: Member, other: Member | undefined): boolean =>
  other !== undefined && memberKey(one) === memberKey(other);

export const memberKey = (member: Member): string =>
  `${member.submissionId}#${member.attempt}@${member.head}`;

/** Everything in the trial that has not landed yet, in order. */
export const remainingMembers = (run: Run): readonly Member[] => [
  ...run.stack.slice(run.landedCount),
  ...run.batch,
];

export const isLiveRun = (run: Run): boolean => run.closedAt === null;

/** A live run costs a slot of the queue's concurrency until its tests have ended. */
export const takesSlot = (run: Run): boolean => isLiveRun(run) && run.state !== 'ended';
