import type { Decision } from '../decide/decide.js';
import { MergeQueueError } from '../errors.js';
import type { CommitId, QueueId } from '../model/ids.js';
import type { Answer, Command, CommandResult, Fact } from '../model/input.js';
import type { RepoRef } from '../model/repo.js';
import type { QueueSettings } from '../model/settings.js';
import type {
  Commit,
  CommitOutcome,
  Incarnation,
  Lease,
  LeaseRequest,
  Recall,
  Recalled,
  Store,
} from '../ports/store.js';
import { DecisionRunner, type DecisionRunnerParts } from './decision-runner.js';
import { absentFor, emptyRecall, recallOf } from './recall.js';
import type { StoreTime } from './store-time.js';
import { type Delivered, reused, type Taken, WorkQueue, withoutLost } from './work.js';
import { type Loaded, WorkingSet } from './working-set.js';

/** Performs effects in this process. */
export interface EffectSink {
  /** Reserves capacity for at most `count` effects; null if there is none. Each reservation must be ended by `take`. */
  offer(count: number): LeaseRequest | null;
  /** Ends a reservation and performs its leased effects in the background. */
  take(reserved: LeaseRequest, leases: readonly Lease[]): void;
}

export interface DeciderParts extends DecisionRunnerParts {
  readonly store: Store;
  readonly time: StoreTime;
  /** Performs the effects of a commit at once; null leaves them to any process that leases them from the store. */
  readonly performer: EffectSink | null;
  /** Called when the store is found in another incarnation: it may have lost confirmed commits. */
  readonly onFound: (incarnation: Incarnation) => void;
  /** Called when a known queue no longer exists. */
  readonly onGone: (repo: RepoRef) => void;
  /** Called after each commit, in order. `left` is the number of effects that were not leased to this process. */
  readonly onCommitted: (queueId: QueueId, decision: Decision, left: number) => void;
}

/** The outcome of a commit is unknown. */
interface Unclear {
  readonly kind: 'unclear';
  readonly error: unknown;
}

/** Max commits of one decision with an unknown outcome, before the caller gets an error. */
const UNCLEAR_LIMIT = 3;
/** Max lost races in a row, before the caller gets an error. */
const TRIES_LIMIT = 100;

const noSuchQueue: CommandResult = {
  ok: false,
  refusal: { code: 'QUEUE_NOT_FOUND', detail: 'The queue does not exist or was deleted.' },
};

/**
 * Decides one queue: loads what changed, decides, commits, and repeats if another process was faster. One commit at a
 * time.
 */
export class Decider {
  readonly #work = new WorkQueue();
  readonly #set: WorkingSet;
  readonly #runner: DecisionRunner;
  #isRunning = false;

  constructor(
    readonly queueId: QueueId,
    private readonly parts: DeciderParts,
  ) {
    const onFound = (incarnation: Incarnation, was: Incarnation | null): void => {
      const sentence =
        'the store was restarted and may have lost confirmed commits; reading everything again';
      if (was !== null) parts.logger.warn({ queueId }, sentence);
      parts.onFound(incarnation);
    };
    this.#runner = new DecisionRunner(queueId, parts);
    this.#set = new WorkingSet(parts.store, queueId, parts.pace.ageingMsPerPoint, onFound, parts.onGone);
  }

  /** Calls `look` on the current state and returns its result. Null if the queue is gone. */
  see<Seen>(recall: Recall, look: (loaded: Loaded) => Seen): Promise<Seen | null> {
    return this.#set.see(recall, look);
  }

  /** Resolves once the result is durable. */
  ask(command: Command): Promise<CommandResult> {
    const result = this.#work.command(command);
    this.#begin();
    return result;
  }

  /**
   * Resolves once the facts are durable and the effect is settled. If this process has the queue cached, that is one
   * commit without a read; if another process was faster, the commit is refused and the queue is read.
   */
  deliver(lease: Lease, facts: readonly Fact[]): Promise<Delivered> {
    const delivered = this.#work.delivery(lease, facts);
    this.#begin();
    return delivered;
  }

  /** Decides the facts that wait in the store. Resolves once that is durable. */
  run(): Promise<void> {
    const decided = this.#work.inbox();
    this.#begin();
    return decided;
  }

  /** As far as this process knows: true if no pull request is live, or if it has not read the queue. */
  get isIdle(): boolean {
    return this.#set.isIdle;
  }

  /** The cached settings, possibly out of date; null if this process has not read the queue. */
  get settings(): QueueSettings | null {
    return this.#set.settings;
  }

  #begin(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    void this.#runAll();
  }

  async #runAll(): Promise<void> {
    // What arrives in the same turn of the event loop shares the decision.
    await Promise.resolve();
    while (!this.#work.isEmpty) {
      const taken = this.#work.take();
      try {
        await this.#decideOnce(taken);
        taken.inbox?.resolve();
      } catch (error) {
        this.#set.forget();
        this.#work.fail(taken, error);
        this.parts.logger.error({ error, queueId: this.queueId }, 'deciding failed');
      }
    }
    // No await after the last check of the work: what arrives from now on starts a new loop.
    this.#isRunning = false;
  }

  async #decideOnce(all: Taken): Promise<void> {
    const unclear = new Map<CommitId, readonly Answer[]>();
    let why: unknown = null;
    let taken = all;
    // The first try assumes that the commands have no earlier rows; the commit is refused if they have.
    let past: Recalled | null = taken.inbox === null ? emptyRecall : null;
    for (let tries = 0; tries < TRIES_LIMIT; tries += 1) {
      const loaded = await this.#load(taken.commands, past, [...unclear.keys()]);
      if (loaded === null) return this.#gone(taken);
      const { commit, decision } = this.#decide(taken, loaded, unclear);
      const outcome = await this.#commit(commit);
      if (outcome.kind === 'committed') return this.#committed(taken, loaded, decision, outcome);
      past = outcome.kind === 'present' ? outcome.recalled : null;
      why = outcome.kind === 'unclear' ? outcome.error : null;
      if (outcome.kind === 'unclear') {
        this.#set.forget();
        unclear.set(commit.id, decision.answers);
        if (unclear.size >= UNCLEAR_LIMIT) break;
      }
      if (outcome.kind === 'under_way') this.#set.noteUnderWay(outcome.effects);
      if (outcome.kind === 'lost') {
        const left = withoutLost(taken, outcome.effects);
        if (left === null) return;
        taken = left;
      }
    }
    // Errors for callers, e.g. that the store is read-only, are passed on.
    if (why instanceof MergeQueueError) throw why;
    throw new Error(`queue ${this.queueId}: the outcome of a commit is unknown`, {
      cause: why,
    });
  }

  #gone({ commands, deliveries }: Taken): void {
    for (const { id } of commands) this.#work.answer(id, noSuchQueue);
    for (const { resolve } of deliveries) resolve('gone');
  }

  #decide(
    { commands, deliveries }: Taken,
    loaded: Loaded,
    unclear: ReadonlyMap<CommitId, readonly Answer[]>,
  ): { readonly commit: Commit; readonly decision: Decision } {
    const { recalled, incarnation, inbox } = loaded.delta;
    const written = recalled.commits.flatMap((id) => unclear.get(id) ?? []);
    const open = this.#answerRepeated(commands, [...written, ...recalled.answers]);
    const decision = this.#runner.decide(loaded, open, deliveries);
    const { answers, effects, writes, withdraw, wakeAt } = decision;
    const commit: Commit = {
      id: this.parts.uuid() as CommitId,
      recallable: answers.some(({ digest }) => digest === null),
      queueId: this.queueId,
      expected: loaded.version,
      incarnation,
      absent: recalled === emptyRecall ? absentFor(loaded.state, open) : null,
      writes,
      consumed: inbox.map(({ id }) => id),
      answers: answers.filter(isKept),
      effects,
      withdraw,
      settled: deliveries.map(({ lease }) => lease),
      handOver: this.parts.performer?.offer(effects.length) ?? null,
      wakeAt,
    };
    return { commit, decision };
  }

  async #commit(commit: Commit): Promise<CommitOutcome | Unclear> {
    const { store, performer, logger } = this.parts;
    let leases: readonly Lease[] = [];
    try {
      const outcome = await store.commit(commit);
      if (outcome.kind === 'committed') leases = outcome.leases;
      return outcome;
    } catch (error) {
      logger.warn({ error, queueId: this.queueId }, 'the outcome of a commit is unknown; reading it back');
      return { kind: 'unclear', error };
    } finally {
      if (commit.handOver !== null) performer?.take(commit.handOver, leases);
    }
  }

  #committed(
    { deliveries }: Taken,
    { delta }: Loaded,
    decision: Decision,
    { now, version, leases }: CommitOutcome & { kind: 'committed' },
  ): void {
    this.parts.time.heard(now);
    this.#set.committed(decision.writes, { version, incarnation: delta.incarnation });
    for (const { inputId, result } of decision.answers) this.#work.answer(inputId, result);
    for (const { resolve } of deliveries) resolve('settled');
    this.parts.onCommitted(this.queueId, decision, decision.effects.length - leases.length);
  }

  /** Null if the queue is gone. `past` is the earlier data of the commands; null if the store must be read for it. */
  async #load(
    commands: readonly Command[],
    past: Recalled | null,
    commits: readonly CommitId[],
  ): Promise<Loaded | null> {
    const { time } = this.parts;
    const canRemember = past !== null && time.isFresh;
    const remembered = canRemember ? this.#set.remembered(time.now(), past) : null;
    if (remembered !== null) return remembered;
    const loaded = await this.#set.load(recallOf(commands, commits));
    if (loaded !== null) time.heard(loaded.delta.now);
    return loaded;
  }

  /**
   * Answers commands that were decided before, by another process or in a commit whose answer was lost. Returns the
   * others.
   */
  #answerRepeated(commands: readonly Command[], answers: readonly Answer[]): readonly Command[] {
    const answersById = new Map(answers.map((answer) => [answer.inputId, answer]));
    return commands.filter((command) => {
      const answer = answersById.get(command.id);
      if (answer === undefined) return true;
      this.#work.answer(command.id, answer.digest === command.digest ? answer.result : reused(command.id));
      return false;
    });
  }
}

/**
 * Answers to commands without an idempotency key are not stored: only this process waits for them, and it finds them by
 * the commit id. An internal error is not stored either, so that a retry within 24 hours is decided again.
 */
const isKept = ({ digest, result }: Answer): boolean =>
  digest !== null && (result.ok || result.refusal.code !== 'COMMAND_BROKEN');
