import { Readable } from 'node:stream';
import type { QueueRef } from '@mq/core';
import type { FastifyBaseLogger } from 'fastify';
import type { EventChannels, Member } from './event-channels.js';
import { type Batch, contentKeyOf, EventReader, type EventReaderParts } from './event-reader.js';
import { TOKEN_CHECK_MS } from './operation.js';
import type { SnapshotFeeds, SnapshotReader } from './snapshot-feeds.js';

export const EVENT_STREAM_CONTENT_TYPE = 'text/event-stream; charset=utf-8';
/** Interval of heartbeats, which keep proxies and clients from closing an idle stream. */
export const HEARTBEAT_MS = 15_000;
/** Timeout of a client that reads nothing. It may reconnect and resume with the id of its last event. */
export const SLOW_CLIENT_MS = 30_000;
/** What is sent, but not read yet. */
const UNREAD_BYTES_LIMIT = 16_384;
/** Reconnection delay that clients are given. */
const RETRY_MS = 1_000;

export interface StreamParts extends EventReaderParts {
  /** Resume behind this cursor; from now on by default. */
  readonly after: string | undefined;
  readonly channels: EventChannels;
  readonly feeds: SnapshotFeeds;
  /** The queue whose snapshot is sent too, and the version that the client has; null for none. */
  readonly shown: { readonly ref: QueueRef; readonly version: string | null } | null;
  /** Aborts when the service stops. */
  readonly closing: AbortSignal;
  /** Rejects if the token is revoked or expired. */
  readonly requireStillValid: () => Promise<void>;
  readonly log: Pick<FastifyBaseLogger, 'warn'>;
}

/**
 * Streams committed events as text/event-stream. The stream ends when the service stops, when the token becomes invalid, or
 * when the client reads nothing for `SLOW_CLIENT_MS`. Rejects before the first byte if the request cannot be served.
 */
export const eventStream = async (parts: StreamParts): Promise<Readable> => {
  const reader = new EventReader(parts, parts.after);
  const first = await reader.next();
  return new EventStream(parts, reader, first);
};

/** Reads by itself until it has caught up. From then on it gets the rows of the shared reader. */
class EventStream extends Readable implements Member {
  cursor: string;
  readonly #key: string;
  /** Null while it is a member of a channel. */
  #own: EventReader | null;
  #membership: Promise<void> = Promise.resolve();
  #left: () => void = () => undefined;
  #unread: Promise<void> = Promise.resolve();
  #drained: (() => void) | null = null;
  #isOver = false;
  /** Read, but not sent yet; empty unless the client asked for a pause between messages. */
  #unsent: Uint8Array[] = [];
  #heldTimer: NodeJS.Timeout | null = null;
  /** Runs while the client has to read before more is sent. */
  #slowTimer: NodeJS.Timeout | null = null;
  readonly #snapshots: SnapshotReader | null;
  readonly #timers: NodeJS.Timeout[];

  constructor(
    private readonly parts: StreamParts,
    reader: EventReader,
    first: Batch | null,
  ) {
    super({ highWaterMark: UNREAD_BYTES_LIMIT });
    this.#key = contentKeyOf(parts);
    this.#own = reader;
    this.cursor = first?.cursor ?? '';
    this.#timers = [
      setInterval(() => this.#beat(), HEARTBEAT_MS),
      setInterval(() => this.#checkToken(), TOKEN_CHECK_MS),
    ];
    parts.closing.addEventListener('abort', this.#finish, { once: true });
    this.push(`retry: ${RETRY_MS}\nid: ${this.cursor}\n\n`);
    const { feeds, shown, principal } = parts;
    const isAnonymous = principal.isAnonymous === true;
    this.#snapshots = shown && { ...shown, isAnonymous, give: (text) => this.#giveSnapshot(text) };
    if (this.#snapshots !== null) feeds.add(this.#snapshots);
    void this.#pump(reader, first);
    if (parts.closing.aborted) this.#finish();
  }

  override _read(): void {
    clearTimeout(this.#slowTimer ?? undefined);
    this.#slowTimer = null;
    const drained = this.#drained;
    this.#drained = null;
    drained?.();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#stop();
    this.#drained?.();
    callback(error);
  }

  joined(reader: EventReader): void {
    if (this.#own !== reader) this.#own?.end();
    this.#own = null;
    this.#membership = new Promise((resolve) => {
      this.#left = resolve;
    });
  }

  deliver(batch: Batch): void {
    if (!this.#write(batch)) this.#leaveChannel();
  }

  /** A client that has to read first is alone until it has caught up. */
  #leaveChannel(): void {
    this.parts.channels.leave(this.#key, this);
    this.#left();
  }

  ended(fault: { readonly error: unknown } | null): void {
    if (fault !== null) this.#warn(fault.error);
    this.#finish();
  }

  async #pump(reader: EventReader, first: Batch | null): Promise<void> {
    try {
      let [own, batch] = [reader, first];
      while (await this.#catchUp(own, batch)) {
        await this.#membership;
        await this.#drain();
        if (this.#isOver) break;
        own = new EventReader(this.parts, this.cursor);
        this.#own = own;
        batch = await own.next();
      }
    } catch (error) {
      this.#warn(error);
    }
    this.#finish();
  }

  /** Resolves with true once it is a member of its channel, and with false if there are no more events. */
  async #catchUp(own: EventReader, first: Batch | null): Promise<boolean> {
    const { channels } = this.parts;
    for (let batch = first; ; batch = await own.next()) {
      // A batch that was awaited meanwhile is read by the channel too.
      if (this.#own === null) return true;
      channels.leave(this.#key, this);
      if (batch === null || this.#isOver) return false;
      if (!this.#write(batch)) await this.#drain();
      else if (batch.isLast) channels.join(this.#key, this, own);
      if (this.#own === null) return true;
    }
  }

  /** After all of its bytes a client is at the cursor. False if the client has to read first. */
  #write({ bytes, cursor }: Batch): boolean {
    this.cursor = cursor;
    return this.#isOver || bytes.length === 0 || this.#send(bytes);
  }

  /** At once, or together with later messages once the pause is over. False if the client has to read first. */
  #send(bytes: Uint8Array): boolean {
    this.#unsent.push(bytes);
    const { restMs = 0 } = this.parts.request;
    const unsentBytes = this.#unsent.reduce((sum, { length }) => sum + length, 0);
    if (restMs === 0 || unsentBytes >= UNREAD_BYTES_LIMIT) return this.#sendHeld();
    this.#heldTimer ??= setTimeout(() => {
      if (!this.#sendHeld()) this.#leaveChannel();
    }, restMs);
    return true;
  }

  #sendHeld(): boolean {
    clearTimeout(this.#heldTimer ?? undefined);
    this.#heldTimer = null;
    const [bytes, ...more] = this.#unsent.splice(0);
    if (bytes === undefined || this.push(more.length === 0 ? bytes : Buffer.concat([bytes, ...more])))
      return true;
    this.#unread = new Promise((resolve) => {
      this.#drained = resolve;
    });
    this.#slowTimer ??= setTimeout(() => this.destroy(), SLOW_CLIENT_MS);
    return false;
  }

  #giveSnapshot(text: string): boolean {
    if (this.#isOver || this.#drained !== null) return false;
    if (!this.#send(Buffer.from(text))) this.#leaveChannel();
    return true;
  }

  async #drain(): Promise<void> {
    await this.#unread;
  }

  /** Sends a heartbeat with the current cursor, so that a resuming client does not read filtered-out rows again. */
  #beat(): void {
    if (this.#drained !== null || this.#isOver) return;
    this.#unsent.push(Buffer.from(`id: ${this.cursor}\n\n`));
    if (!this.#sendHeld()) this.#leaveChannel();
  }

  #checkToken(): void {
    this.parts.requireStillValid().catch(this.#finish);
  }

  #warn(error: unknown): void {
    this.parts.log.warn({ err: error }, 'a stream of events ended early; its client resumes it');
  }

  readonly #finish = (): void => {
    if (this.#isOver) return;
    this.#sendHeld();
    this.#stop();
    this.push(null);
  };

  #stop(): void {
    this.#isOver = true;
    for (const timer of [this.#heldTimer, this.#slowTimer]) clearTimeout(timer ?? undefined);
    if (this.#snapshots !== null) this.parts.feeds.remove(this.#snapshots);
    for (const timer of this.#timers) clearInterval(timer);
    this.parts.closing.removeEventListener('abort', this.#finish);
    this.#own?.end();
    this.parts.channels.leave(this.#key, this);
    this.#left();
  }
}
