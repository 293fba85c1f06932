import { type Check, type Evidence, isOwnCheck, judgeChecks, type Outcome } from './checks.js';
import type { EffectId, Instant, Sha, SubmissionId, TestRunId } from './ids.js';
import type { InfrastructureFailure } from './infrastructure-failure.js';
import { reusedPassesOf } from './reused-passes.js';
import type { MergeMethod } from './settings.js';

/** One attempt of one submission at one head. */
export interface Member {
  readonly submissionId: SubmissionId;
  readonly attempt: number;
  readonly pr: number;
  readonly head: Sha;
}

/**
 * The part of a candidate that one pull request became. `headTree` is the tree of `head`, on which its own checks ran.
 * `reviewedTree` is the tree of the merge of `head` and the step below it: null if that conflicts, absent if the
 * code host does not compute it.
 */
export interface Step {
  readonly pr: number;
  readonly head: Sha;
  readonly headTree: string;
  readonly reviewedTree?: string | null;
  readonly commit: Sha;
  readonly tree: string;
}

/**
 * The commit and tree built for a test run. `steps` follow the order of stack and batch; the last one is the candidate.
 * Without steps the candidate is the base.
 */
export interface Candidate {
  /** The name under which the host keeps it, so that people can fetch it. One per test run. */
  readonly ref: string;
  readonly commit: Sha;
  readonly tree: string;
  readonly steps: readonly Step[];
}

/** The purpose of a test run. */
export type Purpose =
  /** Tests its batch. */
  | { readonly kind: 'test' }
  /** Bisection: searches for the culprit of a failed batch. Stack and batch are the first part of that batch. */
  | {
      readonly kind: 'isolate';
      readonly failed: TestRunId;
      /**
       * The checks that the whole batch failed: a part is cleared only if each succeeds. Absent if
       * they are not known.
       */
      readonly checks?: readonly string[];
    }
  /** Baseline run: tests the bare target, with an empty batch. `isFresh`: an earlier pass does not count. */
  | { readonly kind: 'control'; readonly isFresh: boolean }
  /**
   * Combines what passed in several lanes into one candidate on the tip. Nothing is tested again: the runs of
   * `vouchers` have tested it.
   */
  | { readonly kind: 'compose'; readonly vouchers: readonly TestRunId[] };

/**
 * What landed in other lanes since the test run was built, by one or several landings. It shares no targets with the
 * test run.
 */
export interface Beside {
  /** The tip after the last of these landings. */
  readonly head: Sha;
  readonly prs: readonly number[];
}

/** Max landings that are recorded separately; if there are more, the first ones are merged into one entry. */
export const BESIDE_LIMIT = 100;
/** Max pull requests that may land beside a test run; with more of them it is rebuilt. */
export const BESIDE_PRS_LIMIT = 10_000;

/** The progress of a bisection. Lengths count the members at the start of the batch. */
export interface Bisection {
  /** What its parts are built on: the base of the failed test run plus the part of the batch that has landed since. */
  readonly base: Sha;
  /** The longest part that passed, and the shortest longer one that failed. */
  readonly passed: number;
  readonly failed: number;
  /** The required checks that succeeded in the longest passed part; others were skipped. Absent while they are not known. */
  readonly successes?: readonly string[];
  /** The test run in which that part failed: the failed batch run itself until a part has failed. */
  readonly failedBy: TestRunId;
  /** The test runs created for it so far, and how many of them ended without a verdict. */
  readonly parts: number;
  readonly retries: number;
  /** No new test run before this; null if there is no such limit. */
  readonly retryAt: Instant | null;
}

/**
 * One test of a batch on a stated base and stack. What it tests never changes. A batch can have several open test runs,
 * on different stacks: do not assume one per submission.
 */
export interface TestRun {
  readonly id: TestRunId;
  readonly purpose: Purpose;
  /** The submissions tested together, in order. */
  readonly batch: readonly Member[];
  /** The undecided submissions below the batch, in order. The test run assumes that they land. */
  readonly stack: readonly Member[];
  /** Submissions ahead that were left out. The test run assumes that they do not land first. */
  readonly without: readonly Member[];
  readonly base: Sha;
  /**
   * True if it holds one submission alone on the tip, so that the pull request's own checks may count. After the build,
   * true only if they do.
   */
  readonly isDirect: boolean;
  readonly method: MergeMethod;
  /** The pull requests in it that have landed since. */
  readonly landed: readonly number[];
  /**
   * The tip up to which landings were taken into account: what landed since its base is in `landed` or `beside`, or
   * overtook it.
   */
  readonly onto: Sha;
  readonly beside: readonly Beside[];
  /**
   * The first pull request that landed without being in the candidate and may overlap with it, or exceeded
   * `BESIDE_PRS_LIMIT`. One that was ahead and left out takes precedence. Null if there is none.
   */
  readonly overtakenBy: number | null;
  /** True if that one is known to overlap. */
  readonly isOvertakerKnown: boolean;
  /** The first that landed below its stack and overlaps with that, but is not in the candidate. Absent if there is none. */
  readonly missingBelow?: number;
  readonly state: 'building' | 'testing' | 'ended';
  /** Null before it ended, and if it was closed before its end. */
  readonly outcome: Outcome | null;
  /** The check that failed it; null otherwise. */
  readonly decidedBy: Check | null;
  /** The host's message if it could not build or start it; null otherwise. */
  readonly failure: string | null;
  readonly candidate: Candidate | null;
  /** False once the host has removed the candidate because it did not land it. The results still count. */
  readonly isCandidateKept: boolean;
  /** `checks`: those the host shows for it. `known`: passes that were on record for its tree when it was built. */
  readonly checks: readonly Check[];
  readonly known: readonly Check[];
  /** The checks that it was started for. Landing is judged by the names in force at that time. */
  readonly requiredChecks: readonly string[];
  /** Those of them that the host was asked to start. Checks that had already passed for this tree are not started. */
  readonly startedChecks: readonly string[];
  readonly createdAt: Instant;
  /** When the candidate was built and the tests were requested; null before. */
  readonly testingSince: Instant | null;
  /** When a check was last seen to rerun after the test run had passed; null if none was. */
  readonly rerunSince: Instant | null;
  /** For a run without a verdict that waits for its stack: the infrastructure failure before it ended, if any. */
  readonly failedAfter?: InfrastructureFailure | null;
  /** The time of the read that `checks` came from; null before. */
  readonly checksReadAt: Instant | null;
  /** When it times out; null if the queue sets no timeout, or before the tests were requested. */
  readonly deadlineAt: Instant | null;
  /** Set after a read past the deadline that showed no verdict, or not even one check. */
  readonly expired: 'no_verdict' | 'not_begun' | null;
  readonly endedAt: Instant | null;
  /** When it was closed, for whatever cause. A test run stays open after its end until then. */
  readonly closedAt: Instant | null;
  readonly closedBecause: CloseCause | null;
  /** The submissions behind it whose test runs must end before its failure counts; empty unless it failed. */
  readonly witnesses: readonly Member[];
  /** Null unless the culprit of its batch is being searched for. */
  readonly bisection: Bisection | null;
  /** Effects of this test run that may still be in progress. */
  readonly building: EffectId | null;
  readonly starting: EffectId | null;
}

export type CloseCause =
  | 'landed'
  | 'superseded'
  | 'vouched_for'
  | 'interrupted'
  | 'not_built'
  | 'queue_deleted'
  | 'judged'
  | 'member_left'
  | 'target_moved'
  | 'restarted'
  | 'tests_incomplete'
  | 'not_landed'
  | 'isolated'
  | 'isolation_inconclusive'
  | 'isolation_skipped'
  | 'isolation_limit'
  | 'isolation_interrupted';

export const isSameMember = (one: Member, other: Member | undefined): boolean =>
  one === other ||
  (other !== undefined &&
    one.submissionId === other.submissionId &&
    one.attempt === other.attempt &&
    one.head === other.head);

/** Whether both lists have the same members in the same order. */
export const areSameMembers = (some: readonly Member[], others: readonly Member[]): boolean =>
  some.length === others.length && some.every((one, index) => isSameMember(one, others[index]));

/** Whether this is still the attempt that was tested, at any head. */
export const isAttemptOf = (
  member: Pick<Member, 'submissionId' | 'attempt'>,
  submission: { readonly id: SubmissionId; readonly attempt: number } | undefined,
): boolean => member.submissionId === submission?.id && member.attempt === submission.attempt;

export const memberKey = (member: Member): string =>
  `${member.submissionId}#${member.attempt}@${member.head}`;

/** The test runs of each submission, in any attempt. Runs that only combine passes are left out. */
export const runsBySubmission = (runs: readonly TestRun[]): ReadonlyMap<SubmissionId, readonly TestRun[]> => {
  const bySubmission = new Map<SubmissionId, TestRun[]>();
  for (const run of runs)
    if (run.purpose.kind !== 'compose')
      for (const { submissionId } of run.batch) {
        const found = bySubmission.get(submissionId);
        if (found === undefined) bySubmission.set(submissionId, [run]);
        else found.push(run);
      }
  return bySubmission;
};

/** The members of the stack that have not landed, in order. */
export const remainingStack = ({ stack, landed }: Pick<TestRun, 'stack' | 'landed'>): readonly Member[] =>
  notLanded(stack, landed);

/** The members of the batch that have not landed, in order. Only in a bisection does a batch land partly. */
export const remainingBatch = ({ batch, landed }: Pick<TestRun, 'batch' | 'landed'>): readonly Member[] =>
  notLanded(batch, landed);

const notLanded = (members: readonly Member[], landed: readonly number[]): readonly Member[] => {
  if (landed.length === 0) return members;
  return isBeginning(landed, members)
    ? members.slice(landed.length)
    : members.filter(({ pr }) => !landed.includes(pr));
};

/** Fast path: within one lane, what has landed is the start of the stack. */
const isBeginning = (landed: readonly number[], members: readonly Member[]): boolean =>
  landed.every((pr, index) => members[index]?.pr === pr);

/** The members of the candidate that have not landed, in order. */
export const remainingMembers = (run: Pick<TestRun, 'stack' | 'landed' | 'batch'>): readonly Member[] => [
  ...remainingStack(run),
  ...remainingBatch(run),
];

/** The member at this index of the candidate, from the bottom; undefined above its top. */
export const memberAt = (
  { stack, batch }: Pick<TestRun, 'stack' | 'batch'>,
  index: number,
): Member | undefined => stack[index] ?? batch[index - stack.length];

/** Whether the candidate is, commit for commit, on top of `onto`. */
export const isOnTip = (run: TestRun): boolean => {
  if (run.beside.length > 0 || run.overtakenBy !== null) return false;
  for (const [index, pr] of run.landed.entries()) {
    const member = memberAt(run, index);
    if (member !== undefined && member.pr !== pr && !run.landed.includes(member.pr)) return false;
  }
  return actualBaseOf(run) === run.onto;
};

/**
 * The commit below everything that has not landed: the base, or the last landed step. Null before the candidate is
 * built. Equals the tip unless something landed beside it.
 */
export const actualBaseOf = ({
  base,
  landed,
  candidate,
}: Pick<TestRun, 'base' | 'landed' | 'candidate'>): Sha | null =>
  landed.length === 0 ? base : (candidate?.steps[landed.length - 1]?.commit ?? null);

/** Whether the results of the test run still count. */
export const isOpenRun = (run: TestRun): boolean => run.closedAt === null;

/**
 * Whether it uses a slot: it is open and its tests have not ended. Combining passes tests nothing, and reruns are not
 * started by the queue.
 */
export const takesSlot = (run: TestRun): boolean =>
  isOpenRun(run) && run.state !== 'ended' && run.purpose.kind !== 'compose' && run.rerunSince === null;

/** Bisection and baseline runs use slots of their own. */
export const usesBisectionSlot = ({ purpose }: TestRun): boolean =>
  purpose.kind === 'isolate' || purpose.kind === 'control';

/** Whether its tests ended in a failure that may be due to a pull request, also after it was closed. */
export const hasFailed = ({ outcome }: TestRun): boolean => outcome === 'failed' || outcome === 'timed_out';

/** Whether it passed on the pull request's own checks only: the queue started none. */
export const isByOwnChecks = ({ isDirect, requiredChecks, startedChecks }: TestRun): boolean =>
  isDirect && requiredChecks.length > 0 && startedChecks.length === 0;

/** Whether it passed without a test, because every required check had passed already. */
export const isUntested = ({ outcome, purpose, startedChecks }: TestRun): boolean =>
  outcome === 'passed' && purpose.kind !== 'compose' && startedChecks.length === 0;

/** The checks that count for its tree. The pull request's own checks count only while direct merges are on. */
export const checksOfTree = ({ isDirect, known, checks }: TestRun): readonly Check[] =>
  isDirect ? checks : [...known, ...checks];

/** The criteria that tell checks of this test run from others, and current check definitions from earlier ones. */
export const evidenceOf = (run: TestRun, digests: Evidence['digests'] = {}): Evidence => ({
  runId: run.id,
  since: run.createdAt,
  accepted: run.known,
  reused: reusedPassesOf(run),
  digests,
});

/** The checks that the test run is judged by. A fresh baseline run ignores earlier results. */
export const checksThatCount = (run: TestRun): readonly Check[] => {
  const checks = [...run.known, ...run.checks];
  const evidence = evidenceOf(run);
  return run.purpose.kind === 'control' && run.purpose.isFresh
    ? checks.filter((check) => isOwnCheck(check, evidence) || check.startedAt > run.createdAt)
    : checks;
};

/** Whether a check of this test run is queued or running, as far as the host has shown. */
export const hasRunningChecks = (run: TestRun): boolean => {
  const evidence = evidenceOf(run);
  return run.checks.some((check) => check.status !== 'completed' && isOwnCheck(check, evidence));
};

/** The checks that failed the test run: the deciding one, or those that had not passed at the timeout. */
export const failedChecksOf = (run: TestRun): readonly string[] => {
  if (run.decidedBy !== null) return [run.decidedBy.name];
  return run.expired === 'no_verdict' ? unpassedChecksOf(run) : [];
};

/** The required checks that had not passed at the timeout. Never empty. */
export const unpassedChecksOf = (run: TestRun): readonly string[] => {
  const { missing } = judgeChecks(run.requiredChecks, checksThatCount(run), evidenceOf(run));
  return missing.length > 0 ? missing : run.requiredChecks;
};
