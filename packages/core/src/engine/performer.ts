import PQueue from 'p-queue';
import { type Check, isPass } from '../model/checks.js';
import type { Effect, Land } from '../model/effect.js';
import type { EffectId, InputId, Instant } from '../model/ids.js';
import type { Fact } from '../model/input.js';
import type { LandOutcome } from '../model/outcomes.js';
import { mayStillLand, type PullRequest } from '../model/pull-request.js';
import { type RepoRef, repoKey } from '../model/repo.js';
import type { Trial } from '../model/run.js';
import type { Clock } from '../ports/clock.js';
import { COMMITS_PER_READ, type CodeHost, HostError, PULL_REQUESTS_PER_READ } from '../ports/code-host.js';
import type { Logger } from '../ports/logger.js';
import type { Lease, Store } from '../ports/store.js';
import { backoffMs } from './backoff.js';
import type { StoreTime } from './store-time.js';

export interface PerformerParts {
  readonly store: Store;
  readonly hostOf: (repo: RepoRef) => CodeHost | null;
  readonly clock: Clock;
  readonly time: StoreTime;
  readonly logger: Logger;
  readonly owner: string;
  /** Called when a wish was settled: its queue has something to decide, and there is room for another. */
  readonly finished: () => void;
}

export const EFFECTS_AT_ONCE = 32;
/**
 * A wish whose owner has not been heard of for so long is offered to others; carrying it out twice does no harm. Short,
 * so that what a killed process held goes on soon; renewed while work goes on, so that work may take longer.
 */
export const LEASE_MS = 15_000;
export const RENEW_EVERY_MS = 5_000;
/** A host that has not answered by then is taken for one that never will. */
export const ANSWER_LIMIT_MS = 120_000;

/** Carries out what was wished: leases, asks the host, and settles what it answered as a fact. */
export class Performer {
  readonly #told = new Map<EffectId, string>();
  readonly #lanes = new PQueue({ concurrency: EFFECTS_AT_ONCE });
  readonly #held = new Set<Lease>();
  #renewal: AbortController | null = null;

  constructor(private readonly parts: PerformerParts) {}

  get isFull(): boolean {
    return this.#lanes.size + this.#lanes.pending >= EFFECTS_AT_ONCE;
  }

  /** Takes what is due and has it carried out in the background. How many were taken. */
  async begin(): Promise<number> {
    const room = EFFECTS_AT_ONCE - this.#lanes.size - this.#lanes.pending;
    if (room <= 0) return 0;
    const leases = await this.parts.store.lease({ owner: this.parts.owner, forMs: LEASE_MS, limit: room });
    for (const lease of leases) {
      this.#held.add(lease);
      void this.#lanes.add(() => this.#carryOut(lease));
    }
    if (leases.length > 0) this.#renewal ??= this.#beginRenewal();
    return leases.length;
  }

  /** Resolves when nothing is being carried out. */
  async idle(): Promise<void> {
    await this.#lanes.onIdle();
  }

  async #carryOut(lease: Lease): Promise<void> {
    try {
      const facts = await this.#inTime(this.#perform(lease));
      if (!(await this.parts.store.settle(lease, facts))) await this.#tellOfStrays(lease, facts);
      else if (lease.effect.type === 'build_trial') await this.#dropForNobody(lease);
      this.#told.delete(lease.effect.id);
      this.parts.finished();
    } catch (error) {
      await this.#giveUp(lease, error);
    } finally {
      this.#held.delete(lease);
      if (this.#held.size === 0) this.#endRenewal();
    }
  }

  #beginRenewal(): AbortController {
    const ended = new AbortController();
    void this.#renewUntil(ended.signal);
    return ended;
  }

  #endRenewal(): void {
    this.#renewal?.abort();
    this.#renewal = null;
  }

  async #renewUntil(ended: AbortSignal): Promise<void> {
    const { clock, store, logger } = this.parts;
    for (;;) {
      await clock.wait(clock.now() + RENEW_EVERY_MS, ended);
      if (ended.aborted) return;
      await store.renew([...this.#held], LEASE_MS).catch((error: unknown) => {
        logger.warn({ error }, 'leases could not be renewed; it is tried again');
      });
    }
  }

  /** A host that never answers holds no place for ever. */
  async #inTime<Answer>(answer: Promise<Answer>): Promise<Answer> {
    const { clock } = this.parts;
    const ended = new AbortController();
    const tooLate = clock.wait(clock.now() + ANSWER_LIMIT_MS, ended.signal).then(() => {
      throw new HostError('it did not answer in time', 'later');
    });
    try {
      return await Promise.race([answer, tooLate]);
    } finally {
      tooLate.catch(() => undefined);
      ended.abort();
    }
  }

  /** A queue that was deleted meanwhile hears nothing any more: what was built for it would be kept for ever. */
  async #dropForNobody({ queueId, repo, effect }: Lease): Promise<void> {
    const left = await this.parts.store.load(queueId, Number.MAX_SAFE_INTEGER, { prs: [], inputIds: [] });
    if (left === null && effect.type === 'build_trial')
      await this.parts.hostOf(repo)?.dropTrial({ repo, runId: effect.runId });
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
    if (effect.type === 'build_trial' || effect.type === 'start_checks')
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
      if (error instanceof HostError && error.retry === 'never' && effect.type !== 'land') {
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
        retryAt === null ? backoffMs(lease.tries) : Math.max(0, retryAt - this.parts.clock.now());
      if (await this.parts.store.postpone(lease, delayMs, message)) await this.#tellOfDelay(lease, message);
    } catch (storeError) {
      this.parts.logger.error(
        { error: storeError, queueId },
        'a lease could not be given back; it will run out',
      );
    }
  }

  async #perform(lease: Lease): Promise<readonly Fact[]> {
    const host = this.parts.hostOf(lease.repo);
    if (host === null) throw new HostError(`no code host is configured for ${repoKey(lease.repo)}`, 'later');
    return ask(host, lease, this.parts);
  }
}

const factId = (lease: Lease): InputId => `${lease.effect.id}/${lease.tries}` as InputId;

const ask = async (host: CodeHost, lease: Lease, parts: PerformerParts): Promise<readonly Fact[]> => {
  const { effect, repo } = lease;
  const answer = { id: factId(lease), effectId: effect.id };
  switch (effect.type) {
    case 'build_trial': {
      const outcome = await host.buildTrial({ ...effect, repo });
      const known =
        outcome.kind === 'built' ? await knownOf(host, lease.repo, effect, outcome.trial, parts) : [];
      return [{ ...answer, type: 'trial_built', runId: effect.runId, outcome, known }];
    }
    case 'start_checks':
      await host.startChecks?.({ ...effect, repo });
      return [{ ...answer, type: 'checks_started', runId: effect.runId, commit: effect.commit }];
    case 'cancel_checks':
      await host.cancelChecks?.({ ...effect, repo });
      return [];
    case 'drop_trial':
      await host.dropTrial({ ...effect, repo });
      return [];
    case 'read_checks':
      return [{ ...answer, type: 'checks_seen', seen: await readChecks(host, repo, effect) }];
    case 'read_pull_requests': {
      const readAt = parts.time.now();
      return [
        {
          ...answer,
          type: 'pull_requests_seen',
          ...(await readPullRequests(host, repo, effect.prs, readAt)),
        },
      ];
    }
    case 'read_branch': {
      const readAt = parts.time.now();
      const branch = await host.getBranch(repo, effect.branch);
      const isMoved = branch !== null && effect.known !== null && branch.head !== effect.known;
      const rewound = isMoved && !(await host.contains(repo, branch.head, effect.known));
      const target = {
        head: branch?.head ?? null,
        requiredChecks: branch?.requiredChecks ?? null,
        digests: branch?.digests ?? {},
      };
      return [
        { ...answer, type: 'branch_seen', target: { ...target, exists: branch !== null, readAt }, rewound },
      ];
    }
    case 'land':
      return [
        {
          ...answer,
          type: 'land_finished',
          runId: effect.runId,
          outcome: await land(host, repo, effect, parts),
        },
      ];
  }
};

/**
 * Passes on record for the tree that was built. Where the tree is that of a head that stands alone on the tip, or of the
 * tip itself, also what the host shows for that commit: it ran on exactly this.
 */
const knownOf = async (
  host: CodeHost,
  repo: RepoRef,
  { base, isDirect, parts: trialParts }: Extract<Effect, { type: 'build_trial' }>,
  trial: Trial,
  { store }: PerformerParts,
): Promise<readonly Check[]> => {
  const known = (await store.verdicts(repo, trial.tree)).map((verdict) => verdict.check);
  const [step] = trial.steps;
  const same = trialParts.length === 0 ? base : isDirect && step?.headTree === trial.tree ? step.head : null;
  if (same === null) return known;
  const shown = (await host.getChecks(repo, [same])).get(same) ?? [];
  return [...known, ...shown.filter(isPass)];
};

/** What was submitted is read once more before the irreversible step; the heads are verified again within it. */
const land = async (
  host: CodeHost,
  repo: RepoRef,
  effect: Land,
  { time }: PerformerParts,
): Promise<LandOutcome> => {
  const readAt = time.now();
  const request = { ...effect, repo };
  const numbers = effect.members.map((member) => member.pr);
  const { pulls, missing } = await readPullRequests(host, repo, numbers, readAt);
  const members = new Map(effect.members.map((member) => [member.pr, member]));
  const changed = pulls.filter((pull) => {
    const member = members.get(pull.number);
    return member === undefined || !mayStillLand(pull, { ...member, branch: effect.branch });
  });
  const isAsSubmitted = changed.length === 0 && missing.length === 0;
  if (isAsSubmitted || (await hasHappened(host, repo, effect, changed)))
    return stamped(await host.land(request), readAt);
  await host.dropTrial({ repo, runId: effect.runId });
  return { kind: 'members_changed', pulls: changed, missing };
};

/** They may be shown merged because this very landing has happened already, whatever came after it. */
const hasHappened = async (
  host: CodeHost,
  repo: RepoRef,
  { branch, trial }: Land,
  changed: readonly PullRequest[],
): Promise<boolean> => {
  const commits = new Map(trial.steps.map((step) => [step.pr, step.commit]));
  const isOurs = ({ number, merged }: PullRequest) =>
    merged?.branch === branch && merged.commit !== null && merged.commit === commits.get(number);
  if (changed.some(isOurs)) return true;
  const tip = await host.getBranch(repo, branch);
  return tip !== null && (await host.contains(repo, tip.head, trial.commit));
};

/** Reads are compared by the store's time: an adapter's own clock does not count. */
const stamped = (outcome: LandOutcome, readAt: Instant): LandOutcome =>
  outcome.kind === 'members_changed'
    ? { ...outcome, pulls: outcome.pulls.map((pull) => ({ ...pull, readAt })) }
    : outcome;

const readChecks = async (
  host: CodeHost,
  repo: RepoRef,
  { runs }: Extract<Effect, { type: 'read_checks' }>,
) => {
  const seen = [];
  for (const some of chunks(runs, COMMITS_PER_READ)) {
    const checks = await host.getChecks(
      repo,
      some.map((run) => run.commit),
    );
    for (const { runId, commit } of some) seen.push({ runId, commit, checks: checks.get(commit) ?? [] });
  }
  return seen;
};

const readPullRequests = async (
  host: CodeHost,
  repo: RepoRef,
  numbers: readonly number[],
  readAt: number,
) => {
  const pulls: PullRequest[] = [];
  for (const some of chunks(numbers, PULL_REQUESTS_PER_READ))
    for (const pull of await host.getPullRequests(repo, some)) pulls.push({ ...pull, readAt });
  const found = new Set(pulls.map((pull) => pull.number));
  return { pulls, missing: numbers.filter((number) => !found.has(number)) };
};

const chunks = <Item>(items: readonly Item[], size: number): Item[][] => {
  const all: Item[][] = [];
  for (let at = 0; at < items.length; at += size) all.push(items.slice(at, at + size));
  return all;
};
