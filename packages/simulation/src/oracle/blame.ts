import type { HistoryRow, Pace, TestRun } from '@mq/core';
import { doMeet } from '@mq/testkit';
import { attemptKey, type Book, type Change, type Check, isOf, madeOf } from './ledger.js';
import { isInPlay, targetsOf } from './line.js';
import { isProvenOnTop } from './proven-tip.js';
import { budgetFaults } from './retries.js';
import { failing, isPassing, type Truth } from './truth.js';

type Moved = Extract<HistoryRow, { type: 'moved' }>;

/** I12: a failed pull request has a failed test run on top of landed changes only; infrastructure failures use up a budget first. */
export const correctCulprits =
  (truth: Truth, pace: Pick<Pace, 'retryLimit' | 'infrastructureWindowMs'>): Check =>
  (change, book) =>
    change.commit.writes.history.flatMap((row) => {
      if (row.type !== 'moved' || row.to !== 'failed') return [];
      switch (row.reason) {
        case 'TEST_RUN_REQUIRED_STATUS_FAILED':
        case 'TEST_RUN_TIMEOUT':
        case 'TEST_RUN_FAILED_BY_OPTIMIZATION':
          return new Failure(truth, book, change, row).faults();
        case 'TEST_RUN_INFRASTRUCTURE':
        case 'TEST_RUN_CANCELLED':
          return budgetFaults(book, change, row, pace);
        case 'START_TEST_RUN_MERGE_CONFLICT': {
          const head = change.after.submissions.get(row.submissionId)?.head;
          // A rebase may have conflicted, commit by commit.
          const isRebase = [change.before, change.after].some(
            ({ queue }) => queue.settings.mergeMethod === 'rebase',
          );
          if (head === undefined || isRebase || truth.everConflicted(head)) return [];
          return [`${attemptKey(row)} failed for a conflict, but conflicts with no tip.`];
        }
        case 'GITHUB_API_MERGE_PR_FAILED':
          return refusalFaults(truth, row);
        case 'START_TEST_RUN_REFUSED':
          return truth.was(row.pr, 'refused')
            ? []
            : [
                `${attemptKey(row)} failed for a refused candidate, but the host did not refuse one because of it.`,
              ];
        case 'PULL_REQUEST_UNREADABLE':
        case 'MERGE_NOT_COMPUTABLE':
          return truth.was(row.pr, 'faulty')
            ? []
            : [`${attemptKey(row)} failed with ${row.reason}, but the host did not fail on it alone.`];
        case 'START_TEST_RUN_NO_REQUIRED_STATUSES':
          return [];
        default:
          return [`${attemptKey(row)} failed with the unexpected reason ${row.reason}.`];
      }
    });

/** A fault is recorded only for pull requests on which the host really failed. */
export const faultsAreTrue =
  (truth: Truth): Check =>
  ({ commit }) =>
    commit.writes.submissions
      .filter(
        ({ pr, fault }) => fault !== null && !truth.was(pr, 'faulty') && !truth.was(pr, 'faulty on another'),
      )
      .map((submission) => `${attemptKey(submission)} has a fault, but the host never failed on it.`);

/** The answer "wait" counts as a refusal only after this many tries over this time. */
const [WAITS_DUE, WAITED_DUE_MS] = [12, 3_600_000];
/** The queue counts from when an answer reaches it, which may take longer for the first than for the last. */
const ANSWER_DELAY_MS = 60_000;

/** The host refused, or said "wait" for long enough. If the store's clock was set, only the tries count. */
const refusalFaults = (truth: Truth, row: Moved): readonly string[] => {
  if (truth.refusals.has('pull_request') || truth.refusals.has('policy')) return [];
  const waits = truth.waits.get(row.pr) ?? [];
  const waitedMs = (waits.at(-1) ?? 0) - (waits[0] ?? 0);
  if (waits.length === 0)
    return [`${attemptKey(row)} failed for a refusal of the host, which refused nothing.`];
  return waits.length >= WAITS_DUE && (truth.isStoreClockSet || waitedMs >= WAITED_DUE_MS - ANSWER_DELAY_MS)
    ? []
    : [`${attemptKey(row)} failed after the host said "wait" ${waits.length} times in ${waitedMs} ms.`];
};

/** Checks that a failed test run proves that the failed pull request is the culprit. */
class Failure {
  constructor(
    private readonly truth: Truth,
    private readonly book: Book,
    private readonly change: Change,
    private readonly row: Moved,
  ) {}

  faults(): readonly string[] {
    const { row, book } = this;
    const run = row.runId === null ? undefined : book.runs.get(row.runId);
    const at = run?.candidate?.steps.findIndex(({ pr }) => pr === row.pr) ?? -1;
    const step = run?.candidate?.steps[at];
    if (run?.candidate == null || step === undefined)
      return [`${attemptKey(row)} failed without a failed test run.`];
    const isTested = run.batch.some(({ pr, attempt }) => pr === row.pr && attempt === row.attempt);
    const isLast = this.#failsAtLast(run, at);
    return [
      ...(isTested ? [] : [`${attemptKey(row)} failed in test run ${run.id}, which did not test it.`]),
      ...(isLast
        ? []
        : [`${attemptKey(row)} failed in test run ${run.id}, which includes pull requests behind it.`]),
      ...this.#stackFaults(run, at),
      ...this.#completenessFaults(run),
      ...this.#baseFaults(run, at),
      ...this.#witnessFaults(run),
      ...this.#confirmationFaults(run),
      ...this.#verdictFaults(run),
      ...this.#inferenceFaults(run),
    ];
  }

  /** Without inference, the failure of a whole batch proves nothing about one member. */
  #inferenceFaults(run: TestRun): readonly string[] {
    const { optimizationMode } = this.change.after.queue.settings;
    return optimizationMode === 'off' && run.purpose.kind === 'test' && run.batch.length > 1
      ? [`${attemptKey(this.row)} failed in test run ${run.id} of a batch, but inference is off.`]
      : [];
  }

  #failsAtLast(run: TestRun, at: number): boolean {
    return at === (run.candidate?.steps.length ?? 0) - 1;
  }

  /** Everything below it has landed, or has passed in the same bisection. */
  #stackFaults(run: TestRun, at: number): readonly string[] {
    const { truth, row, book } = this;
    const below = at === 0 ? null : run.candidate?.steps[at - 1];
    const hasLanded = [...book.landed.values()].some(
      ({ pr, head }) => pr === below?.pr && head === below.head,
    );
    const wasCleared = below != null && this.#wasCleared(run, below.pr, run.decidedBy?.name);
    if (below != null && !hasLanded && !truth.wasOnTarget(below.commit) && !wasCleared)
      return [`${attemptKey(row)} failed on top of #${below.pr}, which is undecided.`];
    const tip = this.change.after.queue.target.head;
    const { base, members } = madeOf(run, book);
    const between = tip === null ? null : truth.landedBetween(base, tip);
    if (between === null)
      return [`${attemptKey(row)} failed on top of ${base}, but others moved the target to ${tip}.`];
    // All test runs of a bisection keep the base of the failed one.
    if (run.purpose.kind === 'isolate' || row.reason === 'TEST_RUN_FAILED_BY_OPTIMIZATION') return [];
    const own = new Set(members.map(({ pr }) => pr));
    const submission = this.change.after.submissions.get(row.submissionId);
    // A change of mode takes effect after the verdicts of this decision.
    const byOldMode = { ...this.change.after, queue: this.change.before.queue };
    const targets = submission === undefined ? 'ALL' : targetsOf(byOldMode, submission);
    return (
      [...book.landed.values()]
        .filter(({ runId, pr }) => between.includes(runId) && !own.has(pr))
        // A pull request that was behind it and landed first does not affect the failure.
        .filter(({ pr }) => run.without.some((ahead) => ahead.pr === pr))
        .filter((other) => other.targets.every((touched) => doMeet(touched, targets)))
        .map(({ pr }) => `${attemptKey(row)} failed without #${pr}, which has landed and overlaps with it.`)
    );
  }

  /** Everything that its stack overlapped with and that landed below the stack was in the candidate, or in its base. */
  #completenessFaults(run: TestRun): readonly string[] {
    const { book, truth, row } = this;
    const tip = this.change.after.queue.target.head;
    const { base, members } = madeOf(run, book);
    const between = tip === null ? null : truth.landedBetween(base, tip);
    if (between === null || run.purpose.kind !== 'test') return [];
    const landed = [...book.landed.values()].filter(({ runId }) => between.includes(runId));
    const own = new Set(members.map(({ pr }) => pr));
    return landed.flatMap((one, index) => {
      if (!own.has(one.pr) || run.batch.some(({ pr }) => pr === one.pr)) return [];
      return landed
        .slice(0, index)
        .filter((other) => !own.has(other.pr))
        .filter((other) => other.targets.every((touched) => one.targets.every((own) => doMeet(touched, own))))
        .map(
          ({ pr }) =>
            `${attemptKey(row)} failed on top of #${one.pr} without #${pr}, on which #${one.pr} builds.`,
        );
    });
  }

  /** True if the batch up to `below` has passed in the bisection, and `shown` was not skipped in it. */
  #wasCleared(run: TestRun, below: number, shown?: string): boolean {
    const root = run.purpose.kind === 'isolate' ? run.purpose.failed : run.id;
    return [...this.book.runs.values()].some(
      (part) =>
        part.purpose.kind === 'isolate' &&
        part.purpose.failed === root &&
        part.outcome === 'passed' &&
        part.batch.at(-1)?.pr === below &&
        part.requiredChecks.every((name) => this.#hasPassed(part, name, name === shown)),
    );
  }

  /** True if the part passed the check. A check that the batch failed, in whole or in part, must succeed; others may be skipped. */
  #hasPassed({ id, purpose, candidate }: TestRun, name: string, isFailedByPart = false): boolean {
    const { truth, change } = this;
    if (candidate !== null && truth.passed(candidate.tree, name, change.now)) return true;
    const isFailedByAll = purpose.kind === 'isolate' && purpose.checks?.includes(name) === true;
    return !isFailedByAll && !isFailedByPart && truth.skipped(new Set([id]), [], name);
  }

  /** The base is known to pass the failed check: by a baseline run, an earlier pass, or others that passed on top of it. */
  #baseFaults(run: TestRun, at: number): readonly string[] {
    const { truth, row, book } = this;
    const check = run.decidedBy?.name;
    const below = at === 0 ? null : run.candidate?.steps[at - 1];
    const onto = below?.commit ?? run.base;
    if (check === undefined) return [];
    const baselineRuns = [...book.runs.values()]
      .filter(
        ({ id, purpose, base, requiredChecks, state }) =>
          purpose.kind === 'control' &&
          base === onto &&
          requiredChecks.includes(check) &&
          state === 'ended' &&
          !book.lost.has(id),
      )
      .sort((one, other) => (one.endedAt ?? 0) - (other.endedAt ?? 0));
    // A pass on the same base since the queue was resumed overrides an earlier failure of the base.
    const isCleared = below != null && this.#wasCleared(run, below.pr, check);
    const isHeld = [this.change.before, this.change.after].every(
      ({ queue }) => queue.wanted === 'paused' && queue.statusReason?.code === 'BASE_BROKEN',
    );
    const isRed = ['failed', 'timed_out'].includes(baselineRuns.at(-1)?.outcome ?? '');
    if (isRed && (isHeld || !isCleared))
      return [`${attemptKey(row)} failed check ${check}, which its base ${onto} fails too.`];
    const isKnown = truth.passed(truth.treeOf(onto), check, this.change.now);
    return baselineRuns.length > 0 || isCleared || isKnown || isProvenOnTop(book, onto, check)
      ? []
      : [`${attemptKey(row)} failed check ${check}, but its base ${onto} is not known to pass it.`];
  }

  /** A pending failure is final only after the test runs of its witnesses have ended. */
  #witnessFaults(run: TestRun): readonly string[] {
    const { row, book } = this;
    const { after, before, commit } = this.change;
    return run.witnesses.flatMap((witness) => {
      const [was, is] = [before, after].map(({ submissions }) => submissions.get(witness.submissionId));
      if (was === undefined || is === undefined || !isOf(witness, was) || !isOf(witness, is)) return [];
      if (!isInPlay(before, was) || !isInPlay(after, is) || is.head !== witness.head) return [];
      // A witness whose test run was cancelled for another reason is no longer waited for.
      const isCancelled = commit.writes.history.some(
        (one) =>
          one.type === 'moved' && one.pr === witness.pr && one.reason === 'PREREQUISITE_MERGE_ITEM_FAILED',
      );
      if (!isCancelled) return [];
      const own = [...before.runs.values()].filter(
        ({ stack, batch }) =>
          stack.some(({ pr, attempt }) => pr === row.pr && attempt === row.attempt) &&
          batch.some((member) => isOf(member, was)),
      );
      const hasEnded = own.some(({ id }) => book.runs.get(id)?.state === 'ended');
      return own.length === 0 || hasEnded || this.#isCancelledForOthers(own)
        ? []
        : [`${attemptKey(row)} failed before the test run of its witness #${witness.pr} ended.`];
    });
  }

  /**
   * True if the test runs would have been cancelled anyway in this commit: another pull request below them failed, left or was
   * requeued, lands ahead of the failed one, or got new impacted targets.
   */
  #isCancelledForOthers(runs: readonly TestRun[]): boolean {
    const { change, row } = this;
    const { history, targets } = change.commit.writes;
    const prsInRuns = new Set(runs.flatMap(({ stack, batch }) => [...stack, ...batch].map(({ pr }) => pr)));
    const below = new Set(runs.flatMap(({ stack }) => stack.map(({ pr }) => pr)));
    below.delete(row.pr);
    const moves = history.filter((one) => one.type === 'moved');
    const isAnotherFailed = moves.some(
      ({ pr, to }) => pr !== row.pr && (to === 'failed' || to === 'pending_failure'),
    );
    // A pull request that is requeued because of the failed one does not count.
    const isOfOthers = ({ reason }: Moved) => reason !== 'PREREQUISITE_MERGE_ITEM_FAILED' || isAnotherFailed;
    const { landing } = change.after.queue;
    const isNew = landing !== null && landing.effectId !== change.before.queue.landing?.effectId;
    const isPassedBy = isNew && change.after.queue.settings.mode === 'parallel';
    return (
      targets.some(({ pr }) => prsInRuns.has(pr)) ||
      (isPassedBy && landing.members.some(({ pr }) => below.has(pr))) ||
      moves.some((one) => !ongoing.has(one.to) && below.has(one.pr) && isOfOthers(one))
    );
  }

  #confirmationFaults(run: TestRun): readonly string[] {
    const { row, book } = this;
    if (!this.change.after.queue.settings.confirmBeforeFailing) return [];
    const otherFailures = [...book.runs.values()].filter(
      (other) =>
        other.id !== run.id &&
        (other.outcome === 'failed' || other.outcome === 'timed_out') &&
        other.batch.some(({ pr, attempt }) => pr === row.pr && attempt === row.attempt),
    );
    // After a timeout any required check may be one that had not passed.
    const suspected = run.decidedBy === null ? run.requiredChecks : [run.decidedBy.name];
    const isSkippedSince = [...book.runs.values()].some(
      (other) =>
        other.outcome === 'passed' &&
        other.batch.some(({ pr, attempt }) => pr === row.pr && attempt === row.attempt) &&
        suspected.some((name) => this.truth.skipped(new Set([other.id]), [], name)),
    );
    return otherFailures.length > 0 || isSkippedSince
      ? []
      : [`${attemptKey(row)} failed, but no second test run confirms it.`];
  }

  #verdictFaults(run: TestRun): readonly string[] {
    const { truth, row } = this;
    const checks = truth.ofRun(run.id);
    if (run.outcome === 'failed')
      return checks.some((check) => failing.has(check.conclusion ?? ''))
        ? []
        : [`${attemptKey(row)} failed, but no check of test run ${run.id} failed.`];
    if (run.outcome !== 'timed_out')
      return [`${attemptKey(row)} failed in test run ${run.id}, which ended with ${run.outcome}.`];
    // If the store's clock was set, its deadlines and the times of CI cannot be compared.
    if (truth.isStoreClockSet || checks.some((check) => check.conclusion === 'timed_out')) return [];
    const deadlineAt = this.book.movedDeadline(
      run.testingSince ?? 0,
      run.deadlineAt ?? Number.POSITIVE_INFINITY,
    );
    if (row.at < deadlineAt) return [`${attemptKey(row)} timed out before its deadline.`];
    if (run.checksReadAt === null || run.checksReadAt < deadlineAt)
      return [`${attemptKey(row)} timed out, but its checks were not read since the deadline.`];
    // A result before the deadline counts, however late it is read, unless a stale answer may have hidden it.
    const shownBy = Math.min(deadlineAt, run.checksReadAt - truth.staleMs);
    // A check that was run again counts by its last run.
    const isInTime = run.requiredChecks.every((name) => {
      const last = checks.findLast((check) => check.name === name);
      return last !== undefined && isPassing(last) && (last.completedAt ?? 0) < shownBy;
    });
    return isInTime ? [`${attemptKey(row)} timed out, but its checks had passed before the deadline.`] : [];
  }
}

const ongoing: ReadonlySet<string> = new Set(['testing', 'tests_passed']);
