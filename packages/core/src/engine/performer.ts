import PQueue from 'p-queue';
import type { Effect } from '../model/effect.js';
import type { EffectId, InputId, QueueId } from '../model/ids.js';
import type { Fact } from '../model/input.js';
import type { HostReach } from '../model/outcomes.js';
import { type RepoRef, repoKey } from '../model/repo.js';
import type { Clock } from '../ports/clock.js';
import { type CodeHost, HostError } from '../ports/code-host.js';
import type { Logger } from '../ports/logger.js';
import type { Lease, LeaseAsk, Store } from '../ports/store.js';
import { backoffMs, holdPauseMs } from './backoff.js';
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
  /** Whether one thing leads to the next without a pass in between. */
  readonly isRunning: () => boolean;
  /** Has what was learnt taken in by a decision that settles the wish as well. */
  readonly deliver: (lease: Lease, facts: readonly Fact[]) => Promise<Delivered>;
  /** Called when a queue has something to decide, and when there is room for another wish. */
  readonly finished: () => void;
}

/** Wishes that are held at most: those that the host is asked for, that wait to be, and whose answers wait for their commit. */
export const EFFECTS_AT_ONCE = 256;
/** Questions about one repository that are under way at most. */
export const QUESTIONS_AT_ONCE = 32;
/**
 * A wish whose owner has not been heard of for so long is offered to others; carrying it out twice does no harm. Short,
 * so that what a killed process held goes on soon; renewed while work goes on, so that work may take longer.
 */
export const LEASE_MS = 15_000;
export const RENEW_EVERY_MS = 5_000;

/** Nobody is waited for longer before it is asked again, whenever it wants to be: its clock, or ours, may be wrong. */
const LONGEST_DELAY_MS = 900_000;

/** Tries of what is wished for nobody's sake but order, before it is left as it is: with their rests, some sixteen hours. */
const CLEANING_TRIES_LIMIT = 1_000;

/** Whether a host that says "never" is asked again: a landing must be known of, and nobody else would ever clear away. */
const isInsistedOn = ({ effect, tries }: Lease): boolean =>
  effect.type === 'land' || (isCleaning(effect) && tries < CLEANING_TRIES_LIMIT);

/** What a `never` is about beyond this wish; null where it is about this wish alone. Questions cover everything of a queue. */
const reachOf = ({ type }: Effect, { reach }: HostError): HostReach | null => {
  if (type === 'drop_candidate' || type === 'cancel_checks') return null;
  const isQuestion = type === 'read_branch' || type === 'read_pull_requests' || type === 'read_checks';
  return reach ?? (isQuestion ? 'access' : null);
};

const isCleaning = ({ type }: Effect): boolean => type === 'drop_candidate' || type === 'cancel_checks';

/** Carries out what was wished: leases, asks the host, and settles what it answered as a fact. */
export class Performer implements EffectSink {
  readonly #told = new Map<EffectId, string>();
  /** By repository, while anything is asked about it. */
  readonly #questions = new Map<string, PQueue>();
  readonly #held = new Map<Lease, Promise<void>>();
  /** Room that is kept for wishes which are just being written or asked for. */
  #reserved = 0;
  #renewal: AbortController | null = null;
  #isEnding = false;

  constructor(private readonly parts: PerformerParts) {}

  get isFull(): boolean {
    return this.#room <= 0;
  }

  get #room(): number {
    return EFFECTS_AT_ONCE - this.#held.size - this.#reserved;
  }

  /** Takes what is due and has it carried out in the background. How many were taken. */
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

  offer(count: number): LeaseAsk | null {
    return this.parts.isRunning() ? this.#reserve(count) : null;
  }

  #reserve(count: number): LeaseAsk | null {
    const limit = Math.min(count, this.#room);
    if (limit <= 0) return null;
    this.#reserved += limit;
    return { owner: this.parts.owner, forMs: LEASE_MS, limit };
  }

  take(reserved: LeaseAsk, leases: readonly Lease[]): void {
    this.#reserved -= reserved.limit;
    for (const lease of leases) this.#held.set(lease, this.#carryOut(lease));
    if (leases.length > 0) this.#renewal ??= this.#beginRenewal();
  }

  /** Resolves when nothing is being carried out. */
  async idle(): Promise<void> {
    while (this.#held.size > 0) await Promise.all(this.#held.values());
  }

  /** Gives back what waits for its turn, since others may ask about it now, and resolves when nothing is being carried out. */
  async end(): Promise<void> {
    this.#isEnding = true;
    for (const questions of this.#questions.values()) questions.concurrency = Number.POSITIVE_INFINITY;
    await this.idle();
    this.#isEnding = false;
  }

  async #carryOut(lease: Lease): Promise<void> {
    try {
      if (!isKnownEffect(lease.effect)) return await this.#leaveToOthers(lease);
      const facts = await this.#inTurn(lease.repo, async () =>
        this.#isEnding ? null : withTimeout(this.parts.clock, this.#perform(lease)),
      );
      if (facts === null) return void (await this.parts.store.postpone(lease, 0, 'whoever held it ended'));
      await this.#settle(lease, facts);
      this.#told.delete(lease.effect.id);
    } catch (error) {
      await this.#giveUp(lease, error);
    } finally {
      const wasFull = this.isFull;
      this.#held.delete(lease);
      if (this.#held.size === 0) this.#endRenewal();
      if (wasFull) this.parts.finished();
    }
  }

  async #inTurn<Answer>(repo: RepoRef, ask: () => Promise<Answer>): Promise<Answer> {
    const key = repoKey(repo);
    const questions = this.#questions.get(key) ?? new PQueue({ concurrency: QUESTIONS_AT_ONCE });
    this.#questions.set(key, questions);
    try {
      return await questions.add(ask);
    } finally {
      if (questions.size + questions.pending === 0 && this.#questions.get(key) === questions)
        this.#questions.delete(key);
    }
  }

  async #settle(lease: Lease, facts: readonly Fact[]): Promise<void> {
    const { store, deliver, finished, isRunning } = this.parts;
    const delivered = facts.length > 0 && isRunning() ? await deliver(lease, facts) : null;
    if (delivered === 'settled') return;
    if (delivered === 'gone') {
      // Dropped first: once it is settled, nobody tries again.
      await this.#dropCandidate(lease);
      return void (await store.settle(lease, []));
    }
    if (delivered === 'lost' || !(await store.settle(lease, facts))) await this.#tellOfStrays(lease, facts);
    else if (lease.effect.type === 'build_candidate') await this.#dropForNobody(lease);
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
      await store.renew([...this.#held.keys()], LEASE_MS).catch((error: unknown) => {
        logger.warn({ error }, 'leases could not be renewed; it is tried again');
      });
    }
  }

  /** A queue that was deleted meanwhile hears nothing any more: what was built for it would be kept for ever. */
  async #dropForNobody(lease: Lease): Promise<void> {
    if (await this.#isGone(lease.queueId)) await this.#dropCandidate(lease);
  }

  /** Nobody hears any more that it was not built, and an earlier try may have built it. */
  async #clearAway(lease: Lease): Promise<void> {
    const { store, logger } = this.parts;
    try {
      await this.#dropCandidate(lease);
    } catch (error) {
      logger.warn(
        { error, queueId: lease.queueId },
        'a candidate of a queue that is gone could not be dropped',
      );
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

  /** People who wait are told what the host says: once when it begins, and whenever the words change. */
  async #tellOfDelay({ queueId, effect }: Lease, message: string): Promise<void> {
    if (this.#told.get(effect.id) === message) return;
    this.#told.set(effect.id, message);
    const id = `${effect.id}/delayed` as InputId;
    await this.parts.store.push(queueId, [{ id, type: 'effect_delayed', effectId: effect.id, message }]);
    this.parts.finished();
  }

  /** Whoever held the lease too long may have left something at the host that nobody expects any more. */
  async #tellOfStrays({ queueId, effect }: Lease, facts: readonly Fact[]): Promise<void> {
    if (effect.type === 'build_candidate' || effect.type === 'start_checks')
      await this.parts.store.push(queueId, facts);
  }

  /** An exception means that nobody knows what happened: the same is asked again later. */
  async #giveUp(lease: Lease, error: unknown): Promise<void> {
    const { effect, queueId } = lease;
    const message = error instanceof Error ? error.message : String(error);
    this.parts.logger.warn(
      { error, effect: effect.type, queueId, tries: lease.tries },
      'the host was not reached',
    );
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
      const delayMs =
        retryAt === null
          ? backoffMs(lease.tries)
          : Math.min(Math.max(0, retryAt - this.parts.time.now()), LONGEST_DELAY_MS);
      const isPostponed = await this.parts.store.postpone(lease, delayMs, message);
      // Nobody waits for what is cleared away.
      if (isPostponed && !isCleaning(effect)) await this.#tellOfDelay(lease, message);
    } catch (storeError) {
      this.parts.logger.error(
        { error: storeError, queueId },
        'a lease could not be given back; it will run out',
      );
    }
  }

  /** Nothing of this repository is answered: the same is asked again after a pause, and the queue holds until it is answered. */
  async #hold(lease: Lease, message: string, reach: HostReach): Promise<void> {
    const { effect, queueId, tries } = lease;
    const { store, finished } = this.parts;
    if (await this.#isGone(queueId)) {
      if (effect.type === 'build_candidate') return this.#clearAway(lease);
      return void (await store.settle(lease, []));
    }
    if (!(await store.postpone(lease, holdPauseMs(tries), message)) || isCleaning(effect)) return;
    const said = `${reach} ${Math.min(tries, 2)} ${message}`;
    if (this.#told.get(effect.id) === said) return;
    this.#told.set(effect.id, said);
    const id = `${effect.id}/delayed/${tries}` as InputId;
    await store.push(queueId, [{ id, type: 'effect_delayed', effectId: effect.id, message, reach, tries }]);
    finished();
  }

  /** A replica of the release that wished for it carries it out. The host has no part in that. */
  async #leaveToOthers(lease: Lease): Promise<void> {
    const { effect, queueId, tries } = lease;
    const sentence = 'a wish of a newer release is left to a replica that knows it';
    this.parts.logger.warn({ effect: effect.type, queueId, tries }, sentence);
    await this.parts.store.postpone(lease, backoffMs(tries), sentence);
  }

  async #perform(lease: Lease): Promise<readonly Fact[]> {
    const host = this.parts.hostOf(lease.repo);
    if (host === null) throw new HostError(`no code host is configured for ${repoKey(lease.repo)}`, 'later');
    return performEffect(host, lease, this.parts);
  }
}
