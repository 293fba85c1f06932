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

/** What this process remembers of one queue. It is never trusted: each commit names the version that it was decided on. */
export class WorkingSet {
  #state: MutableQueueState | null = null;
  #version: Version = 0;
  /** Of the store when it was last read; null where it never was. */
  #incarnation: Incarnation | null = null;
  /** Of the queue, for as long as it is there; known also while nothing else is. */
  #repo: RepoRef | null = null;
  /** Whether the last read told of nothing that others have written. */
  #isAlone = true;
  #loading: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly store: Store,
    readonly queueId: QueueId,
    private readonly ageingMsPerPoint: number,
    /** Told of each incarnation in which the store is found, and of the one before it; null for the first. */
    private readonly onFound: (incarnation: Incarnation, was: Incarnation | null) => void,
    /** Told when a queue that was known is there no more: it was deleted, or its creation was lost. */
    private readonly onGone: (repo: RepoRef) => void,
  ) {}

  /** As they were when this process last read or wrote the queue; null where it knows nothing of it. */
  get settings(): QueueSettings | null {
    return this.#state?.queue.settings ?? null;
  }

  /** Null where the queue does not exist or was deleted. */
  load(recall: Recall): Promise<Loaded | null> {
    return this.see(recall, (loaded) => loaded);
  }

  /** What is seen by a look in the very turn in which it was read: later the state may have gone on, which is patched in place. */
  see<Seen>(recall: Recall, look: (loaded: Loaded) => Seen): Promise<Seen | null> {
    // One after another: a delta that comes late would put older rows over newer ones.
    const seen = this.#loading.then(() => this.#catchUp(recall, look));
    this.#loading = seen.catch(() => undefined);
    return seen;
  }

  /**
   * As it was when this process last read or wrote it, with nothing that came since, and what is known of the past; null
   * where it knows nothing, or where somebody else wrote to it lately: then it has likely gone on.
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

  /** What changed since; all of it where the store has lost what it had confirmed: what is remembered may be of that. */
  async #read(recall: Recall): Promise<QueueDelta | null> {
    for (;;) {
      const since = this.#version;
      const delta = await this.store.load(this.queueId, since, recall);
      // Forgotten meanwhile: what changed since is not all that there is.
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

  /** What was just committed by this process, at this version. */
  committed(writes: Writes, { version, incarnation }: Pick<QueueDelta, 'version' | 'incarnation'>): void {
    if (this.#state === null || incarnation !== this.#incarnation) return;
    this.#state.underWay.clear();
    if (version <= this.#version) return;
    applyRows(this.#state, writes);
    this.#version = version;
  }

  /** Wishes that the store would not take back. */
  noteUnderWay(effects: readonly EffectId[]): void {
    for (const effect of effects) this.#state?.underWay.add(effect);
  }

  /** Starts over from the store: after anything that was not understood. */
  forget(): void {
    this.#state = null;
    this.#version = 0;
  }
}
