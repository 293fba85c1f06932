import {
  type CodeHost,
  createMergeQueue,
  type HistoryItem,
  type HostEvent,
  type Instant,
  type MergeQueue,
  type Pace,
  type Queue,
  type QueueRef,
  type QueueView,
  type RunId,
  type Sha,
  type Store,
  type SubmittedView,
} from '@mq/core';
import { type MemoryStore, memoryStore } from '@mq/store-memory';
import type { PortCall } from '../fake-host/fake-host.js';
import { type HostEvidence, historyOf } from '../global-check/evidence.js';
import type { CallFault, Content, Duration } from '../scenarios/driver.js';
import { type VirtualClock, virtualClock } from '../virtual-clock.js';
import { timelineOf } from './timeline.js';

/** What was last seen of the queue, after everything had settled. */
export interface Seen {
  readonly queue: QueueView | null;
  readonly submissions: ReadonlyMap<number, SubmittedView>;
  readonly history: readonly HistoryItem[];
}

/** A check that the CI began, or has yet to begin, because the queue asked for it. */
export interface SeenCheck {
  readonly runId: RunId;
  readonly commit: Sha;
  readonly isRunning: boolean;
}

export interface SeenCommit {
  readonly parents: readonly Sha[];
  readonly message: string;
  readonly files: Readonly<Record<string, string>>;
}

const nothing: Seen = { queue: null, submissions: new Map(), history: [] };

/** Any store whose time is that of the story. What it still holds at the end is looked at where it can be shown. */
export type StoryStore = Store & Partial<Pick<MemoryStore, 'dump'>>;

/**
 * One queue with its engine and a store, in memory unless another one is given, in virtual time, on whatever host. A host's own world adds what
 * people and the CI do there.
 */
export abstract class QueueWorld {
  readonly clock: VirtualClock = virtualClock();
  readonly store: StoryStore;
  seen: Seen = nothing;
  readonly faults = new Map<string, CallFault>();
  beforeLanding: (() => Promise<void>) | null = null;
  /** Pull requests that somebody opened, deleted ones included. */
  protected readonly opened = new Set<number>();
  #mq: MergeQueue | null = null;
  #notices: Promise<void>[] = [];
  #isInsideACall = false;
  #isSilent = false;

  constructor(
    readonly ref: QueueRef,
    private readonly pace: Partial<Pace> = {},
    storeFor: (clock: VirtualClock) => StoryStore = (clock) => memoryStore({ clock }),
  ) {
    this.store = storeFor(this.clock);
  }

  /** The host as the engine is given it. */
  protected abstract served(): CodeHost;
  /** Opens what nobody has opened yet. */
  abstract open(...numbers: readonly number[]): void | Promise<void>;
  abstract headOf(pr: number): Sha | undefined | Promise<Sha | undefined>;
  abstract contentOf(commit: Sha): Content;
  abstract checks(): readonly SeenCheck[];
  /** Of the target; null where there is no such branch. */
  abstract tip(): Sha | null;
  abstract commit(sha: Sha): SeenCommit;
  abstract evidence(): HostEvidence;

  /** When something happens at the host by itself; null where nothing will. */
  protected nextHappening(): Instant | null {
    return null;
  }

  get mq(): MergeQueue {
    this.#mq ??= createMergeQueue({
      store: this.store,
      hosts: { [this.ref.repo.host]: this.served() },
      clock: this.clock,
      pace: this.pace,
    });
    return this.#mq;
  }

  /** The engine is gone with all that it had in memory; another one has the same store. */
  async crash(): Promise<void> {
    this.#mq = null;
    await this.settle();
  }

  /** The host tells that something may have changed. */
  hear(event: HostEvent): void {
    if (!this.#isSilent) this.#notices.push(this.mq.notice(event));
  }

  /** Stands around each call of the host's port. */
  protected async intercept(call: PortCall, perform: () => Promise<unknown>): Promise<unknown> {
    const act = call.method === 'land' ? this.beforeLanding : null;
    if (act !== null) {
      this.beforeLanding = null;
      await this.#inside(act);
    }
    const fault = this.faults.get(call.method);
    this.faults.delete(call.method);
    if (fault === 'fails_before') throw new Error('connection lost');
    if (fault === 'never_ends') return this.#hang();
    const answer = await perform();
    if (fault === 'fails_after') throw new Error('connection lost');
    return answer;
  }

  /** Nobody answers: time passes until whoever waits gives it up. */
  async #hang(): Promise<never> {
    await this.clock.idle();
    for (let at = this.clock.nextWaitAt(); at !== null; at = this.clock.nextWaitAt())
      await this.clock.advanceTo(at);
    return new Promise(() => undefined);
  }

  async #inside(act: () => Promise<void>): Promise<void> {
    this.#isInsideACall = true;
    try {
      await act();
    } finally {
      this.#isInsideACall = false;
    }
  }

  /** Does all of it while nobody is told and nothing follows from it. */
  async unseen(act: () => Promise<void>): Promise<void> {
    this.#isSilent = true;
    await this.#inside(act).finally(() => {
      this.#isSilent = false;
    });
  }

  async downFor(duration: Duration): Promise<void> {
    await this.clock.advance(msOf(duration));
    await this.crash();
  }

  /** Does it, and then everything that follows from it before time passes. */
  async act<Answer>(what: () => Answer | Promise<Answer>): Promise<Answer> {
    if (this.#isInsideACall) return what();
    try {
      return await what();
    } finally {
      await this.settle();
    }
  }

  async settle(): Promise<void> {
    do {
      await Promise.allSettled(this.#notices.splice(0));
      await this.mq.settled();
    } while (this.#notices.length > 0);
    await this.look();
  }

  async pass(duration: Duration): Promise<void> {
    const until = this.clock.now() + msOf(duration);
    for (;;) {
      await this.settle();
      const due = [await this.store.nextDueAt(), this.nextHappening()].filter((at) => at !== null);
      const next = Math.max(Math.min(...due), this.clock.now() + 1);
      if (next > until) break;
      await this.clock.advanceTo(next);
    }
    await this.clock.advanceTo(until);
    await this.settle();
  }

  protected async look(): Promise<void> {
    const queue = await this.mq.getQueue(this.ref).catch(() => null);
    if (queue === null) {
      this.seen = nothing;
      return;
    }
    const submissions = new Map<number, SubmittedView>();
    const prs = [...this.opened];
    for (let from = 0; from < prs.length; from += 50) {
      const { found } = await this.mq.getSubmissions({ ...this.ref, prs: prs.slice(from, from + 50) });
      for (const view of found) submissions.set(view.submission.pr, view);
    }
    this.seen = { queue, submissions, history: await historyOf(this.store, queue.queue) };
  }

  get queue(): Queue | null {
    return this.seen.queue?.queue ?? null;
  }

  /** An error that tells a person what happened up to here. */
  error(sentence: string): Error {
    const timeline = timelineOf(this.seen.history, (commit) => this.contentOf(commit));
    return new Error(`${sentence}\n\nWhat happened:\n${timeline}\n`);
  }
}

const units = { s: 1000, m: 60_000, h: 3_600_000 } as const;

export const msOf = (duration: Duration): number => {
  const [, count, unit] = /^(\d+)([smh])$/.exec(duration) ?? [];
  if (unit === undefined) throw new Error(`${duration} is no duration; write 90s, 30m or 2h.`);
  return Number(count) * units[unit as keyof typeof units];
};
