import type { Context, Pace } from '../decide/context.js';
import { type Decision, decide } from '../decide/decide.js';
import type { CommitId, InputId, QueueId } from '../model/ids.js';
import type { Answer, Command, CommandResult, Fact, Input } from '../model/input.js';
import type { Logger } from '../ports/logger.js';
import type { Commit, CommitOutcome, Recall, Store } from '../ports/store.js';
import { Mailbox, reused } from './mailbox.js';
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
  /** Called after each commit, in its order. */
  readonly published: (queueId: QueueId, decision: Decision) => void;
}

/** Commits of one decision whose outcome stayed unknown before the caller is told so. */
const UNCLEAR_LIMIT = 3;
/** Races lost in a row before the caller is told that the outcome is not known. */
const TRIES_LIMIT = 100;

const gone: CommandResult = {
  ok: false,
  refusal: { code: 'QUEUE_NOT_FOUND', detail: 'The queue does not exist or was deleted.' },
};

/** Decides one queue: load what changed, decide, commit, and again if somebody else was faster. One decision at a time. */
export class Decider {
  readonly #mailbox = new Mailbox();
  readonly #set: WorkingSet;
  #running: Promise<void> | null = null;
  #isAskedAgain = false;

  constructor(
    readonly queueId: QueueId,
    private readonly parts: DeciderParts,
  ) {
    this.#set = new WorkingSet(parts.store, queueId, parts.pace.ageingMsPerPoint);
  }

  /** The state as it is now, for reading: to be used before the next await. Null where the queue is gone. */
  load(recall: Recall): Promise<Loaded | null> {
    return this.#set.load(recall);
  }

  /** Resolves once the result is durable. */
  async ask(command: Command): Promise<CommandResult> {
    const result = this.#mailbox.put(command);
    // Its caller hears of a failure through `result`; nobody else needs to.
    this.run().catch(() => undefined);
    return result;
  }

  /** Decides what is there now, and what arrives meanwhile. */
  run(): Promise<void> {
    this.#isAskedAgain = true;
    this.#running ??= this.#runAll();
    return this.#running;
  }

  async #runAll(): Promise<void> {
    // Whoever arrives in the same turn of the event loop shares the decision.
    await Promise.resolve();
    let failure: { readonly error: unknown } | null = null;
    while (this.#isAskedAgain || !this.#mailbox.isEmpty) {
      this.#isAskedAgain = false;
      const commands = this.#mailbox.take();
      try {
        await this.#decideOnce(commands);
      } catch (error) {
        this.#set.forget();
        this.#mailbox.fail(error);
        this.parts.logger.error({ error, queueId: this.queueId }, 'deciding failed');
        failure ??= { error };
      }
    }
    // In the same turn as the last look: whoever asks from now on begins anew.
    this.#running = null;
    if (failure !== null) throw failure.error;
  }

  async #decideOnce(commands: readonly Command[]): Promise<void> {
    const recall = recallOf(commands);
    let unclear = 0;
    for (let tries = 0; tries < TRIES_LIMIT; tries += 1) {
      const loaded = await this.#set.load(recall);
      if (loaded === null) {
        for (const command of commands) this.#mailbox.answer(command.id, gone);
        return;
      }
      this.parts.time.heard(loaded.delta.now);
      const open = this.#answerKnown(commands, loaded.delta.recalled.answers);
      const { decision, consumed } = this.#decide(loaded, open);
      const outcome = await this.#commit(loaded, decision, consumed);
      if (outcome === null && ++unclear > UNCLEAR_LIMIT) break;
      if (outcome === null) continue;
      if (outcome.kind === 'under_way') this.#set.noteUnderWay(outcome.effects);
      if (outcome.kind !== 'committed') continue;
      this.#set.committed(decision, outcome.version);
      for (const { inputId, result } of decision.answers) this.#mailbox.answer(inputId, result);
      this.parts.published(this.queueId, decision);
      if (loaded.delta.inbox.length > consumed.length) this.#isAskedAgain = true;
      return;
    }
    throw new Error(`queue ${this.queueId}: it could not be made out what became of a commit`);
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
  ): { decision: Decision; consumed: InputId[] } {
    const context: Context = {
      now: Math.max(delta.now, state.queue.decidedAt),
      seed: this.parts.uuid(),
      pace: this.parts.pace,
      recalled: delta.recalled,
    };
    const facts: readonly Fact[] = delta.inbox;
    const inputs: readonly Input[] = [...facts, ...commands];
    const consumed = facts.map((fact) => fact.id);
    try {
      return { decision: decide(state, inputs, context), consumed };
    } catch (error) {
      this.parts.logger.error({ error, queueId: this.queueId }, 'an input breaks a rule; trying each alone');
      return { decision: setAside(state, inputs, context, error), consumed };
    }
  }

  /** Null where the outcome is not known: what was answered is found again by the ids of the commands. */
  async #commit(
    loaded: Loaded,
    decision: Decision,
    consumed: readonly InputId[],
  ): Promise<CommitOutcome | null> {
    const commit: Commit = {
      id: this.parts.uuid() as CommitId,
      queueId: this.queueId,
      expected: loaded.version,
      writes: decision.writes,
      consumed,
      answers: decision.answers.filter(isKept),
      effects: decision.effects,
      withdraw: decision.withdraw,
      settled: [],
      handOver: null,
      wakeAt: decision.wakeAt,
    };
    try {
      return await this.parts.store.commit(commit);
    } catch (error) {
      this.parts.logger.warn(
        { error, queueId: this.queueId },
        'the outcome of a commit is not known; reading it back',
      );
      this.#set.forget();
      return null;
    }
  }
}

/** What failed by our own fault is not the answer for the next 24 hours. */
const isKept = ({ result }: Answer): boolean => result.ok || result.refusal.code !== 'COMMAND_BROKEN';

const recallOf = (commands: readonly Command[]): Recall => ({
  prs: commands.flatMap((command) => {
    if (command.type === 'submit') return [command.pull.number];
    return 'pr' in command ? [command.pr] : [];
  }),
  inputIds: commands.map((command) => command.id),
});
