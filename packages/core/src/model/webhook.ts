import type { DeliveryId, Instant, QueueId, TokenId, WebhookId } from './ids.js';
import type { RepoRef } from './repo.js';
import type { Maker } from './token.js';

export const webhookFormats = ['standard', 'slack'] as const;
export type WebhookFormat = (typeof webhookFormats)[number];

export const webhookStops = ['owner', 'failing', 'gone', 'token_ended', 'secret_unreadable'] as const;
/**
 * Why nothing is delivered: its owner disabled it, it failed for too long, it answered 410, its token was revoked or
 * expired, or its secrets cannot be decrypted.
 */
export type WebhookStop = (typeof webhookStops)[number];

/** A signing secret, encrypted. */
export interface SealedSecret {
  readonly sealed: string;
  /** When it stops being used; null for the current one. */
  readonly until: Instant | null;
}

/** Where events are delivered, as its owner has set it. */
export interface Webhook {
  readonly id: WebhookId;
  /** The token that made it. It gets what that token may read, or the one that replaced it. */
  readonly tokenId: TokenId;
  /** The tokens that may manage it: its token and the makers of that one, outermost first. */
  readonly makers: readonly Maker[];
  readonly url: string;
  readonly description: string;
  readonly format: WebhookFormat;
  /** The event types that it gets; null for all. */
  readonly types: readonly string[] | null;
  /** The repository, by its canonical name, and the branch that it is limited to; null for all. */
  readonly repo: RepoRef | null;
  readonly branch: string | null;
  /** Newest first, never empty. */
  readonly secrets: readonly SealedSecret[];
  readonly createdAt: Instant;
  /** Null while events are delivered. */
  readonly disabled: { readonly at: Instant; readonly reason: WebhookStop } | null;
  /** The requests with an idempotency key that changed it last, newest first. */
  readonly requests: readonly { readonly id: string; readonly digest: string }[];
  /** Starts at 1 and increases by 1 with every change. */
  readonly version: number;
}

/** What the sender of a webhook records about it. */
export interface WebhookProgress {
  /** The cursor of `follow` up to which events were recorded as deliveries. */
  readonly cursor: string;
  readonly lastSuccessAt: Instant | null;
  /** When the first delivery failed after the last success; null if none has failed since. */
  readonly failingSince: Instant | null;
  readonly lastFailure: string | null;
}

/** One try of a delivery. */
export interface DeliveryTry {
  readonly at: Instant;
  readonly tookMs: number;
  /** The HTTP status; null if there was no answer. */
  readonly status: number | null;
  /** Why it failed; null if it succeeded. */
  readonly error: string | null;
  /** The beginning of the answer; null if none was kept. */
  readonly answer: string | null;
}

export const deliveryStates = ['pending', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** One event for one webhook. Its body never changes. */
export interface Delivery {
  /** The same for every try, and for a replay. */
  readonly id: DeliveryId;
  readonly webhookId: WebhookId;
  readonly type: string;
  /** The row of the history; null for a test delivery. */
  readonly queueId: QueueId | null;
  readonly sequence: number | null;
  /** Deliveries that share a key are kept in order. */
  readonly keys: readonly string[];
  /** True if the body has report tokens: no answer is kept then, since the receiver might repeat them. */
  readonly hasSecrets: boolean;
  readonly createdAt: Instant;
  readonly state: DeliveryState;
  /** Tries since it was recorded or replayed. */
  readonly tries: number;
  /** When the next try is due; null unless pending. */
  readonly nextAt: Instant | null;
  readonly endedAt: Instant | null;
  /** The last tries, oldest first, at most `DELIVERY_LOG_LIMIT`. */
  readonly log: readonly DeliveryTry[];
  /** Starts at 1 and increases by 1 with every change. */
  readonly version: number;
}

export const DELIVERY_LOG_LIMIT = 10;

/** The tries during which a pending delivery holds back later ones with the same key. */
export const ORDERED_TRIES = 3;

/** True if it holds back later deliveries that share a key. */
export const holdsOthers = ({ state, tries }: Pick<Delivery, 'state' | 'tries'>): boolean =>
  state === 'pending' && tries < ORDERED_TRIES;
