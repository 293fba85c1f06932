import {
  type CodeHost,
  createMergeQueue,
  type HistoryItem,
  type MergeQueue,
  type Queue,
  type QueueRef,
  type QueueView,
  type RepoRef,
  type SubmittedView,
} from '@mq/core';
import { type MemoryStore, memoryStore } from '@mq/store-memory';
import type { FakeCiOptions } from '../fake-host/fake-ci.js';
import { type FakeHost, fakeHost, type PortCall } from '../fake-host/fake-host.js';
import type { FakeRepository } from '../fake-host/fake-repository.js';
import { historyOf } from '../global-check/evidence.js';
import type { CallFault, Duration, Setup } from '../scenarios/driver.js';
import { type VirtualClock, virtualClock } from '../virtual-clock.js';
import { contentOf } from './content.js';
import { timelineOf } from './timeline.js';

export interface StorySetup extends Setup {
  readonly ci?: FakeCiOptions;
}

/** What was last seen of the queue, after everything had settled. */
export interface Seen {
  readonly queue: QueueView | null;
  readonly submissions: ReadonlyMap<number, SubmittedView>;
  readonly history: readonly HistoryItem[];
}

const repo: RepoRef = { host: 'fake.example', owner: 'acme', name: 'widgets' };
const nothing: Seen = { queue: null, submissions: new Map(), history: [] };

/** One queue in memory and everything around it: store, host, clock, and the engine between them. */
export class StoryWorld {
  readonly ref: QueueRef = { repo, branch: 'main' };
  readonly clock: VirtualClock = virtualClock();
  readonly store: MemoryStore = memoryStore({ clock: this.clock });
  readonly host: FakeHost;
  readonly repository: FakeRepository;
  mq: MergeQueue;
  seen: Seen = nothing;
  readonly faults = new Map<string, CallFault>();
  beforeLanding: (() => Promise<void>) | null = null;
  /** Pull requests that somebody opened, deleted ones included. */
  readonly #opened = new Set<number>();
  #notices: Promise<void>[] = [];
  #isInsideACall = false;

  constructor(setup: StorySetup) {
    this.host = fakeHost({
      clock: this.clock,
      ...(setup.ci === undefined ? {} : { ci: setup.ci }),
      intercept: (call, perform) => this.#intercept(call, perform),
    });
    this.repository = this.host.createRepository({
      ref: repo,
      ...(setup.checks === undefined ? {} : { checks: setup.checks }),
    });
    this.mq = this.#engine();
    this.host.onEvent((event) => this.#notices.push(this.mq.notice(event)));
  }

  #engine(): MergeQueue {
    const hosts: Record<string, CodeHost> = { [repo.host]: this.host };
    return createMergeQueue({ store: this.store, hosts, clock: this.clock });
  }

  /** The engine is gone with all that it had in memory; another one has the same store. */
  async crash(): Promise<void> {
    this.mq = this.#engine();
    await this.settle();
  }

  async #intercept(call: PortCall, perform: () => Promise<unknown>): Promise<unknown> {
    const act = call.method === 'land' ? this.beforeLanding : null;
    if (act !== null) {
      this.beforeLanding = null;
      await this.#inside(act);
    }
    const fault = this.faults.get(call.method);
    this.faults.delete(call.method);
    if (fault === 'fails_before') throw new Error('connection lost');
    const answer = await perform();
    if (fault === 'fails_after') throw new Error('connection lost');
    return answer;
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
    this.host.setSilent(true);
    await this.#inside(act).finally(() => this.host.setSilent(false));
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
    await this.#look();
  }

  async pass(duration: Duration): Promise<void> {
    const until = this.clock.now() + msOf(duration);
    for (;;) {
      await this.settle();
      const due = [await this.store.nextDueAt(), this.repository.ci.nextEndAt()].filter((at) => at !== null);
      const next = Math.max(Math.min(...due), this.clock.now() + 1);
      if (next > until) break;
      await this.clock.advanceTo(next);
    }
    await this.clock.advanceTo(until);
    await this.settle();
  }

  /** Opens what nobody has opened yet. */
  open(...numbers: readonly number[]): void {
    for (const number of numbers) {
      if (!this.#opened.has(number)) this.repository.openPullRequest({ number });
      this.#opened.add(number);
    }
  }

  opened(number: number): void {
    this.#opened.add(number);
  }

  async #look(): Promise<void> {
    const queue = await this.mq.getQueue(this.ref).catch(() => null);
    if (queue === null) {
      this.seen = nothing;
      return;
    }
    const submissions = new Map<number, SubmittedView>();
    const prs = [...this.#opened];
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
    return new Error(`${sentence}\n\nWhat happened:\n${timelineOf(this.seen.history, this.contentOfRun)}\n`);
  }

  readonly contentOfRun = (commit: Parameters<FakeRepository['contents']>[0]): string =>
    contentOf(this.ref.branch, this.repository, commit);
}

const units = { s: 1000, m: 60_000, h: 3_600_000 } as const;

const msOf = (duration: Duration): number => {
  const [, count, unit] = /^(\d+)([smh])$/.exec(duration) ?? [];
  if (unit === undefined) throw new Error(`${duration} is no duration; write 90s, 30m or 2h.`);
  return Number(count) * units[unit as keyof typeof units];
};
