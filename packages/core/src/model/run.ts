import {
  type Check,
  type Evidence,
  isOwnCheck,
  judgeChecks,
  type Outcome,
  reusableSuccesses,
  type Verdict,
} from './checks.js';
import type { EffectId, Instant, Sha, SubmissionId, TestRunId } from './ids.js';
import type { MergeMethod } from './settings.js';

/** One attempt of one submission at one head: what a run contains or rests on. */
export interface Member {
  readonly submissionId: SubmissionId;
  readonly attempt: number;
  readonly pr: number;
  readonly head: Sha;
}

/**
 * What one pull request became in a candidate. `headTree` is the tree of `head` itself: what its own checks ran on.
 * `reviewedTree` is that of the merge of `head` and the step below it, null where that conflicts; absent in candidates that an
 * earlier release built.
 */
export interface Step {
  readonly pr: number;
  readonly head: Sha;
  readonly headTree: string;
  readonly reviewedTree?: string | null;
  readonly commit: Sha;
  readonly tree: string;
}

/** The commit and tree built for a run. `steps` follow the order of stack and batch; the last one is the candidate itself. Without any it is the base. */
export interface Candidate {
  /** The name under which the host keeps it, for people to fetch it by; it belongs to the run. */
  readonly ref: string;
  readonly commit: Sha;
  readonly tree: string;
  readonly steps: readonly Step[];
}

/** What a run is made for. */
export type Purpose =
  /** To test its batch. */
  | { readonly kind: 'test' }
  /** To find out which of the batch of a failed run is to blame: its stack and batch are the beginning of that batch. */
  | {
      readonly kind: 'isolate';
      readonly failed: TestRunId;
      /** What the whole batch had failed: it is cleared only by a success of each. Absent in rows of an earlier release. */
      readonly checks?: readonly string[];
    }
  /** To see whether the target itself passes: its batch is empty. `isFresh` where a pass of before does not count. */
  | { readonly kind: 'control'; readonly isFresh: boolean }
  /** To put on the tip what passed below it in several lanes. Nothing is tested again: these runs vouch for it. */
  | { readonly kind: 'compose'; readonly vouchers: readonly TestRunId[] };

/** What landed beside a run since it was built, in lanes that touch nothing of what it tests: by one landing, or by several. */
export interface Beside {
  /** Of the last of them. */
  readonly head: Sha;
  readonly prs: readonly number[];
}

/** Landings that are told apart; of more of them the first are told together. */
export const BESIDE_LIMIT = 100;
/** Pull requests that a run is carried past; with more of them it is built anew. */
export const BESIDE_PRS_LIMIT = 10_000;

/** What is known of a failed batch while its culprit is looked for. Lengths are of beginnings of the batch. */
export interface Bisection {
  /** What its parts are built on: the ground of the failed run, and what of the batch has landed since. */
  readonly base: Sha;
  /** The longest beginning that passed, and the shortest longer one that failed. */
  readonly passed: number;
  readonly failed: number;
  /** The run by which that one failed: the failed run itself, until a part of it has failed. */
  readonly failedBy: TestRunId;
  /** Runs made for it so far, and how many of them came to no verdict. */
  readonly parts: number;
  readonly retries: number;
  /** No new part before this; null when it need not hold back. */
  readonly retryAt: Instant | null;
}

/**
 * One test of a batch on a stated base and stack. Several runs of one batch may be open at once, on different stacks;
 * nothing may assume one run per submission. A run never changes what it tests.
 */
export interface TestRun {
  readonly id: TestRunId;
  readonly purpose: Purpose;
  /** The submissions tested together, in order. */
  readonly batch: readonly Member[];
  /** The undecided submissions under the batch when the run was made, in order: it assumes that they land. */
  readonly stack: readonly Member[];
  /** Those ahead that were left out: it assumes that they do not land first. */
  readonly without: readonly Member[];
  readonly base: Sha;
  /**
   * True where it holds one submission that stands alone on the tip, so that its own checks may speak for it; once it is
   * built, where they do.
   */
  readonly isDirect: boolean;
  readonly method: MergeMethod;
  /** The numbers of those in it that have landed since. */
  readonly landed: readonly number[];
  /** The tip up to which it was carried: what landed since its base is in `landed` or `beside`, or overtook it. */
  readonly onto: Sha;
  readonly beside: readonly Beside[];
  /**
   * The first pull request that landed outside its candidate and may touch the same, or was one too many; one that stood ahead and
   * was left out of the candidate comes before all others. Null without any.
   */
  readonly overtakenBy: number | null;
  /** True where that one is known to touch the same. */
  readonly isOvertakerKnown: boolean;
  readonly state: 'building' | 'testing' | 'ended';
  /** Null until it has ended; also null where it was closed before it came to an end. */
  readonly outcome: Outcome | null;
  /** The check that decided against it; null otherwise. */
  readonly decidedBy: Check | null;
  /** What the host said where it could not build or start it; null otherwise. */
  readonly failure: string | null;
  readonly candidate: Candidate | null;
  /** False once the host has answered that it did not land the candidate: it keeps it no more. What the run has shown still counts. */
  readonly isCandidateKept: boolean;
  /** What the host shows of its checks, and passes that were on record for its tree when it was built. */
  readonly checks: readonly Check[];
  readonly known: readonly Check[];
  /** The names that it was started for; what lands is judged by the names in force when it lands. */
  readonly requiredChecks: readonly string[];
  /** Those of them that the host was asked to start: what was known to pass for this tree is not started. */
  readonly startedChecks: readonly string[];
  readonly createdAt: Instant;
  /** When the candidate was there and the tests were asked for; null before. */
  readonly testingSince: Instant | null;
  /** When a check of it was last seen to run again after the run had passed; null where none was. */
  readonly rerunSince: Instant | null;
  /** When the host was asked for the checks that it holds; null before. */
  readonly checksReadAt: Instant | null;
  /** When it is given up; null where the queue sets no timeout, or before the tests were asked for. */
  readonly deadlineAt: Instant | null;
  /** Set once the host was read after a deadline and had nothing to show: no verdict, or not a single check. */
  readonly expired: 'no_verdict' | 'not_begun' | null;
  readonly endedAt: Instant | null;
  /** When the queue let go of it, for whatever cause. A run is open until then, also when its tests have ended. */
  readonly closedAt: Instant | null;
  readonly closedBecause: CloseCause | null;
  /** Those behind it whose tests are awaited before its failure counts; empty unless it failed. */
  readonly witnesses: readonly Member[];
  /** Null unless the culprit of its batch is being looked for. */
  readonly bisection: Bisection | null;
  /** Wishes of this run that may still be under way. */
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

/** The same ones in the same order. */
export const areSameMembers = (some: readonly Member[], others: readonly Member[]): boolean =>
  some.length === others.length && some.every((one, index) => isSameMember(one, others[index]));

/** True where it is still the attempt that was tested, at whatever head. */
export const isAttemptOf = (
  member: Pick<Member, 'submissionId' | 'attempt'>,
  submission: { readonly id: SubmissionId; readonly attempt: number } | undefined,
): boolean => member.submissionId === submission?.id && member.attempt === submission.attempt;

export const memberKey = (member: Member): string =>
  `${member.submissionId}#${member.attempt}@${member.head}`;

/** By submission, the runs that test one of its attempts. What only puts passes together tests nobody. */
export const runsBySubmission = (runs: readonly TestRun[]): ReadonlyMap<SubmissionId, readonly TestRun[]> => {
  const bySubmission = new Map<SubmissionId, TestRun[]>();
  for (const run of runs)
    if (run.purpose.kind !== 'compose')
      for (const { submissionId } of run.batch) {
        const known = bySubmission.get(submissionId);
        if (known === undefined) bySubmission.set(submissionId, [run]);
        else known.push(run);
      }
  return bySubmission;
};

/** Those of the stack that have not landed yet, in order. */
export const remainingStack = ({ stack, landed }: Pick<TestRun, 'stack' | 'landed'>): readonly Member[] =>
  notLanded(stack, landed);

/** Those of the batch that have not landed yet, in order: all of them, unless parts of a failed batch are looked at. */
export const remainingBatch = ({ batch, landed }: Pick<TestRun, 'batch' | 'landed'>): readonly Member[] =>
  notLanded(batch, landed);

const notLanded = (members: readonly Member[], landed: readonly number[]): readonly Member[] => {
  if (landed.length === 0) return members;
  return isBeginning(landed, members)
    ? members.slice(landed.length)
    : members.filter(({ pr }) => !landed.includes(pr));
};

/** True where what has landed is the first of these: in one lane that is so of a stack. */
const isBeginning = (landed: readonly number[], members: readonly Member[]): boolean =>
  landed.every((pr, place) => members[place]?.pr === pr);

/** Everything in the candidate that has not landed yet, in order. */
export const remainingMembers = (run: Pick<TestRun, 'stack' | 'landed' | 'batch'>): readonly Member[] => [
  ...remainingStack(run),
  ...remainingBatch(run),
];

/** Who lies at this place of its candidate, from the bottom on; undefined beyond its top. */
export const memberAt = (
  { stack, batch }: Pick<TestRun, 'stack' | 'batch'>,
  place: number,
): Member | undefined => stack[place] ?? batch[place - stack.length];

/** True where its candidate stands, commit for commit, on the tip that it was carried to. */
export const isOnTip = (run: TestRun): boolean => {
  if (run.beside.length > 0 || run.overtakenBy !== null) return false;
  for (const [place, pr] of run.landed.entries()) {
    const member = memberAt(run, place);
    if (member !== undefined && member.pr !== pr && !run.landed.includes(member.pr)) return false;
  }
  return groundOf(run) === run.onto;
};

/**
 * What it stands on once everything below it has landed: its base and, as they were tested, those of it that landed. Null
 * before that was built. It is the tip unless something landed beside it.
 */
export const groundOf = ({
  base,
  landed,
  candidate,
}: Pick<TestRun, 'base' | 'landed' | 'candidate'>): Sha | null =>
  landed.length === 0 ? base : (candidate?.steps[landed.length - 1]?.commit ?? null);

/** True until the queue lets go of it: as long as what it tests, or has shown, counts for anybody. */
export const isOpenRun = (run: TestRun): boolean => run.closedAt === null;

/** An open run costs a slot of its pool until its tests have ended; composing tests nothing, and a re-run is not ours. */
export const takesSlot = (run: TestRun): boolean =>
  isOpenRun(run) && run.state !== 'ended' && run.purpose.kind !== 'compose' && run.rerunSince === null;

/** Tests that look for a cause have slots of their own. */
export const usesBisectionSlot = ({ purpose }: TestRun): boolean =>
  purpose.kind === 'isolate' || purpose.kind === 'control';

/** True where its tests ended so that somebody may be to blame, also once it was let go of. */
export const hasFailed = ({ outcome }: TestRun): boolean => outcome === 'failed' || outcome === 'timed_out';

/**
 * What a run has shown to succeed for its tree, whatever else became of it: that is not tested again. Of a check that was
 * made twice the later one counts. What was skipped is no verdict on a tree.
 */
export const verdictsOf = (run: TestRun): readonly Verdict[] => {
  const { candidate, requiredChecks } = run;
  if (candidate === null) return [];
  const shown = checksOfTree(run).filter(({ name }) => requiredChecks.includes(name));
  return reusableSuccesses(shown).map((check) => ({ tree: candidate.tree, check }));
};

/** True where its own checks have spoken for it, and the queue has begun none. */
export const isByOwnChecks = ({ isDirect, requiredChecks, startedChecks }: TestRun): boolean =>
  isDirect && requiredChecks.length > 0 && startedChecks.length === 0;

/** True of one that passed without a test: nothing that is required was left to be tested. */
export const isUntested = ({ outcome, purpose, startedChecks }: TestRun): boolean =>
  outcome === 'passed' && purpose.kind !== 'compose' && startedChecks.length === 0;

/** What counts for its tree whoever holds it. What a pull request has shown by itself counts while direct merges are on. */
export const checksOfTree = ({ isDirect, known, checks }: TestRun): readonly Check[] =>
  isDirect ? checks : [...known, ...checks];

/** What tells checks that this run asked for from others, and a check as it is at present from an earlier definition. */
export const evidenceOf = (run: TestRun, digests: Evidence['digests'] = {}): Evidence => ({
  runId: run.id,
  since: run.createdAt,
  accepted: run.known,
  digests,
});

/** What a run is judged by. One that was made to see something anew does not count what was shown before. */
export const checksThatCount = (run: TestRun): readonly Check[] => {
  const checks = [...run.known, ...run.checks];
  const evidence = evidenceOf(run);
  return run.purpose.kind === 'control' && run.purpose.isFresh
    ? checks.filter((check) => isOwnCheck(check, evidence) || check.startedAt > run.createdAt)
    : checks;
};

/** The checks that speak against a failed run: the one that decided, or those that had no end when the time was up. */
export const failedChecksOf = (run: TestRun): readonly string[] => {
  if (run.decidedBy !== null) return [run.decidedBy.name];
  return run.expired === 'no_verdict' ? unpassedChecksOf(run) : [];
};

/** The required checks that had not passed when the time was up; never none, since one of them was waited for. */
export const unpassedChecksOf = (run: TestRun): readonly string[] => {
  const { missing } = judgeChecks(run.requiredChecks, checksThatCount(run), evidenceOf(run));
  return missing.length > 0 ? missing : run.requiredChecks;
};
