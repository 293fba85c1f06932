import type { EffectId, Instant, QueueId } from '../model/ids.js';
import type { RepoRef } from '../model/repo.js';
import type { QueueSettings } from '../model/settings.js';
import { applyRows, emptyState, type MutableQueueState, type Writes } from '../model/state.js';
import type { Incarnation, QueueDelta, Recall, Recalled, Store, Version } from '../ports/store.js';

export interface Loaded {
  readonly state: MutableQueueState;
  readonly version: Version;
  readonly delta: QueueDelta;
}

/** The cached state of one queue. It may be stale: each commit names the version that it is based on. */
export class WorkingSet {
  #state: MutableQueueState | null = null;
  #version: Version = 0;
  /** The incarnation of the store at the last read; null if it was never read. */
  #incarnation: Incarnation | null = null;
  /** The repository of the queue while it exists. Kept also when the rest is forgotten. */
  #repo: RepoRef | null = null;
  /** Whether the last read had no changes by other processes. */
  #isAlone = true;
  #loading: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly store: Store,
    readonly queueId: QueueId,
    private readonly ageingMsPerPoint: number,
    /** Called for each new incarnation of the store, with the previous one; null for the first. */
    private readonly onFound: (incarnation: Incarnation, was: Incarnation | null) => void,
    /** Called when a known queue no longer exists: it was deleted, or its creation was lost. */
    private readonly onGone: (repo: RepoRef) => void,
  ) {}

  /** True if no pull request was live at the last read or write of this process, or if it has not read the queue. */
  get isIdle(): boolean {
    return this.#state === null || this.#state.submissions.size === 0;
  }

  /** The settings at the last read or write of this process; null if it has not read the queue. */
  get settings(): QueueSettings | null {
    return this.#state?.queue.settings ?? null;
  }

  /** Null if the queue does not exist or was deleted. */
  load(recall: Recall): Promise<Loaded | null> {
    return this.see(recall, (loaded) => loaded);
  }

  /** Calls `look` in the same turn as the read. Later, the state may have changed, because it is updated in place. */
  see<Seen>(recall: Recall, look: (loaded: Loaded) => Seen): Promise<Seen | null> {
    // One at a time: a late delta would overwrite newer rows with older ones.
    const caughtUp = this.#loading.then(() => this.#catchUp(recall, look));
    this.#loading = caughtUp.catch(() => undefined);
    return caughtUp;
  }

  /**
   * The cached state without a read. Null if there is none, or if another process wrote to the queue lately, so that
   * the cache is probably stale.
   */
  remembered(now: Instant, recalled: Recalled): Loaded | null {
    const [state, version, incarnation] = [this.#state, this.#version, this.#incarnation];
    if (state === null || incarnation === null || !this.#isAlone) return null;
    const unchanged = { submissions: [], runs: [], targets: [], inbox: [] };
    return {
      state,
      version,
      delta: { version, incarnation, now, queue: state.queue, ...unchanged, recalled },
    };
  }

  async #catchUp<Seen>(recall: Recall, look: (loaded: Loaded) => Seen): Promise<Seen | null> {
    const delta = await this.#read(recall);
    if (delta === null) {
      if (this.#repo !== null) this.onGone(this.#repo);
      this.#repo = null;
      this.forget();
      return null;
    }
    this.#repo = delta.queue.repo;
    this.#isAlone = this.#state === null || delta.version === this.#version;
    this.#state ??= emptyState(delta.queue, this.ageingMsPerPoint);
    applyRows(this.#state, delta);
    this.#version = delta.version;
    return look({ state: this.#state, version: delta.version, delta });
  }

  /**
   * Reads what changed since the cached version; everything if the store is in another incarnation, because the cache
   * may contain commits that it has lost.
   */
  async #read(recall: Recall): Promise<QueueDelta | null> {
    for (;;) {
      const since = this.#version;
      const delta = await this.store.load(this.queueId, since, recall);
      // Forgotten meanwhile: a delta is not enough.
      if (this.#version !== since && this.#state === null) continue;
      const isSame = delta === null || delta.incarnation === this.#incarnation;
      const was = this.#incarnation;
      const isAllRead = this.#version === 0;
      if (delta !== null) this.#incarnation = delta.incarnation;
      if (!isSame) this.onFound(delta.incarnation, was);
      if (isSame || isAllRead) return delta;
      this.forget();
    }
  }

  /** Applies what this process has just committed with this version. */
  committed(writes: Writes, { version, incarnation }: Pick<QueueDelta, 'version' | 'incarnation'>): void {
    if (this.#state === null || incarnation !== this.#incarnation) return;
    this.#state.underWay.clear();
    if (version <= this.#version) return;
    applyRows(this.#state, writes);
    this.#version = version;
  }

  /** Records effects that the store did not withdraw. */
  noteUnderWay(effects: readonly EffectId[]): void {
    for (const effect of effects) this.#state?.underWay.add(effect);
  }

  /** Drops the cache, so that everything is read again: after any unexpected outcome. */
  forget(): void {
    this.#state = null;
    this.#version = 0;
  }
}
