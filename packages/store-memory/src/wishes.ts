import type { Effect, EffectId, Instant, Lease, QueueId, RepoRef } from '@mq/core';
import { Agenda } from './agenda.js';

interface Wish {
  readonly queueId: QueueId;
  readonly repo: RepoRef;
  readonly effect: Effect;
  readonly tries: number;
  /** Who asked for the last lease; null where it was never leased. */
  readonly owner: string | null;
  /** Of the last lease; null where there is none, or where it was let go. */
  readonly token: string | null;
  /** What went wrong when it was last postponed. */
  readonly error: string | null;
}

/** The wishes of all queues that have neither settled nor been withdrawn, by the instant at which each is offered. */
export class Wishes {
  readonly #wishes = new Map<EffectId, Wish>();
  readonly #offers = new Agenda<EffectId>();
  #leases = 0;

  /** The first whose id is there already, or comes a second time among them; null where all are new. */
  firstTaken(effects: readonly Effect[]): EffectId | null {
    const seen = new Set<EffectId>();
    for (const { id } of effects) {
      if (this.#wishes.has(id) || seen.has(id)) return id;
      seen.add(id);
    }
    return null;
  }

  add(queueId: QueueId, repo: RepoRef, effect: Effect, now: Instant): void {
    this.#wishes.set(effect.id, { queueId, repo, effect, tries: 0, owner: null, token: null, error: null });
    this.#offers.set(effect.id, now);
  }

  /** Those of these wishes of the queue that can no longer be taken back. */
  underWay(queueId: QueueId, ids: readonly EffectId[]): readonly EffectId[] {
    return ids.filter((id) => {
      const wish = this.#wishes.get(id);
      return wish === undefined || wish.queueId !== queueId || wish.tries > 0;
    });
  }

  /** Those of these leases of the queue that hold no longer. */
  lost(queueId: QueueId, leases: readonly Lease[]): readonly EffectId[] {
    return leases
      .filter((lease) => !this.#holds(lease) || this.#wishes.get(lease.effect.id)?.queueId !== queueId)
      .map(({ effect }) => effect.id);
  }

  /** Of these nobody has had a lease. */
  withdraw(ids: readonly EffectId[]): void {
    for (const id of ids) this.#remove(id);
  }

  lease(owner: string, now: Instant, until: Instant, limit: number): readonly Lease[] {
    return this.#offers.take(now, limit).flatMap((id) => {
      const wish = this.#wishes.get(id);
      return wish === undefined ? [] : this.#give(id, wish, owner, until);
    });
  }

  /** Of these wishes, which nobody can have leased before. */
  handOver(ids: readonly EffectId[], owner: string, until: Instant): readonly Lease[] {
    return ids.flatMap((id) => {
      const wish = this.#wishes.get(id);
      return wish === undefined ? [] : this.#give(id, wish, owner, until);
    });
  }

  #give(id: EffectId, wish: Wish, owner: string, until: Instant): Lease {
    const token = String(++this.#leases);
    const tries = wish.tries + 1;
    this.#wishes.set(id, { ...wish, tries, owner, token });
    this.#offers.set(id, until);
    return { queueId: wish.queueId, repo: wish.repo, effect: wish.effect, tries, token };
  }

  renew(leases: readonly Lease[], until: Instant): void {
    for (const lease of leases) if (this.#holds(lease)) this.#offers.move(lease.effect.id, until);
  }

  /** The queue that it was a wish of; null if the lease was lost. */
  settle(lease: Lease): QueueId | null {
    const wish = this.#wishes.get(lease.effect.id);
    if (wish === undefined || !this.#holds(lease)) return null;
    this.#remove(lease.effect.id);
    return wish.queueId;
  }

  postpone(lease: Lease, until: Instant, error: string): boolean {
    const wish = this.#wishes.get(lease.effect.id);
    if (wish === undefined || !this.#holds(lease)) return false;
    this.#wishes.set(lease.effect.id, { ...wish, token: null, error });
    this.#offers.set(lease.effect.id, until);
    return true;
  }

  nextOfferAt(): Instant | null {
    return this.#offers.next();
  }

  all(): readonly (Wish & { readonly offeredAt: Instant | null })[] {
    return [...this.#wishes.values()].map((wish) => ({
      ...wish,
      offeredAt: this.#offers.at(wish.effect.id),
    }));
  }

  #holds(lease: Lease): boolean {
    return this.#wishes.get(lease.effect.id)?.token === lease.token;
  }

  #remove(id: EffectId): void {
    this.#wishes.delete(id);
    this.#offers.delete(id);
  }
}
