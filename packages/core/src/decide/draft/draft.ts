import type { Actor } from '../../model/actor.js';
import type { Verdict } from '../../model/checks.js';
import type { Effect } from '../../model/effect.js';
import { failedOnTopOf } from '../../model/failed-on-top.js';
import type { RunChanged } from '../../model/history.js';
import type { EffectId, Instant, SubmissionId, TestRunId } from '../../model/ids.js';
import { idOf } from '../../model/ids.js';
import type { TargetBook } from '../../model/impacted-targets.js';
import type { Polls } from '../../model/polls.js';
import type { Queue } from '../../model/queue.js';
import type { Receipt } from '../../model/receipt.js';
import { type Candidate, type CloseCause, hasRunningChecks, type TestRun } from '../../model/run.js';
import { verdictsOf } from '../../model/run-evidence.js';
import type { Writes } from '../../model/state.js';
import { isLive, moves, type Submission, type SubmissionState } from '../../model/submission.js';
import { DraftRows, isTestOf } from './draft-rows.js';
import { type Because, moveRow, NewRows, runRow, type Unnumbered } from './history-rows.js';
import { orderChange } from './order-change.js';

type WithoutId<OneEffect> = OneEffect extends Effect ? Omit<OneEffect, 'id'> : never;

/**
 * The working state of one decision, and the only way to change it. Each kind of change has one method, which checks
 * that the change is legal and does what goes with it. Requested effects, history, verdicts and receipts are collected
 * until `finish`.
 */
export class Draft extends DraftRows {
  readonly history = new NewRows();
  readonly #effects = new Map<EffectId, Effect>();
  readonly #withdrawn = new Set<EffectId>();
  readonly #closedRuns = new Map<TestRunId, ClosedRun>();
  readonly #verdicts: Verdict[] = [];
  readonly #receipts: Receipt[] = [];
  #wakeAt: Instant | null = null;
  #ids = 0;

  newId<Id extends EffectId | TestRunId | SubmissionId>(): Id {
    this.#ids += 1;
    return idOf<Id>(this.context.seed, this.#ids);
  }

  /** Changes when the host is read. No rule depends on it. */
  changePolls(polls: Polls): void {
    this.putQuietly({ polls });
  }

  changeQueue(patch: Partial<Queue>): void {
    this.putQueue(patch);
  }

  putTargets(book: TargetBook): void {
    this.putBook(book);
  }

  putVerdict(verdict: Verdict): void {
    this.#verdicts.push(verdict);
  }

  putReceipt(receipt: Receipt): void {
    this.#receipts.push(receipt);
  }

  /** Adds the first row of a new attempt. Every later change goes through `change` and `move`. */
  openAttempt(submission: Submission, actor: Actor): void {
    const before = this.lastSubmission(submission.pr);
    if (before !== undefined && isLive(before)) throw new Error(`#${submission.pr} still has a live attempt`);
    this.putSubmission(submission);
    const book = this.targets(submission.pr);
    if (book !== undefined) this.putTargets(book);
    this.record(moveRow(submission, before, { reason: 'API_REQUESTED', actor }));
  }

  /** Changes anything but the state. */
  change(
    submission: Submission,
    patch: Omit<Partial<Submission>, 'state' | 'stateSince' | 'id'>,
  ): Submission {
    const changed = Object.assign({ ...submission }, patch);
    this.putSubmission(changed);
    return changed;
  }

  /**
   * The only way from one state to another: throws if the move is illegal, stamps it and records it. `patch` changes
   * other fields with it.
   */
  move(
    submission: Submission,
    to: SubmissionState,
    because: Because,
    patch: Omit<Partial<Submission>, 'state' | 'stateSince' | 'id'> = {},
  ): Submission {
    const allowed: readonly SubmissionState[] = moves[submission.state];
    if (!allowed.includes(to))
      throw new Error(`#${submission.pr} cannot move from ${submission.state} to ${to}`);
    const moved: Submission = {
      ...submission,
      state: to,
      stateSince: this.now,
      reason: because.reason,
      reasonDetail: because.detail ?? null,
    };
    Object.assign(moved, patch);
    const tested = isLive(moved) ? null : this.#testedWith(submission, because.runId ?? null);
    this.putSubmission(moved);
    const extended = to === 'failed' ? this.#withStack(submission, because) : because;
    this.record(moveRow(moved, submission, extended, tested));
    return moved;
  }

  /** Adds what the failed test run was on top of. */
  #withStack(submission: Submission, because: Because): Because {
    const run = because.runId == null ? undefined : this.run(because.runId);
    if (run === undefined) return because;
    const below = failedOnTopOf(run, submission, {
      target: this.queue.branch,
      isLive: (member) => {
        const other = this.attemptOf(member);
        return other !== undefined && isLive(other);
      },
    });
    return below === null ? because : { ...because, failedOnTopOf: below };
  }

  /** The candidate of the given test run. Without an id: of the newest test run that was open before this decision. */
  #testedWith(submission: Submission, runId: TestRunId | null): Candidate | null {
    if (runId !== null) return this.run(runId)?.candidate ?? null;
    const closed = this.closedRuns.map(({ run }) => run);
    const tests = [...closed.filter((run) => isTestOf(run, submission)), ...this.runsOf(submission)];
    const built = tests.filter(({ candidate }) => candidate !== null);
    return built.toSorted((one, other) => other.createdAt - one.createdAt)[0]?.candidate ?? null;
  }

  addRun(run: TestRun): void {
    this.putRun(run);
    this.record(runRow(run, 'created'));
  }

  changeRun(run: TestRun, patch: Omit<Partial<TestRun>, 'id' | 'closedAt'>): TestRun {
    const changed: TestRun = Object.assign({ ...run }, patch);
    this.putRun(changed);
    if (changed.state === run.state) return changed;
    if (changed.state === 'ended') this.record(runRow(changed, 'ended'));
    else this.record(runRow(changed, 'testing', this.#pullsOf(changed)));
    return changed;
  }

  #pullsOf({ batch }: TestRun): NonNullable<RunChanged['pulls']> {
    return batch.map((member) => {
      const pull = this.attemptOf(member)?.pull;
      return pull === undefined ? null : { title: pull.title, author: pull.author };
    });
  }

  /** Closes a test run: stops what is under way for it, drops its candidate and frees its slot. */
  closeRun(run: TestRun, cause: CloseCause): TestRun {
    const closed: TestRun = {
      ...run,
      closedAt: this.now,
      closedBecause: cause,
      building: null,
      starting: null,
    };
    this.putRun(closed);
    const row = runRow(closed, 'closed');
    this.record(row);
    const newEffects = [run.building, run.starting].flatMap((id) =>
      id === null ? [] : (this.#effects.get(id) ?? []),
    );
    this.#closedRuns.set(run.id, { run, cause, row, newEffects, stopEffects: this.#stop(run, cause) });
    return closed;
  }

  /** Stops what is under way for a closed run. Returns the ids of the effects that it requests for that. */
  #stop(run: TestRun, cause: CloseCause): readonly EffectId[] {
    if (run.state === 'testing') this.#verdicts.push(...verdictsOf(run));
    if (run.building !== null) {
      this.withdraw(run.building);
      return [];
    }
    if (run.starting !== null) this.withdraw(run.starting);
    const drop = { type: 'drop_candidate', runId: run.id } as const;
    if (run.candidate === null || !this.#isUnderTest(run, cause)) return [this.request(drop)];
    const stop = this.request({ type: 'cancel_checks', runId: run.id, commit: run.candidate.commit });
    return [stop, this.request(drop)];
  }

  /**
   * True also for an ended run if one of its checks was run again. After a landing, such a check is left to the
   * person who ran it.
   */
  #isUnderTest(run: TestRun, cause: CloseCause): boolean {
    if (run.state === 'testing') return true;
    return cause !== 'landed' && run.endedAt !== this.now && hasRunningChecks(run);
  }

  /** The runs that this decision has closed, each as it was right before. */
  get closedRuns(): readonly ClosedRun[] {
    return [...this.#closedRuns.values()];
  }

  /** Reopens a run as if it had never been closed. */
  resume({ run, row, newEffects, stopEffects }: ClosedRun): void {
    this.#closedRuns.delete(run.id);
    this.putRun(run);
    this.history.remove(row);
    for (const id of stopEffects) this.#effects.delete(id);
    for (const effect of newEffects) this.#effects.set(effect.id, effect);
    for (const id of [run.building, run.starting]) if (id !== null) this.#withdrawn.delete(id);
  }

  /** Undoes the moves of a submission in this decision: its state is again what it was before. */
  undoMoves(id: SubmissionId): void {
    const [before, submission] = [this.submissionBefore(id), this.submission(id)];
    if (before === undefined || submission === undefined) return;
    const { state, stateSince, reason, reasonDetail } = before;
    for (const row of this.history.movesOf(id)) this.history.remove(row);
    this.putSubmission({ ...submission, state, stateSince, reason, reasonDetail });
  }

  request(effect: WithoutId<Effect>): EffectId {
    const id = this.newId<EffectId>();
    this.#effects.set(id, { id, ...effect } as Effect);
    return id;
  }

  /** Takes a requested effect back. False if a performer may hold it: then its answer has to be awaited. */
  withdraw(id: EffectId): boolean {
    if (this.#effects.delete(id)) return true;
    if (this.isUnderWay(id)) return false;
    this.#withdrawn.add(id);
    return true;
  }

  /** Adds a row to the history: at the end, or after the first `behind` rows of this decision. */
  record(row: Unnumbered, behind = this.history.count): void {
    row.at = this.now;
    row.settingsVersion = this.queue.settingsVersion;
    this.history.add(row, behind);
  }

  /** The sequence number of the last history row so far. */
  get sequence(): number {
    return this.before.sequence + this.history.count;
  }

  /** Asks to decide again at this time or earlier. The earliest request counts. */
  wakeAt(at: Instant): void {
    if (at === Number.POSITIVE_INFINITY) return;
    this.#wakeAt = this.#wakeAt === null ? at : Math.min(this.#wakeAt, at);
  }

  /** When to decide again, as far as is known so far; null for never. */
  get nextWakeAt(): Instant | null {
    return this.#wakeAt;
  }

  finish(): Finished {
    this.putQuietly({ decidedAt: this.now, sequence: this.sequence });
    return {
      writes: {
        verdicts: this.#verdicts,
        history: this.history.numbered(this.before.sequence, orderChange(this, this.changed.submissions)),
        receipts: this.#receipts,
        ...this.changed,
      },
      effects: [...this.#effects.values()],
      withdraw: [...this.#withdrawn],
      wakeAt: this.#wakeAt,
    };
  }
}

export interface ClosedRun {
  /** As it was right before it was closed. */
  readonly run: TestRun;
  readonly cause: CloseCause;
  readonly row: Unnumbered;
  /** Effects that this decision itself had requested for it. */
  readonly newEffects: readonly Effect[];
  /** Effects that stop what was under way. */
  readonly stopEffects: readonly EffectId[];
}

export interface Finished {
  readonly writes: Writes;
  readonly effects: readonly Effect[];
  readonly withdraw: readonly EffectId[];
  readonly wakeAt: Instant | null;
}
