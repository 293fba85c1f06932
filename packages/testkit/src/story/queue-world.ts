import {
  type CodeHost,
  type CommandsOptions,
  createMergeQueue,
  type ExternalChecksOptions,
  type Fact,
  type InboundEvent,
  type InputId,
  type Instant,
  type MergeQueue,
  MergeQueueError,
  type Pace,
  type PresenceOptions,
  type Queue,
  type QueueId,
  type QueueRef,
  type Sha,
  type Store,
  type SubmittedView,
} from '@mq/core';
import { memoryPresenceStore, memoryStore } from '@mq/store-memory';
import type { PortCall } from '../fake-host/fake-host.js';
import { type HostEvidence, historyOf } from '../global-check/evidence.js';
import type { CallFault, Content, Duration } from '../scenarios/driver.js';
import { type VirtualClock, virtualClock } from '../virtual-clock.js';
import { Said } from './said.js';
import {
  errorOf,
  msOf,
  nothing,
  nullWithoutQueue,
  type OtherQueue,
  type Seen,
  type SeenCheck,
  type SeenCommit,
} from './snapshot.js';

/** How often engines look at what pull requests show. */
const PRESENCE_STEP_MS = 10_000;
/** How long an engine pauses after a pass in which its store was unreachable. */
const STORE_RETRY_MS = 10_000;

/** Any store on the story's clock. If it has the memory store's `dump`, the story also checks at its end that no effect is still leased. */
export type StoryStore = Store & { dump?(): unknown };

/** Facts of a later release, one more than an engine keeps for newer processes. Reading the surplus one always throws. */
const nonsense = Array.from(
  { length: 101 },
  (_, n) =>
    ({
      id: `00000000-0000-4000-8000-${String(n).padStart(9, '0')}bad` as InputId,
      type: 'noticed',
      what: 'an unknown kind',
    }) as unknown as Fact,
);

export interface EnginesSetup {
  readonly pace?: Partial<Pace>;
  /** How many engines share the store. */
  readonly engines?: number;
  /** The store of each engine, numbered from 0; by default all share one in memory. */
  readonly storeFor?: (clock: VirtualClock, engine: number) => StoryStore;
  /** Checks that reporters decide, the same for all engines. */
  readonly externalChecks?: ExternalChecksOptions;
  /** True: the engines show at pull requests what the queue does, with links to `https://mq.example`. */
  readonly presence?: boolean | Pick<PresenceOptions, 'limits'>;
  /** Makes the options by which engines take commands of people, once for all engines; by default they take none. */
  readonly commands?: (clock: VirtualClock) => CommandsOptions;
}

/** One queue with its engines and store, in virtual time, on any host. Subclasses add what people and the CI do at their host. */
export abstract class QueueWorld {
  readonly clock: VirtualClock = virtualClock();
  readonly store: StoryStore;
  seen: Seen = nothing;
  readonly said = new Said();
  readonly faults = new Map<string, CallFault>();
  /** Number of calls by method of the host, and of the store's `commit`. */
  readonly asked = new Map<string, number>();
  beforeLanding: (() => Promise<void>) | null = null;
  /** Run right before the next call of this name reaches the host, once. */
  readonly beforeCall = new Map<string, () => void>();
  /** Every queue that the branch has had, oldest first. */
  readonly queueIds = new Set<QueueId>();
  /** Pull requests that were opened, including deleted ones. */
  protected readonly opened = new Set<number>();
  readonly #stores: readonly StoryStore[];
  readonly #pace: Partial<Pace>;
  readonly #externalChecks: Pick<EnginesSetup, 'externalChecks'>;
  /** Null if nothing is shown at pull requests. */
  readonly presence: PresenceOptions | null;
  readonly #commands: { readonly commands?: CommandsOptions };
  #engines: MergeQueue[] = [];
  #turns = 0;
  #notices: Promise<void>[] = [];
  #isInsideACall = false;
  #isSilent = false;
  #isStoreDown = false;
  /** Other queues that the same engines process. */
  readonly besides: OtherQueue[] = [];

  constructor(
    readonly ref: QueueRef,
    { pace = {}, engines = 1, storeFor, externalChecks, presence = false, commands }: EnginesSetup = {},
  ) {
    const memory = memoryStore({ clock: this.clock });
    const stores = Array.from({ length: engines }, (_, engine) => storeFor?.(this.clock, engine) ?? memory);
    [this.store, this.#stores, this.#pace] = [stores[0] ?? memory, stores, pace];
    this.#externalChecks = externalChecks === undefined ? {} : { externalChecks };
    const shown = {
      store: memoryPresenceStore({ clock: this.clock }),
      linkOf: ({ branch }: Queue, pr: number) => `https://mq.example/${branch}/${pr}`,
    };
    this.presence = presence === false ? null : { ...shown, ...(presence === true ? {} : presence) };
    this.#commands = commands === undefined ? {} : { commands: commands(this.clock) };
  }

  /** The host that is passed to the engines. */
  protected abstract served(): CodeHost;
  /** Opens these pull requests, except those already open. */
  abstract open(...numbers: readonly number[]): void | Promise<void>;
  abstract headOf(pr: number): Sha | undefined | Promise<Sha | undefined>;
  abstract contentOf(commit: Sha): Content;
  abstract checks(): readonly SeenCheck[];
  /** The head of the target branch; null if the branch does not exist. */
  abstract tip(): Sha | null;
  abstract commit(sha: Sha): SeenCommit;
  abstract evidence(): HostEvidence;

  /** When the host next changes by itself, for example when a check ends; null if it will not. */
  protected nextHappening(): Instant | null {
    return null;
  }

  /** All engines, created on first use and after a crash. */
  get engines(): readonly MergeQueue[] {
    for (const store of this.#stores.slice(this.#engines.length))
      this.#engines.push(
        createMergeQueue({
          store: this.#losingAnswersOf(store),
          hosts: { [this.ref.repo.host]: this.served() },
          clock: this.clock,
          pace: this.#pace,
          logger: this.said.logger,
          ...this.#externalChecks,
          ...(this.presence === null ? {} : { presence: this.presence }),
          ...this.#commands,
        }),
      );
    return this.#engines;
  }

  /** The engines in rotation: each access returns the next one. */
  get mq(): MergeQueue {
    const { engines } = this;
    this.#turns += 1;
    const engine = engines[this.#turns % engines.length];
    if (engine === undefined) throw new Error('There is no engine.');
    return engine;
  }

  /** Replaces the engines with new ones on the same stores, without their memory. */
  async crash(): Promise<void> {
    this.#engines = [];
    await this.settle();
  }

  /** Passes a hint of the host to every engine. */
  hear(event: InboundEvent): void {
    if (!this.#isSilent) this.#notices.push(...this.engines.map((engine) => engine.notice(event)));
  }

  /** Ignores all further hints. Called at the end of a story: a late hint from a real process would leave an unread fact. */
  stopHearing(): void {
    this.#isSilent = true;
  }

  /** Wraps each call of the host: counts it, runs `beforeLanding`, and applies the fault set for it. */
  protected async intercept(call: PortCall, perform: () => Promise<unknown>): Promise<unknown> {
    this.asked.set(call.method, (this.asked.get(call.method) ?? 0) + 1);
    this.beforeCall.get(call.method)?.();
    this.beforeCall.delete(call.method);
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

  /** False: from now on every store call of an engine fails with `STORE_UNREACHABLE`. */
  setStoreReachable(reachable: boolean): void {
    this.#isStoreDown = !reachable;
  }

  /** Runs one engine until nothing is due, while the other engines do nothing. */
  async turn(engine: number): Promise<void> {
    const its = this.engines[engine];
    if (its === undefined) throw new Error(`There is no engine ${engine}.`);
    await its.settled();
    await this.look();
  }

  /** Pushes facts to the inbox that no engine of this release understands. */
  async hearNonsense(): Promise<void> {
    if (this.queue === null) throw this.error('There is no queue.');
    await this.store.push(this.queue.id, nonsense);
  }

  /** Never answers: advances the clock through all pending waits, so that callers time out. */
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

  /** Runs `act` without hints and without settling. */
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

  /** Runs `what`, then settles: everything that follows without time passing. */
  async act<Answer>(what: () => Answer | Promise<Answer>): Promise<Answer> {
    if (this.#isInsideACall) return what();
    try {
      return await this.said.watching(what);
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

  /** Runs all engines concurrently until none has anything due. */
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
      const presentsAt = this.presence === null ? null : this.clock.now() + PRESENCE_STEP_MS;
      const due = [await this.store.nextDueAt(), this.nextHappening(), presentsAt].filter(
        (at) => at !== null,
      );
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

  /** The queue as clients see it, with these of its pull requests. */
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

  /** An error with this sentence and the timeline of the queue so far. */
  error(sentence: string): Error {
    return errorOf(sentence, this);
  }
}
