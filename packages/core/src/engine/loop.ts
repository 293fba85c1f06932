import type { Instant, QueueId } from '../model/ids.js';
import type { Clock } from '../ports/clock.js';
import type { Logger } from '../ports/logger.js';
import type { Store } from '../ports/store.js';
import type { Decider } from './decider.js';
import type { HostCommands } from './host-commands.js';
import type { Performer } from './performer.js';
import type { Presenter } from './presenter.js';
import type { StoreTime } from './store-time.js';
import type { Summaries } from './summaries.js';
import type { Sweep } from './sweep.js';

export interface LoopParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly time: StoreTime;
  readonly logger: Logger;
  readonly performer: Performer;
  readonly sweep: Sweep;
  readonly summaries: Summaries;
  /** Null if nothing is shown at pull requests. */
  readonly presenter: Presenter | null;
  /** Null if no commands of people are taken. */
  readonly hostCommands: HostCommands | null;
  readonly deciderOf: (queueId: QueueId) => Decider;
}

const QUEUES_PER_PASS = 100;
/** A claimed queue that is not decided, because its process died, is offered to others after this. */
const CLAIM_MS = 10_000;
/** The longest sleep between two passes. Needed because hints may be lost and other processes write too. */
const LONGEST_SLEEP_MS = 1_000;
const REST_AFTER_FAILURE_MS = 1_000;

export const SETTLE_PASSES_LIMIT = 100_000;
/**
 * Max passes in a row that find nothing to take although something is due, because another process is writing to it.
 */
const HELD_PASSES_LIMIT = 10_000;
const REST_WHILE_HELD_MS = 5;

/** The main loop: decides due queues and has effects performed. */
export class Loop {
  #nudged: (() => void) | null = null;
  #isNudged = false;
  /**
   * In the store's time: the earliest expected due time since the last pass began, and the end of the current sleep.
   */
  #expectedAt: Instant = Number.POSITIVE_INFINITY;
  #sleepsUntil: Instant = Number.NEGATIVE_INFINITY;

  constructor(private readonly parts: LoopParts) {}

  /** Runs one pass and waits for everything that it started. False if there was nothing to do. */
  async pass(): Promise<boolean> {
    const decided = await this.#decideDue();
    const begun = await this.parts.performer.begin();
    await this.parts.performer.idle();
    await this.parts.sweep.run();
    await this.parts.summaries.run();
    const isShown = await this.parts.presenter?.pass();
    const commanded = (await this.parts.hostCommands?.run()) ?? 0;
    return decided > 0 || begun > 0 || isShown === true || commanded > 0;
  }

  async settled(): Promise<void> {
    const { clock } = this.parts;
    let heldPasses = 0;
    for (let passes = 0; passes < SETTLE_PASSES_LIMIT; passes += 1) {
      const begunAt = clock.now();
      const isBusy = await this.pass();
      if (!isBusy && !(await this.#isDue())) return;
      heldPasses = isBusy ? 0 : heldPasses + 1;
      if (heldPasses === HELD_PASSES_LIMIT)
        throw new Error(`what is due cannot be taken: another process has held it for ${heldPasses} passes`);
      // A virtual clock is advanced only while the caller is not waiting here, so it must not be waited on.
      if (!isBusy && clock.now() !== begunAt)
        await clock.wait(clock.now() + REST_WHILE_HELD_MS, new AbortController().signal);
    }
    throw new Error(`still not settled after ${SETTLE_PASSES_LIMIT} passes`);
  }

  /**
   * Runs until the signal aborts. Slow calls to the host do not delay other work. If the store fails, the pass is
   * retried.
   */
  async run(signal: AbortSignal): Promise<void> {
    const unsubscribe = this.parts.store.onWake?.(() => this.nudge());
    signal.addEventListener('abort', () => this.nudge(), { once: true });
    while (!signal.aborted) {
      try {
        this.#expectedAt = Number.POSITIVE_INFINITY;
        const decided = await this.#decideDue();
        const begun = await this.parts.performer.begin();
        void this.parts.sweep.run(signal);
        void this.parts.summaries.run();
        void this.parts.presenter?.run();
        void this.parts.hostCommands?.run();
        if (decided === 0 && begun === 0) await this.#sleep();
      } catch (error) {
        this.parts.logger.error({ error }, 'a pass failed; it will be retried');
        await this.parts.clock.wait(this.parts.clock.now() + REST_AFTER_FAILURE_MS, signal);
      }
    }
    unsubscribe?.();
    const { performer, sweep, summaries, presenter, hostCommands } = this.parts;
    const idle = [sweep.idle(), summaries.idle(), hostCommands?.idle()];
    await Promise.all([performer.end(), presenter?.end(), ...idle]);
  }

  /** Ends the current sleep, because there may be something to do. */
  nudge(): void {
    this.#isNudged = true;
    this.#nudged?.();
  }

  /** Announces that something will be due at this time, so that the loop does not sleep beyond it. */
  expect(at: Instant): void {
    this.#expectedAt = Math.min(this.#expectedAt, at);
    if (at < this.#sleepsUntil) this.nudge();
  }

  /** If no capacity for effects is left, due effects wait until one ends, which nudges the loop. */
  async #sleepMs(): Promise<number> {
    if (this.parts.performer.isFull) return LONGEST_SLEEP_MS;
    const nextAt = await this.parts.store.nextDueAt();
    if (nextAt === null) return LONGEST_SLEEP_MS;
    const inMs = nextAt - (await this.parts.store.now());
    return Math.max(1, Math.min(LONGEST_SLEEP_MS, inMs));
  }

  /** `due` may skip a queue that another process is writing to, so ask when something is due as well. */
  async #isDue(): Promise<boolean> {
    const nextAt = await this.parts.store.nextDueAt();
    return nextAt !== null && nextAt <= (await this.parts.store.now());
  }

  async #decideDue(): Promise<number> {
    const due = await this.parts.store.due({ forMs: CLAIM_MS, limit: QUEUES_PER_PASS });
    const runs = await Promise.allSettled(due.map((queueId) => this.parts.deciderOf(queueId).run()));
    const failed = runs.find((run) => run.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return due.length;
  }

  async #sleep(): Promise<void> {
    const foundMs = await this.#sleepMs();
    const now = this.parts.time.now();
    const sleepMs = Math.max(1, Math.min(foundMs, this.#expectedAt - now));
    this.#sleepsUntil = now + sleepMs;
    const woken = new AbortController();
    this.#nudged = () => woken.abort('nudged');
    if (!this.#isNudged) await this.parts.clock.wait(this.parts.clock.now() + sleepMs, woken.signal);
    this.#sleepsUntil = Number.NEGATIVE_INFINITY;
    this.#nudged = null;
    this.#isNudged = false;
  }
}
