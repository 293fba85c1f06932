import PQueue from 'p-queue';
import type { Effect } from '../model/effect.js';
import type { EffectId, InputId, QueueId } from '../model/ids.js';
import type { Fact } from '../model/input.js';
import type { HostReach } from '../model/outcomes.js';
import { type RepoRef, repoKey } from '../model/repo.js';
import type { Clock } from '../ports/clock.js';
import { type CodeHost, HostError } from '../ports/code-host.js';
import type { Logger } from '../ports/logger.js';
import type { Lease, LeaseRequest, Store } from '../ports/store.js';
import { backoffMs, holdPauseMs, retryDelayMs } from './backoff.js';
import type { EffectSink } from './decider.js';
import { factId, isKnownEffect, performEffect } from './perform-effect.js';
import type { StoreTime } from './store-time.js';
import { withTimeout } from './timeout.js';
import type { Delivered } from './work.js';

export interface PerformerParts {
  readonly store: Store;
  readonly hostOf: (repo: RepoRef) => CodeHost | null;
  readonly clock: Clock;
  readonly time: StoreTime;
  readonly logger: Logger;
  readonly owner: string;
  /** True while the loop runs, so that results are decided at once; false while single passes are run. */
  readonly isRunning: () => boolean;
  /** Delivers facts to a decision that settles the effect in the same commit. */
  readonly deliver: (lease: Lease, facts: readonly Fact[]) => Promise<Delivered>;
  /** Called when a queue has something to decide, and when capacity for effects is free again. */
  readonly finished: () => void;
}

/** Max effects held by this process: those being performed, waiting to be, or waiting for their commit. */
export const EFFECTS_AT_ONCE = 256;
/** Max concurrent requests per repository. */
export const QUESTIONS_AT_ONCE = 32;
/**
 * An effect whose owner has not renewed its lease for this long is offered to others; performing it twice does no harm.
 * Short, so that the effects of a killed process are taken over soon. Leases are renewed while work goes on, so work
 * may take longer.
 */
export const LEASE_MS = 15_000;
export const RENEW_EVERY_MS = 5_000;

/** Max tries of cleanup effects (about 16 h with backoff). */
const CLEANING_TRIES_LIMIT = 1_000;

/**
 * Whether an effect is retried although the host answered "never": the outcome of a landing must be known (`tryLanding`
 * finds it out where the host says it), and nothing else would clean up later.
 */
const isInsistedOn = ({ effect, tries }: Lease): boolean =>
  effect.type === 'land' || (isCleaning(effect) && tries < CLEANING_TRIES_LIMIT);

/**
 * The scope of a `never` beyond this effect; null if it is about this effect alone. Reads concern everything of a
 * queue.
 */
const reachOf = ({ type }: Effect, { reach }: HostError): HostReach | null => {
  if (type === 'drop_candidate' || type === 'cancel_checks') return null;
  const isRead = type === 'read_branch' || type === 'read_pull_requests' || type === 'read_checks';
  return reach ?? (isRead ? 'access' : null);
};

const isCleaning = ({ type }: Effect): boolean => type === 'drop_candidate' || type === 'cancel_checks';

/** Performs effects: leases them, calls the host, and settles the result as a fact. */
export class Performer implements EffectSink {
  readonly #reported = new Map<EffectId, string>();
  /** Keyed by repository, while it has requests. */
  readonly #requests = new Map<string, PQueue>();
  readonly #inProgress = new Map<Lease, Promise<void>>();
  /** Capacity reserved for effects that are being written or leased. */
  #reserved = 0;
  #renewal: AbortController | null = null;
  #isEnding = false;

  constructor(private readonly parts: PerformerParts) {}

  get isFull(): boolean {
    return this.#room <= 0;
  }

  get #room(): number {
    return EFFECTS_AT_ONCE - this.#inProgress.size - this.#reserved;
  }

  /** Leases due effects and performs them in the background. Returns their number. */
  async begin(): Promise<number> {
    const reserved = this.#reserve(EFFECTS_AT_ONCE);
    if (reserved === null) return 0;
    let leases: readonly Lease[] = [];
    try {
      leases = await this.parts.store.lease(reserved);
    } finally {
      this.take(reserved, leases);
    }
    return leases.length;
  }

  offer(count: number): LeaseRequest | null {
    return this.parts.isRunning() ? this.#reserve(count) : null;
  }

  #reserve(count: number): LeaseRequest | null {
    const limit = Math.min(count, this.#room);
    if (limit <= 0) return null;
    this.#reserved += limit;
    return { owner: this.parts.owner, forMs: LEASE_MS, limit };
  }

  take(reserved: LeaseRequest, leases: readonly Lease[]): void {
    this.#reserved -= reserved.limit;
    for (const lease of leases) this.#inProgress.set(lease, this.#carryOut(lease));
    if (leases.length > 0) this.#renewal ??= this.#beginRenewal();
  }

  /** Resolves when no effect is being performed. */
  async idle(): Promise<void> {
    while (this.#inProgress.size > 0) await Promise.all(this.#inProgress.values());
  }

  /**
   * Returns the leases of effects whose turn has not come, so that other processes take them, and resolves when no
   * effect is being performed.
   */
  async end(): Promise<void> {
    this.#isEnding = true;
    for (const requests of this.#requests.values()) requests.concurrency = Number.POSITIVE_INFINITY;
    await this.idle();
    this.#isEnding = false;
  }

  async #carryOut(lease: Lease): Promise<void> {
    try {
      if (!isKnownEffect(lease.effect)) return await this.#leaveToOthers(lease);
      const facts = await this.#inTurn(lease.repo, async () =>
        this.#isEnding ? null : withTimeout(this.parts.clock, this.#perform(lease)),
      );
      if (facts === null) return void (await this.parts.store.postpone(lease, 0, 'its process ended'));
      await this.#settle(lease, facts);
      this.#reported.delete(lease.effect.id);
    } catch (error) {
      await this.#handleFailure(lease, error);
    } finally {
      const wasFull = this.isFull;
      this.#inProgress.delete(lease);
      if (this.#inProgress.size === 0) this.#endRenewal();
      if (wasFull) this.parts.finished();
    }
  }

  async #inTurn<Answer>(repo: RepoRef, ask: () => Promise<Answer>): Promise<Answer> {
    const key = repoKey(repo);
    const requests = this.#requests.get(key) ?? new PQueue({ concurrency: QUESTIONS_AT_ONCE });
    this.#requests.set(key, requests);
    try {
      return await requests.add(ask);
    } finally {
      if (requests.size + requests.pending === 0 && this.#requests.get(key) === requests)
        this.#requests.delete(key);
    }
  }

  async #settle(lease: Lease, facts: readonly Fact[]): Promise<void> {
    const { store, deliver, finished, isRunning } = this.parts;
    const delivered = facts.length > 0 && isRunning() ? await deliver(lease, facts) : null;
    if (delivered === 'settled') return;
    if (delivered === 'gone') {
      // Dropped first, because a settled effect is not retried.
      await this.#dropCandidate(lease);
      return void (await store.settle(lease, []));
    }
    if (delivered === 'lost' || !(await store.settle(lease, facts))) await this.#pushStrays(lease, facts);
    else if (lease.effect.type === 'build_candidate') await this.#dropIfQueueIsGone(lease);
    if (facts.length > 0) finished();
  }

  #beginRenewal(): AbortController {
    const ended = new AbortController();
    void this.#renewUntil(ended.signal);
    return ended;
  }

  #endRenewal(): void {
    this.#renewal?.abort('idle');
    this.#renewal = null;
  }

  async #renewUntil(ended: AbortSignal): Promise<void> {
    const { clock, store, logger } = this.parts;
    for (;;) {
      await clock.wait(clock.now() + RENEW_EVERY_MS, ended);
      if (ended.aborted) return;
      await store.renew([...this.#inProgress.keys()], LEASE_MS).catch((error: unknown) => {
        logger.warn({ error }, 'leases could not be renewed; retrying');
      });
    }
  }

  /** Drops the candidate if the queue was deleted meanwhile: nothing else would drop it. */
  async #dropIfQueueIsGone(lease: Lease): Promise<void> {
    if (await this.#isGone(lease.queueId)) await this.#dropCandidate(lease);
  }

  /** Cleans up after a build that failed for good in a deleted queue: an earlier try may have built the candidate. */
  async #clearAway(lease: Lease): Promise<void> {
    const { store, logger } = this.parts;
    try {
      await this.#dropCandidate(lease);
    } catch (error) {
      logger.warn({ error, queueId: lease.queueId }, 'a candidate of a deleted queue could not be dropped');
      if (lease.tries < CLEANING_TRIES_LIMIT)
        return void (await store.postpone(
          lease,
          backoffMs(lease.tries),
          'the candidate could not be dropped',
        ));
    }
    await store.settle(lease, []);
  }

  async #isGone(queueId: QueueId): Promise<boolean> {
    return (
      (await this.parts.store.load(queueId, Number.MAX_SAFE_INTEGER, { prs: [], inputIds: [] })) === null
    );
  }

  async #dropCandidate({ repo, effect }: Lease): Promise<void> {
    const host = this.parts.hostOf(repo);
    if (host !== null && effect.type === 'build_candidate')
      await withTimeout(this.parts.clock, host.dropCandidate({ repo, runId: effect.runId }));
  }

  /** Reports the delay to the queue, for people who wait: once at the start, and again when the message changes. */
  async #reportDelay({ queueId, effect }: Lease, message: string): Promise<void> {
    if (this.#reported.get(effect.id) === message) return;
    this.#reported.set(effect.id, message);
    const id = `${effect.id}/delayed` as InputId;
    await this.parts.store.push(queueId, [{ id, type: 'effect_delayed', effectId: effect.id, message }]);
    this.parts.finished();
  }

  /**
   * Reports results obtained after the lease was lost: something may exist at the host that the queue does not expect.
   */
  async #pushStrays({ queueId, effect }: Lease, facts: readonly Fact[]): Promise<void> {
    if (effect.type === 'build_candidate' || effect.type === 'start_checks')
      await this.parts.store.push(queueId, facts);
  }

  /** Handles an exception: the outcome is unknown, so the effect is retried later. */
  async #handleFailure(lease: Lease, error: unknown): Promise<void> {
    const { effect, queueId } = lease;
    const message = error instanceof Error ? error.message : String(error);
    this.parts.logger.warn({ error, effect: effect.type, queueId, tries: lease.tries }, 'an effect failed');
    try {
      const reach = error instanceof HostError && error.retry === 'never' ? reachOf(effect, error) : null;
      if (reach !== null) return await this.#hold(lease, message, reach);
      if (error instanceof HostError && error.retry === 'never' && !isInsistedOn(lease)) {
        if (effect.type === 'build_candidate' && (await this.#isGone(queueId)))
          return await this.#clearAway(lease);
        if (isCleaning(effect)) return void (await this.parts.store.settle(lease, []));
        const failed: Fact = {
          id: factId(lease),
          type: 'effect_failed',
          effectId: effect.id,
          runId: 'runId' in effect ? effect.runId : null,
          message,
        };
        await this.parts.store.settle(lease, [failed]);
        this.parts.finished();
        return;
      }
      const retryAt = error instanceof HostError ? error.retryAt : null;
      const delayMs = retryDelayMs(lease.tries, retryAt, this.parts.time.now());
      const isPostponed = await this.parts.store.postpone(lease, delayMs, message);
      // Cleanup effects do not delay anything.
      if (isPostponed && !isCleaning(effect)) await this.#reportDelay(lease, message);
    } catch (storeError) {
      this.parts.logger.error(
        { error: storeError, queueId },
        'a lease could not be returned; it will expire',
      );
    }
  }

  /**
   * The host refuses everything of this repository: the effect is retried after a pause, and the queue holds until
   * then.
   */
  async #hold(lease: Lease, message: string, reach: HostReach): Promise<void> {
    const { effect, queueId, tries } = lease;
    const { store, finished } = this.parts;
    if (await this.#isGone(queueId)) {
      if (effect.type === 'build_candidate') return this.#clearAway(lease);
      return void (await store.settle(lease, []));
    }
    if (!(await store.postpone(lease, holdPauseMs(tries), message)) || isCleaning(effect)) return;
    const said = `${reach} ${Math.min(tries, 2)} ${message}`;
    if (this.#reported.get(effect.id) === said) return;
    this.#reported.set(effect.id, said);
    const id = `${effect.id}/delayed/${tries}` as InputId;
    await store.push(queueId, [{ id, type: 'effect_delayed', effectId: effect.id, message, reach, tries }]);
    finished();
  }

  /** Leaves an effect of a newer release to a replica of that release. It is not the host's fault. */
  async #leaveToOthers(lease: Lease): Promise<void> {
    const { effect, queueId, tries } = lease;
    const sentence = 'an effect of a newer release is left to a replica of that release';
    this.parts.logger.warn({ effect: effect.type, queueId, tries }, sentence);
    await this.parts.store.postpone(lease, backoffMs(tries), sentence);
  }

  async #perform(lease: Lease): Promise<readonly Fact[]> {
    const host = this.parts.hostOf(lease.repo);
    if (host === null) throw new HostError(`no code host is configured for ${repoKey(lease.repo)}`, 'later');
    return performEffect(host, lease, this.parts);
  }
}
