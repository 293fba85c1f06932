import { branchKey, type Followed, type MergeQueue, type QueueRef } from '@mq/core';

/** The changes of one pull request, for one request that waits. */
export interface Watch {
  /** Resolves once no change from now on is missed. Rejects if the history cannot be read. */
  readonly started: Promise<void>;
  /**
   * Resolves with true once its state may have changed since the last call, and with false when the signal aborts or the
   * engine is closed. Rejects if the history cannot be read any more.
   */
  changed(signal: AbortSignal): Promise<boolean>;
  close(): void;
}

/** Watches single pull requests. All watches of one queue share one reader of its history. */
export class PullRequestChanges {
  readonly #readers = new Map<string, Reader>();

  constructor(private readonly mq: Pick<MergeQueue, 'follow'>) {}

  watch(queue: QueueRef, pr: number): Watch {
    const key = branchKey(queue.repo, queue.targetBranch);
    const reader = this.#readers.get(key) ?? new Reader(this.mq, queue, (ended) => this.#remove(key, ended));
    this.#readers.set(key, reader);
    return reader.watch(pr);
  }

  #remove(key: string, ended: Reader): void {
    if (this.#readers.get(key) === ended) this.#readers.delete(key);
  }
}

/** Reads the history of one queue while anything in it is watched. */
class Reader {
  readonly #watches = new Map<number, Set<PullRequestWatch>>();
  readonly #end = new AbortController();
  readonly #started: Promise<void>;

  constructor(
    mq: Pick<MergeQueue, 'follow'>,
    queue: QueueRef,
    private readonly onEnd: (reader: Reader) => void,
  ) {
    const steps = mq.follow({ ...queue, signal: this.#end.signal })[Symbol.asyncIterator]();
    this.#started = steps.next().then(() => undefined);
    void this.#read(steps);
  }

  watch(pr: number): Watch {
    const watches = this.#watches.get(pr) ?? new Set();
    this.#watches.set(pr, watches);
    const watch: PullRequestWatch = new PullRequestWatch(this.#started, () => {
      watches.delete(watch);
      if (watches.size === 0) this.#watches.delete(pr);
      if (this.#watches.size === 0) this.#stop();
    });
    watches.add(watch);
    return watch;
  }

  async #read(steps: AsyncIterator<Followed>): Promise<void> {
    try {
      await this.#started;
      for (;;) {
        const { done, value: step } = await steps.next();
        if (done === true) break;
        if (step.type === 'reset') for (const watch of this.#all()) watch.wake();
        else if (step.type === 'row' && step.row.type === 'moved')
          for (const watch of this.#watches.get(step.row.pr) ?? []) watch.wake();
      }
      for (const watch of this.#all()) watch.end(null);
    } catch (error) {
      for (const watch of this.#all()) watch.end({ error });
    }
    this.#stop();
  }

  #all(): readonly PullRequestWatch[] {
    return [...this.#watches.values()].flatMap((watches) => [...watches]);
  }

  #stop(): void {
    this.#end.abort();
    this.onEnd(this);
  }
}

class PullRequestWatch implements Watch {
  #hasChanged = false;
  #ended: { readonly fault: { readonly error: unknown } | null } | null = null;
  #nudge: () => void = () => undefined;

  constructor(
    readonly started: Promise<void>,
    readonly close: () => void,
  ) {}

  wake(): void {
    this.#hasChanged = true;
    this.#nudge();
  }

  end(fault: { readonly error: unknown } | null): void {
    this.#ended = { fault };
    this.#nudge();
  }

  async changed(signal: AbortSignal): Promise<boolean> {
    if (!this.#hasChanged && this.#ended === null && !signal.aborted)
      await new Promise<void>((resolve) => {
        const done = (): void => {
          signal.removeEventListener('abort', done);
          this.#nudge = () => undefined;
          resolve();
        };
        this.#nudge = done;
        signal.addEventListener('abort', done, { once: true });
      });
    if (signal.aborted) return false;
    if (this.#hasChanged) {
      this.#hasChanged = false;
      return true;
    }
    if (this.#ended?.fault != null) throw this.#ended.fault.error;
    return false;
  }
}
