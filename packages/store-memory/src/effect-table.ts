import type { Effect, EffectId, Instant, Lease, QueueId, RepoRef } from '@mq/core';
import { Agenda } from './agenda.js';

interface StoredEffect {
  readonly queueId: QueueId;
  readonly repo: RepoRef;
  readonly effect: Effect;
  readonly tries: number;
  /** The owner of the last lease; null if it was never leased. */
  readonly owner: string | null;
  /** The token of the last lease; null if there is none or it was ended. */
  readonly token: string | null;
  /** The error given when it was last postponed. */
  readonly error: string | null;
}

/** The effects of all queues that are neither settled nor withdrawn, by the time at which each is offered. */
export class EffectTable {
  readonly #effects = new Map<EffectId, StoredEffect>();
  readonly #offers = new Agenda<EffectId>();
  #leases = 0;

  /** The first id that exists already or occurs twice; null if all are new. */
  firstTaken(effects: readonly Effect[]): EffectId | null {
    const seen = new Set<EffectId>();
    for (const { id } of effects) {
      if (this.#effects.has(id) || seen.has(id)) return id;
      seen.add(id);
    }
    return null;
  }

  add(queueId: QueueId, repo: RepoRef, effect: Effect, now: Instant): void {
    this.#effects.set(effect.id, { queueId, repo, effect, tries: 0, owner: null, token: null, error: null });
    this.#offers.set(effect.id, now);
  }

  /** The given effects of the queue that cannot be withdrawn. */
  underWay(queueId: QueueId, ids: readonly EffectId[]): readonly EffectId[] {
    return ids.filter((id) => {
      const stored = this.#effects.get(id);
      return stored === undefined || stored.queueId !== queueId || stored.tries > 0;
    });
  }

  /** The given leases of the queue that were lost. */
  lost(queueId: QueueId, leases: readonly Lease[]): readonly EffectId[] {
    return leases
      .filter((lease) => !this.#holds(lease) || this.#effects.get(lease.effect.id)?.queueId !== queueId)
      .map(({ effect }) => effect.id);
  }

  /** Call only for effects that were never leased. */
  withdraw(ids: readonly EffectId[]): void {
    for (const id of ids) this.#remove(id);
  }

  lease(owner: string, now: Instant, until: Instant, limit: number): readonly Lease[] {
    return this.#offers.take(now, limit).flatMap((id) => {
      const stored = this.#effects.get(id);
      return stored === undefined ? [] : this.#give(id, stored, owner, until);
    });
  }

  /** Leases these effects, which were never leased before. */
  handOver(ids: readonly EffectId[], owner: string, until: Instant): readonly Lease[] {
    return ids.flatMap((id) => {
      const stored = this.#effects.get(id);
      return stored === undefined ? [] : this.#give(id, stored, owner, until);
    });
  }

  #give(id: EffectId, stored: StoredEffect, owner: string, until: Instant): Lease {
    const token = String(++this.#leases);
    const tries = stored.tries + 1;
    this.#effects.set(id, { ...stored, tries, owner, token });
    this.#offers.set(id, until);
    return { queueId: stored.queueId, repo: stored.repo, effect: stored.effect, tries, token };
  }

  renew(leases: readonly Lease[], until: Instant): void {
    for (const lease of leases) if (this.#holds(lease)) this.#offers.move(lease.effect.id, until);
  }

  /** The queue of the effect; null if the lease was lost. */
  settle(lease: Lease): QueueId | null {
    const stored = this.#effects.get(lease.effect.id);
    if (stored === undefined || !this.#holds(lease)) return null;
    this.#remove(lease.effect.id);
    return stored.queueId;
  }

  postpone(lease: Lease, until: Instant, error: string): boolean {
    const stored = this.#effects.get(lease.effect.id);
    if (stored === undefined || !this.#holds(lease)) return false;
    this.#effects.set(lease.effect.id, { ...stored, token: null, error });
    this.#offers.set(lease.effect.id, until);
    return true;
  }

  nextOfferAt(): Instant | null {
    return this.#offers.next();
  }

  all(): readonly (StoredEffect & { readonly offeredAt: Instant | null })[] {
    return [...this.#effects.values()].map((stored) => ({
      ...stored,
      offeredAt: this.#offers.at(stored.effect.id),
    }));
  }

  #holds(lease: Lease): boolean {
    return this.#effects.get(lease.effect.id)?.token === lease.token;
  }

  #remove(id: EffectId): void {
    this.#effects.delete(id);
    this.#offers.delete(id);
  }
}
