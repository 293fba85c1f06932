import {
  type Answer,
  type Commit,
  type CommitOutcome,
  type Fact,
  type HistoryItem,
  type HistoryQuery,
  type InputId,
  type Instant,
  type Lease,
  type LeaseRequest,
  type Logger,
  MergeQueueError,
  type Page,
  type Queue,
  type QueueDelta,
  type QueueId,
  type QueueQuery,
  type QueueVersion,
  type Recall,
  type Receipt,
  type ReceiptQuery,
  type RepoRef,
  type Retention,
  retentionOf,
  type Store,
  type Submission,
  type SubmissionQuery,
  silentLogger,
  type TestRun,
  type TestRunId,
  type Verdict,
  type Version,
} from '@mq/core';
import { Batcher } from './batching.js';
import { type Database, isMisfit } from './database.js';
import { textDigest } from './digests.js';
import {
  leaseEffects,
  postponeEffect,
  releaseAll,
  renewLeases,
  settleEffect,
  settleSilently,
} from './effects.js';
import { Hints } from './hints.js';
import { readHistory } from './history.js';
import { claimDue, nextDueAt, pushFacts } from './inbox.js';
import { readQueues, readReceipts, readSubmissions, readVersions } from './listings.js';
import {
  isNothing,
  LOADS_TOGETHER_LIMIT,
  loadQueue,
  loadQueues,
  type Asked as QueueAsked,
  runIn,
} from './load.js';
import { checkMigrated, DEFAULT_SCHEMA, migrate } from './migrate.js';
import { served } from './outage.js';
import { prune } from './prune.js';
import { createQueue, wasCommitted, writeCommit } from './queue-writes.js';
import { requireRights } from './rights.js';
import { StoredRuns } from './run-parts.js';
import { asDocument, insisting, type Names, namesIn, type Runner, runnerOf, Values } from './statement.js';
import { documentIn, fromStoredText } from './stored-json.js';
import { heldTargetBytes, shedTargets } from './target-room.js';
import { readVerdicts, type Asked as TreeAsked } from './verdicts.js';

/** Commits of this process between two prunings. */
const COMMITS_PER_PRUNING = 1_000;

export interface PostgresStoreOptions {
  readonly database: Database;
  /** Defaults to `mq`. Stores in different schemas of a database are independent. */
  readonly schema?: string;
  readonly retention?: Partial<Retention>;
  /** False does not migrate, and rejects if the tables are not those of this version. */
  readonly migrate?: boolean;
  /** Logs failures in the background. Defaults to no logging. */
  readonly logger?: Logger;
}

export interface PostgresStore extends Store {
  /**
   * Removes data beyond the retention, of all queues or of the given ones. Runs automatically for queues written to,
   * every thousand commits. Safe to run concurrently.
   */
  prune(queueIds?: readonly QueueId[]): Promise<void>;
}

/**
 * Opens a store in a database and migrates its tables to this version. Rejects with a StoreProblem if the database is
 * of a later version.
 */
export const postgresStore = async (options: PostgresStoreOptions): Promise<PostgresStore> => {
  const { database, schema = DEFAULT_SCHEMA } = options;
  const names = namesIn(schema);
  const retention = retentionOf(options.retention ?? {});
  if (options.migrate !== false) await migrate({ database, schema });
  await checkMigrated(database, names);
  await requireRights(database, names);
  if (database.isExclusive === true) await insisting(() => releaseAll(database, names));
  return new InPostgres(database, names, retention, options.logger ?? silentLogger);
};

class InPostgres implements PostgresStore {
  readonly #statements: Runner;
  readonly #hints: Hints;
  /** Queues written to by this process since it last pruned. */
  #written = new Set<QueueId>();
  #commits = 0;
  readonly #storedRuns = new StoredRuns();
  #underWay = 0;
  #idle: (() => void) | null = null;
  // Effects settled without facts, and reads of passes: many small requests, combined into one statement.
  readonly #silent: Batcher<Lease, boolean>;
  readonly #verdicts: Batcher<TreeAsked, readonly Verdict[]>;
  readonly #loads: Batcher<QueueAsked, PromiseSettledResult<QueueDelta | null>>;
  #closed: Promise<void> | null = null;

  constructor(
    private readonly database: Database,
    private readonly names: Names,
    private readonly retention: Retention,
    private readonly logger: Logger,
  ) {
    this.#statements = runnerOf(database);
    this.#silent = new Batcher((leases) => settleSilently(this.#admitted, names, leases));
    this.#verdicts = new Batcher((asked) => readVerdicts(this.#admitted, names, asked));
    this.#loads = new Batcher((asked) => loadQueues(this.#admitted, names, asked), {
      groupsLimit: Number.POSITIVE_INFINITY,
      itemsLimit: LOADS_TOGETHER_LIMIT,
    });
    this.#hints = new Hints(database.signals, `mq_${textDigest(names.schema).slice(0, 32)}`);
  }

  async createQueue(queue: Queue, wakeAt: Instant, answer: Answer | null): Promise<'created' | 'exists'> {
    const outcome = await createQueue(this.#run, this.names, queue, wakeAt, answer);
    if (outcome === 'created') this.#hints.give();
    return outcome;
  }

  queues(query: QueueQuery): Promise<Page<Queue>> {
    return readQueues(this.#run, this.names, query);
  }

  queueVersions(query: { readonly limit: number; readonly cursor?: string }): Promise<Page<QueueVersion>> {
    return readVersions(this.#run, this.names, query);
  }

  async load(id: QueueId, since: Version, recall: Recall): Promise<QueueDelta | null> {
    const asked = { queueId: id, since };
    const loaded = isNothing(recall)
      ? await this.#tracked(() => this.#loadTogether(asked))
      : await loadQueue(this.#run, this.names, asked, recall);
    if (loaded !== null) this.#storedRuns.loaded(id, since, loaded);
    return loaded;
  }

  async #loadTogether(asked: QueueAsked): Promise<QueueDelta | null> {
    const outcome = await this.#loads.add(asked);
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  }

  async commit(commit: Commit): Promise<CommitOutcome> {
    const outcome = await this.#tracked(() =>
      writeCommit(this.#admitted, this.names, this.#storedRuns.at(commit), commit),
    ).catch((error) => this.#resolveUnclear(commit, error));
    if (outcome.kind !== 'committed') return outcome;
    this.#storedRuns.committed(commit);
    if (outcome.leases.length < commit.effects.length) this.#hints.give();
    this.#written.add(commit.queueId);
    this.#commits += 1;
    if (this.#commits % COMMITS_PER_PRUNING === 0) this.#pruneBehind();
    return outcome;
  }

  async push(id: QueueId, facts: readonly Fact[]): Promise<void> {
    await pushFacts(this.#run, this.names, id, facts);
    this.#hints.give();
  }

  lease(ask: LeaseRequest): Promise<readonly Lease[]> {
    return leaseEffects(this.#run, this.names, ask);
  }

  async renew(leases: readonly Lease[], forMs: number): Promise<void> {
    if (leases.length > 0) await renewLeases(this.#run, this.names, leases, forMs);
  }

  async settle(lease: Lease, facts: readonly Fact[]): Promise<boolean> {
    if (facts.length === 0) return this.#tracked(() => this.#silent.add(lease));
    const done = await settleEffect(this.#run, this.names, lease, facts);
    if (done) this.#hints.give();
    return done;
  }

  postpone(lease: Lease, delayMs: number, error: string): Promise<boolean> {
    return postponeEffect(this.#run, this.names, lease, delayMs, error);
  }

  async due(ask: { readonly forMs: number; readonly limit: number }): Promise<readonly QueueId[]> {
    const ids = await claimDue(this.#run, this.names, ask.forMs, ask.limit);
    return ids.map((id) => fromStoredText(id) as QueueId);
  }

  nextDueAt(): Promise<Instant | null> {
    return nextDueAt(this.#run, this.names);
  }

  async now(): Promise<Instant> {
    const [row] = await this.#run(`select ${this.names.now}::text as now`, new Values());
    return Number(row?.now);
  }

  async answers(ids: readonly InputId[]): Promise<readonly Answer[]> {
    const values = new Values();
    return this.#found(
      `${this.names.answers} where input_id = ${values.anyText(ids)} and kept_until > ${this.names.now}`,
      values,
    );
  }

  submissions(query: SubmissionQuery): Promise<Page<Submission>> {
    return readSubmissions(this.#run, this.names, query);
  }

  async run(queueId: QueueId, runId: TestRunId): Promise<TestRun | null> {
    const values = new Values();
    const [row] = await this.#run(
      `select ${asDocument('value')} as value, ${asDocument('made')} as made, ${asDocument('candidate')} as candidate from ${this.names.runs}
where queue_id = ${values.text(queueId)} and id = ${values.text(runId)} and not husk`,
      values,
    );
    return row === undefined ? null : runIn(row);
  }

  verdicts(repo: RepoRef, tree: string): Promise<readonly Verdict[]> {
    return this.#tracked(() => this.#verdicts.add({ repo, tree }));
  }

  shedTargets(repo: RepoRef, bytesLimit: number): Promise<number> {
    return shedTargets(this.#run, this.names, repo, bytesLimit);
  }

  heldTargetBytes(repo: RepoRef): Promise<number> {
    return heldTargetBytes(this.#run, this.names, repo);
  }

  receipts(query: ReceiptQuery): Promise<Page<Receipt>> {
    return readReceipts(this.#run, this.names, query);
  }

  history(query: HistoryQuery): Promise<Page<HistoryItem>> {
    return readHistory(this.#run, this.names, query);
  }

  onWake(listener: () => void): () => void {
    return this.#closed === null ? this.#hints.listen(listener) : () => {};
  }

  async prune(queueIds?: readonly QueueId[]): Promise<void> {
    const all = async () =>
      (await this.#run(`select id from ${this.names.queues}`, new Values())).map(
        ({ id }) => fromStoredText(String(id)) as QueueId,
      );
    const ids = queueIds ?? (await all());
    await prune(this.#run, this.names, this.retention, ids);
  }

  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async #end(): Promise<void> {
    this.#hints.close();
    if (this.#underWay > 0)
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
    await this.database.close();
  }

  readonly #run: Runner = (statement, values) => this.#tracked(() => this.#admitted(statement, values));

  /** Calls admitted before the store is closed are completed. */
  async #tracked<Result>(ask: () => Promise<Result>): Promise<Result> {
    if (this.#closed !== null) throw new MergeQueueError('CLOSED', 'The store is closed.');
    this.#underWay += 1;
    try {
      return await ask();
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0) this.#idle?.();
    }
  }

  readonly #admitted: Runner = (statement, values) =>
    served(async () => {
      try {
        return await this.#statements(statement, values);
      } catch (error) {
        // A later version may have migrated the tables; report that rather than the SQL error.
        if (isMisfit(error)) await checkMigrated(this.database, this.names);
        throw error;
      }
    });

  async #found<Value>(from: string, values: Values): Promise<readonly Value[]> {
    const rows = await this.#run(`select ${asDocument('value')} as value from ${from}`, values);
    return rows.map(({ value }) => documentIn<Value>(value));
  }

  /**
   * After an error, checks whether the commit was written. If it was not found, it may still be written later, so the
   * error is thrown.
   */
  async #resolveUnclear(commit: Commit, error: unknown): Promise<CommitOutcome> {
    const now = await wasCommitted(this.#run, this.names, commit).catch(() => null);
    if (now === null) throw error;
    return { kind: 'committed', version: commit.expected + 1, now, leases: [] };
  }

  #pruneBehind(): void {
    const written = [...this.#written];
    this.#written = new Set();
    this.prune(written).catch((error: unknown) => {
      if (this.#closed === null)
        this.logger.warn({ error }, 'data beyond the retention could not be removed');
    });
  }
}
