import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import {
  type ClaimedWebhook,
  type Clock,
  type Instant,
  type Logger,
  type MergeQueue,
  SecretBox,
  type ServiceStore,
  silentLogger,
  systemClock,
  type WebhookId,
  type WebhookStop,
  type WebhookStore,
} from '@mq/core';
import { briefingBy } from './briefing.js';
import { DELIVERIES_KEPT_MS, type EventParts } from './feed.js';
import { type Posted, type PostRequest, post } from './post.js';
import { rightsOf } from './rights.js';
import type { TargetPolicy } from './targets.js';
import { type TryOutcome, Worker } from './worker.js';

const CLAIM_EVERY_MS = 1_000;
/** When a process dies, another one goes on with its webhooks after this time. */
export const LEASE_MS = 10_000;
/** Webhooks that one process serves at a time. */
const CLAIMED_LIMIT = 500;
const PRUNE_EVERY_MS = 3_600_000;
/** Deliveries that are kept for each webhook, besides the pending ones. */
const DELIVERIES_KEPT_LIMIT = 100_000;
/** How long deliveries may take once the sender is closed. Then they are cut off, and sent again later. */
const CLOSE_GRACE_MS = 2_000;
const CLOSE_LIMIT_MS = 3_000;
const DISABLE_TRIES = 20;

export interface WebhookSenderOptions {
  readonly store: WebhookStore;
  readonly mq: Pick<MergeQueue, 'follow' | 'getRun' | 'listExpectedChecks'>;
  /** Tells which tokens are still valid. */
  readonly tokens: Pick<ServiceStore, 'token'>;
  /** The same as of the `webhookKeeper`. */
  readonly key: Uint8Array;
  readonly eventsOf: EventParts['eventsOf'];
  readonly pageOf: EventParts['pageOf'];
  readonly policy: TargetPolicy;
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** Defaults to posting by HTTP to addresses that the policy allows. */
  readonly post?: (request: PostRequest, signal: AbortSignal) => Promise<Posted>;
  /** Called after each try; must not throw. */
  readonly onTried?: (outcome: TryOutcome) => void;
  /** In [0, 1). */
  readonly random?: () => number;
}

export interface WebhookSender {
  /** Begins to deliver, and goes on until it is closed. */
  start(): void;
  /** Stops within three seconds, and lets other processes go on at once. Idempotent. */
  close(): Promise<void>;
}

/**
 * Delivers the events of a store's queues to its webhooks. Several processes share the webhooks: each is served by one of them.
 * An event is delivered at least once; more than once only after a crash or a cut-off stop.
 */
export const webhookSender = (options: WebhookSenderOptions): WebhookSender => new Sender(options);

class Sender implements WebhookSender {
  readonly #store: WebhookStore;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #owner = randomUUID();
  readonly #workers = new Map<WebhookId, Worker>();
  readonly #stopping = new Map<WebhookId, Promise<void>>();
  readonly #prunedAt = new Map<WebhookId, Instant>();
  readonly #closing = new AbortController();
  readonly #cutOff = new AbortController();
  /** How far the store's time is ahead of the clock. */
  #aheadMs = 0;
  #ended: Promise<void> = Promise.resolve();
  readonly #workerParts;

  constructor(private readonly options: WebhookSenderOptions) {
    const { store, mq, clock = systemClock, logger = silentLogger, policy } = options;
    [this.#store, this.#clock, this.#logger] = [store, clock, logger];
    this.#workerParts = {
      ...{ store, mq, clock, logger, owner: this.#owner },
      events: {
        ...{ box: new SecretBox(options.key), eventsOf: options.eventsOf, pageOf: options.pageOf },
        briefing: briefingBy(mq, clock),
        now: () => this.#now(),
      },
      post:
        options.post ?? ((request: PostRequest, signal: AbortSignal) => post(request, { policy }, signal)),
      keepsAnswers: policy.allowRanges.length === 0,
      onTried: options.onTried ?? (() => undefined),
      random: options.random ?? Math.random,
      disable: (id: WebhookId, reason: WebhookStop) => this.#disable(id, reason),
    };
  }

  start(): void {
    this.#ended = this.#run();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const cut = setTimeout(() => this.#cutOff.abort(), CLOSE_GRACE_MS);
    const over = new AbortController();
    // A store that does not answer is not waited for.
    const isLate = wait(CLOSE_LIMIT_MS, undefined, { signal: over.signal }).catch(() => undefined);
    await Promise.race([this.#ended, isLate]);
    over.abort();
    clearTimeout(cut);
  }

  #now(): Instant {
    return this.#clock.now() + this.#aheadMs;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        await this.#pass();
      } catch (error) {
        this.#logger.warn({ error }, 'webhooks could not be leased; retrying');
      }
      await this.#clock.wait(this.#clock.now() + CLAIM_EVERY_MS, signal);
    }
    for (const id of [...this.#workers.keys()]) this.#stop(id);
    await Promise.all(this.#stopping.values());
    await this.#store.release(this.#owner).catch((error: unknown) => {
      this.#logger.warn({ error }, 'the leases of webhooks could not be returned; they will expire');
    });
  }

  async #pass(): Promise<void> {
    const leasedUntil = this.#clock.now() + LEASE_MS;
    const claims = await this.#store.claim({ owner: this.#owner, leaseMs: LEASE_MS, limit: CLAIMED_LIMIT });
    if (claims.length > 0) this.#aheadMs = (await this.#store.now()) - this.#clock.now();
    const claimed = new Set(claims.map(({ webhook }) => webhook.id));
    for (const id of [...this.#workers.keys()]) if (!claimed.has(id)) this.#stop(id);
    for (const claim of claims)
      await this.#serve(claim, leasedUntil).catch((error: unknown) => {
        this.#logger.warn({ error, webhookId: claim.webhook.id }, 'a webhook could not be served; retrying');
      });
  }

  async #serve(claim: ClaimedWebhook, leasedUntil: Instant): Promise<void> {
    const { webhook, turn } = claim;
    const rights = await rightsOf(this.options.tokens, webhook.tokenId, this.#now());
    if (rights === null) {
      this.#stop(webhook.id);
      return this.#disable(webhook.id, 'token_ended');
    }
    const worker = this.#workers.get(webhook.id);
    const isSame = worker?.claim.turn === turn && worker.claim.webhook.version === webhook.version;
    if (worker !== undefined && isSame) worker.renew(leasedUntil);
    else if (worker !== undefined) this.#stop(webhook.id);
    else if (!this.#stopping.has(webhook.id) && !this.#closing.signal.aborted)
      this.#workers.set(webhook.id, new Worker(this.#workerParts, claim, rights, leasedUntil));
    await this.#prune(webhook.id);
  }

  /** A later pass starts another worker, once this one has ended. */
  #stop(id: WebhookId): void {
    const worker = this.#workers.get(id);
    if (worker === undefined) return;
    this.#workers.delete(id);
    const stopped = worker.stop(this.#cutOff.signal).finally(() => this.#stopping.delete(id));
    this.#stopping.set(id, stopped);
  }

  async #prune(webhookId: WebhookId): Promise<void> {
    const now = this.#now();
    if (now - (this.#prunedAt.get(webhookId) ?? 0) < PRUNE_EVERY_MS) return;
    this.#prunedAt.set(webhookId, now);
    const endedBefore = now - DELIVERIES_KEPT_MS;
    await this.#store.prune({ webhookId, endedBefore, keep: DELIVERIES_KEPT_LIMIT });
  }

  async #disable(id: WebhookId, reason: WebhookStop): Promise<void> {
    for (let tries = 0; tries < DISABLE_TRIES; tries += 1) {
      const stored = await this.#store.webhook(id);
      if (stored === null || stored.webhook.disabled !== null) return;
      const { webhook } = stored;
      const changed = { ...webhook, disabled: { at: this.#now(), reason }, version: webhook.version + 1 };
      if (!(await this.#store.replaceWebhook(changed))) continue;
      const facts = { webhookId: id, url: new URL(webhook.url).host, reason };
      this.#logger.error(facts, 'a webhook was disabled; updateWebhook enables it');
      return;
    }
  }
}
