import type { EffectId } from '../model/ids.js';
import type { Command, Fact } from '../model/input.js';
import type { Lease } from '../ports/store.js';
import type { Promised } from './promised.js';

/** What became of a wish: 'gone' where its queue is, and nobody wants to hear of it. */
export type Delivered = 'settled' | 'lost' | 'gone';

/** What was learnt under a lease, and is settled by the commit that takes it in. */
export interface Delivery {
  readonly lease: Lease;
  readonly facts: readonly Fact[];
  readonly resolve: (delivered: Delivered) => void;
  readonly reject: (error: unknown) => void;
}

/** What one decision is about, besides what waits in the store. */
export interface Asked {
  readonly commands: readonly Command[];
  deliveries: readonly Delivery[];
  /** Kept once what may wait in the store is decided; null where that is not looked for. */
  readonly toRun: Promised<void> | null;
}

/** How many wait for what is decided. */
export const countOf = ({ commands, deliveries }: Asked): number => commands.length + deliveries.length;

/** Whoever held these too long is told so; the others are decided again. */
export const loseDeliveries = (asked: Asked, lost: readonly EffectId[]): 'nothing_left' | 'some_left' => {
  const isLost = ({ lease }: Delivery): boolean => lost.includes(lease.effect.id);
  for (const delivery of asked.deliveries) if (isLost(delivery)) delivery.resolve('lost');
  asked.deliveries = asked.deliveries.filter((delivery) => !isLost(delivery));
  const isAnythingLeft = asked.toRun !== null || countOf(asked) > 0;
  return isAnythingLeft ? 'some_left' : 'nothing_left';
};
