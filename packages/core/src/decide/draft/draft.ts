import type { Actor } from '../../model/actor.js';
import type { Verdict } from '../../model/checks.js';
import type { Effect } from '../../model/effect.js';
import type { EffectId, Instant, SubmissionId, TestRunId } from '../../model/ids.js';
import { idOf } from '../../model/ids.js';
import type { TargetBook } from '../../model/impacted-targets.js';
import type { Polls, Queue } from '../../model/queue.js';
import type { Receipt } from '../../model/receipt.js';
import { type CloseCause, type TestRun, verdictsOf } from '../../model/run.js';
import type { Writes } from '../../model/state.js';
import { isLive, moves, type Submission, type SubmissionState } from '../../model/submission.js';
import { DraftRows } from './draft-rows.js';
import { type Because, moveRow, NewRows, runRow, type Unnumbered } from './history-rows.js';

type Unnamed<Wish> = Wish extends Effect ? Omit<Wish, 'id'> : never;

/**
 * What is being decided: the rows as they are by now, and the only way to change anything. Each kind of change has one
 * method, which checks that it is legal and brings what goes with it. Wishes, history, verdicts and receipts gather here
 * until the decision is complete.
 */
export class Draft extends DraftRows {
  readonly history = new NewRows();
  readonly #effects = new Map<EffectId, Effect>();
  readonly #withdrawn = new Set<EffectId>();
  readonly #letGo = new Map<TestRunId, CancelledRun>();
  readonly #verdicts: Verdict[] = [];
  readonly #receipts: Receipt[] = [];
  #wakeAt: Instant | null = null;
  #ids = 0;

  newId<Id extends EffectId | TestRunId | SubmissionId>(): Id {
    this.#ids += 1;
    return idOf<Id>(this.context.seed, this.#ids);
  }

  /** The questions that are put to the host, and when: no rule goes by them. */
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

  /** A row as given: for a new attempt. Everything else is `change` and `move`. */
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

  /** The only way from one state to another: checks that the move is legal, stamps it and records it. What else is another with it is in `patch`. */
  move(
    submission: Submission,
    to: SubmissionState,
    because: Because,
    patch: Omit<Partial<Submission>, 'state' | 'stateSince' | 'id'> = {},
  ): Submission {
    const allowed: readonly SubmissionState[] = moves[submission.state];
    if (!allowed.includes(to))
      throw new Error(`#${submission.pr} may not go from ${submission.state} to ${to}`);
    const moved: Submission = {
      ...submission,
      state: to,
      stateSince: this.now,
      reason: because.reason,
      reasonDetail: because.detail ?? null,
    };
    Object.assign(moved, patch);
    this.putSubmission(moved);
    this.record(moveRow(moved, submission, because));
    return moved;
  }

  addRun(run: TestRun): void {
    this.putRun(run);
    this.record(runRow(run, 'created'));
  }

  changeRun(run: TestRun, patch: Omit<Partial<TestRun>, 'id' | 'closedAt'>): TestRun {
    const changed: TestRun = Object.assign({ ...run }, patch);
    this.putRun(changed);
    if (changed.state !== run.state)
      this.record(runRow(changed, changed.state === 'ended' ? 'ended' : 'testing'));
    return changed;
  }

  /** Lets go of a run: what it still does is called off, its candidate is dropped, and it holds no slot any more. */
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
    const news = [run.building, run.starting].flatMap((id) =>
      id === null ? [] : (this.#effects.get(id) ?? []),
    );
    this.#letGo.set(run.id, { run, cause, row, news, wishes: this.#callOff(run) });
    return closed;
  }

  /** What is still under way for a run that is let go of. The wishes for that. */
  #callOff(run: TestRun): readonly EffectId[] {
    if (run.state === 'testing') this.#verdicts.push(...verdictsOf(run));
    if (run.building !== null) {
      this.withdraw(run.building);
      return [];
    }
    if (run.starting !== null) this.withdraw(run.starting);
    const drop = { type: 'drop_candidate', runId: run.id } as const;
    if (run.candidate === null || run.state !== 'testing') return [this.wish(drop)];
    const stop = this.wish({ type: 'cancel_checks', runId: run.id, commit: run.candidate.commit });
    return [stop, this.wish(drop)];
  }

  /** The runs that this decision has let go of, each as it was right before. */
  get letGo(): readonly CancelledRun[] {
    return [...this.#letGo.values()];
  }

  /** Goes on with a run as if it had never been let go of. */
  resume({ run, row, news, wishes }: CancelledRun): void {
    this.#letGo.delete(run.id);
    this.putRun(run);
    this.history.remove(row);
    for (const id of wishes) this.#effects.delete(id);
    for (const effect of news) this.#effects.set(effect.id, effect);
    for (const id of [run.building, run.starting]) if (id !== null) this.#withdrawn.delete(id);
  }

  /** Takes the one move of a submission in this decision back: its state is what it was before. */
  takeMoveBack(id: SubmissionId): void {
    const [before, submission] = [this.submissionBefore(id), this.submission(id)];
    if (before === undefined || submission === undefined) return;
    const { state, stateSince, reason, reasonDetail } = before;
    for (const row of this.history.movesOf(id)) this.history.remove(row);
    this.putSubmission({ ...submission, state, stateSince, reason, reasonDetail });
  }

  wish(effect: Unnamed<Effect>): EffectId {
    const id = this.newId<EffectId>();
    this.#effects.set(id, { id, ...effect } as Effect);
    return id;
  }

  /** Takes a wish back. False where a performer may hold it: then its answer has to be waited for. */
  withdraw(id: EffectId): boolean {
    if (this.#effects.delete(id)) return true;
    if (this.isUnderWay(id)) return false;
    this.#withdrawn.add(id);
    return true;
  }

  /** Puts what happened on record: last, or right behind the first so many rows of this decision. */
  record(row: Unnumbered, behind = this.history.count): void {
    row.at = this.now;
    row.settingsVersion = this.queue.settingsVersion;
    this.history.add(row, behind);
  }

  /** The number that the last row of the history will have, as far as it is known by now. */
  get sequence(): number {
    return this.before.sequence + this.history.count;
  }

  /** Asks to decide again at this time, or earlier. */
  wakeAt(at: Instant): void {
    if (at === Number.POSITIVE_INFINITY) return;
    this.#wakeAt = this.#wakeAt === null ? at : Math.min(this.#wakeAt, at);
  }

  /** When to decide again as far as is known by now; null for never. */
  get wakesAt(): Instant | null {
    return this.#wakeAt;
  }

  finish(): Finished {
    this.putQuietly({ decidedAt: this.now, sequence: this.sequence });
    return {
      writes: {
        verdicts: this.#verdicts,
        history: this.history.numbered(this.before.sequence),
        receipts: this.#receipts,
        ...this.changed,
      },
      effects: [...this.#effects.values()],
      withdraw: [...this.#withdrawn],
      wakeAt: this.#wakeAt,
    };
  }
}

export interface CancelledRun {
  /** As it was right before. */
  readonly run: TestRun;
  readonly cause: CloseCause;
  readonly row: Unnumbered;
  /** What this decision itself had wished for it. */
  readonly news: readonly Effect[];
  /** That what was under way is called off. */
  readonly wishes: readonly EffectId[];
}

export interface Finished {
  readonly writes: Writes;
  readonly effects: readonly Effect[];
  readonly withdraw: readonly EffectId[];
  readonly wakeAt: Instant | null;
}
