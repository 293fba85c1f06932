import { createHmac, timingSafeEqual } from 'node:crypto';
import { MergeQueueError } from '../errors.js';
import { type Logger, silentLogger } from '../ports/logger.js';

/** The largest body that is read. */
export const INBOUND_BODY_LIMIT_BYTES = 20 * 1024 * 1024;
/** Ids of deliveries that are remembered, in each process. */
export const DELIVERIES_REMEMBERED = 2_000;
const DELIVERY_LIMIT_CHARS = 100;
const SIGNATURE_SHAPE = /^[0-9a-f]{64}$/i;

export interface InboundRequest {
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The bytes as they came: the signature is over them. */
  readonly body: Uint8Array;
}

export interface InboundAnswer {
  readonly status: 200 | 400 | 401 | 413 | 503;
  readonly message: string;
}

/** The headers in which a host sends these, in lower case. The first that is there counts. */
export interface InboundHeaders {
  /** HMAC-SHA256 of the body, in hexadecimal digits, with or without `sha256=` before them. */
  readonly signature: readonly string[];
  readonly delivery: readonly string[];
  readonly event: readonly string[];
}

export interface InboundOptions<Event> {
  readonly headers: InboundHeaders;
  /** The secrets that sign events, asked for each request, so that one can be replaced while the program runs. */
  readonly secrets: () => readonly string[];
  /** The events in a payload, or why there is none that matters. Must not throw. */
  readonly read: (event: string, payload: unknown) => readonly Event[] | { readonly ignored: string };
  /** Takes an event: resolves once it is durable. Rejections are answered 503, so that the host sends it again. */
  readonly take: (event: Event) => unknown;
  readonly logger?: Logger;
}

/** Answers a request of a code host. Safe for concurrent use; never rejects. */
export type InboundReceiver = (request: InboundRequest) => Promise<InboundAnswer>;

/**
 * Makes a receiver. In this order: 413 for a body beyond the limit; 401 unless the signature over the raw body is right,
 * compared in constant time, before anything of the body is parsed; 400 for what is no JSON; 200 for everything else. A
 * delivery that was taken before is answered 200 and ignored.
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
    if (payload === undefined) return { status: 400, message: 'The body is no JSON.' };
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
  // Every secret is tried, so that the time does not show which one matched.
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
