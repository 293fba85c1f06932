import { type Decision, decide } from '../decide/decide.js';
import type { Context, Pace } from '../decide/draft/context.js';
import { isUnderstood } from '../decide/inputs/newer-facts.js';
import { viewOf } from '../explain/explain.js';
import type { QueueId } from '../model/ids.js';
import type { Command, Fact, Input } from '../model/input.js';
import type { Logger } from '../ports/logger.js';
import { isolateBrokenInput } from './broken-input.js';
import type { Delivery } from './work.js';
import type { Loaded } from './working-set.js';

export interface JudgeParts {
  readonly logger: Logger;
  readonly pace: Pace;
  /** Draws a UUID. */
  readonly uuid: () => string;
}

/** A clock of the store that stands further behind what a queue has seen of it has jumped: smaller steps pass unnoticed. */
const CLOCK_BEHIND_LIMIT_MS = 60_000;

/** Brings together what a queue is decided by, and says in the log what is strange about it. */
export class Judge {
  #isClockBehind = false;

  constructor(
    private readonly queueId: QueueId,
    private readonly parts: JudgeParts,
  ) {}

  decide({ state, delta }: Loaded, commands: readonly Command[], deliveries: readonly Delivery[]): Decision {
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
    try {
      return decide(state, inputs, context, viewOf);
    } catch (error) {
      this.parts.logger.error({ error, queueId: this.queueId }, 'an input breaks a rule; trying each alone');
      return isolateBrokenInput(state, inputs, context, error);
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
}
