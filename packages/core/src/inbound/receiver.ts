import { createHmac, timingSafeEqual } from 'node:crypto';
import { MergeQueueError } from '../errors.js';
import { type Logger, silentLogger } from '../ports/logger.js';

/** Max size of a body. */
export const INBOUND_BODY_LIMIT_BYTES = 20 * 1024 * 1024;
/** Max ids of deliveries that each process remembers, to deduplicate. */
export const DELIVERIES_REMEMBERED = 2_000;
const DELIVERY_LIMIT_CHARS = 100;
const SIGNATURE_SHAPE = /^[0-9a-f]{64}$/i;

export interface InboundRequest {
  /** Keyed by name in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The raw bytes, because the signature covers them. */
  readonly body: Uint8Array;
}

export interface InboundAnswer {
  readonly status: 200 | 400 | 401 | 413 | 503;
  readonly message: string;
}

/** The names of a host's headers, in lower case. The first one present counts. */
export interface InboundHeaders {
  /** HMAC-SHA256 of the body, in hexadecimal digits, with or without `sha256=` before them. */
  readonly signature: readonly string[];
  readonly delivery: readonly string[];
  readonly event: readonly string[];
}

export interface InboundOptions<Event> {
  readonly headers: InboundHeaders;
  /** The valid secrets. Called for each request, so that secrets can be rotated at run time. */
  readonly secrets: () => readonly string[];
  /** Returns the events in a payload, or why it is ignored. Must not throw. */
  readonly read: (event: string, payload: unknown) => readonly Event[] | { readonly ignored: string };
  /** Stores an event; resolves once it is durable. A rejection is answered with 503, so that the host redelivers. */
  readonly take: (event: Event) => unknown;
  readonly logger?: Logger;
}

/** Handles a request of a code host. Safe for concurrent use; never rejects. */
export type InboundReceiver = (request: InboundRequest) => Promise<InboundAnswer>;

/**
 * Creates a receiver. It answers, in this order: 413 for a body beyond the limit; 401 for a wrong signature, compared in
 * constant time before the body is parsed; 400 for invalid JSON; 503 if an event could not be stored; else 200. A repeated
 * delivery is answered with 200 and ignored.
 */
export const inboundReceiver = <Event>(options: InboundOptions<Event>): InboundReceiver => {
  const { headers: names, secrets, read, take, logger = silentLogger } = options;
  const taken = new Set<string>();
  return async (request) => {
    const { body } = request;
    const header = headerIn(request);
    if (body.length > INBOUND_BODY_LIMIT_BYTES) return { status: 413, message: 'The body is too large.' };
    if (!isSigned(secrets(), header(names.signature), body))
      return { status: 401, message: 'The signature is missing or wrong.' };
    const payload = jsonOf(body);
    if (payload === undefined) return { status: 400, message: 'The body is not JSON.' };
    const delivery = header(names.delivery).slice(0, DELIVERY_LIMIT_CHARS + 1);
    if (taken.has(delivery)) return ignored('this delivery was read before');
    const events = read(header(names.event), payload);
    try {
      if (isRead(events)) for (const event of events) await take(event);
    } catch (error) {
      if (error instanceof MergeQueueError && error.code === 'INVALID_REQUEST') {
        logger.warn({ error }, 'an event of a code host has an unknown shape and is ignored');
        return ignored('its shape is unknown');
      }
      logger.warn({ error }, 'an event of a code host could not be stored; the host has to send it again');
      return { status: 503, message: 'The event could not be stored. Send it again.' };
    }
    remember(taken, delivery);
    return isRead(events) ? { status: 200, message: 'Noted.' } : ignored(events.ignored);
  };
};

type Read<Event> = ReturnType<InboundOptions<Event>['read']>;

const isRead = <Event>(events: Read<Event>): events is readonly Event[] => Array.isArray(events);

const ignored = (why: string): InboundAnswer => ({ status: 200, message: `Ignored: ${why}.` });

const headerIn =
  ({ headers }: InboundRequest) =>
  (names: readonly string[]): string => {
    const found = names.map((name) => headers[name]).find((value) => value !== undefined);
    return typeof found === 'string' ? found : (found?.[0] ?? '');
  };

const isSigned = (secrets: readonly string[], header: string, body: Uint8Array): boolean => {
  const signature = header.replace(/^sha256=/, '');
  if (!SIGNATURE_SHAPE.test(signature)) return false;
  const given = Buffer.from(signature, 'hex');
  // Tries every secret, so that the time does not reveal which one matched.
  const matches = secrets
    .filter((secret) => secret !== '')
    .map((secret) => timingSafeEqual(createHmac('sha256', secret).update(body).digest(), given));
  return matches.includes(true);
};

const jsonOf = (body: Uint8Array): unknown => {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'));
  } catch {
    return undefined;
  }
};

const remember = (taken: Set<string>, delivery: string): void => {
  if (delivery === '' || delivery.length > DELIVERY_LIMIT_CHARS) return;
  taken.add(delivery);
  const [oldest] = taken;
  if (taken.size > DELIVERIES_REMEMBERED && oldest !== undefined) taken.delete(oldest);
};
