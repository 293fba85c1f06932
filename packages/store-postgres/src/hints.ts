import type { Signals } from './database.js';

/**
 * Tells listeners in this process, and other processes, that something was pushed or became due. To signal inside of a
 * commit would make the commits of the whole server wait for each other; so it is done after it, one signal at a time.
 */
export class Hints {
  readonly #listeners = new Set<() => void>();
  #told = false;
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
    this.#stop ??= this.signals?.receive(this.channel, () => this.#tell()) ?? null;
    return () => {
      this.#listeners.delete(own);
      if (this.#listeners.size === 0) this.#deafen();
    };
  }

  /** One hint for everything that happens in one turn, after it: a listener may call the store. */
  give(): void {
    if (!this.#told) {
      this.#told = true;
      queueMicrotask(() => {
        this.#told = false;
        this.#tell();
      });
    }
    this.#again = true;
    if (!this.#sending) void this.#send();
  }

  close(): void {
    this.#listeners.clear();
    this.#again = false;
    this.#deafen();
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  #deafen(): void {
    this.#stop?.();
    this.#stop = null;
  }

  async #send(): Promise<void> {
    this.#sending = true;
    while (this.#again) {
      this.#again = false;
      // A signal that is lost costs time and nothing else: others look by themselves.
      await this.signals?.send(this.channel).catch(() => undefined);
    }
    this.#sending = false;
  }
}
