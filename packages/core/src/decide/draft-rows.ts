import type { EffectId, Instant, RunId, SubmissionId } from '../model/ids.js';
import type { TargetBook } from '../model/impacted-targets.js';
import { type IndexName, type InOrder, type LineIndexName, Orders } from '../model/indexes.js';
import type { QuietField } from '../model/news.js';
import { bySubmission, type Standing } from '../model/order.js';
import type { Queue } from '../model/queue.js';
import type { Member, Run } from '../model/run.js';
import { isAttemptOf, isOpenRun, runsBySubmission } from '../model/run.js';
import type { QueueState, Rows } from '../model/state.js';
import type { Submission } from '../model/submission.js';
import { isLive } from '../model/submission.js';
import type { Context } from './context.js';
import { Known } from './known.js';
import { Overlay } from './overlay.js';

/** Of which row a new one is a copy, and which of its fields have been given others. */
interface Patched<Row> {
  readonly of: Row;
  readonly patch: Partial<Row>;
}

/** The fields by which a new row differs from the one that it takes the place of; undefined where that is not known. */
const fieldsOf = <Row>(known: Row | undefined, patched?: Patched<Row>): (keyof Row)[] | undefined =>
  patched !== undefined && patched.of === known ? (Object.keys(patched.patch) as (keyof Row)[]) : undefined;

const noRuns: readonly Run[] = [];

const tests = ({ batch }: Run, submission: Submission): boolean => {
  for (const member of batch) if (isAttemptOf(member, submission)) return true;
  return false;
};

/**
 * The rows as they are by now: those of the state, which is never changed, with what the decision has put on top. All that
 * rules read of a queue they read here. What puts rows is `Draft` alone.
 */
export class DraftRows {
  readonly context: Context;
  readonly now: Instant;
  readonly known: Known;
  readonly #base: QueueState;
  #queue: Queue;
  readonly #submissions: Overlay<SubmissionId, Submission>;
  readonly #runs: Overlay<RunId, Run>;
  readonly #targets = new Map<number, TargetBook>();
  readonly #byPr = new Map<number, SubmissionId>();
  readonly #orders: Orders;

  constructor(base: QueueState, context: Context) {
    this.context = context;
    this.now = context.now;
    this.known = new Known(base.memos);
    this.#base = base;
    this.#queue = base.queue;
    this.#submissions = new Overlay(base.submissions);
    this.#runs = new Overlay(base.runs);
    this.#orders = new Orders(base.indexes);
  }

  get queue(): Queue {
    return this.#queue;
  }

  /** The queue's own row as it was before this decision. */
  get before(): Queue {
    return this.#base.queue;
  }

  /** True where the state was at rest and nothing has changed since that another rule than those of the tests looks at. */
  get isAtRest(): boolean {
    return this.#base.isAtRest && this.known.revision === 0 && this.now < this.#base.restsUntil;
  }

  /** When something was to happen by itself, as far as was known before. */
  get restsUntil(): Instant {
    return this.#base.restsUntil;
  }

  submission(id: SubmissionId): Submission | undefined {
    return this.#submissions.get(id);
  }

  /** As it was before this decision; undefined where it was not there. */
  submissionBefore(id: SubmissionId): Submission | undefined {
    return this.#base.submissions.get(id);
  }

  /** The live submission of a pull request. */
  liveSubmission(pr: number): Submission | undefined {
    const id = this.#idOf(pr);
    const submission = id === undefined ? undefined : this.submission(id);
    return submission !== undefined && isLive(submission) ? submission : undefined;
  }

  /** Its last submission, live or not; undefined where it was never submitted here. */
  lastSubmission(pr: number): Submission | undefined {
    const id = this.#idOf(pr);
    const known = id === undefined ? undefined : this.submission(id);
    return known ?? this.context.recalled.submissions.find((submission) => submission.pr === pr);
  }

  #idOf(pr: number): SubmissionId | undefined {
    return (this.#byPr.size === 0 ? undefined : this.#byPr.get(pr)) ?? this.#base.byPr.get(pr);
  }

  /** All of them: for reading, and for what happens seldom. Rules go through `ordered` and `toLookAt`. */
  liveSubmissions(): readonly Submission[] {
    return this.known.derived('live', () => this.#submissions.all(isLive));
  }

  get liveCount(): number {
    return this.#submissions.count(isLive);
  }

  /** Live submissions in a kept order. Whoever puts rows on the way goes through a copy. */
  ordered(name: IndexName): readonly Submission[] {
    return this.#orders.of(name);
  }

  /** The same for whoever does not go through all of them, and puts no rows on the way. */
  inOrder(name: IndexName): InOrder {
    return this.#orders.from(name);
  }

  /** The numbers of all live pull requests, in their order. */
  get numbers(): readonly number[] {
    return this.#orders.numbers;
  }

  /** How many stand before one in an order of the line. */
  rank(name: LineIndexName, standing: Standing): number {
    return this.#orders.rank(name, standing);
  }

  /**
   * Live submissions of which a rule about one alone may have something to say: all, unless the state was at rest. As
   * they were submitted, however many there are to look at.
   */
  toLookAt(others: readonly Submission[] = []): readonly Submission[] {
    if (!this.#base.isAtRest) return [...this.liveSubmissions()].sort(bySubmission);
    if (others.length > 0) return this.#newsAnd(others);
    return this.known.derived('to look at', () => this.#newsAnd(others));
  }

  #newsAnd(others: readonly Submission[]): readonly Submission[] {
    const ids = new Set<SubmissionId>();
    for (const id of this.#submissions.changed.keys()) ids.add(id);
    for (const { id } of others) ids.add(id);
    for (const pr of this.#targets.keys()) {
      const submission = this.liveSubmission(pr);
      if (submission !== undefined) ids.add(submission.id);
    }
    for (const member of this.#base.queue.landing?.members ?? []) ids.add(member.submissionId);
    const rows: Submission[] = [];
    for (const id of ids) {
      const submission = this.submission(id);
      if (submission !== undefined && isLive(submission)) rows.push(submission);
    }
    return rows.length > 1 ? rows.sort(bySubmission) : rows;
  }

  /** The submission of a member, live or not, as long as it is in the same attempt. */
  attemptOf(member: Pick<Member, 'submissionId' | 'attempt'>): Submission | undefined {
    const submission = this.submission(member.submissionId);
    return isAttemptOf(member, submission) ? submission : undefined;
  }

  /** Those who were tested by a run and are still in the same attempt. */
  membersOf(run: Run): readonly Submission[] {
    const members: Submission[] = [];
    for (const member of run.batch) {
      const submission = this.attemptOf(member);
      if (submission !== undefined && isLive(submission)) members.push(submission);
    }
    return members;
  }

  run(id: RunId): Run | undefined {
    return this.#runs.get(id);
  }

  openRuns(): readonly Run[] {
    return this.known.from('runs', 'open runs', () => this.#runs.all(isOpenRun));
  }

  /** Open runs of which a rule about one alone may have something to say: all, unless the state was at rest. */
  runsToLookAt(): readonly Run[] {
    return this.#base.isAtRest ? [...this.#runs.changed.values()].filter(isOpenRun) : this.openRuns();
  }

  /** The open runs that test this attempt, oldest first. */
  runsOf(submission: Submission): readonly Run[] {
    const known = this.known.from('runs', 'by submission', () => runsBySubmission(this.openRuns()));
    const runs = known.get(submission.id);
    if (runs === undefined) return noRuns;
    return runs.every((run) => tests(run, submission)) ? runs : runs.filter((run) => tests(run, submission));
  }

  targets(pr: number): TargetBook | undefined {
    return (
      this.#targets.get(pr) ??
      this.#base.targets.get(pr) ??
      this.context.recalled.targets.find((book) => book.pr === pr)
    );
  }

  /** True where a performer holds or held this wish when the state was read. */
  protected isUnderWay(wish: EffectId): boolean {
    return this.#base.underWay.has(wish);
  }

  /** Of what is news to nobody: set in the draft's own row, where it has one, since several of these come with each input. */
  protected putQuietly(patch: Pick<Partial<Queue>, QuietField>): void {
    this.#queue = Object.assign(this.#queue === this.#base.queue ? { ...this.#queue } : this.#queue, patch);
  }

  // Here and wherever a row is patched: V8 copies a row at once, and a second spread field by field, at 25 times the cost.
  protected putQueue(patch: Partial<Queue>): void {
    this.known.queueChanged(this.#queue, patch);
    this.#queue = Object.assign({ ...this.#queue }, patch);
  }

  protected putSubmission(submission: Submission, patched?: Patched<Submission>): void {
    const known = this.#submissions.get(submission.id);
    this.known.submissionChanged(known, submission, this.#isIsolating, fieldsOf(known, patched));
    this.#orders.put(known, submission);
    this.#submissions.put(submission.id, submission);
    this.#byPr.set(submission.pr, submission.id);
  }

  protected putRun(run: Run, patched?: Patched<Run>): void {
    const known = this.#runs.get(run.id);
    this.known.runChanged(known, run, fieldsOf(known, patched));
    this.#runs.put(run.id, run);
  }

  protected putBook(book: TargetBook): void {
    this.#targets.set(book.pr, book);
    const submission = this.liveSubmission(book.pr);
    if (submission !== undefined) this.known.targetsChanged(submission);
  }

  /** What was put. */
  protected get changed(): Rows {
    return {
      queue: this.#queue,
      submissions: [...this.#submissions.changed.values()],
      runs: [...this.#runs.changed.values()],
      targets: [...this.#targets.values()],
    };
  }

  /** While a failed batch is looked into, its members come into play by passing. */
  get #isIsolating(): boolean {
    const isIsolating = () => this.openRuns().some(({ isolation }) => isolation !== null);
    return this.known.from('failures', 'isolating', isIsolating);
  }
}
