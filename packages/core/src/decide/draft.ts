import type { Actor } from '../model/actor.js';
import type { Verdict } from '../model/checks.js';
import type { Effect } from '../model/effect.js';
import type { EffectId, Instant, RunId, SubmissionId } from '../model/ids.js';
import { idOf } from '../model/ids.js';
import type { TargetBook } from '../model/impacted-targets.js';
import {
  emptyIndexes,
  type IndexName,
  merged,
  rankIn,
  reindex,
  type SubmissionIndexes,
} from '../model/indexes.js';
import { bySubmission } from '../model/order.js';
import type { Queue } from '../model/queue.js';
import type { Receipt } from '../model/receipt.js';
import type { CloseCause, Member, Run } from '../model/run.js';
import { attemptKey, isAttemptOf, isOpenRun, runsByAttempt, verdictsOf } from '../model/run.js';
import type { QueueState, Writes } from '../model/state.js';
import type { Submission, SubmissionState } from '../model/submission.js';
import { isLive, moves } from '../model/submission.js';
import type { Context } from './context.js';
import { type Because, moveRow, NewRows, runRow, type Unnumbered } from './history-rows.js';
import { Known } from './known.js';
import { Overlay } from './overlay.js';

type Unnamed<Wish> = Wish extends Effect ? Omit<Wish, 'id'> : never;

/**
 * The state that is being decided: an overlay over a state that is never changed, and the only way to change anything.
 * Rows that were touched, wishes and history gather here until the decision is complete.
 */
export class Draft {
  readonly now: Instant;
  readonly context: Context;
  readonly known: Known;
  #queue: Queue;
  readonly #base: QueueState;
  readonly #submissions: Overlay<SubmissionId, Submission>;
  readonly #runs: Overlay<RunId, Run>;
  readonly #targets = new Map<number, TargetBook>();
  readonly #byPr = new Map<number, SubmissionId>();
  readonly #verdicts: Verdict[] = [];
  readonly history = new NewRows();
  readonly #receipts: Receipt[] = [];
  readonly #effects = new Map<EffectId, Effect>();
  readonly #withdrawn = new Set<EffectId>();
  #wakeAt: Instant | null = null;
  #ids = 0;
  readonly #indexes: SubmissionIndexes;
  /** The rows of the base that others have taken the place of. */
  readonly #hidden: SubmissionIndexes;

  constructor(base: QueueState, context: Context) {
    this.#base = base;
    this.#submissions = new Overlay(base.submissions);
    this.#runs = new Overlay(base.runs);
    this.#indexes = emptyIndexes(context.pace.ageingMsPerPoint);
    this.#hidden = emptyIndexes(context.pace.ageingMsPerPoint);
    this.known = new Known(base.memos);
    this.#queue = base.queue;
    this.context = context;
    this.now = context.now;
  }

  get queue(): Queue {
    return this.#queue;
  }

  /** True where the state was at rest and nothing has changed since that another rule than those of the tests looks at. */
  get isAtRest(): boolean {
    return this.#base.isAtRest && this.known.revision === 0 && this.now < this.#base.restsUntil;
  }

  /** When something was to happen by itself, as far as was known before. */
  get restsUntil(): Instant {
    return this.#base.restsUntil;
  }

  changeQueue(patch: Partial<Queue>): void {
    this.known.queueChanged(this.#queue, patch);
    this.#queue = { ...this.#queue, ...patch };
  }

  newId<Id extends EffectId | RunId | SubmissionId>(): Id {
    this.#ids += 1;
    return idOf<Id>(this.context.seed, this.#ids);
  }

  submission(id: SubmissionId): Submission | undefined {
    return this.#submissions.get(id);
  }

  /** The live submission of a pull request. */
  liveSubmission(pr: number): Submission | undefined {
    const id = this.#byPr.get(pr) ?? this.#base.byPr.get(pr);
    const submission = id === undefined ? undefined : this.submission(id);
    return submission !== undefined && isLive(submission) ? submission : undefined;
  }

  /** Its last submission, live or not; undefined where it was never submitted here. */
  lastSubmission(pr: number): Submission | undefined {
    const id = this.#byPr.get(pr) ?? this.#base.byPr.get(pr);
    const known = id === undefined ? undefined : this.submission(id);
    return known ?? this.context.recalled.submissions.find((submission) => submission.pr === pr);
  }

  /** All of them: for reading, and for what happens seldom. Rules go through `ordered` and `toLookAt`. */
  liveSubmissions(): readonly Submission[] {
    return this.known.derived('live', () => this.#submissions.all().filter(isLive));
  }

  get liveCount(): number {
    return this.#submissions.count(isLive);
  }

  /** Live submissions in a kept order. */
  ordered(name: IndexName): Generator<Submission> {
    return merged(this.#base.indexes, this.#indexes, name, ({ id }) => this.#submissions.changed.has(id));
  }

  /** How many stand before one in a kept order. */
  rank(name: IndexName, submission: Submission): number {
    return rankIn(this.#base.indexes, this.#hidden, this.#indexes, name, submission);
  }

  /**
   * Live submissions of which a rule about one alone may have something to say: all, unless the state was at rest. As
   * they were submitted, however many there are to look at.
   */
  toLookAt(others: Iterable<Submission> = []): readonly Submission[] {
    if (!this.#base.isAtRest) return [...this.liveSubmissions()].sort(bySubmission);
    const ids = new Set(this.#submissions.changed.keys());
    for (const { id } of others) ids.add(id);
    for (const pr of this.#targets.keys()) {
      const submission = this.liveSubmission(pr);
      if (submission !== undefined) ids.add(submission.id);
    }
    for (const member of this.#base.queue.landing?.members ?? []) ids.add(member.submissionId);
    const rows = [...ids].flatMap((id) => {
      const submission = this.submission(id);
      return submission !== undefined && isLive(submission) ? [submission] : [];
    });
    return rows.sort(bySubmission);
  }

  /** What the state was before this decision. */
  get before(): Queue {
    return this.#base.queue;
  }

  run(id: RunId): Run | undefined {
    return this.#runs.get(id);
  }

  openRuns(): readonly Run[] {
    return this.known.from('runs', 'open runs', () => this.#runs.all().filter(isOpenRun));
  }

  /** Open runs of which a rule about one alone may have something to say: all, unless the state was at rest. */
  runsToLookAt(): readonly Run[] {
    return this.#base.isAtRest ? [...this.#runs.changed.values()].filter(isOpenRun) : this.openRuns();
  }

  /** The open runs that test this attempt, oldest first. */
  runsOf(submission: Submission): readonly Run[] {
    const byMember = this.known.from('runs', 'runs by member', () => runsByAttempt(this.openRuns()));
    return byMember.get(attemptKey(submission.id, submission.attempt)) ?? [];
  }

  /** The submission of a member, live or not, as long as it is in the same attempt. */
  attemptOf(member: Pick<Member, 'submissionId' | 'attempt'>): Submission | undefined {
    const submission = this.submission(member.submissionId);
    return isAttemptOf(member, submission) ? submission : undefined;
  }

  /** Those who were tested by a run and are still in the same attempt. */
  membersOf(run: Run): readonly Submission[] {
    return run.batch.flatMap((member) => {
      const submission = this.attemptOf(member);
      return submission !== undefined && isLive(submission) ? [submission] : [];
    });
  }

  targets(pr: number): TargetBook | undefined {
    return (
      this.#targets.get(pr) ??
      this.#base.targets.get(pr) ??
      this.context.recalled.targets.find((book) => book.pr === pr)
    );
  }

  putTargets(book: TargetBook): void {
    this.#targets.set(book.pr, book);
    const submission = this.liveSubmission(book.pr);
    if (submission !== undefined) this.known.targetsChanged(submission);
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
    this.#put(submission);
    const book = this.targets(submission.pr);
    if (book !== undefined) this.putTargets(book);
    const because = { reason: 'API_REQUESTED', actor } as const;
    this.record(moveRow(submission, before, because));
  }

  /** Changes anything but the state. */
  change(
    submission: Submission,
    patch: Omit<Partial<Submission>, 'state' | 'stateSince' | 'id'>,
  ): Submission {
    const changed = { ...submission, ...patch };
    this.#put(changed);
    return changed;
  }

  /** The only way from one state to another: checks that the move is legal, stamps it and records it. */
  move(submission: Submission, to: SubmissionState, because: Because): Submission {
    const allowed: readonly SubmissionState[] = moves[submission.state];
    if (!allowed.includes(to))
      throw new Error(`#${submission.pr} may not go from ${submission.state} to ${to}`);
    const moved = this.change(submission, {
      reason: because.reason,
      reasonDetail: because.detail ?? null,
    });
    const stamped: Submission = { ...moved, state: to, stateSince: this.now };
    this.#put(stamped);
    this.record(moveRow(stamped, submission, because));
    return stamped;
  }

  addRun(run: Run): void {
    this.#putRun(run);
    this.record(runRow(run, 'created'));
  }

  changeRun(run: Run, patch: Omit<Partial<Run>, 'id' | 'closedAt'>): Run {
    const changed: Run = { ...run, ...patch };
    this.#putRun(changed);
    if (changed.state !== run.state)
      this.record(runRow(changed, changed.state === 'ended' ? 'ended' : 'testing'));
    return changed;
  }

  /** Lets go of a run: what it still does is called off, its trial is dropped, and it holds no slot any more. */
  closeRun(run: Run, cause: CloseCause): Run {
    const closed: Run = { ...run, closedAt: this.now, closedBecause: cause, building: null, starting: null };
    this.#putRun(closed);
    this.record(runRow(closed, 'closed'));
    if (run.state === 'testing') this.#verdicts.push(...verdictsOf(run));
    if (run.building !== null) {
      this.withdraw(run.building);
      return closed;
    }
    if (run.starting !== null) this.withdraw(run.starting);
    if (run.trial !== null && run.state === 'testing')
      this.wish({ type: 'cancel_checks', runId: run.id, commit: run.trial.commit });
    this.wish({ type: 'drop_trial', runId: run.id });
    return closed;
  }

  wish(effect: Unnamed<Effect>): EffectId {
    const id = this.newId<EffectId>();
    this.#effects.set(id, { ...effect, id } as Effect);
    return id;
  }

  /** Takes a wish back. False where a performer may hold it: then its answer has to be waited for. */
  withdraw(id: EffectId): boolean {
    if (this.#effects.delete(id)) return true;
    if (this.#base.underWay.has(id)) return false;
    this.#withdrawn.add(id);
    return true;
  }

  record(row: Unnumbered, behind = this.history.count): void {
    const { settingsVersion, sequence } = this.#queue;
    this.changeQueue({ sequence: sequence + 1 });
    this.history.add({ ...row, at: this.now, settingsVersion }, behind);
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
    this.changeQueue({ decidedAt: this.now });
    return {
      writes: {
        queue: this.#queue,
        submissions: [...this.#submissions.changed.values()],
        runs: [...this.#runs.changed.values()],
        targets: [...this.#targets.values()],
        verdicts: this.#verdicts,
        history: this.history.numbered(this.#queue.sequence),
        receipts: this.#receipts,
      },
      effects: [...this.#effects.values()],
      withdraw: [...this.#withdrawn],
      wakeAt: this.#wakeAt,
    };
  }

  /** While a failed batch is looked into, its members come into play by passing. */
  get #isIsolating(): boolean {
    const isIsolating = () => this.openRuns().some(({ isolation }) => isolation !== null);
    return this.known.from('failures', 'isolating', isIsolating);
  }

  #put(submission: Submission): void {
    const known = this.#submissions.get(submission.id);
    const before = this.#submissions.changed.get(submission.id);
    this.known.submissionChanged(known, submission, this.#isIsolating);
    reindex(this.#indexes, before, submission);
    if (before === undefined) reindex(this.#hidden, undefined, known);
    this.#submissions.put(submission.id, submission);
    this.#byPr.set(submission.pr, submission.id);
  }

  #putRun(run: Run): void {
    this.known.runChanged(this.#runs.get(run.id), run);
    this.#runs.put(run.id, run);
  }
}

export interface Finished {
  readonly writes: Writes;
  readonly effects: readonly Effect[];
  readonly withdraw: readonly EffectId[];
  readonly wakeAt: Instant | null;
}
