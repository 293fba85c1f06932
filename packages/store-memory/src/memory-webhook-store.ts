import {
  type ClaimedWebhook,
  type ClaimWebhooks,
  type Clock,
  type Delivery,
  type DeliveryQuery,
  type DueDelivery,
  holdsOthers,
  type Instant,
  type Key,
  type KnownWebhook,
  type Listing,
  MergeQueueError,
  type NewDelivery,
  type Page,
  type RecordDeliveries,
  type ReplayDeliveries,
  readCursor,
  type TryResult,
  type Webhook,
  type WebhookId,
  type WebhookProgress,
  type WebhookQuery,
  type WebhookStore,
} from '@mq/core';
import { frozen } from './frozen.js';
import { compareKeys, pageOf } from './page.js';

export interface MemoryWebhookStoreOptions {
  /** Defaults to the system clock. */
  readonly clock?: Pick<Clock, 'now'>;
}

/** Keeps webhooks and their deliveries in this process only; they are lost when it ends. */
export const memoryWebhookStore = (options: MemoryWebhookStoreOptions = {}): WebhookStore =>
  new InMemory(options.clock ?? { now: Date.now });

const webhookListing: Listing = { name: 'webhooks', shape: ['number', 'string'] };
const deliveryListing: Listing = { name: 'deliveries', shape: ['number'] };

const webhookKey = ({ webhook: { createdAt, id } }: KnownWebhook): Key => [createdAt, id];

interface Kept extends KnownWebhook {
  readonly lease: { readonly owner: string; readonly turn: string; readonly until: Instant } | null;
}

interface Placed extends NewDelivery {
  readonly position: number;
}

// Methods are atomic because each does its work without an await.
class InMemory implements WebhookStore {
  readonly #webhooks = new Map<WebhookId, Kept>();
  /** By id, in order. */
  readonly #deliveries = new Map<string, Placed>();
  #turns = 0;
  #isClosed = false;

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  async now(): Promise<Instant> {
    return this.#enter();
  }

  async addWebhook(
    webhook: Webhook,
    { cursor, limit }: { readonly cursor: string; readonly limit: number },
  ): Promise<'added' | 'exists' | 'full'> {
    this.#enter();
    if (this.#webhooks.has(webhook.id)) return 'exists';
    const maker = webhook.makers.at(-1);
    if (maker !== undefined && this.#madeBy(maker.familyId).length >= limit) return 'full';
    const progress = { cursor, lastSuccessAt: null, failingSince: null, lastFailure: null };
    this.#put({ webhook, progress, lease: null });
    return 'added';
  }

  async webhook(id: WebhookId): Promise<KnownWebhook | null> {
    this.#enter();
    const kept = this.#webhooks.get(id);
    return kept === undefined ? null : knownOf(kept);
  }

  async webhooks({ madeBy, limit, cursor }: WebhookQuery): Promise<Page<KnownWebhook>> {
    this.#enter();
    const after = readCursor(webhookListing, cursor);
    const made = this.#madeBy(madeBy)
      .filter((one) => after === null || compareKeys(webhookKey(one), after) < 0)
      .sort((one, other) => compareKeys(webhookKey(other), webhookKey(one)));
    return pageOf(webhookListing, made.map(knownOf), limit, webhookKey);
  }

  async replaceWebhook(webhook: Webhook, { cursor }: { readonly cursor?: string } = {}): Promise<boolean> {
    this.#enter();
    const kept = this.#webhooks.get(webhook.id);
    if (kept?.webhook.version !== webhook.version - 1) return false;
    const progress = cursor === undefined ? kept.progress : { ...kept.progress, cursor, failingSince: null };
    this.#put({ ...kept, webhook, progress });
    return true;
  }

  async removeWebhook(id: WebhookId): Promise<boolean> {
    this.#enter();
    for (const { delivery } of this.#of(id)) this.#deliveries.delete(delivery.id);
    return this.#webhooks.delete(id);
  }

  async claim({ owner, leaseMs, limit }: ClaimWebhooks): Promise<readonly ClaimedWebhook[]> {
    const now = this.#enter();
    const isOwn = ({ lease }: Kept) => lease?.owner === owner;
    return [...this.#webhooks.values()]
      .filter((one) => one.webhook.disabled === null)
      .filter((one) => isOwn(one) || one.lease === null || one.lease.until <= now)
      .sort((one, other) => Number(isOwn(other)) - Number(isOwn(one)))
      .slice(0, limit)
      .map((one) => {
        this.#turns += 1;
        const turn = one.lease?.owner === owner ? one.lease.turn : String(this.#turns);
        this.#put({ ...one, lease: { owner, turn, until: now + leaseMs } });
        return { ...knownOf(one), turn };
      });
  }

  async release(owner: string): Promise<void> {
    this.#enter();
    for (const one of [...this.#webhooks.values()])
      if (one.lease?.owner === owner) this.#put({ ...one, lease: null });
  }

  async record({ webhookId, owner, turn, cursor, deliveries }: RecordDeliveries): Promise<boolean> {
    const now = this.#enter();
    const kept = this.#webhooks.get(webhookId);
    const lease = kept?.lease ?? null;
    if (kept === undefined || lease?.owner !== owner || lease.turn !== turn || lease.until <= now)
      return false;
    this.#put({ ...kept, progress: { ...kept.progress, cursor } });
    for (const one of deliveries) this.#append(one);
    return true;
  }

  async addDelivery(added: NewDelivery): Promise<boolean> {
    this.#enter();
    return this.#webhooks.has(added.delivery.webhookId) && this.#append(added);
  }

  async countPending(id: WebhookId): Promise<number> {
    this.#enter();
    return this.#of(id).filter(({ delivery }) => delivery.state === 'pending').length;
  }

  async due(ask: {
    readonly webhookId: WebhookId;
    readonly at: Instant;
    readonly limit: number;
  }): Promise<readonly DueDelivery[]> {
    this.#enter();
    const held = new Set<string>();
    const due: DueDelivery[] = [];
    for (const { delivery, sealedBody } of this.#of(ask.webhookId)) {
      const isHeld = holdsOthers(delivery) && delivery.keys.some((key) => held.has(key));
      if (delivery.nextAt !== null && delivery.nextAt <= ask.at && !isHeld)
        due.push({ delivery, sealedBody });
      if (holdsOthers(delivery)) for (const key of delivery.keys) held.add(key);
    }
    return due.slice(0, ask.limit);
  }

  async settle(
    delivery: Delivery,
    { at, failure }: TryResult,
  ): Promise<{ readonly failingSince: Instant | null } | 'stale'> {
    this.#enter();
    const placed = this.#deliveries.get(delivery.id);
    const kept = this.#webhooks.get(delivery.webhookId);
    if (placed?.delivery.version !== delivery.version - 1 || kept === undefined) return 'stale';
    this.#deliveries.set(delivery.id, { ...placed, delivery: frozen(delivery) });
    const failingSince = failure === null ? null : (kept.progress.failingSince ?? at);
    const progress: WebhookProgress = {
      ...kept.progress,
      failingSince,
      ...(failure === null
        ? { lastSuccessAt: Math.max(kept.progress.lastSuccessAt ?? at, at) }
        : { lastFailure: failure }),
    };
    this.#put({ ...kept, progress });
    return { failingSince };
  }

  async deliveries({ webhookId, states, limit, cursor }: DeliveryQuery): Promise<Page<Delivery>> {
    this.#enter();
    const [before = Number.POSITIVE_INFINITY] = readCursor(deliveryListing, cursor) ?? [];
    const placed = this.#of(webhookId)
      .filter(({ position }) => position < Number(before))
      .filter(({ delivery: { state } }) => states?.includes(state) ?? true)
      .reverse();
    const { items, next } = pageOf(deliveryListing, placed, limit, ({ position }) => [position]);
    return { items: items.map(({ delivery }) => delivery), next };
  }

  async replay(ask: ReplayDeliveries): Promise<{ readonly count: number; readonly next: string | null }> {
    this.#enter();
    const { webhookId, at, ids, since = 0, until = Number.POSITIVE_INFINITY, states } = ask;
    const [after = -1] = readCursor(deliveryListing, ask.cursor) ?? [];
    const asked = this.#of(webhookId).filter(
      ({ position, delivery: { id, state, createdAt } }) =>
        position > Number(after) &&
        state !== 'pending' &&
        (ids?.includes(id) ?? true) &&
        (states?.includes(state) ?? true) &&
        createdAt >= since &&
        createdAt <= until,
    );
    const { items, next } = pageOf(deliveryListing, asked, ask.limit, ({ position }) => [position]);
    for (const placed of items) {
      const { delivery } = placed;
      const again = { state: 'pending', tries: 0, nextAt: at, endedAt: null } as const;
      const replayed = { ...delivery, ...again, version: delivery.version + 1 };
      this.#deliveries.set(delivery.id, { ...placed, delivery: frozen(replayed) });
    }
    return { count: items.length, next };
  }

  async prune(ask: {
    readonly webhookId: WebhookId;
    readonly endedBefore: Instant;
    readonly keep: number;
  }): Promise<void> {
    this.#enter();
    const newestFirst = this.#of(ask.webhookId).reverse();
    for (const [place, { delivery }] of newestFirst.entries())
      if (delivery.endedAt !== null && (delivery.endedAt < ask.endedBefore || place >= ask.keep))
        this.#deliveries.delete(delivery.id);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
  }

  #enter(): Instant {
    if (this.#isClosed) throw new MergeQueueError('CLOSED', 'The store is closed.');
    return this.clock.now();
  }

  #put(kept: Kept): void {
    this.#webhooks.set(kept.webhook.id, frozen(kept));
  }

  #append({ delivery, sealedBody }: NewDelivery): boolean {
    if (this.#deliveries.has(delivery.id)) return false;
    this.#turns += 1;
    this.#deliveries.set(delivery.id, { delivery: frozen(delivery), sealedBody, position: this.#turns });
    return true;
  }

  #of(id: WebhookId): Placed[] {
    return [...this.#deliveries.values()].filter(({ delivery }) => delivery.webhookId === id);
  }

  #madeBy(familyId: string): Kept[] {
    return [...this.#webhooks.values()].filter(({ webhook }) =>
      webhook.makers.some((maker) => maker.familyId === familyId),
    );
  }
}

const knownOf = ({ webhook, progress }: Kept): KnownWebhook => ({ webhook, progress });
