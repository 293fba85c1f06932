import {
  bodyContext,
  type ClaimedWebhook,
  type Clock,
  type Delivery,
  type DueDelivery,
  type Followed,
  type Instant,
  type Logger,
  type MergeQueue,
  secretContext,
  type WebhookStop,
  type WebhookStore,
} from '@mq/core';
import { isPassing } from './briefing.js';
import {
  alarmOfLoss,
  deliveriesOf,
  type EventParts,
  isWanted,
  type RecordedEvent,
  type ResetStep,
} from './feed.js';
import type { Posted, PostRequest } from './post.js';
import type { Rights } from './rights.js';
import { afterTry, FAILING_LIMIT_MS, givenUp } from './schedule.js';
import { signedHeaders } from './signature.js';

/** Deliveries to one webhook at a time; one while it fails. */
export const CONCURRENCY = 8;
const FAILURES_IN_A_ROW = 3;
/** Max pending deliveries. Beyond that no more events are recorded: the history keeps them. */
export const PENDING_LIMIT = 10_000;
const BATCH_LIMIT = 100;
/** The cursor is stored no later, although no row since was an event for this webhook. */
const ROWS_UNSAVED_LIMIT = 200;
const LOOK_EVERY_MS = 1_000;
const REST_AFTER_FAILURE_MS = 1_000;

export type TryOutcome = 'delivered' | 'retried' | 'given_up';

export interface WorkerParts {
  readonly store: WebhookStore;
  readonly mq: Pick<MergeQueue, 'follow'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly owner: string;
  readonly events: EventParts;
  readonly post: (request: PostRequest, signal: AbortSignal) => Promise<Posted>;
  /** False if private addresses may be called: their answers are not shown. */
  readonly keepsAnswers: boolean;
  readonly random: () => number;
  readonly onTried: (outcome: TryOutcome) => void;
  readonly disable: (webhookId: ClaimedWebhook['webhook']['id'], reason: WebhookStop) => Promise<void>;
}

/**
 * Records the events of one leased webhook as deliveries, and sends them. It stops by itself when its lease ends without
 * being renewed.
 */
export class Worker {
  readonly #feeding = new AbortController();
  readonly #sending = new AbortController();
  readonly #underWay = new Map<string, Promise<void>>();
  #leasedUntil: Instant;
  #wake: (() => void) | null = null;
  #failures = 0;
  /** Losses whose end is known with the next row of the queue. */
  readonly #resets = new Map<string, ResetStep>();
  readonly #ended: Promise<unknown>;

  constructor(
    private readonly parts: WorkerParts,
    readonly claim: ClaimedWebhook,
    private readonly rights: Rights,
    leasedUntil: Instant,
  ) {
    this.#leasedUntil = leasedUntil;
    this.#ended = Promise.all([this.#feed(), this.#send()]);
  }

  /** By the clock of this process. */
  renew(leasedUntil: Instant): void {
    this.#leasedUntil = leasedUntil;
    this.#nudge();
  }

  /** Begins nothing more, and resolves once what is under way has ended; it is cut off when the signal aborts. */
  async stop(cutOff: AbortSignal): Promise<void> {
    this.#feeding.abort();
    this.#nudge();
    const cut = (): void => this.#sending.abort();
    cutOff.addEventListener('abort', cut, { once: true });
    if (cutOff.aborted) cut();
    await this.#ended;
    cutOff.removeEventListener('abort', cut);
  }

  get #isOver(): boolean {
    return this.#feeding.signal.aborted;
  }

  get #isHeld(): boolean {
    return this.parts.clock.now() < this.#leasedUntil;
  }

  async #feed(): Promise<void> {
    let { cursor } = this.claim.progress;
    while (!this.#isOver) {
      try {
        for await (const saved of this.#follow(cursor)) cursor = saved;
      } catch (error) {
        if (this.#isOver) return;
        this.#warn(error, 'the events for a webhook could not be recorded; retrying');
        await this.#rest(REST_AFTER_FAILURE_MS);
      }
    }
  }

  /** Yields each cursor that was stored. */
  async *#follow(after: string): AsyncGenerator<string, void, undefined> {
    const { webhook } = this.claim;
    const end = new AbortController();
    const steps = this.parts.mq
      .follow({
        ...{ after, afterLoss: 'oldest', signal: AbortSignal.any([end.signal, this.#feeding.signal]) },
        ...(webhook.repo === null ? {} : { repo: webhook.repo }),
        ...(webhook.branch === null ? {} : { targetBranch: webhook.branch }),
        isWanted: (queue) => isWanted(webhook, this.rights, queue),
      })
      [Symbol.asyncIterator]();
    let unsaved = 0;
    let batch: RecordedEvent[] = [];
    let next = steps.next();
    try {
      for (;;) {
        const { done, value: step } = await next;
        if (done === true) break;
        batch.push(...(await this.#eventsOf(step)));
        unsaved += 1;
        next = steps.next();
        const isMore = batch.length < BATCH_LIMIT && (await isReady(next));
        if (isMore || (batch.length === 0 && unsaved < ROWS_UNSAVED_LIMIT)) continue;
        await this.#record(step.cursor, batch);
        yield step.cursor;
        [batch, unsaved] = [[], 0];
      }
    } finally {
      end.abort();
      await next.catch(() => undefined);
    }
  }

  /** A row that cannot be shown as an event is left out: those that follow are delivered. During an outage it rejects. */
  async #eventsOf(step: Followed): Promise<readonly RecordedEvent[]> {
    const { events } = this.parts;
    const { webhook } = this.claim;
    if (step.type === 'started') return [];
    if (step.type === 'reset') {
      const { lastSequence, queue } = step;
      const facts = { webhookId: webhook.id, queueId: queue.id, lastSequence };
      this.parts.logger.error(
        facts,
        'events for a webhook were removed before their delivery; it continues with the oldest one that is left',
      );
      this.#resets.set(queue.id, step);
      return [];
    }
    const reset = this.#resets.get(step.queue.id);
    const alarms = reset === undefined ? [] : alarmOfLoss(events, webhook, reset, step.row.sequence);
    try {
      const deliveries = await deliveriesOf(events, webhook, this.rights, step);
      this.#resets.delete(step.queue.id);
      return [...alarms, ...deliveries];
    } catch (error) {
      if (isPassing(error)) throw error;
      this.#resets.delete(step.queue.id);
      const { queueId, sequence } = step.row;
      const facts = { error, webhookId: webhook.id, queueId, sequence };
      this.parts.logger.error(facts, 'an event could not be built for a webhook and was skipped');
      return alarms;
    }
  }

  async #record(cursor: string, deliveries: readonly RecordedEvent[]): Promise<void> {
    const { store, owner } = this.parts;
    const { webhook, turn } = this.claim;
    while (!this.#isOver && (await store.countPending(webhook.id)) >= PENDING_LIMIT)
      await this.#rest(LOOK_EVERY_MS);
    if (this.#isOver) return;
    const isRecorded = await store.record({ webhookId: webhook.id, owner, turn, cursor, deliveries });
    if (!isRecorded) throw new Error('the lease of the webhook was lost');
    this.#nudge();
  }

  async #send(): Promise<void> {
    while (!this.#isOver) {
      const woken = this.#woken(LOOK_EVERY_MS);
      try {
        if (this.#isHeld) await this.#startDue();
      } catch (error) {
        this.#warn(error, 'the deliveries of a webhook could not be read; retrying');
      }
      await woken;
    }
    await Promise.all(this.#underWay.values());
  }

  async #startDue(): Promise<void> {
    const { store, events } = this.parts;
    const webhookId = this.claim.webhook.id;
    const limit = this.#failures >= FAILURES_IN_A_ROW ? 1 : CONCURRENCY;
    const due = await store.due({ webhookId, at: events.now(), limit: CONCURRENCY + limit });
    for (const one of due) {
      if (this.#underWay.size >= limit || this.#isOver || !this.#isHeld) return;
      if (this.#underWay.has(one.delivery.id)) continue;
      const sent = this.#deliver(one)
        .catch(async (error: unknown) => {
          this.#warn(error, 'a delivery could not be settled; it is sent again');
          await this.#rest(REST_AFTER_FAILURE_MS);
        })
        .finally(() => {
          this.#underWay.delete(one.delivery.id);
          this.#nudge();
        });
      this.#underWay.set(one.delivery.id, sent);
    }
  }

  async #deliver({ delivery, sealedBody }: DueDelivery): Promise<void> {
    const { events } = this.parts;
    const { webhook } = this.claim;
    const startedAt = events.now();
    const secrets = this.#secretsAt(startedAt);
    if (secrets === null) return this.#disable('secret_unreadable');
    const body = events.box.open(sealedBody, bodyContext(delivery.id));
    if (body === null) return this.#settle(delivery, unreadableBody, startedAt);
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'mq-webhooks',
      ...signedHeaders({ id: delivery.id, at: startedAt, body, secrets }),
    };
    const posted = await this.parts
      .post({ url: webhook.url, headers, body }, this.#sending.signal)
      .catch((error: unknown) => {
        if (this.#sending.signal.aborted) return null;
        throw error;
      });
    // Cut off by a stop: the next sender sends it again.
    if (posted !== null) await this.#settle(delivery, posted, startedAt);
  }

  async #settle(delivery: Delivery, posted: Posted, startedAt: Instant): Promise<void> {
    const { store, events, keepsAnswers, random } = this.parts;
    const now = events.now();
    const keepsAnswer = keepsAnswers && !delivery.hasSecrets;
    const tried = afterTry(delivery, posted, { startedAt, now, keepsAnswer, random: random() });
    const after = posted === unreadableBody ? givenUp(tried, now) : tried;
    const settled = await store.settle(after, { at: now, failure: posted.error });
    this.#failures = posted.error === null ? 0 : this.#failures + 1;
    this.parts.onTried(outcomes[after.state]);
    const failingSince = settled === 'stale' ? null : settled.failingSince;
    if (posted.status === 410) await this.#disable('gone');
    else if (failingSince !== null && now - failingSince >= FAILING_LIMIT_MS) await this.#disable('failing');
  }

  async #disable(reason: WebhookStop): Promise<void> {
    await this.parts.disable(this.claim.webhook.id, reason);
    this.#feeding.abort();
  }

  /** Those that sign at this time; null if the current one cannot be decrypted. */
  #secretsAt(at: Instant): readonly string[] | null {
    const { webhook } = this.claim;
    const secrets = webhook.secrets
      .filter(({ until }) => until === null || until > at)
      .map(({ sealed }) => this.parts.events.box.open(sealed, secretContext(webhook.id)));
    return secrets[0] == null ? null : secrets.filter((secret) => secret !== null);
  }

  #warn(error: unknown, sentence: string): void {
    this.parts.logger.warn({ error, webhookId: this.claim.webhook.id }, sentence);
  }

  #nudge(): void {
    this.#wake?.();
  }

  /** Resolves when nudged from now on, when the worker is stopped, or after a time. */
  async #woken(ms: number): Promise<void> {
    const nap = new AbortController();
    this.#wake = () => nap.abort();
    if (this.#isOver) nap.abort();
    await this.parts.clock.wait(this.parts.clock.now() + ms, nap.signal);
  }

  async #rest(ms: number): Promise<void> {
    await this.parts.clock.wait(this.parts.clock.now() + ms, this.#feeding.signal);
  }
}

const outcomes = { delivered: 'delivered', pending: 'retried', failed: 'given_up' } as const;

const unreadableBody: Posted = {
  ...{ status: null, answer: null, retryAfterMs: null },
  error: 'It cannot be decrypted: the key of the service was changed.',
};

/** Whether it is there without waiting for input or output. */
const isReady = (next: Promise<unknown>): Promise<boolean> => {
  const isOver = new Promise<boolean>((resolve) => setImmediate(() => resolve(false)));
  return Promise.race([
    next.then(
      () => true,
      () => true,
    ),
    isOver,
  ]);
};
