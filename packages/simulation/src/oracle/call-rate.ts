import type { Instant } from '@mq/core';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/** About four times the maximum of a sound engine in 40 worlds, with retries and a second queue. */
const SAME_PER_SECOND = 20;
const SAME_PER_MINUTE = 90;
const ALL_PER_MINUTE = 900;

/** The calls of one process to the host: whatever the answers are, no call is repeated without an event or a pause. */
export class CallRate {
  /** The times of each call in the last minute, oldest first. */
  readonly #same = new Map<string, Instant[]>();
  #all: Instant[] = [];
  /** The times of the events of the host in the last minute. */
  #events: Instant[] = [];

  /** Each event may cause one call. */
  heardEvent(now: Instant): void {
    this.#events = [...this.#events.filter((at) => now - at < MINUTE_MS), now];
  }

  faultsOf(method: string, args: readonly unknown[], now: Instant): readonly string[] {
    const question = `${method} ${JSON.stringify(args)}`;
    const isRecent = (at: Instant) => now - at < MINUTE_MS;
    // Each request of a client may cause one call, also if many requests come at the same time.
    const isOfClient = method === 'hasRepository' || args.some(isUrgent);
    const same = isOfClient ? [] : [...(this.#same.get(question) ?? []).filter(isRecent), now];
    this.#same.set(question, same);
    this.#all = [...this.#all.filter(isRecent), now];
    const countInASecond = (times: readonly Instant[]) => times.filter((at) => now - at < SECOND_MS).length;
    const inASecond = countInASecond(same);
    return [
      ...(inASecond > SAME_PER_SECOND + countInASecond(this.#events)
        ? [`${method} was called ${inASecond} times within a second.`]
        : []),
      ...(same.length > SAME_PER_MINUTE + this.#events.filter(isRecent).length
        ? [`${method} was called ${same.length} times within a minute.`]
        : []),
      ...(this.#all.length > ALL_PER_MINUTE ? [`${this.#all.length} calls within a minute.`] : []),
    ];
  }
}

const isUrgent = (arg: unknown): boolean => typeof arg === 'object' && arg !== null && 'isUrgent' in arg;
