import {
  type CodeHost,
  createMergeQueue,
  type Fact,
  type HostEvent,
  type InputId,
  type Instant,
  type MergeQueue,
  MergeQueueError,
  type Pace,
  type Queue,
  type QueueId,
  type QueueRef,
  type Sha,
  type Store,
  type SubmittedView,
} from '@mq/core';
import { memoryStore } from '@mq/store-memory';
import type { PortCall } from '../fake-host/fake-host.js';
import { type HostEvidence, historyOf } from '../global-check/evidence.js';
import type { CallFault, Content, Duration } from '../scenarios/driver.js';
import { type VirtualClock, virtualClock } from '../virtual-clock.js';
import { type Beside, errorOf, msOf, nothing, type Seen, type SeenCheck, type SeenCommit } from './seen.js';

/** How long a process rests after a pass that its store did not answer. */
const STORE_RETRY_MS = 10_000;

/** Any store whose time is that of the story. What wishes it holds at the end is looked at where it shows them as the memory store does. */
export type StoryStore = Store & { dump?(): unknown };

/** More of a later release than an engine of this one keeps for others: what is one too many always throws. */
const nonsense = Array.from(
  { length: 101 },
  (_, n) =>
    ({
      id: `00000000-0000-4000-8000-${String(n).padStart(9, '0')}bad` as InputId,
      type: 'noticed',
      what: 'nothing that is known',
    }) as unknown as Fact,
);

export interface EnginesSetup {
  readonly pace?: Partial<Pace>;
  /** How many engines there are on the store. */
  readonly engines?: number;
  /** The store as each engine, by its number from 0 on, has it; one in memory for all unless given. */
  readonly storeFor?: (clock: VirtualClock, engine: number) => StoryStore;
}

/**
 * One queue with its engines and their store, in virtual time, on whatever host. A host's own world adds what people and
 * the CI do there.
 */
export abstract class QueueWorld {
  readonly clock: VirtualClock = virtualClock();
  readonly store: StoryStore;
  seen: Seen = nothing;
  readonly faults = new Map<string, CallFault>();
  /** How often each method of the host was called, and `commit` of the store. */
  readonly asked = new Map<string, number>();
  beforeLanding: (() => Promise<void>) | null = null;
  /** Every queue that was seen on the branch, oldest first. */
  readonly queueIds = new Set<QueueId>();
  /** Pull requests that somebody opened, deleted ones included. */
  protected readonly opened = new Set<number>();
  readonly #stores: readonly StoryStore[];
  readonly #pace: Partial<Pace>;
  #engines: MergeQueue[] = [];
  #turns = 0;
  #notices: Promise<void>[] = [];
  #isInsideACall = false;
  #isSilent = false;
  #isStoreDown = false;
  /** Other queues that the same engines serve. */
  readonly besides: Beside[] = [];

  constructor(
    readonly ref: QueueRef,
    { pace = {}, engines = 1, storeFor }: EnginesSetup = {},
  ) {
    const memory = memoryStore({ clock: this.clock });
    const stores = Array.from({ length: engines }, (_, engine) => storeFor?.(this.clock, engine) ?? memory);
    [this.store, this.#stores, this.#pace] = [stores[0] ?? memory, stores, pace];
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

  /** Every engine, each with the store as it has it. */
  get engines(): readonly MergeQueue[] {
    for (const store of this.#stores.slice(this.#engines.length))
      this.#engines.push(
        createMergeQueue({
          store: this.#losingAnswersOf(store),
          hosts: { [this.ref.repo.host]: this.served() },
          clock: this.clock,
          pace: this.#pace,
        }),
      );
    return this.#engines;
  }

  /** The engine whose turn it is: whoever asks twice asks two of them. */
  get mq(): MergeQueue {
    const { engines } = this;
    this.#turns += 1;
    const engine = engines[this.#turns % engines.length];
    if (engine === undefined) throw new Error('There is no engine.');
    return engine;
  }

  /** The engines are gone with all that they had in memory; others have the same store. */
  async crash(): Promise<void> {
    this.#engines = [];
    await this.settle();
  }

  /** The host tells that something may have changed. */
  hear(event: HostEvent): void {
    if (!this.#isSilent) this.#notices.push(...this.engines.map((engine) => engine.notice(event)));
  }

  /** The story ends: what a host of real processes tells late would only be left where it is put. */
  hearNoMore(): void {
    this.#isSilent = true;
  }

  /** Stands around each call of the host's port. */
  protected async intercept(call: PortCall, perform: () => Promise<unknown>): Promise<unknown> {
    this.asked.set(call.method, (this.asked.get(call.method) ?? 0) + 1);
    const act = call.method === 'land' ? this.beforeLanding : null;
    if (act !== null) {
      this.beforeLanding = null;
      await this.#inside(act);
    }
    return this.#losingAnswer(call.method, perform);
  }

  async #losingAnswer(method: string, perform: () => Promise<unknown>): Promise<unknown> {
    const fault = this.faults.get(method);
    this.faults.delete(method);
    if (fault === 'fails_before') throw new Error('connection lost');
    if (fault === 'never_ends') return this.#hang();
    const answer = await perform();
    if (fault === 'fails_after') throw new Error('connection lost');
    return answer;
  }

  #losingAnswersOf(store: Store): Store {
    return new Proxy(store, {
      get: (target, key) => {
        const member: unknown = Reflect.get(target, key, target);
        if (typeof member !== 'function') return member;
        if (key === 'onWake' || key === 'close') return member.bind(target);
        return (...given: unknown[]) => {
          if (key === 'commit') this.asked.set(key, (this.asked.get(key) ?? 0) + 1);
          return this.#callStore(String(key), async () => member.apply(target, given));
        };
      },
    });
  }

  async #callStore(method: string, perform: () => Promise<unknown>): Promise<unknown> {
    if (this.#isStoreDown) throw new MergeQueueError('STORE_UNREACHABLE', 'The store of the story is down.');
    return method === 'commit' ? this.#losingAnswer(method, perform) : perform();
  }

  /** False: from now on every call of an engine to its store is an error. */
  setStoreReachable(reachable: boolean): void {
    this.#isStoreDown = !reachable;
  }

  /** One engine does what is due, to its end, while the others stand still. */
  async turn(engine: number): Promise<void> {
    const its = this.engines[engine];
    if (its === undefined) throw new Error(`There is no engine ${engine}.`);
    await its.settled();
    await this.look();
  }

  /** Puts something into the inbox that no engine of this release understands. */
  async hearNonsense(): Promise<void> {
    if (this.queue === null) throw this.error('There is no queue.');
    await this.store.push(this.queue.id, nonsense);
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
    await this.#comeToRest();
    if (this.#isStoreDown) return;
    await this.look();
    for (const beside of this.besides) await beside.look();
  }

  /** All engines turn at once, until none of them finds anything to do. */
  async #comeToRest(): Promise<void> {
    for (let isDue = true; isDue || this.#notices.length > 0; ) {
      await Promise.allSettled(this.#notices.splice(0));
      const turns = this.engines.map((engine) => engine.settled());
      if (this.#isStoreDown) {
        await Promise.allSettled(turns);
        return;
      }
      await Promise.all(turns);
      isDue = this.#stores.length > 1 && ((await this.store.nextDueAt()) ?? Infinity) <= this.clock.now();
    }
  }

  async pass(duration: Duration): Promise<void> {
    const until = this.clock.now() + msOf(duration);
    for (;;) {
      await this.#comeToRest();
      if (this.#isStoreDown) {
        if (this.clock.now() + STORE_RETRY_MS > until) break;
        await this.clock.advance(STORE_RETRY_MS);
        continue;
      }
      const due = [await this.store.nextDueAt(), this.nextHappening()].filter((at) => at !== null);
      const next = Math.max(Math.min(...due), this.clock.now() + 1);
      if (next > until) break;
      await this.clock.advanceTo(next);
    }
    await this.clock.advanceTo(until);
    await this.settle();
  }

  protected async look(): Promise<void> {
    this.seen = await this.sightOf(this.ref, [...this.opened]);
    if (this.queue !== null) this.queueIds.add(this.queue.id);
  }

  /** What there is to be seen of a queue, and of these pull requests in it. */
  async sightOf(ref: QueueRef, prs: readonly number[]): Promise<Seen> {
    const queue = await this.mq.getQueue(ref).catch(nullWithoutQueue);
    if (queue === null) return nothing;
    const submissions = new Map<number, SubmittedView>();
    for (let from = 0; from < prs.length; from += 50) {
      const { found } = await this.mq.getSubmissions({ ...ref, prs: prs.slice(from, from + 50) });
      for (const view of found) submissions.set(view.submission.pr, view);
    }
    return { queue, submissions, history: await historyOf(this.store, queue.queue) };
  }

  get queue(): Queue | null {
    return this.seen.queue?.queue ?? null;
  }

  /** An error that tells a person what happened up to here. */
  error(sentence: string): Error {
    return errorOf(sentence, this);
  }
}

/** What else goes wrong in a look is no sight. */
const nullWithoutQueue = (error: unknown): null => {
  if (error instanceof MergeQueueError && error.code === 'QUEUE_NOT_FOUND') return null;
  throw error;
};
