import type { HistoryRow, Pace, TestRun } from '@mq/core';
import { doMeet } from '@mq/testkit';
import { attemptKey, type Book, type Change, type Check, isOf, madeOf } from './ledger.js';
import { isInPlay, targetsOf } from './line.js';
import { isProvenOnTop } from './proven-tip.js';
import { budgetFaults } from './retries.js';
import { failing, isPassing, type Truth } from './truth.js';

type Moved = Extract<HistoryRow, { type: 'moved' }>;

/** I12: whoever is failed has a failing run, on top of nothing but what has landed; machinery only after its budget. */
export const fairBlame =
  (truth: Truth, pace: Pick<Pace, 'retryLimit' | 'machineryWindowMs'>): Check =>
  (change, book) =>
    change.commit.writes.history.flatMap((row) => {
      if (row.type !== 'moved' || row.to !== 'failed') return [];
      switch (row.reason) {
        case 'TEST_RUN_REQUIRED_STATUS_FAILED':
        case 'TEST_RUN_TIMEOUT':
        case 'TEST_RUN_FAILED_BY_OPTIMIZATION':
          return new Blame(truth, book, change, row).faults();
        case 'TEST_RUN_INFRASTRUCTURE':
        case 'TEST_RUN_CANCELLED':
          return budgetFaults(book, change, row, pace);
        case 'START_TEST_RUN_MERGE_CONFLICT': {
          const head = change.after.submissions.get(row.submissionId)?.head;
          // What was put together by another method may have conflicted, commit by commit.
          const isRebase = [change.before, change.after].some(
            ({ queue }) => queue.settings.mergeMethod === 'rebase',
          );
          if (head === undefined || isRebase || truth.everConflicted(head)) return [];
          return [`${attemptKey(row)} is failed for a conflict, and it conflicts with no tip.`];
        }
        case 'GITHUB_API_MERGE_PR_FAILED':
          return refusalFaults(truth, row);
        case 'START_TEST_RUN_REFUSED':
          return truth.was(row.pr, 'refused')
            ? []
            : [`${attemptKey(row)} is failed for a candidate that the host did not refuse because of it.`];
        case 'PULL_REQUEST_UNREADABLE':
        case 'MERGE_NOT_COMPUTABLE':
          return truth.was(row.pr, 'faulty')
            ? []
            : [`${attemptKey(row)} is failed for ${row.reason}, and the host did not fail on it alone.`];
        case 'START_TEST_RUN_NO_REQUIRED_STATUSES':
          return [];
        default:
          return [`${attemptKey(row)} is failed for ${row.reason}.`];
      }
    });

/** The host is held to have failed on a pull request only where it did. */
export const faultsAreTrue =
  (truth: Truth): Check =>
  ({ commit }) =>
    commit.writes.submissions
      .filter(
        ({ pr, fault }) => fault !== null && !truth.was(pr, 'faulty') && !truth.was(pr, 'faulty on another'),
      )
      .map(
        (submission) => `${attemptKey(submission)} is held to be faulty, and the host never failed on it.`,
      );

/** "Wait" is taken for a refusal only after so many tries over so long. */
const [WAITS_DUE, WAITED_DUE_MS] = [12, 3_600_000];

/** Failed by the host: it said no, or "wait" for long enough. Where the store's clock was set, only the tries can be counted. */
const refusalFaults = (truth: Truth, row: Moved): readonly string[] => {
  if (truth.refusals.has('pull_request') || truth.refusals.has('policy')) return [];
  const waits = truth.waits.get(row.pr) ?? [];
  const waitedMs = (waits.at(-1) ?? 0) - (waits[0] ?? 0);
  if (waits.length === 0)
    return [`${attemptKey(row)} is failed for a refusal of the host, which refused nothing.`];
  return waits.length >= WAITS_DUE && (truth.isStoreClockSet || waitedMs >= WAITED_DUE_MS)
    ? []
    : [`${attemptKey(row)} is failed after the host said "wait" ${waits.length} times in ${waitedMs} ms.`];
};

/** Whether a failing run is the fault of the one who is failed for it. */
class Blame {
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
      return [`${attemptKey(row)} is failed without a run that failed.`];
    const isTested = run.batch.some(({ pr, attempt }) => pr === row.pr && attempt === row.attempt);
    const isLast = this.#failsAtLast(run, at);
    return [
      ...(isTested ? [] : [`${attemptKey(row)} is failed for ${run.id}, which did not test it.`]),
      ...(isLast ? [] : [`${attemptKey(row)} is failed for ${run.id}, in which others stand behind it.`]),
      ...this.#groundFaults(run, at),
      ...this.#tipFaults(run, at),
      ...this.#witnessFaults(run),
      ...this.#confirmationFaults(run),
      ...this.#verdictFaults(run),
      ...this.#inferenceFaults(run),
    ];
  }

  /** Where nothing is to be inferred, the failure that began the search is no proof. */
  #inferenceFaults(run: TestRun): readonly string[] {
    const { optimizationMode } = this.change.after.queue.settings;
    return optimizationMode === 'off' && run.purpose.kind === 'test' && run.batch.length > 1
      ? [`${attemptKey(this.row)} is failed by ${run.id}, a batch, and nothing is to be inferred.`]
      : [];
  }

  #failsAtLast(run: TestRun, at: number): boolean {
    return at === (run.candidate?.steps.length ?? 0) - 1;
  }

  /** Everything under it has landed, or has passed in the very bisection that failed with it. */
  #groundFaults(run: TestRun, at: number): readonly string[] {
    const { truth, row, book } = this;
    const below = at === 0 ? null : run.candidate?.steps[at - 1];
    const hasLanded = [...book.landed.values()].some(
      ({ pr, head }) => pr === below?.pr && head === below.head,
    );
    if (below != null && !hasLanded && !truth.wasOnTarget(below.commit) && !this.#wasCleared(run, below.pr))
      return [`${attemptKey(row)} is failed on top of #${below.pr}, which is not settled.`];
    const tip = this.change.after.queue.target.head;
    const { base, members } = madeOf(run, book);
    const between = tip === null ? null : truth.landedBetween(base, tip);
    if (between === null)
      return [`${attemptKey(row)} is failed on top of ${base}, and the target was moved to ${tip}.`];
    // All parts of one bisection keep the base of the run that failed, and what follows from them holds within it.
    if (run.purpose.kind === 'isolate' || row.reason === 'TEST_RUN_FAILED_BY_OPTIMIZATION') return [];
    const own = new Set(members.map(({ pr }) => pr));
    const submission = this.change.after.submissions.get(row.submissionId);
    // Another mode is entered after everybody was judged by the one before.
    const byOldMode = { ...this.change.after, queue: this.change.before.queue };
    const targets = submission === undefined ? 'ALL' : targetsOf(byOldMode, submission);
    return (
      [...book.landed.values()]
        .filter(({ runId, pr }) => between.includes(runId) && !own.has(pr))
        // One that stood behind and landed first leaves the failure as it was.
        .filter(({ pr }) => run.without.some((ahead) => ahead.pr === pr))
        .filter((other) => other.targets.every((touched) => doMeet(touched, targets)))
        .map(
          ({ pr }) => `${attemptKey(row)} is failed without #${pr}, which has landed and touches the same.`,
        )
    );
  }

  /** Another part of the same failed batch, up to the one below, has passed on the same ground. */
  #wasCleared(run: TestRun, below: number): boolean {
    const root = run.purpose.kind === 'isolate' ? run.purpose.failed : run.id;
    return [...this.book.runs.values()].some(
      (part) =>
        part.purpose.kind === 'isolate' &&
        part.purpose.failed === root &&
        part.outcome === 'passed' &&
        part.batch.at(-1)?.pr === below &&
        part.requiredChecks.every((name) => this.#hasPassed(part, name)),
    );
  }

  /** What the whole batch had failed has to succeed in a part of it; anything else may be skipped there. */
  #hasPassed({ id, purpose, candidate }: TestRun, name: string): boolean {
    const { truth, change } = this;
    if (candidate !== null && truth.passed(candidate.tree, name, change.now)) return true;
    const isFailedByAll = purpose.kind === 'isolate' && purpose.checks?.includes(name) === true;
    return !isFailedByAll && truth.skipped(new Set([id]), [], name);
  }

  /** What it stands on passes by itself what was failed, or was asked as often as is due; or others passed on it. */
  #tipFaults(run: TestRun, at: number): readonly string[] {
    const { truth, row, book } = this;
    const check = run.decidedBy?.name;
    const below = at === 0 ? null : run.candidate?.steps[at - 1];
    const ground = below?.commit ?? run.base;
    if (check === undefined) return [];
    const asked = [...book.runs.values()]
      .filter(
        ({ id, purpose, base, requiredChecks, state }) =>
          purpose.kind === 'control' &&
          base === ground &&
          requiredChecks.includes(check) &&
          state === 'ended' &&
          !book.lost.has(id),
      )
      .sort((one, other) => (one.endedAt ?? 0) - (other.endedAt ?? 0));
    // What passed on the very ground since somebody had the queue go on says more than the tip that failed before.
    const isCleared = below != null && this.#wasCleared(run, below.pr);
    const isHeld = [this.change.before, this.change.after].every(
      ({ queue }) => queue.wanted === 'paused' && queue.statusReason?.code === 'BASE_BROKEN',
    );
    const isRed = ['failed', 'timed_out'].includes(asked.at(-1)?.outcome ?? '');
    if (isRed && (isHeld || !isCleared))
      return [`${attemptKey(row)} is failed for ${check}, which ${ground} itself fails.`];
    const isKnown = truth.passed(truth.treeOf(ground), check, this.change.now);
    return asked.length > 0 || isCleared || isKnown || isProvenOnTop(book, ground, check)
      ? []
      : [`${attemptKey(row)} is failed for ${check}, and nobody knows whether ${ground} passes it.`];
  }

  /** Those behind it whose tests are awaited are heard first: none is let go of for it before it has ended. */
  #witnessFaults(run: TestRun): readonly string[] {
    const { row, book } = this;
    const { after, before, commit } = this.change;
    return run.witnesses.flatMap((witness) => {
      const [was, is] = [before, after].map(({ submissions }) => submissions.get(witness.submissionId));
      if (was === undefined || is === undefined || !isOf(witness, was) || !isOf(witness, is)) return [];
      if (!isInPlay(before, was) || !isInPlay(after, is) || is.head !== witness.head) return [];
      // Whose run was let go of for another reason has ended with that, and is not waited for any more.
      const isLetGo = commit.writes.history.some(
        (one) =>
          one.type === 'moved' && one.pr === witness.pr && one.reason === 'PREREQUISITE_MERGE_ITEM_FAILED',
      );
      if (!isLetGo) return [];
      const own = [...before.runs.values()].filter(
        ({ stack, batch }) =>
          stack.some(({ pr, attempt }) => pr === row.pr && attempt === row.attempt) &&
          batch.some((member) => isOf(member, was)),
      );
      const isHeard = own.some(({ id }) => book.runs.get(id)?.state === 'ended');
      return own.length === 0 || isHeard || this.#isLetGoForOthers(own)
        ? []
        : [`${attemptKey(row)} is failed before its witness #${witness.pr} was heard.`];
    });
  }

  /**
   * Others whom its runs held have failed, left or gone back at the same moment, or are being landed before the failed one
   * and tie nobody to it any more, or somebody told anew what one of them touches: they were let go of for that as well.
   */
  #isLetGoForOthers(runs: readonly TestRun[]): boolean {
    const { change, row } = this;
    const { history, targets } = change.commit.writes;
    const held = new Set(runs.flatMap(({ stack, batch }) => [...stack, ...batch].map(({ pr }) => pr)));
    const below = new Set(runs.flatMap(({ stack }) => stack.map(({ pr }) => pr)));
    below.delete(row.pr);
    const moves = history.filter((one) => one.type === 'moved');
    const isAnotherFailed = moves.some(
      ({ pr, to }) => pr !== row.pr && (to === 'failed' || to === 'pending_failure'),
    );
    // Who is sent back for the failed one itself says nothing of others.
    const isOfOthers = ({ reason }: Moved) => reason !== 'PREREQUISITE_MERGE_ITEM_FAILED' || isAnotherFailed;
    const { landing } = change.after.queue;
    const isNew = landing !== null && landing.effectId !== change.before.queue.landing?.effectId;
    const isPassedBy = isNew && change.after.queue.settings.mode === 'parallel';
    return (
      targets.some(({ pr }) => held.has(pr)) ||
      (isPassedBy && landing.members.some(({ pr }) => below.has(pr))) ||
      moves.some((one) => !isGoingOn.has(one.to) && below.has(one.pr) && isOfOthers(one))
    );
  }

  #confirmationFaults(run: TestRun): readonly string[] {
    const { row, book } = this;
    if (!this.change.after.queue.settings.confirmBeforeFailing) return [];
    const others = [...book.runs.values()].filter(
      (other) =>
        other.id !== run.id &&
        (other.outcome === 'failed' || other.outcome === 'timed_out') &&
        other.batch.some(({ pr, attempt }) => pr === row.pr && attempt === row.attempt),
    );
    const isSkippedSince = [...book.runs.values()].some(
      (other) =>
        other.outcome === 'passed' &&
        other.batch.some(({ pr, attempt }) => pr === row.pr && attempt === row.attempt) &&
        this.truth.skipped(new Set([other.id]), [], run.decidedBy?.name ?? ''),
    );
    return others.length > 0 || isSkippedSince
      ? []
      : [`${attemptKey(row)} is failed, and no second run confirms it.`];
  }

  #verdictFaults(run: TestRun): readonly string[] {
    const { truth, row } = this;
    const checks = truth.ofRun(run.id);
    if (run.outcome === 'failed')
      return checks.some((check) => failing.has(check.conclusion ?? ''))
        ? []
        : [`${attemptKey(row)} is failed, and no check of ${run.id} has failed.`];
    if (run.outcome !== 'timed_out') return [`${attemptKey(row)} is failed for ${run.id}: ${run.outcome}.`];
    // Where the store's clock was set, its deadlines and the times of CI cannot be compared.
    if (truth.isStoreClockSet || checks.some((check) => check.conclusion === 'timed_out')) return [];
    const deadlineAt = this.book.movedDeadline(
      run.testingSince ?? 0,
      run.deadlineAt ?? Number.POSITIVE_INFINITY,
    );
    if (row.at < deadlineAt) return [`${attemptKey(row)} is timed out before its deadline.`];
    if (run.checksReadAt === null || run.checksReadAt < deadlineAt)
      return [`${attemptKey(row)} is timed out, and nobody has looked since its deadline.`];
    // A result that was there in time counts, however late the queue looks; one that the host may not have shown yet does not.
    const shownBy = Math.min(deadlineAt, run.checksReadAt - truth.staleMs);
    const isInTime = run.requiredChecks.every((name) =>
      checks.some((check) => check.name === name && isPassing(check) && (check.completedAt ?? 0) < shownBy),
    );
    return isInTime ? [`${attemptKey(row)} is timed out, and its checks had passed in time.`] : [];
  }
}

const isGoingOn: ReadonlySet<string> = new Set(['testing', 'tests_passed']);
