import type { Answer, Commit, Instant, Queue, Store } from '@mq/core';
import { type MemoryStore, memoryStore } from '@mq/store-memory';

/** A write to a queue that the store accepted. */
export type Taken =
  | { readonly kind: 'created'; readonly queue: Queue; readonly answer: Answer | null }
  | { readonly kind: 'committed'; readonly commit: Commit; readonly version: number };

interface Entry {
  /** The time of the write by the world's clock; `storeAt` by the store's. */
  readonly at: Instant;
  readonly storeAt: Instant;
  /** Performs the write again; rejects if the outcome differs. */
  readonly again: (store: MemoryStore) => Promise<Taken | null>;
}

/** A store with a lagging replica. When the replica takes over, writes that it has not received are lost, even confirmed ones. */
export class ReplicatedStore {
  #memory: MemoryStore;
  #entries: Entry[] = [];
  #incarnations = 1;
  /** The latest time of the store, which never goes back. */
  #latest: Instant = 0;
  /** During a replay: the original time of the write; null otherwise. */
  #replayed: Instant | null = null;
  readonly #listeners = new Set<() => void>();

  constructor(
    private readonly clock: { now(): Instant },
    private readonly storeNow: () => Instant,
    /** False if no write is ever lost: then nothing is recorded. */
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
    const outcome = await this.#memory.createQueue(queue, wakeAt, answer);
    if (outcome === 'created')
      this.#note(async (store) => {
        if ((await store.createQueue(queue, wakeAt, answer)) !== outcome) throw diverged('createQueue');
        return { kind: 'created', queue, answer };
      });
    return outcome;
  };

  /** Records a commit that went through; its replay ignores the incarnation. */
  commit: Store['commit'] = async (commit) => {
    const outcome = await this.#memory.commit(commit);
    if (outcome.kind === 'committed')
      this.#note(async (store) => {
        const again = await store.commit({ ...commit, incarnation: null });
        if (again.kind !== 'committed' || again.version !== outcome.version) throw diverged('commit');
        return { kind: 'committed', commit, version: again.version };
      });
    return outcome;
  };

  push: Store['push'] = (...args) => this.#also((store) => store.push(...args));
  lease: Store['lease'] = (...args) => this.#also((store) => store.lease(...args));
  renew: Store['renew'] = (...args) => this.#also((store) => store.renew(...args));
  settle: Store['settle'] = (...args) => this.#also((store) => store.settle(...args));
  postpone: Store['postpone'] = (...args) => this.#also((store) => store.postpone(...args));
  due: Store['due'] = (...args) => this.#also((store) => store.due(...args));

  /** The replica takes over with all writes up to `until`. Returns the writes to queues that it has. */
  async failOver(until: Instant): Promise<readonly Taken[]> {
    this.#entries = this.#entries.filter(({ at }) => at <= until);
    this.#incarnations += 1;
    this.#memory = this.#open();
    const entries = this.#entries.map(({ storeAt, again }) => {
      this.#replayed = storeAt;
      return again(this.#memory);
    });
    this.#replayed = null;
    return (await Promise.all(entries)).filter((one) => one !== null);
  }

  #open(): MemoryStore {
    const now = () => this.#replayed ?? this.#now();
    const memory = memoryStore({ clock: { now }, incarnation: this.incarnation });
    memory.onWake?.(() => {
      for (const listener of [...this.#listeners]) listener();
    });
    return memory;
  }

  #now(): Instant {
    this.#latest = Math.max(this.#latest, this.storeNow());
    return this.#latest;
  }

  async #also<Value>(write: (store: MemoryStore) => Promise<Value>): Promise<Value> {
    const done = await write(this.#memory);
    this.#note(async (store) => {
      if (JSON.stringify(await write(store)) !== JSON.stringify(done)) throw diverged(String(write));
      return null;
    });
    return done;
  }

  #note(again: Entry['again']): void {
    if (this.isFollowed) this.#entries.push({ at: this.clock.now(), storeAt: this.#latest, again });
  }
}

const diverged = (what: string): Error => new Error(`The replica of the store diverged: ${what}`);
