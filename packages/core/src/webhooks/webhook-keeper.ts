import { idOfKey } from '../access/id-of-key.js';
import { MergeQueueError } from '../errors.js';
import type { DeliveryId, Instant, WebhookId } from '../model/ids.js';
import type { Queue } from '../model/queue.js';
import { isSameRepo, type RepoRef } from '../model/repo.js';
import type { Holder } from '../model/token.js';
import type { Delivery, Webhook } from '../model/webhook.js';
import { type Logger, silentLogger } from '../ports/logger.js';
import { ANSWERS_KEPT_MS, PAGE_LIMIT, type Page } from '../ports/store.js';
import type { KnownWebhook, WebhookStore } from '../ports/webhook-store.js';
import { DEFAULT_TAKE, takenOf } from '../validation/paging.js';
import { checked } from '../validation/request-schemas.js';
import type { Followed, FollowRequest, ListQueuesRequest } from '../validation/requests.js';
import * as requests from './requests.js';
import { bodyContext, SecretBox, secretContext } from './secret-box.js';
import {
  isOf,
  isSameWhere,
  keyReused,
  newSecret,
  ownedBy,
  refuseDisabled,
  refuseUnknownHost,
  TEST_EVENT_TYPE,
  testBody,
} from './webhook-rules.js';

/** Max webhooks of one token and its replacements. */
export const WEBHOOKS_PER_TOKEN_LIMIT = 100;
/** The current secret and those of rotations in quick succession. */
const SECRETS_LIMIT = 3;
const REQUESTS_KEPT_LIMIT = 10;
const REPLACE_TRIES = 20;

export interface WebhookKeeperOptions {
  readonly store: WebhookStore;
  readonly mq: {
    follow(request: FollowRequest): AsyncIterable<Followed>;
    canonicalRepo(repo: RepoRef): RepoRef;
    listQueues(where: ListQueuesRequest): Promise<unknown>;
  };
  /** Encrypts the signing secrets and the bodies: `SECRET_KEY_BYTES`, the same for all replicas. */
  readonly key: Uint8Array;
  /** Why nothing is delivered to an address, as a phrase after "url"; null if it may be used. */
  readonly urlFault: (url: string) => string | null;
  readonly logger?: Logger;
}

export interface MadeWebhook extends KnownWebhook {
  /** The signing secret, shown only once; null if none was made, or the request was repeated. */
  readonly secret: string | null;
}

/**
 * The webhooks of a service. A holder manages the webhooks that its family of tokens created. Throws MergeQueueError
 * if a request is refused; the same for a webhook of others as for an unknown one. Safe for concurrent use, on many
 * replicas.
 */
export interface WebhookKeeper {
  /**
   * Creates a webhook, which gets events from now on. Refused with RIGHTS_EXCEEDED without the scope `read`, and with
   * WEBHOOKS_FULL at `WEBHOOKS_PER_TOKEN_LIMIT`.
   */
  create(holder: Holder, request: requests.CreateWebhookRequest): Promise<MadeWebhook>;
  /** Newest first. */
  list(
    holder: Holder,
    request: { readonly take?: number; readonly cursor?: string },
  ): Promise<Page<KnownWebhook>>;
  /** Changes what the request names. Enabling a webhook whose token has ended transfers it to the holder's token. */
  update(holder: Holder, request: requests.UpdateWebhookRequest): Promise<MadeWebhook>;
  /** Removes a webhook with its deliveries. One that does not exist is not an error. */
  remove(holder: Holder, webhookId: WebhookId): Promise<void>;
  /** Has an event of the type `TEST_EVENT_TYPE` delivered. Refused with WEBHOOK_DISABLED. */
  test(
    holder: Holder,
    request: {
      readonly webhookId: WebhookId;
      readonly idempotency?: { readonly id: string; readonly digest: string };
    },
  ): Promise<Delivery>;
  /** Newest first. */
  deliveries(holder: Holder, request: requests.ListDeliveriesRequest): Promise<Page<Delivery>>;
  /**
   * Has deliveries sent again, with the same id and body, at most `PAGE_LIMIT` per call, oldest first. Refused with
   * WEBHOOK_DISABLED.
   */
  replay(
    holder: Holder,
    request: requests.ReplayDeliveriesRequest,
  ): Promise<{ readonly count: number; readonly next: string | null }>;
}

export const webhookKeeper = (options: WebhookKeeperOptions): WebhookKeeper => new StoredWebhooks(options);

class StoredWebhooks implements WebhookKeeper {
  readonly #store: WebhookStore;
  readonly #box: SecretBox;
  readonly #logger: Logger;

  constructor(private readonly options: WebhookKeeperOptions) {
    [this.#store, this.#logger] = [options.store, options.logger ?? silentLogger];
    this.#box = new SecretBox(options.key);
  }

  async create(holder: Holder, request: requests.CreateWebhookRequest): Promise<MadeWebhook> {
    const valid = checked(requests.createWebhookRequest, request) as requests.CreateWebhookRequest;
    this.#refuseUrl(valid.url);
    await refuseUnknownHost(this.options.mq, valid.repo);
    const now = await this.#store.now();
    const id = idOfKey<WebhookId>('webhook', valid.idempotency);
    const secret = newSecret();
    const webhook: Webhook = {
      id,
      ...ownedBy(holder),
      url: valid.url,
      description: valid.description ?? '',
      format: valid.format ?? 'standard',
      types: valid.types ?? null,
      ...this.#where(valid.repo ?? null, valid.targetBranch ?? null),
      secrets: [{ sealed: this.#box.seal(secret, secretContext(id)), until: null }],
      createdAt: now,
      disabled: null,
      requests: valid.idempotency === undefined ? [] : [valid.idempotency],
      version: 1,
    };
    const cursor = await this.#cursorNow(holder, webhook);
    const outcome = await this.#store.addWebhook(webhook, { cursor, limit: WEBHOOKS_PER_TOKEN_LIMIT });
    switch (outcome) {
      case 'added':
        this.#logger.info({ by: holder.id, webhookId: id }, 'a webhook was made');
        return { ...(await this.#visible(holder, id)), secret };
      case 'exists':
        return this.#repeated(holder, webhook);
      case 'full':
        throw new MergeQueueError(
          'WEBHOOKS_FULL',
          `There are ${WEBHOOKS_PER_TOKEN_LIMIT} webhooks of this token.`,
        );
    }
  }

  async list(
    holder: Holder,
    request: { readonly take?: number; readonly cursor?: string },
  ): Promise<Page<KnownWebhook>> {
    const { take, cursor } = checked(requests.listWebhooksRequest, request);
    const limit = takenOf(take, DEFAULT_TAKE);
    return this.#store.webhooks({
      ...{ madeBy: holder.familyId, limit },
      ...(cursor === undefined ? {} : { cursor }),
    });
  }

  async update(holder: Holder, request: requests.UpdateWebhookRequest): Promise<MadeWebhook> {
    const valid = checked(requests.updateWebhookRequest, request) as requests.UpdateWebhookRequest;
    if (valid.url !== undefined) this.#refuseUrl(valid.url);
    await refuseUnknownHost(this.options.mq, valid.repo);
    for (let tries = 0; tries < REPLACE_TRIES; tries += 1) {
      const known = await this.#visible(holder, valid.webhookId);
      const { webhook } = known;
      const before = webhook.requests.find(({ id }) => id === valid.idempotency?.id);
      if (before !== undefined) {
        if (before.digest === valid.idempotency?.digest) return { ...known, secret: null };
        throw keyReused();
      }
      const secret = valid.rotateSecret === true ? newSecret() : null;
      const changed = this.#changed(holder, webhook, valid, { secret, now: await this.#store.now() });
      const cursor = await this.#cursorOf(holder, known, changed);
      if (await this.#store.replaceWebhook(changed, cursor === null ? {} : { cursor })) {
        this.#logger.info({ by: holder.id, webhookId: webhook.id }, 'a webhook was changed');
        return { ...(await this.#visible(holder, webhook.id)), secret };
      }
    }
    throw new Error(`the webhook ${valid.webhookId} changed ${REPLACE_TRIES} times while it was updated`);
  }

  async remove(holder: Holder, webhookId: WebhookId): Promise<void> {
    checked(requests.oneWebhookRequest, { webhookId });
    const known = await this.#store.webhook(webhookId);
    if (known === null || !isOf(holder, known.webhook)) return;
    await this.#store.removeWebhook(webhookId);
    this.#logger.info({ by: holder.id, webhookId }, 'a webhook was removed');
  }

  async test(
    holder: Holder,
    request: {
      readonly webhookId: WebhookId;
      readonly idempotency?: { readonly id: string; readonly digest: string };
    },
  ): Promise<Delivery> {
    const { webhookId, idempotency } = checked(requests.oneWebhookRequest, request);
    const { webhook } = await this.#visible(holder, webhookId as WebhookId);
    refuseDisabled(webhook);
    const now = await this.#store.now();
    const id = `msg_${idOfKey<string>('test delivery', idempotency)}` as DeliveryId;
    const delivery: Delivery = {
      ...{ id, webhookId: webhook.id, type: TEST_EVENT_TYPE, queueId: null, sequence: null, keys: [] },
      ...{ hasSecrets: false, createdAt: now, state: 'pending', tries: 0, nextAt: now, endedAt: null },
      ...{ log: [], version: 1 },
    };
    const sealedBody = this.#box.seal(testBody(webhook, now), bodyContext(id));
    await this.#store.addDelivery({ delivery, sealedBody });
    return delivery;
  }

  async deliveries(holder: Holder, request: requests.ListDeliveriesRequest): Promise<Page<Delivery>> {
    const { webhookId, states, take, cursor } = checked(requests.listDeliveriesRequest, request);
    const { webhook } = await this.#visible(holder, webhookId as WebhookId);
    return this.#store.deliveries({
      ...{ webhookId: webhook.id, limit: takenOf(take, DEFAULT_TAKE) },
      ...(states === undefined ? {} : { states }),
      ...(cursor === undefined ? {} : { cursor }),
    });
  }

  async replay(
    holder: Holder,
    request: requests.ReplayDeliveriesRequest,
  ): Promise<{ readonly count: number; readonly next: string | null }> {
    const valid = checked(requests.replayDeliveriesRequest, request);
    const { webhook } = await this.#visible(holder, valid.webhookId as WebhookId);
    refuseDisabled(webhook);
    const { deliveryIds, since, until, states, cursor } = valid;
    return this.#store.replay({
      ...{ webhookId: webhook.id, at: await this.#store.now(), limit: PAGE_LIMIT },
      ...(deliveryIds === undefined ? {} : { ids: deliveryIds as readonly string[] as DeliveryId[] }),
      ...(since === undefined ? {} : { since }),
      ...(until === undefined ? {} : { until }),
      ...(states === undefined ? {} : { states }),
      ...(cursor === undefined ? {} : { cursor }),
    });
  }

  #changed(
    holder: Holder,
    webhook: Webhook,
    asked: requests.UpdateWebhookRequest,
    { secret, now }: { readonly secret: string | null; readonly now: Instant },
  ): Webhook {
    const { url, description, format, types, enabled, idempotency } = asked;
    const repo = asked.repo === undefined ? webhook.repo : asked.repo;
    const branch = asked.targetBranch === undefined ? webhook.branch : asked.targetBranch;
    const isRevived = enabled === true && webhook.disabled !== null;
    return {
      ...webhook,
      ...(isRevived && webhook.disabled?.reason === 'token_ended' ? ownedBy(holder) : {}),
      ...(url === undefined ? {} : { url }),
      ...(description === undefined ? {} : { description }),
      ...(format === undefined ? {} : { format }),
      ...(types === undefined ? {} : { types }),
      ...this.#where(repo, branch),
      ...(isRevived ? { disabled: null } : {}),
      ...(enabled === false && webhook.disabled === null ? { disabled: { at: now, reason: 'owner' } } : {}),
      ...(secret === null ? {} : { secrets: this.#rotated(webhook, secret, now, asked.overlapSeconds) }),
      ...(idempotency === undefined
        ? {}
        : { requests: [idempotency, ...webhook.requests].slice(0, REQUESTS_KEPT_LIMIT) }),
      version: webhook.version + 1,
    };
  }

  #rotated(
    { id, secrets }: Webhook,
    secret: string,
    now: Instant,
    overlapSeconds = requests.SECRET_OVERLAP_DEFAULT_SECONDS,
  ): Webhook['secrets'] {
    const end = now + overlapSeconds * 1_000;
    const old = secrets
      .map(({ sealed, until }) => ({ sealed, until: Math.min(until ?? end, end) }))
      .filter(({ until }) => until > now);
    const current = { sealed: this.#box.seal(secret, secretContext(id)), until: null };
    return [current, ...old].slice(0, SECRETS_LIMIT);
  }

  #where(repo: RepoRef | null, branch: string | null): Pick<Webhook, 'repo' | 'branch'> {
    if (repo === null && branch !== null)
      throw new MergeQueueError('INVALID_REQUEST', 'A branch needs a repository.', [
        { path: ['targetBranch'], message: 'needs repo' },
      ]);
    return { repo: repo === null ? null : this.options.mq.canonicalRepo(repo), branch };
  }

  /** Where the events of a changed webhook go on; null if they just go on. */
  async #cursorOf(
    holder: Holder,
    { webhook, progress }: KnownWebhook,
    changed: Webhook,
  ): Promise<string | null> {
    if (webhook.disabled !== null && changed.disabled === null) return this.#cursorNow(holder, changed);
    if (isSameWhere(webhook, changed)) return null;
    return this.#cursorNow(holder, changed, { before: webhook, cursor: progress.cursor });
  }

  /** With `since`: queues that the webhook had before go on where its cursor is. */
  async #cursorNow(
    { repositories }: Holder,
    { repo, branch }: Webhook,
    since?: { readonly before: Webhook; readonly cursor: string },
  ): Promise<string> {
    const isHolders = (queue: Queue): boolean =>
      repositories?.some((one) => isSameRepo(one, queue.repo)) ?? true;
    const over = new AbortController();
    try {
      const follow = this.options.mq.follow({
        ...(repo === null ? {} : { repo }),
        ...(branch === null ? {} : { targetBranch: branch }),
        ...(since === undefined
          ? {}
          : { after: since.cursor, wasWanted: (queue) => isAt(since.before, queue) && isHolders(queue) }),
        isWanted: isHolders,
        signal: over.signal,
      });
      for await (const { cursor } of follow) return cursor;
    } finally {
      over.abort();
    }
    throw new MergeQueueError('CLOSED', 'The service is stopping.');
  }

  async #repeated(holder: Holder, asked: Webhook): Promise<MadeWebhook> {
    const known = await this.#store.webhook(asked.id);
    const [request] = asked.requests;
    const isSame =
      known !== null &&
      isOf(holder, known.webhook) &&
      known.webhook.createdAt >= asked.createdAt - ANSWERS_KEPT_MS &&
      known.webhook.requests.some(({ id, digest }) => id === request?.id && digest === request.digest);
    if (!isSame) throw keyReused();
    return { ...known, secret: null };
  }

  async #visible(holder: Holder, id: WebhookId): Promise<KnownWebhook> {
    const known = await this.#store.webhook(id);
    if (known === null || !isOf(holder, known.webhook))
      throw new MergeQueueError('WEBHOOK_NOT_FOUND', 'This token has no webhook of that id.');
    return known;
  }

  #refuseUrl(url: string): void {
    const fault = this.options.urlFault(url);
    if (fault !== null)
      throw new MergeQueueError('INVALID_REQUEST', `The url ${fault}.`, [{ path: ['url'], message: fault }]);
  }
}

const isAt = ({ repo, branch }: Webhook, queue: Queue): boolean =>
  (repo === null || isSameRepo(repo, queue.repo)) && (branch === null || branch === queue.branch);
