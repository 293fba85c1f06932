import type { Batch, EventReader } from './event-reader.js';

/** A stream that can be given the events of a channel. */
export interface Member {
  /** Where the stream is. */
  readonly cursor: string;
  /**
   * From now on the channel gives it all events after its cursor, from this reader. Its own reader is no longer
   * needed.
   */
  joined(reader: EventReader): void;
  deliver(batch: Batch): void;
  /** There are no more events; with a fault if they cannot be read. */
  ended(fault: { readonly error: unknown } | null): void;
}

/**
 * Lets streams that are at the same place and want the same events share one reader: 200 open pages cost one read per event,
 * and a write per page.
 */
export class EventChannels {
  readonly #channels = new Map<string, Channel>();

  /**
   * Adds a stream that has read everything that is there with its own reader. It is a member from the call of `joined` on: at
   * once, or when both are at the same place. The first one gives its reader to the channel.
   */
  join(key: string, member: Member, reader: EventReader): void {
    const channel = this.#channels.get(key);
    if (channel !== undefined) return channel.add(member);
    const opened: Channel = new Channel(member.cursor, reader, () => {
      if (this.#channels.get(key) === opened) this.#channels.delete(key);
    });
    this.#channels.set(key, opened);
    opened.add(member);
  }

  /** Does nothing if the stream is not there. */
  leave(key: string, member: Member): void {
    this.#channels.get(key)?.remove(member);
  }
}

class Channel {
  readonly #members = new Set<Member>();
  /** Streams that have read everything, but are not where this channel is yet. */
  readonly #near = new Set<Member>();

  constructor(
    private cursor: string,
    private readonly reader: EventReader,
    private readonly onEnd: () => void,
  ) {
    void this.#read();
  }

  add(member: Member): void {
    this.#near.add(member);
    this.#admit();
  }

  remove(member: Member): void {
    this.#near.delete(member);
    if (this.#members.delete(member) && this.#members.size === 0) this.#end();
  }

  /** All readers at one cursor get the same events. */
  #admit(): void {
    for (const member of this.#near)
      if (member.cursor === this.cursor) {
        this.#near.delete(member);
        this.#members.add(member);
        member.joined(this.reader);
      }
  }

  async #read(): Promise<void> {
    let fault: { readonly error: unknown } | null = null;
    try {
      for (let batch = await this.reader.next(); batch !== null; batch = await this.reader.next()) {
        this.cursor = batch.cursor;
        for (const member of this.#members) member.deliver(batch);
        this.#admit();
      }
    } catch (error) {
      fault = { error };
    }
    const members = [...this.#members];
    this.#end();
    for (const member of members) member.ended(fault);
  }

  #end(): void {
    this.#members.clear();
    this.#near.clear();
    this.reader.end();
    this.onEnd();
  }
}
