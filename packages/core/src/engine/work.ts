import type { EffectId, InputId } from '../model/ids.js';
import type { Command, CommandResult, Fact } from '../model/input.js';
import type { Lease } from '../ports/store.js';
import { type Deferred, deferred } from './deferred.js';

/** What became of an effect: `gone` if its queue was deleted, `lost` if another process has taken the lease over. */
export type Delivered = 'settled' | 'lost' | 'gone';

interface CommandItem extends Deferred<CommandResult> {
  readonly kind: 'command';
  readonly command: Command;
}

/** Facts learnt under a lease. The commit that takes them in settles the effect. */
export interface Delivery extends Deferred<Delivered> {
  readonly kind: 'delivery';
  readonly lease: Lease;
  readonly facts: readonly Fact[];
}

/** A request to decide the facts that wait in the store. */
interface InboxItem extends Deferred<void> {
  readonly kind: 'inbox';
}

type Item = CommandItem | Delivery | InboxItem;

/** What one decision is about, besides the facts that wait in the store. */
export interface Taken {
  readonly commands: readonly Command[];
  readonly deliveries: readonly Delivery[];
  /** Resolved once the facts in the store are decided; null if the store need not be read. */
  readonly inbox: Deferred<void> | null;
}

/** Max items decided together. */
export const WORK_PER_DECISION = 500;

/** What waits to be decided in one queue, oldest first. All that has arrived shares one decision and one commit. */
export class WorkQueue {
  #waiting: Item[] = [];
  /** Commands that wait or are being decided. */
  readonly #commands = new Map<InputId, CommandItem>();

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** A command with the id of one that waits or is being decided gets the same result. */
  command(command: Command): Promise<CommandResult> {
    const twin = this.#commands.get(command.id);
    if (twin !== undefined)
      return twin.command.digest === command.digest ? twin.promise : Promise.resolve(reused(command.id));
    const item: CommandItem = { kind: 'command', command, ...deferred() };
    this.#commands.set(command.id, item);
    this.#waiting.push(item);
    return item.promise;
  }

  delivery(lease: Lease, facts: readonly Fact[]): Promise<Delivered> {
    const item: Delivery = { kind: 'delivery', lease, facts, ...deferred() };
    this.#waiting.push(item);
    return item.promise;
  }

  /** Calls share one read for as long as it has not begun. */
  inbox(): Promise<void> {
    const found = this.#waiting.find(({ kind }) => kind === 'inbox');
    if (found?.kind === 'inbox') return found.promise;
    const item: InboxItem = { kind: 'inbox', ...deferred() };
    this.#waiting.push(item);
    return item.promise;
  }

  take(): Taken {
    const items = this.#waiting.slice(0, WORK_PER_DECISION);
    this.#waiting = this.#waiting.slice(items.length);
    return {
      commands: items.flatMap((item) => (item.kind === 'command' ? [item.command] : [])),
      deliveries: items.filter((item) => item.kind === 'delivery'),
      inbox: items.find((item) => item.kind === 'inbox') ?? null,
    };
  }

  /** Does nothing if the command was answered before. */
  answer(id: InputId, result: CommandResult): void {
    this.#commands.get(id)?.resolve(result);
    this.#commands.delete(id);
  }

  /** Rejects all of these that were not answered. */
  fail({ commands, deliveries, inbox }: Taken, error: unknown): void {
    for (const { id } of commands) {
      this.#commands.get(id)?.reject(error);
      this.#commands.delete(id);
    }
    for (const { reject } of deliveries) reject(error);
    inbox?.reject(error);
  }
}

/** What is still to be decided after the loss of these leases; null if nothing. */
export const withoutLost = (taken: Taken, lost: readonly EffectId[]): Taken | null => {
  const deliveries: Delivery[] = [];
  for (const delivery of taken.deliveries)
    if (lost.includes(delivery.lease.effect.id)) delivery.resolve('lost');
    else deliveries.push(delivery);
  const isNothingLeft = taken.inbox === null && taken.commands.length + deliveries.length === 0;
  return isNothingLeft ? null : { ...taken, deliveries };
};

export const reused = (id: InputId): CommandResult => ({
  ok: false,
  refusal: {
    code: 'IDEMPOTENCY_KEY_REUSED',
    detail: `The idempotency key ${id} was used for another request.`,
  },
});
