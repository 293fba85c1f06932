import type { Input, Queue, QueueSettings, TargetBook } from '@mq/core';
import { defaultSettings } from '@mq/core';
import {
  applyRows,
  type Decision,
  decide,
  defaultPace,
  emptyState,
  type MutableQueueState,
  viewOf,
} from '@mq/core/internals';
import { aQueue } from '@mq/testkit';

/** One queue as held by a single replica: decides and keeps the result. No store, no I/O. */
export class Replica {
  readonly state: MutableQueueState;
  /** Targets uploaded before their pull request was submitted, as a store recalls them for a command. */
  readonly #books = new Map<number, TargetBook>();
  #seeds = 0;

  constructor(settings: Partial<QueueSettings>, queue: Partial<Queue> = {}) {
    this.state = emptyState(
      aQueue({ settings: { ...defaultSettings, ...settings }, ...queue }),
      defaultPace.ageingMsPerPoint,
    );
  }

  decide(inputs: readonly Input[], now: number): Decision {
    const context = {
      now,
      seed: this.#nextSeed(),
      pace: defaultPace,
      recalled: { submissions: [], targets: this.#recalledFor(inputs) },
    };
    const { state } = this;
    const decision = decide(state, inputs, context, viewOf);
    applyRows(state, decision.writes);
    this.#remember(decision);
    return decision;
  }

  /** The same decision without keeping the result. */
  foresee(inputs: readonly Input[], now: number): Decision {
    const context = {
      now,
      seed: '00000000-0000-4000-8000-000000000000',
      pace: defaultPace,
      recalled: { submissions: [], targets: this.#recalledFor(inputs) },
    };
    return decide(this.state, inputs, context, viewOf);
  }

  #nextSeed(): string {
    this.#seeds += 1;
    return `${this.#seeds.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;
  }

  #recalledFor(inputs: readonly Input[]): readonly TargetBook[] {
    if (this.#books.size === 0) return [];
    return inputs.flatMap((input) => {
      const pr = input.type === 'submit' ? input.pull.number : 'pr' in input ? input.pr : null;
      const book = pr === null ? undefined : this.#books.get(pr);
      return book === undefined ? [] : [book];
    });
  }

  #remember({ writes }: Decision): void {
    for (const book of writes.targets) if (!this.state.byPr.has(book.pr)) this.#books.set(book.pr, book);
    for (const { pr } of writes.submissions) this.#books.delete(pr);
  }
}
