import type { Decision } from '../decide/decide.js';
import { MergeQueueError } from '../errors.js';
import type { CommitId, QueueId } from '../model/ids.js';
import type { Answer, Command, CommandResult, Fact } from '../model/input.js';
import type { RepoRef } from '../model/repo.js';
import type { QueueSettings } from '../model/settings.js';
import type { Commit, CommitOutcome, Incarnation, Lease, Recall, Recalled, Store } from '../ports/store.js';
import { type Asked, countOf, type Delivered, type Delivery, loseDeliveries } from './deliveries.js';
import { Judge, type JudgeParts } from './judge.js';
import { Mailbox, reused } from './mailbox.js';
import { absentFor, noPast, recallOf } from './past.js';
import { type Promised, promised } from './promised.js';
import { type Hands, type Made, Ready, type Unclear } from './ready.js';
import type { StoreTime } from './store-time.js';
import { type Loaded, WorkingSet } from './working-set.js';

export interface DeciderParts extends JudgeParts {
  readonly store: Store;
  readonly time: StoreTime;
  /** Who carries out at once what a commit wishes; null leaves it to whoever asks the store. */
  readonly hands: Hands | null;
  /** Called with each incarnation in which the store is found: it may have lost what it had confirmed before. */
  readonly onFound: (incarnation: Incarnation) => void;
  /** Called when a queue that was known is there no more. */
  readonly onGone: (repo: RepoRef) => void;
  /** Called after each commit, in its order. `left` wishes were not handed over. */
  readonly onCommitted: (queueId: QueueId, decision: Decision, left: number) => void;
}

/** What is being committed, and how many have to wait for the next decision to be made meanwhile. */
interface Sent {
  readonly made: Made;
  readonly enough: number;
}

/** Commits of one decision whose outcome stayed unknown before the caller is told so. */
const UNCLEAR_LIMIT = 3;
/** Answers of the host that are taken in together at most. */
const DELIVERIES_PER_DECISION = 100;
/** Races lost in a row before the caller is told that the outcome is not known. */
const TRIES_LIMIT = 100;

const noSuchQueue: CommandResult = {
  ok: false,
  refusal: { code: 'QUEUE_NOT_FOUND', detail: 'The queue does not exist or was deleted.' },
};

/**
 * Decides one queue: load what changed, decide, commit, and again if somebody else was faster. One commit at a time: while one is under way
 * the next decision may be made on what it will write, and is sent once that is durable.
 */
export class Decider {
  readonly #mailbox = new Mailbox();
  readonly #set: WorkingSet;
  readonly #judge: Judge;
  #deliveries: Delivery[] = [];
  #isRunning = false;
  /** What may wait in the store is to be looked at, and somebody waits for that; null where nobody does. */
  #toRun: Promised<void> | null = null;
  /** Null where nothing is under way, and from when the next decision was looked at. */
  #sent: Sent | null = null;
  /** Made on what is under way. */
  #ahead: Ready | null = null;
  /** Wishes that the last commit has settled: whoever held them comes again, mostly. */
  #settled = 0;

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
    const result = this.#mailbox.put(command);
    this.#arrived();
    return result;
  }

  /**
   * Resolves once what was learnt is durable, and the wish settled. Where this process knows the queue, that is one
   * commit and nothing is read before: if somebody else was faster, the commit is refused, and it is read then.
   */
  deliver(lease: Lease, facts: readonly Fact[]): Promise<Delivered> {
    const { promise, resolve, reject } = promised<Delivered>();
    this.#deliveries.push({ lease, facts, resolve, reject });
    this.#arrived();
    return promise;
  }

  /** Decides what waits in the store, and resolves once that is durable: whoever goes on asking may do so for ever. */
  run(): Promise<void> {
    this.#toRun ??= promised();
    this.#begin();
    return this.#toRun.promise;
  }

  /** As this process last knew them, so possibly out of date; null where it knows nothing of the queue yet. */
  get settings(): QueueSettings | null {
    return this.#set.settings;
  }

  #arrived(): void {
    this.#begin();
    if (this.#isEnough) void Promise.resolve().then(() => this.#goAhead());
  }

  #begin(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    void this.#runAll();
  }

  async #runAll(): Promise<void> {
    // Whoever arrives in the same turn of the event loop shares the decision.
    await Promise.resolve();
    while (this.#ahead !== null || this.#toRun !== null || this.#waiting > 0) {
      const ahead = this.#ahead;
      this.#ahead = null;
      const asked = ahead?.made.asked ?? this.#take();
      try {
        await this.#decideOnce(asked, ahead);
        asked.toRun?.resolve();
      } catch (error) {
        this.#standOnNothing();
        this.#set.forget();
        for (const { reject } of asked.deliveries) reject(error);
        this.#mailbox.fail(asked.commands, error);
        this.#mailbox.giveOut();
        asked.toRun?.reject(error);
        this.parts.logger.error({ error, queueId: this.queueId }, 'deciding failed');
      }
    }
    this.#mailbox.giveOut();
    // In the same turn as the last look: whoever asks from now on begins anew.
    this.#isRunning = false;
  }

  get #waiting(): number {
    return this.#mailbox.waiting + this.#deliveries.length;
  }

  #take(): Asked {
    const toRun = this.#toRun;
    this.#toRun = null;
    const deliveries = this.#deliveries.splice(0, DELIVERIES_PER_DECISION);
    return { commands: this.#mailbox.take(), deliveries, toRun };
  }

  /** Half of all who are known to ask: a commit for each of two halves, in turns, keeps both this process and the store at work. */
  get #isEnough(): boolean {
    return this.#sent !== null && this.#waiting > 0 && this.#waiting >= this.#sent.enough;
  }

  /** Makes the next decision while the one before it is committed. It is tried once for each commit. */
  #goAhead(): void {
    const sent = this.#sent;
    if (sent === null || !this.#isEnough || this.#toRun !== null || !this.parts.time.isFresh) return;
    this.#sent = null;
    const { decision, loaded } = sent.made;
    if (!this.#set.assume(decision, loaded.delta)) return;
    const on = this.#set.remembered(this.parts.time.now(), noPast);
    if (on === null) return;
    const asked = this.#take();
    try {
      this.#ahead = this.#ready(asked, on);
      this.#hint(this.#ahead.commit);
    } catch {
      // It fails once more when its turn has come, and is told then.
      if (this.#ahead === null) this.#putBack(asked);
    }
  }

  /** A store may return a promise all the same: its rejection must not end the process. */
  #hint(commit: Commit): void {
    const answer: unknown = this.parts.store.prepare?.(commit);
    if (answer instanceof Promise) answer.catch(() => undefined);
  }

  #putBack({ commands, deliveries }: Asked): void {
    this.#mailbox.putBack(commands);
    this.#deliveries.unshift(...deliveries);
  }

  /** What was decided ahead waits again, if it was not sent: what it stands on has not come about. */
  #standOnNothing(): void {
    this.#sent = null;
    this.#set.takeBack();
    const ahead = this.#ahead;
    if (ahead === null || ahead.isSent) return;
    this.#ahead = null;
    ahead.drop();
    this.#putBack(ahead.made.asked);
  }

  async #decideOnce(asked: Asked, ahead: Ready | null): Promise<void> {
    const unclear = new Map<CommitId, readonly Answer[]>();
    let why: unknown = null;
    // With the first try it is taken for granted that nothing is known of what the commands are about.
    let past: Recalled | null = asked.toRun === null ? noPast : null;
    for (let tries = 0; tries < TRIES_LIMIT; tries += 1) {
      const ready = tries === 0 && ahead !== null ? ahead : await this.#makeReady(asked, past, unclear);
      if (ready === null) return;
      const outcome = await this.#carryOut(ready);
      if (outcome.kind === 'committed') return this.#committed(ready.made, outcome);
      this.#standOnNothing();
      past = outcome.kind === 'present' ? outcome.recalled : null;
      why = outcome.kind === 'unclear' ? outcome.error : null;
      if (outcome.kind === 'unclear') {
        this.#set.forget();
        unclear.set(ready.commit.id, ready.made.decision.answers);
        if (unclear.size >= UNCLEAR_LIMIT) break;
      }
      if (outcome.kind === 'under_way') this.#set.noteUnderWay(outcome.effects);
      if (outcome.kind === 'lost' && loseDeliveries(asked, outcome.effects) === 'nothing_left') return;
    }
    // What the store says for callers is for them: that it can be read and takes no writes, say.
    if (why instanceof MergeQueueError) throw why;
    throw new Error(`queue ${this.queueId}: it could not be made out what became of a commit`, {
      cause: why,
    });
  }

  /** Null where the queue is gone: then everybody has been told. */
  async #makeReady(
    asked: Asked,
    past: Recalled | null,
    unclear: ReadonlyMap<CommitId, readonly Answer[]>,
  ): Promise<Ready | null> {
    const { commands } = asked;
    const loaded = await this.#load(commands, past, [...unclear.keys()]);
    if (loaded === null) {
      for (const command of commands) this.#mailbox.answer(command.id, noSuchQueue);
      for (const { resolve } of asked.deliveries) resolve('gone');
      return null;
    }
    this.parts.time.heard(loaded.delta.now);
    const { answers, commits } = loaded.delta.recalled;
    const throughAfterAll = commits.flatMap((id) => unclear.get(id) ?? []);
    return this.#ready(asked, loaded, [...throughAfterAll, ...answers]);
  }

  #ready(asked: Asked, loaded: Loaded, known: readonly Answer[] = []): Ready {
    const { store, hands } = this.parts;
    const open = this.#answerKnown(asked.commands, known);
    const decision = this.#judge.decide(loaded, open, asked.deliveries);
    const { answers, effects, writes, withdraw, wakeAt } = decision;
    const commit: Commit = {
      id: this.parts.uuid() as CommitId,
      recallable: answers.some(({ digest }) => digest === null),
      queueId: this.queueId,
      expected: loaded.version,
      incarnation: loaded.delta.incarnation,
      absent: loaded.delta.recalled === noPast ? absentFor(loaded.state, open) : null,
      writes,
      consumed: loaded.delta.inbox.map(({ id }) => id),
      answers: answers.filter(isKept),
      effects,
      withdraw,
      settled: asked.deliveries.map(({ lease }) => lease),
      handOver: hands?.offer(effects.length) ?? null,
      wakeAt,
    };
    return new Ready({ asked, loaded, decision }, commit, store, hands);
  }

  async #carryOut(ready: Ready): Promise<CommitOutcome | Unclear> {
    const sending = ready.send();
    const { made } = ready;
    // What answers lead to takes a while: the store is asked first.
    const told = this.#mailbox.giveOut() + this.#settled;
    this.#settled = 0;
    this.#sent = { made, enough: Math.ceil((countOf(made.asked) + told + this.#waiting) / 2) };
    this.#goAhead();
    const outcome = await sending;
    this.#sent = null;
    if (outcome.kind === 'unclear')
      this.parts.logger.warn(
        { error: outcome.error, queueId: this.queueId },
        'the outcome of a commit is not known; reading it back',
      );
    return outcome;
  }

  #committed({ asked, loaded, decision }: Made, outcome: CommitOutcome & { kind: 'committed' }): void {
    // First of all: the store has nothing to do until then.
    void this.#ahead?.send();
    this.parts.time.heard(outcome.now);
    this.#set.committed(decision, { version: outcome.version, incarnation: loaded.delta.incarnation });
    for (const { inputId, result } of decision.answers) this.#mailbox.answer(inputId, result);
    for (const { resolve } of asked.deliveries) resolve('settled');
    this.#settled = asked.deliveries.length;
    this.parts.onCommitted(this.queueId, decision, decision.effects.length - outcome.leases.length);
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
}

/**
 * Nobody but this process asks for the answer to a command without a key, and it remembers that by the commit. What failed by
 * our own fault is not the answer for the next 24 hours.
 */
const isKept = ({ digest, result }: Answer): boolean =>
  digest !== null && (result.ok || result.refusal.code !== 'COMMAND_BROKEN');
