import { EventEmitter } from 'eventemitter3';
import type { Decision } from '../decide/decide.js';
import type { QueueId } from '../model/ids.js';
import type { Logger } from '../ports/logger.js';
import { shownValue } from '../validation/issue-message.js';
import type { MergeQueueEvents } from './events.js';

type Name = keyof MergeQueueEvents;
type Payload<Of extends Name> = Parameters<MergeQueueEvents[Of]>[0];

const names: Readonly<Record<Name, true>> = {
  'submission.changed': true,
  'run.changed': true,
  'queue.changed': true,
  history: true,
};

/**
 * Emits the events of a commit to listeners in this process. An exception of a listener is logged and affects nothing
 * else.
 */
export class Publisher {
  readonly #emitter = new EventEmitter();

  constructor(private readonly logger: Logger) {}

  on<Of extends Name>(name: Of, listener: MergeQueueEvents[Of]): () => void {
    if (!Object.hasOwn(names, name))
      throw new TypeError(
        `on: unknown event ${shownValue(name)}; the events are ${Object.keys(names).join(', ')}.`,
      );
    if (typeof listener !== 'function')
      throw new TypeError(`on: the listener for ${name} must be a function.`);
    const guarded = (event: Payload<Of>): void => {
      try {
        (listener as (event: Payload<Of>) => void)(event);
      } catch (error) {
        this.logger.error({ error, event: name }, 'a listener threw');
      }
    };
    this.#emitter.on(name, guarded);
    return () => void this.#emitter.off(name, guarded);
  }

  publish(queueId: QueueId, { writes }: Decision): void {
    const { queue } = writes;
    if (queue === null) return;
    this.#emit('submission.changed', writes.submissions, (submission) => ({ queue, submission }));
    this.#emit('run.changed', writes.runs, (run) => ({ queue, run }));
    this.#emit('queue.changed', [queue], () => ({ queue }));
    this.#emit('history', writes.history, (row) => ({ queueId, ...row }));
  }

  #emit<Of extends Name, Row>(name: Of, rows: readonly Row[], eventOf: (row: Row) => Payload<Of>): void {
    if (this.#emitter.listenerCount(name) === 0) return;
    for (const row of rows) this.#emitter.emit(name, eventOf(row));
  }
}
