import type { InputId } from '../model/ids.js';
import type { Command, CommandResult } from '../model/input.js';
import { Passage } from './passage.js';
import { type Promised, promised } from './promised.js';

interface Waiting extends Promised<CommandResult> {
  readonly command: Command;
}

/** Commands decided together at most. */
export const COMMANDS_PER_DECISION = 500;

/** Commands of one queue that wait to be decided: those that arrive together share one decision and one commit. */
export class Mailbox {
  #waiting = new Passage<InputId, Waiting>();
  readonly #taken = new Passage<InputId, Waiting>();
  readonly #answered: { readonly waiting: Waiting; readonly result: CommandResult }[] = [];

  /** How many wait to be taken. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** The result of the command. One with the id of another that is under way waits for the same result. */
  put(command: Command): Promise<CommandResult> {
    const twin = this.#waiting.get(command.id) ?? this.#taken.get(command.id);
    if (twin !== undefined)
      return twin.command.digest === command.digest ? twin.promise : Promise.resolve(reused(command.id));
    const { promise, resolve, reject } = promised<CommandResult>();
    this.#waiting.set(command.id, { command, promise, resolve, reject });
    return promise;
  }

  take(): readonly Command[] {
    const commands: Command[] = [];
    const limit = this.#limit();
    for (const [id, waiting] of this.#waiting) {
      if (commands.length >= limit) break;
      this.#waiting.delete(id);
      this.#taken.set(id, waiting);
      commands.push(waiting.command);
    }
    return commands;
  }

  /** They wait again, ahead of all others: nothing came of what they were taken for. */
  putBack(commands: readonly Command[]): void {
    const behind = this.#waiting;
    this.#waiting = new Passage();
    for (const { id } of commands) {
      const waiting = this.#taken.get(id);
      if (waiting !== undefined) this.#waiting.set(id, waiting);
      this.#taken.delete(id);
    }
    for (const [id, waiting] of behind) this.#waiting.set(id, waiting);
  }

  /**
   * Those who are told now will ask again while this decision is committed: two halves that take turns keep both busy, and a small one and a
   * large one would stay so.
   */
  #limit(): number {
    if (this.#answered.length === 0) return COMMANDS_PER_DECISION;
    return Math.min(Math.ceil((this.#answered.length + this.#waiting.size) / 2), COMMANDS_PER_DECISION);
  }

  /** Its caller hears of it with `giveOut`: what an answer leads to takes as long as a decision. */
  answer(id: InputId, result: CommandResult): void {
    const waiting = this.#taken.get(id);
    if (waiting === undefined) return;
    this.#taken.delete(id);
    this.#answered.push({ waiting, result });
  }

  /** Tells those who were answered: how many that were. */
  giveOut(): number {
    const answered = this.#answered.splice(0);
    for (const { waiting, result } of answered) waiting.resolve(result);
    return answered.length;
  }

  /** Nobody can say what became of these, as far as they were not answered. */
  fail(commands: readonly Command[], error: unknown): void {
    for (const { id } of commands) {
      const waiting = this.#taken.get(id);
      this.#taken.delete(id);
      waiting?.reject(error);
    }
  }
}

export const reused = (id: InputId): CommandResult => ({
  ok: false,
  refusal: {
    code: 'IDEMPOTENCY_KEY_REUSED',
    detail: `The idempotency key ${id} was used for another request.`,
  },
});
