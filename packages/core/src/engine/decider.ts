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
  LeaseAsk,
  Recall,
  Recalled,
  Store,
} from '../ports/store.js';
import { Judge, type JudgeParts } from './judge.js';
import { absentFor, emptyRecall, recallOf } from './recall.js';
import type { StoreTime } from './store-time.js';
import { type Delivered, reused, type Taken, WorkQueue, withoutLost } from './work.js';
import { type Loaded, WorkingSet } from './working-set.js';

/** Carries effects out in this process. */
export interface EffectSink {
  /** Reserves room for at most `count` effects; null if there is none, or none is wanted. Each reservation is ended by `take`. */
  offer(count: number): LeaseAsk | null;
  /** Ends a reservation, and carries out in the background what was leased with it. */
  take(reserved: LeaseAsk, leases: readonly Lease[]): void;
}

export interface DeciderParts extends JudgeParts {
  readonly store: Store;
  readonly time: StoreTime;
  /** Who carries out at once what a commit wishes; null leaves it to whoever asks the store. */
  readonly hands: EffectSink | null;
  /** Called with each incarnation in which the store is found: it may have lost what it had confirmed before. */
  readonly onFound: (incarnation: Incarnation) => void;
  /** Called when a queue that was known is there no more. */
  readonly onGone: (repo: RepoRef) => void;
  /** Called after each commit, in its order. `left` wishes were not handed over. */
  readonly onCommitted: (queueId: QueueId, decision: Decision, left: number) => void;
}

/** The store did not say what became of a commit. */
interface Unclear {
  readonly kind: 'unclear';
  readonly error: unknown;
}

/** Commits of one decision whose outcome stayed unknown before the caller is told so. */
const UNCLEAR_LIMIT = 3;
/** Races lost in a row before the caller is told that the outcome is not known. */
const TRIES_LIMIT = 100;

const noSuchQueue: CommandResult = {
  ok: false,
  refusal: { code: 'QUEUE_NOT_FOUND', detail: 'The queue does not exist or was deleted.' },
};

/** Decides one queue: loads what changed, decides, commits, and repeats if another process was faster. One commit at a time. */
export class Decider {
  readonly #work = new WorkQueue();
  readonly #set: WorkingSet;
  readonly #judge: Judge;
  #isRunning = false;

  constructor(
    readonly queueId: QueueId,
    private readonly parts: DeciderParts,
  ) {
    const onFound = (incarnation: Incarnation, was: Incarnation | null): void => {
      const sentence =
        'the store was started anew and may have lost what it had confirmed: all is read again';
      if (was !== null) parts.logger.warn({ queueId }, sentence);
      parts.onFound(incarnation);
    };
    this.#judge = new Judge(queueId, parts);
    this.#set = new WorkingSet(parts.store, queueId, parts.pace.ageingMsPerPoint, onFound, parts.onGone);
  }

  /** What is seen of the state as it is now, by one look at it. Null where the queue is gone. */
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
   * Resolves once the facts are durable and the effect is settled. If this process knows the queue, that is one commit with no
   * read before it: if another process was faster, the commit is refused, and the queue is read then.
   */
  deliver(lease: Lease, facts: readonly Fact[]): Promise<Delivered> {
    const delivered = this.#work.delivery(lease, facts);
    this.#begin();
    return delivered;
  }

  /** Decides what waits in the store, and resolves once that is durable. */
  run(): Promise<void> {
    const decided = this.#work.inbox();
    this.#begin();
    return decided;
  }

  /** As this process last knew them, so possibly out of date; null where it knows nothing of the queue yet. */
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
    // In the same turn as the last look at the work: what arrives from now on starts a new loop.
    this.#isRunning = false;
  }

  async #decideOnce(all: Taken): Promise<void> {
    const unclear = new Map<CommitId, readonly Answer[]>();
    let why: unknown = null;
    let taken = all;
    // The first try assumes that the commands have no past; the commit is refused if they have.
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
    // What the store says for callers is for them: that it can be read and takes no writes, say.
    if (why instanceof MergeQueueError) throw why;
    throw new Error(`queue ${this.queueId}: it could not be made out what became of a commit`, {
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
    const throughAfterAll = recalled.commits.flatMap((id) => unclear.get(id) ?? []);
    const open = this.#answerKnown(commands, [...throughAfterAll, ...recalled.answers]);
    const decision = this.#judge.decide(loaded, open, deliveries);
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
      handOver: this.parts.hands?.offer(effects.length) ?? null,
      wakeAt,
    };
    return { commit, decision };
  }

  async #commit(commit: Commit): Promise<CommitOutcome | Unclear> {
    const { store, hands, logger } = this.parts;
    let leases: readonly Lease[] = [];
    try {
      const outcome = await store.commit(commit);
      if (outcome.kind === 'committed') leases = outcome.leases;
      return outcome;
    } catch (error) {
      logger.warn({ error, queueId: this.queueId }, 'the outcome of a commit is not known; reading it back');
      return { kind: 'unclear', error };
    } finally {
      if (commit.handOver !== null) hands?.take(commit.handOver, leases);
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

  /** Null if the queue is gone. `past` is what is known of the commands; null if the store has to be read for it. */
  async #load(
    commands: readonly Command[],
    past: Recalled | null,
    commits: readonly CommitId[],
  ): Promise<Loaded | null> {
    const { time } = this.parts;
    const isKnown = past !== null && time.isFresh;
    const remembered = isKnown ? this.#set.remembered(time.now(), past) : null;
    if (remembered !== null) return remembered;
    const loaded = await this.#set.load(recallOf(commands, commits));
    if (loaded !== null) time.heard(loaded.delta.now);
    return loaded;
  }

  /** Commands that were decided before: by a twin elsewhere, or in a commit whose answer was lost. */
  #answerKnown(commands: readonly Command[], answers: readonly Answer[]): readonly Command[] {
    const known = new Map(answers.map((answer) => [answer.inputId, answer]));
    return commands.filter((command) => {
      const answer = known.get(command.id);
      if (answer === undefined) return true;
      this.#work.answer(command.id, answer.digest === command.digest ? answer.result : reused(command.id));
      return false;
    });
  }
}

/**
 * Nobody but this process asks for the answer to a command without a key, and it remembers that by the commit. What failed by
 * our own fault is not the answer for the next 24 hours.
 */
const isKept = ({ digest, result }: Answer): boolean =>
  digest !== null && (result.ok || result.refusal.code !== 'COMMAND_BROKEN');
