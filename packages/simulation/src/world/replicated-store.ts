import type { Answer, Commit, Instant, Queue, Store } from '@mq/core';
import { type MemoryStore, memoryStore } from '@mq/store-memory';

/** What was done to a queue, in the order in which the store took it. */
export type Taken =
  | { readonly kind: 'created'; readonly queue: Queue; readonly answer: Answer | null }
  | { readonly kind: 'committed'; readonly commit: Commit; readonly version: number };

interface Entry {
  /** By the world's clock, and by the store's. */
  readonly at: Instant;
  readonly storeAt: Instant;
  readonly write: (store: MemoryStore) => Promise<Taken | null>;
}

/** A store that a replica follows at a distance: when it takes over, what had not come through is lost, confirmed or not. */
export class ReplicatedStore {
  #memory: MemoryStore;
  #entries: Entry[] = [];
  #incarnations = 1;
  /** While what was written is written again: the time at which that was. */
  #replayed: Instant | null = null;
  readonly #listeners = new Set<() => void>();

  constructor(
    private readonly clock: { now(): Instant },
    private readonly storeNow: () => Instant,
    /** False where nothing is ever lost: then nothing is written down. */
    private readonly isFollowed: boolean,
  ) {
    this.#memory = this.#open();
  }

  get memory(): MemoryStore {
    return this.#memory;
  }

  get incarnation(): string {
    return String(this.#incarnations);
  }

  onWake(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  createQueue: Store['createQueue'] = async (queue, wakeAt, answer) => {
    const write = async (store: MemoryStore) => {
      const outcome = await store.createQueue(queue, wakeAt, answer);
      return outcome === 'created' ? ({ kind: 'created', queue, answer } as const) : null;
    };
    return (await this.#write(write)) === null ? 'exists' : 'created';
  };

  commit: Store['commit'] = async (commit) => {
    const outcome = this.#memory.commit(commit);
    this.#note(async (store) => {
      const again = await store.commit(commit);
      return again.kind === 'committed' ? { kind: 'committed', commit, version: again.version } : null;
    });
    return outcome;
  };

  push: Store['push'] = (...args) => this.#also((store) => store.push(...args));
  lease: Store['lease'] = (...args) => this.#also((store) => store.lease(...args));
  renew: Store['renew'] = (...args) => this.#also((store) => store.renew(...args));
  settle: Store['settle'] = (...args) => this.#also((store) => store.settle(...args));
  postpone: Store['postpone'] = (...args) => this.#also((store) => store.postpone(...args));
  due: Store['due'] = (...args) => this.#also((store) => store.due(...args));

  /** The replica takes over, which knows what was written until then. Answers what it knows of queues. */
  async failOver(until: Instant): Promise<readonly Taken[]> {
    this.#entries = this.#entries.filter(({ at }) => at <= until);
    this.#incarnations += 1;
    this.#memory = this.#open();
    const taken = this.#entries.map(({ storeAt, write }) => {
      this.#replayed = storeAt;
      return write(this.#memory).catch(() => null);
    });
    this.#replayed = null;
    return (await Promise.all(taken)).filter((one) => one !== null);
  }

  #open(): MemoryStore {
    const now = () => this.#replayed ?? this.storeNow();
    const memory = memoryStore({ clock: { now }, incarnation: this.incarnation });
    memory.onWake?.(() => {
      for (const listener of [...this.#listeners]) listener();
    });
    return memory;
  }

  #also<Value>(write: (store: MemoryStore) => Promise<Value>): Promise<Value> {
    const done = write(this.#memory);
    this.#note((store) => write(store).then(() => null));
    return done;
  }

  #write(write: Entry['write']): Promise<Taken | null> {
    const done = write(this.#memory);
    this.#note(write);
    return done;
  }

  #note(write: Entry['write']): void {
    if (this.isFollowed) this.#entries.push({ at: this.clock.now(), storeAt: this.storeNow(), write });
  }
}
