import type { Signals } from './database.js';

/**
 * Notifies listeners in this and other processes that something was pushed or became due. Signals are sent after the
 * commit, one at a time: a NOTIFY inside the transaction would serialize the commits of the whole server.
 */
export class Hints {
  readonly #listeners = new Set<() => void>();
  #isScheduled = false;
  #sending = false;
  #again = false;
  #stop: (() => void) | null = null;

  constructor(
    private readonly signals: Signals | undefined,
    private readonly channel: string,
  ) {}

  listen(listener: () => void): () => void {
    const own = () => listener();
    this.#listeners.add(own);
    this.#stop ??= this.signals?.receive(this.channel, () => this.#notify()) ?? null;
    return () => {
      this.#listeners.delete(own);
      if (this.#listeners.size === 0) this.#unlisten();
    };
  }

  /** Sends one hint per turn, after it, because a listener may call the store. */
  give(): void {
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      queueMicrotask(() => {
        this.#isScheduled = false;
        this.#notify();
      });
    }
    this.#again = true;
    if (!this.#sending) void this.#send();
  }

  close(): void {
    this.#listeners.clear();
    this.#again = false;
    this.#unlisten();
  }

  #notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  #unlisten(): void {
    this.#stop?.();
    this.#stop = null;
  }

  async #send(): Promise<void> {
    this.#sending = true;
    while (this.#again) {
      this.#again = false;
      // A lost signal only costs time, since other processes poll as well.
      await this.signals?.send(this.channel).catch(() => undefined);
    }
    this.#sending = false;
  }
}
