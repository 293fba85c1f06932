import { type Decision, decide } from '../decide/decide.js';
import type { Context, Pace } from '../decide/draft/context.js';
import { inputsOf, isUnderstood } from '../decide/inputs/newer-facts.js';
import { viewOf } from '../explain/explain.js';
import type { QueueId } from '../model/ids.js';
import type { Command, Fact, Input } from '../model/input.js';
import type { Logger } from '../ports/logger.js';
import { isolateBrokenInput } from './broken-input.js';
import type { Delivery } from './work.js';
import type { Loaded } from './working-set.js';

export interface DecisionRunnerParts {
  readonly logger: Logger;
  readonly pace: Pace;
  /** Creates a UUID. */
  readonly uuid: () => string;
}

/** How far the store's clock may be behind the last decision of a queue before a warning is logged. */
const CLOCK_BEHIND_LIMIT_MS = 60_000;

/** Runs one decision, and logs warnings about the clock and about unknown facts. */
export class DecisionRunner {
  #isClockBehind = false;

  constructor(
    private readonly queueId: QueueId,
    private readonly parts: DecisionRunnerParts,
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
    const inputs = inputsOf(state.queue, [...delta.inbox, ...learnt], commands);
    this.#warnOfStrange(inputs);
    try {
      return decide(state, inputs, context, viewOf);
    } catch (error) {
      this.parts.logger.error(
        { error, queueId: this.queueId },
        'the decision threw; trying each input separately',
      );
      return isolateBrokenInput(state, inputs, context, error);
    }
  }

  /** The time of a queue never goes back: it stands still until the clock has caught up. */
  #warnOfClock(behindMs: number): void {
    const isBehind = behindMs > CLOCK_BEHIND_LIMIT_MS;
    if (isBehind && !this.#isClockBehind) {
      const sentence =
        'the clock of the store was set back; until it has caught up, no deadline, retry or batch wait of this queue elapses';
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
