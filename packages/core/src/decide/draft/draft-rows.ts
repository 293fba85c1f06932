import type { EffectId, Instant, SubmissionId, TestRunId } from '../../model/ids.js';
import type { TargetBook } from '../../model/impacted-targets.js';
import { type IndexName, type LineIndexName, Orders } from '../../model/indexes.js';
import type { OrderFields } from '../../model/order.js';
import type { Queue } from '../../model/queue.js';
import type { Member, TestRun } from '../../model/run.js';
import { isAttemptOf, isOpenRun, runsBySubmission } from '../../model/run.js';
import type { QueueState, Rows } from '../../model/state.js';
import type { Submission } from '../../model/submission.js';
import { isLive } from '../../model/submission.js';
import type { Context } from './context.js';
import { Overlay } from './overlay.js';

const keysOf = <Row extends object>(row: Row) => Object.keys(row) as (keyof Row)[];

const noRuns: readonly TestRun[] = [];

export const isTestOf = ({ batch }: TestRun, submission: Submission): boolean => {
  for (const member of batch) if (isAttemptOf(member, submission)) return true;
  return false;
};

/**
 * The rows as this decision sees them: those of the state, which is never changed, overlaid with those that the
 * decision has put. Rules read a queue only through this class. Only `Draft` puts rows.
 */
export class DraftRows {
  readonly context: Context;
  readonly now: Instant;
  readonly #state: QueueState;
  #queue: Queue;
  readonly #submissions: Overlay<SubmissionId, Submission>;
  readonly #runs: Overlay<TestRunId, TestRun>;
  readonly #targets = new Map<number, TargetBook>();
  readonly #byPr = new Map<number, SubmissionId>();
  readonly #orders: Orders;
  readonly #memos = new Map<string, unknown>();
  #changes = 0;

  constructor(state: QueueState, context: Context) {
    this.context = context;
    this.now = context.now;
    this.#state = state;
    this.#queue = state.queue;
    this.#submissions = new Overlay(state.submissions);
    this.#runs = new Overlay(state.runs);
    this.#orders = new Orders(state.indexes);
  }

  get queue(): Queue {
    return this.#queue;
  }

  /** The queue's own row as it was before this decision. */
  get before(): Queue {
    return this.#state.queue;
  }

  /** The number of rows put so far. It tells whether a rule has changed anything. */
  get changes(): number {
    return this.#changes;
  }

  /** Returns the memo of this name, computed once and dropped when a row is put. */
  memo<Value>(name: string, derive: () => Value): Value {
    if (!this.#memos.has(name)) this.#memos.set(name, derive());
    return this.#memos.get(name) as Value;
  }

  #changed(): void {
    this.#changes += 1;
    this.#memos.clear();
  }

  submission(id: SubmissionId): Submission | undefined {
    return this.#submissions.get(id);
  }

  /** As it was before this decision; undefined if it did not exist. */
  submissionBefore(id: SubmissionId): Submission | undefined {
    return this.#state.submissions.get(id);
  }

  /** The live submission of a pull request. */
  liveSubmission(pr: number): Submission | undefined {
    const id = this.#idOf(pr);
    const submission = id === undefined ? undefined : this.submission(id);
    return submission !== undefined && isLive(submission) ? submission : undefined;
  }

  /** Its last submission, live or not; undefined if it was never submitted to this queue. */
  lastSubmission(pr: number): Submission | undefined {
    const id = this.#idOf(pr);
    const bySubmission = id === undefined ? undefined : this.submission(id);
    return bySubmission ?? this.context.recalled.submissions.find((submission) => submission.pr === pr);
  }

  #idOf(pr: number): SubmissionId | undefined {
    return (this.#byPr.size === 0 ? undefined : this.#byPr.get(pr)) ?? this.#state.byPr.get(pr);
  }

  /** All live submissions, oldest row first. O(n). */
  liveSubmissions(): readonly Submission[] {
    return this.memo('live', () => this.#submissions.all(isLive));
  }

  get liveCount(): number {
    return this.#submissions.count(isLive);
  }

  /** Live submissions in a maintained order. Copy it before putting rows while iterating. */
  ordered(name: IndexName): readonly Submission[] {
    return this.#orders.of(name);
  }

  /** The numbers of all live pull requests, ascending. */
  get numbers(): readonly number[] {
    return this.#orders.numbers;
  }

  /** The number of submissions before this standing in an order of the line. */
  rank(name: LineIndexName, standing: OrderFields): number {
    return this.#orders.rank(name, standing);
  }

  /** The submission of a member, live or not; undefined once it is in another attempt. */
  attemptOf(member: Pick<Member, 'submissionId' | 'attempt'>): Submission | undefined {
    const submission = this.submission(member.submissionId);
    return isAttemptOf(member, submission) ? submission : undefined;
  }

  /** The live members of a run that are still in the same attempt. */
  membersOf(run: TestRun): readonly Submission[] {
    const members: Submission[] = [];
    for (const member of run.batch) {
      const submission = this.attemptOf(member);
      if (submission !== undefined && isLive(submission)) members.push(submission);
    }
    return members;
  }

  run(id: TestRunId): TestRun | undefined {
    return this.#runs.get(id);
  }

  openRuns(): readonly TestRun[] {
    return this.memo('open runs', () => this.#runs.all(isOpenRun));
  }

  /** The open runs that test this attempt, oldest first. */
  runsOf(submission: Submission): readonly TestRun[] {
    const bySubmission = this.memo('runs by submission', () => runsBySubmission(this.openRuns()));
    const runs = bySubmission.get(submission.id);
    if (runs === undefined) return noRuns;
    return runs.every((run) => isTestOf(run, submission))
      ? runs
      : runs.filter((run) => isTestOf(run, submission));
  }

  targets(pr: number): TargetBook | undefined {
    return (
      this.#targets.get(pr) ??
      this.#state.targets.get(pr) ??
      this.context.recalled.targets.find((book) => book.pr === pr)
    );
  }

  /** True if a performer held this effect when the state was read. */
  isUnderWay(effect: EffectId): boolean {
    return this.#state.underWay.has(effect);
  }

  /** Patches fields that no rule and no order reads, so that memos stay valid. */
  protected putQuietly(patch: Partial<Pick<Queue, 'polls' | 'decidedAt' | 'sequence'>>): void {
    this.#queue = Object.assign({ ...this.#queue }, patch);
  }

  protected putQueue(patch: Partial<Queue>): void {
    const before = this.#queue;
    this.#queue = Object.assign({ ...before }, patch);
    if (keysOf(patch).some((key) => patch[key] !== before[key])) this.#changed();
  }

  protected putSubmission(submission: Submission): void {
    this.#orders.put(this.#submissions.get(submission.id), submission);
    this.#submissions.put(submission.id, submission);
    this.#byPr.set(submission.pr, submission.id);
    this.#changed();
  }

  protected putRun(run: TestRun): void {
    this.#runs.put(run.id, run);
    this.#changed();
  }

  protected putBook(book: TargetBook): void {
    this.#targets.set(book.pr, book);
    this.#changed();
  }

  /** All rows put. */
  protected get changed(): Rows {
    return {
      queue: this.#queue,
      submissions: [...this.#submissions.changed.values()],
      runs: [...this.#runs.changed.values()],
      targets: [...this.#targets.values()],
    };
  }
}
