import type { HistoryRow } from '../model/history.js';
import type { Instant, QueueId } from '../model/ids.js';
import { newPresence, type PresenceRow, type PresenceSpan } from '../model/presence.js';
import type { Queue } from '../model/queue.js';
import type { RepoRef } from '../model/repo.js';
import { terminalStates } from '../model/submission.js';
import type { Clock } from '../ports/clock.js';
import { type CodeHost, HostError } from '../ports/code-host.js';
import type { Logger } from '../ports/logger.js';
import type { PresenceHost } from '../ports/presence-host.js';
import type { PresenceStore } from '../ports/presence-store.js';
import { PAGE_LIMIT, type Store } from '../ports/store.js';
import { emptyBudget, spend, type WriteLimits } from '../presence/budget.js';
import { type DueOrNot, type DuePresence, dueOf, inDueOrder, isDue } from '../presence/due.js';
import type { PresenceFacts } from '../presence/facts.js';
import { planOf, writesOf } from '../presence/plan.js';
import { holdPauseMs } from './backoff.js';
import { Countdown } from './countdown.js';
import { everyQueue } from './pages.js';
import { type Written, writePresence } from './presence-writer.js';
import { ANSWER_LIMIT_MS, withTimeouts } from './timeout.js';

/** How long a presenter leases a pull request. */
export const PRESENCE_LEASE_MS = 60_000;
/** After this, no call of an earlier presenter can take effect any more. */
export const READ_BACK_AFTER_MS = PRESENCE_LEASE_MS + 2 * ANSWER_LIMIT_MS;
/** Max rows of the history that a comment is made from: the newest of its pull request. */
export const PRESENCE_ROWS_LIMIT = 200;
/** Max pull requests that are shown before the queue is read again. */
const SHOWN_PER_PASS = 20;
/** Max ended pull requests of one queue that are read, the newest. */
const ENDS_LIMIT = 1_000;
/** Max delay between the date of an end and its commit. Ends committed later than that may be missed. */
const LATE_COMMIT_MS = 300_000;
/** Ends this long before the first look at a queue are shown: the process may have died right after them. */
const FIRST_LOOK_BACK_MS = 86_400_000;
const LOOK_EVERY_MS = 2_000;
const PRUNE_EVERY_MS = 3_600_000;
/** How long a row is kept after its end; then the comment is found by its marker. */
export const PRESENCE_KEPT_MS = 30 * 86_400_000;
const BUDGET_TRIES = 20;
const OVER_BUDGET_REST_MS = 10_000;

export interface PresenterParts {
  readonly store: Pick<Store, 'queues' | 'history' | 'submissions'>;
  readonly presence: PresenceStore;
  readonly hostOf: (repo: RepoRef) => CodeHost | null;
  /** The facts of all live pull requests of a queue, and of ended ones with these numbers. Empty if the queue was deleted. */
  readonly allFacts: (queue: Queue, prs: readonly number[]) => Promise<readonly PresenceFacts[]>;
  /** The facts of one; null if it was never submitted, or the queue was deleted. */
  readonly factsOf: (queue: Queue, pr: number) => Promise<PresenceFacts | null>;
  readonly linkOf: (queue: Queue, pr: number) => string | null;
  readonly limits: WriteLimits;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Unique per process and start. */
  readonly owner: string;
}

interface OutOfDate {
  readonly queue: Queue;
  readonly host: PresenceHost;
  readonly due: DuePresence;
}

/**
 * Shows at pull requests what their queues do with them. It compares the state of a queue with what was shown. So
 * nothing is lost when a process crashes, and only the latest state is written. Replicas share rows, leases and
 * budgets by the store. Its failures are logged and retried, and never hold up a queue.
 */
export class Presenter {
  readonly #untilLook: Countdown;
  readonly #untilPrune: Countdown;
  #looking: Promise<void> | null = null;
  /** Keyed by installation, so that one that hangs does not delay the others. */
  readonly #showing = new Map<string, Promise<boolean>>();
  /** How many installations the last look found. */
  #installations = 0;
  #isEnding = false;

  constructor(private readonly parts: PresenterParts) {
    this.#untilLook = new Countdown(parts.clock);
    this.#untilPrune = new Countdown(parts.clock);
  }

  /** The same as `pass`, at most every two seconds; in between it does nothing and answers false. */
  run(): Promise<boolean> {
    const isBusy = this.#looking !== null || this.#isEnding || !this.#untilLook.isOver;
    if (isBusy || (this.#showing.size > 0 && this.#showing.size === this.#installations))
      return Promise.resolve(false);
    this.#untilLook.start(LOOK_EVERY_MS);
    return this.pass();
  }

  /**
   * Shows what is out of date as far as the budgets allow, and waits for all that is being shown. True if something was shown.
   * Never rejects.
   */
  async pass(): Promise<boolean> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
    await this.#looking;
    const shown = await Promise.all(this.#showing.values());
    return shown.some(Boolean);
  }

  /** Starts no more writes, and resolves when those under way have ended. */
  async end(): Promise<void> {
    this.#isEnding = true;
    await this.#looking;
    await Promise.all(this.#showing.values());
    this.#isEnding = false;
  }

  /** Looks at the queues, and starts to show what is out of date. Installations that are still being shown are left out. */
  async #look(): Promise<void> {
    try {
      const now = await this.parts.presence.now();
      const byInstallation = new Map<string, OutOfDate[]>();
      const found = new Set<string>();
      for await (const queue of everyQueue(this.parts.store, {})) {
        const presence = this.parts.hostOf(queue.repo)?.presence;
        if (presence === undefined) continue;
        const host = withTimeouts(this.parts.clock, presence);
        const key = host.installationOf(queue.repo);
        found.add(key);
        if (this.#showing.has(key)) continue;
        const due = await this.#outOfDate(queue, now).catch((error: unknown) => this.#warn(error, queue));
        const dueSoFar = byInstallation.get(key) ?? [];
        byInstallation.set(key, [...dueSoFar, ...due.map((one) => ({ queue, host, due: one }))]);
      }
      this.#installations = found.size;
      await this.#prune(now);
      for (const [key, due] of byInstallation) {
        const showing = this.#showAll(key, due).finally(() => this.#showing.delete(key));
        this.#showing.set(key, showing);
      }
    } catch (error) {
      this.parts.logger.warn(
        { error },
        'pull requests are not updated at the code host: reading the queues failed; retrying',
      );
    }
  }

  /** Installations are independent: a slow or refusing one holds up no other. */
  async #showAll(installation: string, outOfDate: readonly OutOfDate[]): Promise<boolean> {
    const by = new Map(outOfDate.map((one) => [one.due, one]));
    let shown = 0;
    for (const due of inDueOrder([...by.keys()])) {
      const one = by.get(due);
      if (one === undefined || this.#isEnding || shown === SHOWN_PER_PASS) break;
      const result = await this.#show(installation, one).catch((error: unknown) => {
        this.#warn(error, one.queue);
        return 'skipped' as const;
      });
      // Later entries have no more right to the budget.
      if (result === 'over_budget') break;
      if (result === 'shown') shown += 1;
    }
    return shown > 0;
  }

  async #outOfDate(queue: Queue, now: Instant): Promise<readonly DuePresence[]> {
    const { presence } = this.parts;
    const span = await presence.begin(queue.id, Math.max(queue.createdAt, now - FIRST_LOOK_BACK_MS));
    const open = await presence.open(queue.id);
    const ended = await this.#endedSince(queue.id, span);
    const prs = [...new Set([...open.map(({ pr }) => pr), ...ended])];
    const shown = await this.parts.allFacts(queue, prs);
    const rows = new Map(open.map((row) => [row.pr, row]));
    const closed = ended.filter((pr) => !rows.has(pr));
    if (closed.length > 0) for (const row of await presence.find(queue.id, closed)) rows.set(row.pr, row);
    const found = shown.map((facts) => ({ facts, due: dueOf(facts, rows.get(facts.pr) ?? null, now) }));
    await this.#advance(queue.id, span, found, now);
    return found.map(({ due }) => due).filter(isDue);
  }

  async #endedSince(queueId: QueueId, { since }: PresenceSpan): Promise<readonly number[]> {
    const query = { queueId, states: terminalStates, since, limit: PAGE_LIMIT };
    const { items } = await this.parts.store.submissions(query);
    return items.slice(0, ENDS_LIMIT).map(({ pr }) => pr);
  }

  /** Ends that were shown need not be read again. */
  async #advance(
    queueId: QueueId,
    { since }: PresenceSpan,
    found: readonly { readonly facts: PresenceFacts; readonly due: DueOrNot }[],
    now: Instant,
  ): Promise<void> {
    const left = found.filter(({ facts, due }) => facts.isEnded && (isDue(due) || due.at !== null));
    const until = Math.min(now - LATE_COMMIT_MS, ...left.map(({ facts }) => facts.stateSince));
    if (until > since + LATE_COMMIT_MS) await this.parts.presence.advance(queueId, until);
  }

  async #show(
    installation: string,
    { queue, host, due: { pr } }: OutOfDate,
  ): Promise<'shown' | 'skipped' | 'over_budget'> {
    const { presence } = this.parts;
    const now = await presence.now();
    // The newest state counts: it may have changed since the queue was looked at.
    const facts = await this.parts.factsOf(queue, pr);
    const [stored = null] = await presence.find(queue.id, [pr]);
    if (facts === null) return 'skipped';
    const due = dueOf(facts, stored, now);
    if (!isDue(due)) return 'skipped';
    const before = stored ?? newPresence(queue.id, pr);
    const lease = { owner: this.parts.owner, until: now + PRESENCE_LEASE_MS };
    const row = { ...before, version: before.version + 1, lease, closedAt: null };
    const { begunAt } = await presence.begin(queue.id, now);
    const link = this.parts.linkOf(queue, pr);
    const rows = await this.#history(queue.id, pr);
    const plan = planOf({ queue, facts, rows, row, begunAt, link, at: now });
    // A plan that is read back mostly needs no write.
    let prepaid = due.isReadBack ? 0 : writesOf(plan, row);
    const isRoutine = !due.isEnd;
    if (prepaid > 0 && !(await this.#spend(installation, { at: now, writes: prepaid, isRoutine })))
      return 'over_budget';
    if (!(await presence.replace(row))) return 'skipped';
    const leaseTimer = new Countdown(this.parts.clock);
    leaseTimer.start(PRESENCE_LEASE_MS);
    const written = await writePresence({
      ...{ host, ref: { repo: queue.repo, pr }, row, plan, isReadBack: due.isReadBack },
      pay: async () => {
        prepaid -= 1;
        return prepaid >= 0 || this.#spend(installation, { at: await presence.now(), writes: 1, isRoutine });
      },
      isHeld: () => !leaseTimer.isOver && !this.#isEnding,
    });
    await presence.replace(
      afterWrite(row, written, { now: await presence.now(), isLastReadBack: isLastReadBack(due, row, now) }),
    );
    if (written.kind === 'failed') this.#warn(written.error, queue, pr);
    return written.kind === 'over_budget' ? 'over_budget' : 'shown';
  }

  async #history(queueId: QueueId, pr: number): Promise<readonly HistoryRow[]> {
    const query = { queueIds: [queueId], pr, order: 'newest_first', limit: PRESENCE_ROWS_LIMIT } as const;
    return (await this.parts.store.history(query)).items;
  }

  /** The budget is charged before the write, so that a crash in between cannot leave a write uncounted. */
  async #spend(
    installation: string,
    wanted: { readonly at: Instant; readonly writes: number; readonly isRoutine: boolean },
  ): Promise<boolean> {
    const { presence, limits } = this.parts;
    for (let tries = 0; tries < BUDGET_TRIES; tries += 1) {
      const budget = (await presence.budget(installation)) ?? emptyBudget(installation);
      const spending = spend(budget, wanted, limits);
      if (spending.kind === 'refused') return false;
      if (await presence.replaceBudget(spending.budget)) return true;
    }
    return false;
  }

  async #prune(now: Instant): Promise<void> {
    if (!this.#untilPrune.isOver) return;
    await this.parts.presence.prune(now - PRESENCE_KEPT_MS);
    this.#untilPrune.start(PRUNE_EVERY_MS);
  }

  #warn(error: unknown, { repo, branch }: Queue, pr?: number): readonly never[] {
    const facts = { error, repo, branch, ...(pr === undefined ? {} : { pr }) };
    this.parts.logger.warn(facts, 'a pull request was not updated at the code host; retrying');
    return [];
  }
}

/**
 * True for the read-back that is due some time after an end was shown. One that is due because an earlier presenter may have
 * written is not the last: that presenter may still be writing. Nor is one that seems late: the clock of the store may have
 * been set ahead.
 */
const isLastReadBack = ({ isReadBack }: DuePresence, { readBackAt }: PresenceRow, now: Instant): boolean =>
  isReadBack && readBackAt !== null && readBackAt <= now && now < readBackAt + READ_BACK_AFTER_MS;

/** The row after a try: what was shown, when it is read back, and when the next try is. */
const afterWrite = (
  row: PresenceRow,
  written: Written,
  { now, isLastReadBack }: { readonly now: Instant; readonly isLastReadBack: boolean },
): PresenceRow => {
  const { kind, error, shown, commentId, notices, noticedAttempt } = written;
  const next = { ...row, version: row.version + 1, shown, commentId, notices, noticedAttempt, shownAt: now };
  if (kind === 'written') {
    const isEnded = shown?.isEnded === true;
    return {
      ...{ ...next, lease: null, failures: 0, failure: null, retryAt: null },
      readBackAt: isEnded && !isLastReadBack ? now + READ_BACK_AFTER_MS : null,
      closedAt: isEnded && isLastReadBack ? now : null,
    };
  }
  // It is unknown what the host shows, so the next presenter reads it.
  const unknown = { ...next, lease: { owner: row.lease?.owner ?? '', until: now } };
  if (kind === 'over_budget') return { ...unknown, retryAt: now + OVER_BUDGET_REST_MS };
  const failures = row.failures + 1;
  const hostRetryAt = error instanceof HostError ? (error.retryAt ?? 0) : 0;
  return {
    ...unknown,
    failures,
    failure: error instanceof Error ? error.message : null,
    retryAt: Math.max(now + holdPauseMs(failures), hostRetryAt),
  };
};
