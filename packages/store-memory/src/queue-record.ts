import {
  type Fact,
  INBOX_PER_LOAD,
  type InputId,
  type Instant,
  isLive,
  isOpenRun,
  type Queue,
  type QueueDelta,
  type Retention,
  type Submission,
  type SubmissionId,
  type TargetBook,
  type TestRun,
  type TestRunId,
  type Version,
  type Writes,
} from '@mq/core';
import { HistoryLog } from './history-log.js';
import { Table } from './table.js';

/** Closed test runs beyond the retention, reduced to what tells a replica that they are closed. */
const husks = new WeakSet<TestRun>();

/** Everything of one queue but its effects. */
export class QueueRecord {
  version: Version = 1;
  wakeAt: Instant | null;
  /** The end of the current claim; null if the queue was not claimed since the last commit. */
  claimedUntil: Instant | null = null;
  readonly inbox = new Map<InputId, Fact>();
  readonly submissions = new Table<SubmissionId, Submission>(isLive);
  readonly runs = new Table<TestRunId, TestRun>(isOpenRun);
  readonly targets = new Table<number, TargetBook>(() => true);
  readonly history: HistoryLog;
  readonly #lastByPr = new Map<number, SubmissionId>();
  /** Oldest first. */
  readonly #closedRuns = new Set<TestRunId>();
  /** The pull requests with impacted targets, by time of writing, oldest first. */
  readonly #booked = new Set<number>();
  /** Those of them that are not in the queue. */
  readonly #idleBooks = new Set<number>();
  /** All submissions by (stateSince, id), newest first; null if they have to be sorted again. */
  #sorted: readonly Submission[] | null = null;

  constructor(
    public queue: Queue,
    wakeAt: Instant,
    readonly retention: Retention,
  ) {
    this.wakeAt = wakeAt;
    this.history = new HistoryLog(retention.historyRows);
  }

  /** The newest submission of a pull request, live or not; null if there is none. */
  lastSubmission(pr: number): Submission | null {
    const id = this.#lastByPr.get(pr);
    return id === undefined ? null : this.submissions.get(id);
  }

  /** Null if there is none, or if it was reduced. */
  run(id: TestRunId): TestRun | null {
    const run = this.runs.get(id);
    return run === null || husks.has(run) ? null : run;
  }

  newestFirst(): readonly Submission[] {
    this.#sorted ??= [...this.submissions.rows()].sort(
      (one, other) => other.stateSince - one.stateSince || (one.id < other.id ? 1 : -1),
    );
    return this.#sorted;
  }

  write(writes: Writes): void {
    this.version += 1;
    if (writes.queue !== null) this.queue = writes.queue;
    for (const [id, row] of lastOf(writes.submissions, ({ id }) => id)) {
      this.submissions.put(id, row, this.version);
      this.#lastByPr.set(row.pr, id);
      this.#sorted = null;
    }
    for (const [pr, book] of lastOf(writes.targets, ({ pr }) => pr)) {
      this.targets.put(pr, book, this.version);
      this.#booked.delete(pr);
      this.#booked.add(pr);
    }
    for (const { pr } of [...writes.submissions, ...writes.targets]) {
      const last = this.lastSubmission(pr);
      if (this.#booked.has(pr) && (last === null || !isLive(last))) this.#idleBooks.add(pr);
      else this.#idleBooks.delete(pr);
    }
    this.#pruneBooks();
    for (const [id, run] of lastOf(writes.runs, ({ id }) => id)) {
      this.runs.put(id, run, this.version);
      if (!isOpenRun(run)) this.#closedRuns.add(id);
    }
    this.#shedClosedRuns();
    this.history.append(writes.history);
  }

  delta(since: Version): Omit<QueueDelta, 'incarnation' | 'now' | 'recalled'> {
    return {
      version: this.version,
      queue: this.queue,
      submissions: this.submissions.changed(since),
      runs: this.runs.changed(since),
      targets: this.#changedTargets(since),
      inbox: first(this.inbox.values(), INBOX_PER_LOAD),
    };
  }

  /** The books that changed, and those of pull requests that became live: they were not part of earlier deltas. */
  #changedTargets(since: Version): readonly TargetBook[] {
    const books = new Map<number, TargetBook>();
    for (const { pr } of this.submissions.risen(since)) {
      const book = this.targets.get(pr);
      if (book !== null) books.set(pr, book);
    }
    if (since === 0) return [...books.values()];
    for (const book of this.targets.changed(since)) {
      const submission = this.lastSubmission(book.pr);
      if (submission !== null && isLive(submission)) books.set(book.pr, book);
    }
    return [...books.values()];
  }

  targetBytes(): number {
    return this.targets.rows().reduce((sum, book) => sum + bytesOf(book), 0);
  }

  /** Without those of pull requests outside the queue. */
  heldTargetBytes(): number {
    const held = this.targets.rows().filter(({ pr }) => !this.#idleBooks.has(pr));
    return held.reduce((sum, book) => sum + bytesOf(book), 0);
  }

  /** Removes idle books, oldest first, until as many bytes are free or none is left; returns how many are free. */
  shedTargets(bytesWanted: number): number {
    let freed = 0;
    for (const pr of this.#booked) {
      if (freed >= bytesWanted) break;
      const book = this.targets.get(pr);
      if (this.#dropIdleBook(pr) && book !== null) freed += bytesOf(book);
    }
    return freed;
  }

  #pruneBooks(): void {
    for (const pr of this.#booked) {
      if (this.#idleBooks.size <= this.retention.targetBooks) return;
      this.#dropIdleBook(pr);
    }
  }

  /** False if the pull request is in the queue. */
  #dropIdleBook(pr: number): boolean {
    if (!this.#idleBooks.delete(pr)) return false;
    this.#booked.delete(pr);
    this.targets.remove(pr);
    return true;
  }

  #shedClosedRuns(): void {
    for (const id of this.#closedRuns) {
      if (this.#closedRuns.size <= this.retention.closedRuns) return;
      this.#closedRuns.delete(id);
      const run = this.runs.get(id);
      if (run === null) continue;
      const husk = Object.freeze({
        ...run,
        candidate: null,
        checks: [],
        requiredChecks: [],
        decidedBy: null,
      });
      husks.add(husk);
      this.runs.replace(id, husk);
    }
  }
}

const measured = new WeakMap<TargetBook, number>();

/** Books are long and never change: each is measured once. */
const bytesOf = (book: TargetBook): number => {
  const bytes = measured.get(book) ?? Buffer.byteLength(JSON.stringify(book));
  measured.set(book, bytes);
  return bytes;
};

const lastOf = <Id, Row>(rows: readonly Row[], idOf: (row: Row) => Id): ReadonlyMap<Id, Row> =>
  new Map(rows.map((row) => [idOf(row), row]));

const first = <Item>(items: Iterable<Item>, limit: number): readonly Item[] => {
  const taken: Item[] = [];
  for (const item of items) {
    if (taken.length === limit) break;
    taken.push(item);
  }
  return taken;
};

/** Removes idle books of these queues until they hold at most `bytesLimit` bytes; returns the bytes that are left. */
export const shedTargetsOf = (records: readonly QueueRecord[], bytesLimit: number): number => {
  let left = records.reduce((sum, record) => sum + record.targetBytes(), 0);
  for (const record of records) left -= record.shedTargets(left - bytesLimit);
  return left;
};
