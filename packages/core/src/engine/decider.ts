import type { Context, Pace } from '../decide/context.js';
import { type Decision, decide } from '../decide/decide.js';
import { isUnderstood } from '../decide/not-understood.js';
import { MergeQueueError } from '../errors.js';
import { viewOf } from '../explain/explain.js';
import type { CommitId, InputId, QueueId } from '../model/ids.js';
import type { Answer, Command, CommandResult, Fact, Input } from '../model/input.js';
import type { RepoRef } from '../model/repo.js';
import type { Logger } from '../ports/logger.js';
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
import { type Asked, type Delivered, type Delivery, loseDeliveries } from './deliveries.js';
import { Mailbox, reused } from './mailbox.js';
import { absentFor, noPast, recallOf } from './past.js';
import { setAside } from './poison.js';
import type { StoreTime } from './store-time.js';
import { type Loaded, WorkingSet } from './working-set.js';

export interface DeciderParts {
  readonly store: Store;
  readonly logger: Logger;
  readonly pace: Pace;
  readonly time: StoreTime;
  /** Draws a UUID. */
  readonly uuid: () => string;
  /** Who carries out at once what a commit wishes; null leaves it to whoever asks the store. */
  readonly hands: Hands | null;
  /** Called with each incarnation in which the store is found: it may have lost what it had confirmed before. */
  readonly onFound: (incarnation: Incarnation) => void;
  /** Called when a queue that was known is there no more. */
  readonly onGone: (repo: RepoRef) => void;
  /** Called after each commit, in its order. `left` wishes were not handed over. */
  readonly onCommitted: (queueId: QueueId, decision: Decision, left: number) => void;
}

export interface Hands {
  /** Keeps room for at most so many; null where there is none, or none is wanted. Each is followed by `take`. */
  offer(count: number): LeaseAsk | null;
  /** Gives the room back, and carries out in the background what was handed over. */
  take(reserved: LeaseAsk, leases: readonly Lease[]): void;
}

/** What is to be committed, but for what was learnt under leases. */
interface Decided {
  readonly id: CommitId;
  readonly loaded: Loaded;
  /** What nobody has looked for; null where it was. */
  readonly absent: Recall | null;
  readonly decision: Decision;
  readonly consumed: readonly InputId[];
}

/** The store did not say what became of a commit. */
interface Unclear {
  readonly kind: 'unclear';
  readonly error: unknown;
}

/** Commits of one decision whose outcome stayed unknown before the caller is told so. */
const UNCLEAR_LIMIT = 3;
/** Answers of the host that are taken in together at most. */
const DELIVERIES_PER_DECISION = 100;
/** A clock of the store that stands further behind what a queue has seen of it has jumped: smaller steps pass unnoticed. */
const CLOCK_BEHIND_LIMIT_MS = 60_000;
/** Races lost in a row before the caller is told that the outcome is not known. */
const TRIES_LIMIT = 100;

const noSuchQueue: CommandResult = {
  ok: false,
  refusal: { code: 'QUEUE_NOT_FOUND', detail: 'The queue does not exist or was deleted.' },
};

/** Decides one queue: load what changed, decide, commit, and again if somebody else was faster. One decision at a time. */
export class Decider {
  readonly #mailbox = new Mailbox();
  readonly #set: WorkingSet;
  #deliveries: Delivery[] = [];
  #running: Promise<void> | null = null;
  #isAskedAgain = false;
  #isClockBehind = false;

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
    this.#set = new WorkingSet(parts.store, queueId, parts.pace.ageingMsPerPoint, onFound, parts.onGone);
  }

  /** What is seen of the state as it is now, by one look at it. Null where the queue is gone. */
  see<Seen>(recall: Recall, look: (loaded: Loaded) => Seen): Promise<Seen | null> {
    return this.#set.see(recall, look);
  }

  /** Resolves once the result is durable. */
  ask(command: Command): Promise<CommandResult> {
    const result = this.#mailbox.put(command);
    // Its caller hears of a failure through `result`; nobody else needs to.
    this.#begin().catch(() => undefined);
    return result;
  }

  /**
   * Resolves once what was learnt is durable, and the wish settled. Where this process knows the queue, that is one
   * commit and nothing is read before: if somebody else was faster, the commit is refused, and it is read then.
   */
  deliver(lease: Lease, facts: readonly Fact[]): Promise<Delivered> {
    const delivered = new Promise<Delivered>((resolve, reject) => {
      this.#deliveries.push({ lease, facts, resolve, reject });
    });
    this.#begin().catch(() => undefined);
    return delivered;
  }

  /** Decides what is there now, and what arrives meanwhile. */
  run(): Promise<void> {
    this.#isAskedAgain = true;
    return this.#begin();
  }

  #begin(): Promise<void> {
    this.#running ??= this.#runAll();
    return this.#running;
  }

  async #runAll(): Promise<void> {
    // Whoever arrives in the same turn of the event loop shares the decision.
    await Promise.resolve();
    let failure: { readonly error: unknown } | null = null;
    while (this.#isAskedAgain || !this.#mailbox.isEmpty || this.#deliveries.length > 0) {
      const mayWait = this.#isAskedAgain;
      this.#isAskedAgain = false;
      const deliveries = this.#deliveries.splice(0, DELIVERIES_PER_DECISION);
      try {
        await this.#decideOnce({ commands: this.#mailbox.take(), deliveries, mayWait });
      } catch (error) {
        this.#set.forget();
        for (const { reject } of deliveries) reject(error);
        this.#mailbox.fail(error);
        this.#mailbox.giveOut();
        this.parts.logger.error({ error, queueId: this.queueId }, 'deciding failed');
        failure ??= { error };
      }
    }
    this.#mailbox.giveOut();
    // In the same turn as the last look: whoever asks from now on begins anew.
    this.#running = null;
    if (failure !== null) throw failure.error;
  }

  async #decideOnce(asked: Asked): Promise<void> {
    const { commands } = asked;
    const unclear = new Map<CommitId, readonly Answer[]>();
    let why: unknown = null;
    // With the first try it is taken for granted that nothing is known of what the commands are about.
    let past: Recalled | null = asked.mayWait ? null : noPast;
    for (let tries = 0; tries < TRIES_LIMIT; tries += 1) {
      const loaded = await this.#load(commands, past, [...unclear.keys()]);
      if (loaded === null) {
        for (const command of commands) this.#mailbox.answer(command.id, noSuchQueue);
        for (const { resolve } of asked.deliveries) resolve('gone');
        return;
      }
      this.parts.time.heard(loaded.delta.now);
      const { answers, commits } = loaded.delta.recalled;
      const throughAfterAll = commits.flatMap((id) => unclear.get(id) ?? []);
      const open = this.#answerKnown(commands, [...throughAfterAll, ...answers]);
      const { decision, consumed } = this.#decide(loaded, open, asked.deliveries);
      const id = this.parts.uuid() as CommitId;
      const absent = loaded.delta.recalled === noPast ? absentFor(loaded.state, open) : null;
      const outcome = await this.#commit({ id, loaded, absent, decision, consumed }, asked.deliveries);
      past = outcome.kind === 'present' ? outcome.recalled : null;
      if (outcome.kind === 'unclear') {
        why = outcome.error;
        unclear.set(id, decision.answers);
        if (unclear.size >= UNCLEAR_LIMIT) break;
        continue;
      }
      why = null;
      if (outcome.kind === 'under_way') this.#set.noteUnderWay(outcome.effects);
      if (outcome.kind === 'lost' && loseDeliveries(asked, outcome.effects) === 'nothing_left') return;
      if (outcome.kind !== 'committed') continue;
      this.parts.time.heard(outcome.now);
      const { incarnation } = loaded.delta;
      this.#set.committed(decision, { version: outcome.version, incarnation });
      for (const { inputId, result } of decision.answers) this.#mailbox.answer(inputId, result);
      for (const { resolve } of asked.deliveries) resolve('settled');
      this.parts.onCommitted(this.queueId, decision, decision.effects.length - outcome.leases.length);
      return;
    }
    // What the store says for callers is for them: that it can be read and takes no writes, say.
    if (why instanceof MergeQueueError) throw why;
    throw new Error(`queue ${this.queueId}: it could not be made out what became of a commit`, {
      cause: why,
    });
  }

  /** `past` is what is known of the commands without asking; null where nothing is, and the store has to be asked. */
  async #load(
    commands: readonly Command[],
    past: Recalled | null,
    commits: readonly CommitId[],
  ): Promise<Loaded | null> {
    const { time } = this.parts;
    const isKnown = past !== null && time.isFresh;
    const remembered = isKnown ? this.#set.remembered(time.now(), past) : null;
    if (remembered !== null) return remembered;
    this.#mailbox.giveOut();
    return this.#set.load(recallOf(commands, commits));
  }

  /** Commands that were decided before: by a twin elsewhere, or in a commit whose answer was lost. */
  #answerKnown(commands: readonly Command[], answers: readonly Answer[]): readonly Command[] {
    const known = new Map(answers.map((answer) => [answer.inputId, answer]));
    return commands.filter((command) => {
      const answer = known.get(command.id);
      if (answer === undefined) return true;
      this.#mailbox.answer(command.id, answer.digest === command.digest ? answer.result : reused(command.id));
      return false;
    });
  }

  #decide(
    { state, delta }: Loaded,
    commands: readonly Command[],
    deliveries: readonly Delivery[],
  ): { decision: Decision; consumed: InputId[] } {
    this.#warnOfClock(state.queue.decidedAt - delta.now);
    const context: Context = {
      now: Math.max(delta.now, state.queue.decidedAt),
      seed: this.parts.uuid(),
      pace: this.parts.pace,
      recalled: delta.recalled,
    };
    const learnt: readonly Fact[] = deliveries.flatMap(({ facts }) => facts);
    const kept = state.queue.notUnderstood.filter(isUnderstood);
    const inputs: readonly Input[] = [...kept, ...delta.inbox, ...learnt, ...commands];
    this.#warnOfStrange(inputs);
    const consumed = delta.inbox.map((fact) => fact.id);
    try {
      return { decision: decide(state, inputs, context, viewOf), consumed };
    } catch (error) {
      this.parts.logger.error({ error, queueId: this.queueId }, 'an input breaks a rule; trying each alone');
      return { decision: setAside(state, inputs, context, error), consumed };
    }
  }

  /** Time never goes back in a queue: its own stands still until the clock has caught up. */
  #warnOfClock(behindMs: number): void {
    const isBehind = behindMs > CLOCK_BEHIND_LIMIT_MS;
    if (isBehind && !this.#isClockBehind) {
      const sentence =
        'the clock of the store has gone back: until it has caught up, no deadline, retry or full wait of this queue comes';
      this.parts.logger.warn({ queueId: this.queueId, behindMs }, sentence);
    }
    this.#isClockBehind = isBehind;
  }

  #warnOfStrange(inputs: readonly Input[]): void {
    const strange = inputs.filter((input) => !isUnderstood(input)).map(({ id, type }) => ({ id, type }));
    if (strange.length === 0) return;
    const sentence = 'facts of a newer release are kept for a replica that understands them';
    this.parts.logger.warn({ facts: strange, queueId: this.queueId }, sentence);
  }

  /** Where the outcome is not known, what was answered is found again by the ids of the commands and of the commit. */
  async #commit(
    { id, loaded, absent, decision, consumed }: Decided,
    deliveries: readonly Delivery[],
  ): Promise<CommitOutcome | Unclear> {
    const { hands } = this.parts;
    const reserved = hands?.offer(decision.effects.length) ?? null;
    let leases: readonly Lease[] = [];
    const commit: Commit = {
      id,
      recallable: decision.answers.some(({ digest }) => digest === null),
      queueId: this.queueId,
      expected: loaded.version,
      incarnation: loaded.delta.incarnation,
      absent,
      writes: decision.writes,
      consumed,
      answers: decision.answers.filter(isKept),
      effects: decision.effects,
      withdraw: decision.withdraw,
      settled: deliveries.map(({ lease }) => lease),
      handOver: reserved,
      wakeAt: decision.wakeAt,
    };
    try {
      const committing = this.parts.store.commit(commit);
      // What answers lead to takes a while: where the store sends at once, it is at work meanwhile.
      this.#mailbox.giveOut();
      const outcome = await committing;
      if (outcome.kind === 'committed') leases = outcome.leases;
      return outcome;
    } catch (error) {
      this.parts.logger.warn(
        { error, queueId: this.queueId },
        'the outcome of a commit is not known; reading it back',
      );
      this.#set.forget();
      return { kind: 'unclear', error };
    } finally {
      if (reserved !== null) hands?.take(reserved, leases);
    }
  }
}

/**
 * Nobody but this process asks for the answer to a command without a key, and it remembers that by the commit. What failed by
 * our own fault is not the answer for the next 24 hours.
 */
const isKept = ({ digest, result }: Answer): boolean =>
  digest !== null && (result.ok || result.refusal.code !== 'COMMAND_BROKEN');
