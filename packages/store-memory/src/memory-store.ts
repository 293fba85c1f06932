import {
  type Answer,
  type Clock,
  type Commit,
  type CommitOutcome,
  type Fact,
  type HistoryItem,
  type HistoryQuery,
  type Incarnation,
  type InputId,
  type Instant,
  type Lease,
  type LeaseRequest,
  MergeQueueError,
  type Page,
  type Queue,
  type QueueDelta,
  type QueueId,
  type QueueQuery,
  type QueueVersion,
  type Recall,
  type Recalled,
  type Receipt,
  type ReceiptQuery,
  type RepoRef,
  type Retention,
  repoKey,
  retentionOf,
  type Store,
  type Submission,
  type SubmissionQuery,
  type TestRun,
  type TestRunId,
  type Verdict,
  type Version,
} from '@mq/core';
import { Agenda } from './agenda.js';
import { AnswerTable } from './answer-table.js';
import { dumpOf, type StoreDump } from './dump.js';
import { EffectTable } from './effect-table.js';
import { frozen } from './frozen.js';
import { readHistory } from './history-log.js';
import { readQueues, readSubmissions, readVersions } from './listings.js';
import { QueueRecord, shedTargetsOf } from './queue-record.js';
import { ReceiptTable } from './receipt-table.js';
import { VerdictTable } from './verdict-table.js';

export interface MemoryStoreOptions {
  /** Defaults to the system clock. The store's time stands still if this clock goes back. */
  readonly clock?: Pick<Clock, 'now'>;
  readonly retention?: Partial<Retention>;
  /** The name of its history of commits. Fixed, since this store never loses commits. */
  readonly incarnation?: Incarnation;
}

export interface MemoryStore extends Store {
  /** The content as plain data, for people to read. Works on a closed store as well. */
  dump(): StoreDump;
}

/**
 * Keeps queues in this process only; they are lost when it ends. Given rows are deep-frozen and shared from then on.
 */
export const memoryStore = (options: MemoryStoreOptions = {}): MemoryStore => new InMemoryStore(options);

// Methods are atomic because each does its work without an await.
class InMemoryStore implements MemoryStore {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #retention: Retention;
  readonly #incarnation: Incarnation;
  readonly #records = new Map<QueueId, QueueRecord>();
  /** Live queues by repository and branch. */
  readonly #places = new Map<string, QueueId>();
  /** Oldest first. */
  readonly #deleted = new Set<QueueId>();
  readonly #wakes = new Agenda<QueueId>();
  readonly #effects = new EffectTable();
  readonly #answers = new AnswerTable();
  readonly #verdicts: VerdictTable;
  readonly #receipts = new ReceiptTable();
  readonly #listeners = new Set<() => void>();
  #hinted = false;
  #latest: Instant = 0;
  #closed = false;

  constructor({ clock = { now: Date.now }, retention = {}, incarnation = '1' }: MemoryStoreOptions) {
    [this.#clock, this.#incarnation] = [clock, incarnation];
    this.#retention = retentionOf(retention);
    this.#verdicts = new VerdictTable(this.#retention.verdicts);
  }

  async createQueue(queue: Queue, wakeAt: Instant, answer: Answer | null): Promise<'created' | 'exists'> {
    const now = this.#enter();
    const place = placeOf(queue);
    if (this.#places.has(place) || this.#records.has(queue.id)) return 'exists';
    this.#records.set(queue.id, new QueueRecord(frozen(queue), wakeAt, this.#retention));
    this.#places.set(place, queue.id);
    this.#wakes.set(queue.id, wakeAt);
    if (answer !== null) this.#answers.add([frozen(answer)], now);
    this.#hint();
    return 'created';
  }

  async queues(query: QueueQuery): Promise<Page<Queue>> {
    this.#enter();
    return readQueues(this.#queuesOf(query), query);
  }

  async queueVersions(query: {
    readonly limit: number;
    readonly cursor?: string;
  }): Promise<Page<QueueVersion>> {
    this.#enter();
    const live = [...this.#records.keys()].flatMap((id) => {
      const record = this.#live(id);
      return record === null ? [] : [{ id, version: record.version, incarnation: this.#incarnation }];
    });
    return readVersions(live, query);
  }

  async load(id: QueueId, since: Version, recall: Recall): Promise<QueueDelta | null> {
    const now = this.#enter();
    const record = this.#live(id);
    if (record === null) return null;
    const recalled = this.#recalled(record, recall, now);
    return { ...record.delta(since), incarnation: this.#incarnation, now, recalled };
  }

  async commit(commit: Commit): Promise<CommitOutcome> {
    const now = this.#enter();
    const record = this.#live(commit.queueId);
    const isElsewhere = commit.incarnation !== null && commit.incarnation !== this.#incarnation;
    if (record === null || record.version !== commit.expected || isElsewhere) return { kind: 'conflict' };
    if (commit.absent !== null) {
      const recalled = this.#recalled(record, commit.absent, now);
      if (Object.values(recalled).some((found) => found.length > 0)) return { kind: 'present', recalled };
    }
    const lost = this.#effects.lost(commit.queueId, commit.settled);
    if (lost.length > 0) return { kind: 'lost', effects: lost };
    const underWay = this.#effects.underWay(commit.queueId, commit.withdraw);
    if (underWay.length > 0) return { kind: 'under_way', effects: underWay };
    const taken = this.#effects.firstTaken(commit.effects);
    if (taken !== null) throw new Error(`The effect ${taken} already exists; nothing was written.`);

    const { writes, effects, answers } = frozen(commit);
    this.#receipts.add(commit.queueId, writes.receipts);
    record.write(writes);
    for (const id of commit.consumed) record.inbox.delete(id);
    this.#effects.withdraw(commit.withdraw);
    for (const lease of commit.settled) this.#effects.settle(lease);
    for (const effect of effects) this.#effects.add(commit.queueId, record.queue.repo, effect, now);
    for (const verdict of writes.verdicts) this.#verdicts.add(record.queue.repo, verdict);
    this.#answers.add(answers, now);
    if (commit.recallable) this.#answers.addCommit(commit.id, now);
    record.wakeAt = commit.wakeAt;
    if (record.queue.deletedAt === null) this.#scheduleDecided(record, now);
    else this.#bury(record);
    const leases = this.#handOver(commit, now);
    if (leases.length < effects.length || record.inbox.size > 0) this.#hint();
    return { kind: 'committed', version: record.version, now, leases };
  }

  async push(id: QueueId, facts: readonly Fact[]): Promise<void> {
    this.#receive(id, facts, this.#enter());
  }

  async lease(ask: LeaseRequest): Promise<readonly Lease[]> {
    const now = this.#enter();
    return this.#effects.lease(ask.owner, now, now + ask.forMs, ask.limit);
  }

  async renew(leases: readonly Lease[], forMs: number): Promise<void> {
    this.#effects.renew(leases, this.#enter() + forMs);
  }

  async settle(lease: Lease, facts: readonly Fact[]): Promise<boolean> {
    const now = this.#enter();
    const queueId = this.#effects.settle(lease);
    if (queueId !== null) this.#receive(queueId, facts, now);
    return queueId !== null;
  }

  async postpone(lease: Lease, delayMs: number, error: string): Promise<boolean> {
    return this.#effects.postpone(lease, this.#enter() + delayMs, error);
  }

  async due(ask: { readonly forMs: number; readonly limit: number }): Promise<readonly QueueId[]> {
    const now = this.#enter();
    const ids = this.#wakes.take(now, ask.limit);
    for (const id of ids) {
      const record = this.#live(id);
      if (record === null) continue;
      record.claimedUntil = now + ask.forMs;
      this.#wakes.set(id, record.claimedUntil);
    }
    return ids;
  }

  async nextDueAt(): Promise<Instant | null> {
    this.#enter();
    const instants = [this.#wakes.next(), this.#effects.nextOfferAt()].filter((at) => at !== null);
    return instants.length === 0 ? null : Math.min(...instants);
  }

  async now(): Promise<Instant> {
    return this.#enter();
  }

  async answers(ids: readonly InputId[]): Promise<readonly Answer[]> {
    return this.#answers.find(ids, this.#enter());
  }

  async submissions(query: SubmissionQuery): Promise<Page<Submission>> {
    this.#enter();
    return readSubmissions(this.#records.get(query.queueId) ?? null, query);
  }

  async run(queueId: QueueId, runId: TestRunId): Promise<TestRun | null> {
    this.#enter();
    return this.#records.get(queueId)?.run(runId) ?? null;
  }

  async verdicts(repo: RepoRef, tree: string): Promise<readonly Verdict[]> {
    this.#enter();
    return this.#verdicts.of(repo, tree);
  }

  async shedTargets(repo: RepoRef, bytesLimit: number): Promise<number> {
    this.#enter();
    return shedTargetsOf(this.#liveOf(repo), bytesLimit);
  }

  async heldTargetBytes(repo: RepoRef): Promise<number> {
    this.#enter();
    return this.#liveOf(repo).reduce((sum, record) => sum + record.heldTargetBytes(), 0);
  }

  #liveOf(repo: RepoRef): readonly QueueRecord[] {
    const isOf = ({ queue }: QueueRecord): boolean => repoKey(queue.repo) === repoKey(repo);
    return [...this.#places.values()].flatMap((id) => this.#live(id) ?? []).filter(isOf);
  }

  async history(query: HistoryQuery): Promise<Page<HistoryItem>> {
    this.#enter();
    return readHistory((id) => this.#records.get(id)?.history ?? null, query);
  }

  async receipts(query: ReceiptQuery): Promise<Page<Receipt>> {
    this.#enter();
    return this.#receipts.read(query);
  }

  onWake(listener: () => void): () => void {
    const own = () => listener();
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#listeners.clear();
  }

  dump(): StoreDump {
    return dumpOf({
      records: this.#records.values(),
      effects: this.#effects,
      answers: this.#answers,
      verdicts: this.#verdicts,
      receipts: this.#receipts,
    });
  }

  #enter(): Instant {
    if (this.#closed) throw new MergeQueueError('CLOSED', 'The store is closed.');
    this.#latest = Math.max(this.#latest, this.#clock.now());
    return this.#latest;
  }

  #live(id: QueueId): QueueRecord | null {
    const record = this.#records.get(id);
    return record === undefined || record.queue.deletedAt !== null ? null : record;
  }

  #recalled(record: QueueRecord, recall: Recall, now: Instant): Recalled {
    const prs = [...new Set(recall.prs)];
    return {
      submissions: prs.flatMap((pr) => record.lastSubmission(pr) ?? []),
      targets: prs.flatMap((pr) => record.targets.get(pr) ?? []),
      answers: this.#answers.find(recall.inputIds, now),
      commits: this.#answers.findCommits(recall.commits ?? [], now),
    };
  }

  #queuesOf({ repo, branch, isDeleted }: QueueQuery): readonly Queue[] {
    if (isDeleted === true) return [...this.#deleted].flatMap((id) => this.#records.get(id)?.queue ?? []);
    if (repo === undefined || branch === undefined)
      return [...this.#places.values()].flatMap((id) => this.#live(id)?.queue ?? []);
    const id = this.#places.get(placeOf({ repo, branch }));
    return id === undefined ? [] : [this.#live(id)?.queue ?? []].flat();
  }

  #receive(id: QueueId, facts: readonly Fact[], now: Instant): void {
    const record = this.#live(id);
    if (record === null) return;
    for (const fact of frozen(facts)) if (!record.inbox.has(fact.id)) record.inbox.set(fact.id, fact);
    const isClaimed = record.claimedUntil !== null && record.claimedUntil > now;
    const dueAt = this.#wakes.at(id);
    if (record.inbox.size > 0 && !isClaimed && (dueAt === null || dueAt > now)) this.#wakes.set(id, now);
    this.#hint();
  }

  /** Ends the claim. From now on the queue is due for its waiting facts or at its wake time. */
  #scheduleDecided(record: QueueRecord, now: Instant): void {
    record.claimedUntil = null;
    const dueAt = record.inbox.size > 0 ? now : record.wakeAt;
    if (dueAt === null) this.#wakes.delete(record.queue.id);
    else this.#wakes.set(record.queue.id, dueAt);
  }

  #handOver({ effects, handOver }: Commit, now: Instant): readonly Lease[] {
    if (handOver === null) return [];
    const ids = effects.slice(0, handOver.limit).map(({ id }) => id);
    return this.#effects.handOver(ids, handOver.owner, now + handOver.forMs);
  }

  #bury({ queue, inbox }: QueueRecord): void {
    inbox.clear();
    this.#wakes.delete(queue.id);
    this.#places.delete(placeOf(queue));
    this.#deleted.add(queue.id);
    for (const oldest of this.#deleted) {
      if (this.#deleted.size <= this.#retention.deletedQueues) return;
      this.#deleted.delete(oldest);
      this.#records.delete(oldest);
    }
  }

  /** Sends one hint per turn, after it, because a listener may call the store. */
  #hint(): void {
    if (this.#hinted) return;
    this.#hinted = true;
    queueMicrotask(() => {
      this.#hinted = false;
      for (const listener of [...this.#listeners]) listener();
    });
  }
}

const placeOf = ({ repo, branch }: Pick<Queue, 'repo' | 'branch'>): string => `${repoKey(repo)}\n${branch}`;
