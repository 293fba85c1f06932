import type { TestRunId } from '../model/ids.js';
import { type RepoRef, repoKey } from '../model/repo.js';
import { isOpenRun, type TestRun } from '../model/run.js';
import type { Clock } from '../ports/clock.js';
import type { CodeHost } from '../ports/code-host.js';
import type { Logger } from '../ports/logger.js';
import type { Incarnation, Store } from '../ports/store.js';
import { Countdown } from './countdown.js';
import { everyQueue, repositoriesOf } from './pages.js';
import { withTimeout } from './timeout.js';

/** Orphaned candidates only take space, so they may stay for a while. */
export const SWEEP_EVERY_MS = 600_000;
const REST_AFTER_FAILURE_MS = 10_000;
/** Delay before test runs that were still being built are checked again. */
const RECHECK_DELAY_MS = 10_000;

export interface SweepParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly hostOf: (repo: RepoRef) => CodeHost | null;
}

interface Wanted {
  readonly repo: RepoRef;
  /** Whether the store may have lost confirmed commits. */
  readonly isAfterLoss: boolean;
}

/**
 * Drops candidates at the hosts whose test runs are closed or unknown to the store. They are left over when the store
 * lost commits, or when a process died.
 */
export class Sweep {
  #isAllWanted = false;
  #isAfterLoss = false;
  readonly #wanted = new Map<string, Wanted>();
  /** The incarnation for which all repositories were last requested. */
  #incarnation: Incarnation | null = null;
  readonly #untilRetry: Countdown;
  /** Until all repositories are swept again; null before the first pass. */
  #untilAll: Countdown | null = null;
  #running: Promise<void> | null = null;

  constructor(private readonly parts: SweepParts) {
    this.#untilRetry = new Countdown(parts.clock);
  }

  /** Requests a sweep of all repositories with the next pass, once per incarnation, however often it is called. */
  wantAll(incarnation: Incarnation): void {
    if (incarnation === this.#incarnation) return;
    if (this.#incarnation !== null) this.#isAfterLoss = true;
    this.#incarnation = incarnation;
    this.#isAllWanted = true;
  }

  /** Requests a sweep of one repository with the next pass. */
  want(repo: RepoRef): void {
    this.#want({ repo, isAfterLoss: false });
  }

  #want({ repo, isAfterLoss }: Wanted): void {
    const key = repoKey(repo);
    const wasAfterLoss = this.#wanted.get(key)?.isAfterLoss === true;
    this.#wanted.set(key, { repo, isAfterLoss: isAfterLoss || wasAfterLoss });
  }

  /**
   * Sweeps what was requested, and everything every ten minutes. A sweep that fails or is stopped is requested again.
   * Runs one at a time: a concurrent call waits for the current one.
   */
  run(signal?: AbortSignal): Promise<void> {
    this.#running ??= this.#sweep(signal).finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /** Resolves when the current sweep has ended. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #sweep(signal: AbortSignal | undefined): Promise<void> {
    const { store } = this.parts;
    this.#wantAllInTime();
    if ((!this.#isAllWanted && this.#wanted.size === 0) || !this.#untilRetry.isOver) return;
    if (this.#isAllWanted) {
      const isAfterLoss = this.#isAfterLoss;
      try {
        this.#isAllWanted = false;
        this.#isAfterLoss = false;
        for (const repo of (await repositoriesOf(store, {})).values()) this.#want({ repo, isAfterLoss });
      } catch (error) {
        this.#isAllWanted = true;
        this.#isAfterLoss ||= isAfterLoss;
        this.#tryLater(error);
      }
    }
    const all = [...this.#wanted.values()];
    this.#wanted.clear();
    for (const wanted of all) await this.#sweepOne(wanted, signal);
  }

  #wantAllInTime(): void {
    if (this.#untilAll?.isOver === false) return;
    if (this.#untilAll !== null) this.#isAllWanted = true;
    this.#untilAll ??= new Countdown(this.parts.clock);
    this.#untilAll.start(SWEEP_EVERY_MS);
  }

  async #sweepOne(wanted: Wanted, signal: AbortSignal | undefined): Promise<void> {
    if (isStopped(signal)) return this.#want(wanted);
    const { store, clock, hostOf } = this.parts;
    const { repo } = wanted;
    let isOneUnclear = false;
    const isOpen = async (of: RepoRef, runId: TestRunId): Promise<boolean> => {
      const run = await findRun(store, of, runId);
      // It may be closed, and its build effect withdrawn, before its candidate is known.
      if (run !== null && isYetToBeBuilt(run)) isOneUnclear = true;
      return run !== null && isOpenRun(run);
    };
    try {
      const host = hostOf(repo);
      const dropped = host === null ? 0 : await sweepCandidates({ host, clock, isOpen, signal }, [repo]);
      if (dropped > 0) this.#log(wanted, dropped);
      if (isStopped(signal)) return this.#want(wanted);
      if (!isOneUnclear) return;
      this.#want(wanted);
      this.#untilRetry.start(RECHECK_DELAY_MS);
    } catch (error) {
      this.#want(wanted);
      this.#tryLater(error);
    }
  }

  #log({ repo, isAfterLoss }: Wanted, dropped: number): void {
    const sentence = 'candidates without an open test run were dropped';
    if (isAfterLoss) this.parts.logger.warn({ repo, dropped }, `the store was restarted; ${sentence}`);
    else this.parts.logger.info({ repo, dropped }, sentence);
  }

  #tryLater(error: unknown): void {
    this.#untilRetry.start(REST_AFTER_FAILURE_MS);
    this.parts.logger.warn({ error }, 'candidates could not be swept; retrying');
  }
}

const isStopped = (signal: AbortSignal | undefined): boolean => signal?.aborted === true;

export interface SweepingParts {
  readonly host: Pick<CodeHost, 'hasRepository' | 'listCandidates' | 'dropCandidate'>;
  readonly clock: Clock;
  readonly isOpen: (repo: RepoRef, runId: TestRunId) => Promise<boolean>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Drops the candidates of these repositories whose test runs are not open. Stops calling the host when the signal
 * aborts. Returns the number of dropped candidates. Throws if the host fails or does not answer in time.
 */
export const sweepCandidates = async (
  { host, clock, isOpen, signal }: SweepingParts,
  repos: readonly RepoRef[],
): Promise<number> => {
  let dropped = 0;
  for (const repo of repos) {
    if (isStopped(signal)) return dropped;
    if (!(await withTimeout(clock, host.hasRepository(repo)))) continue;
    const tried = new Set<TestRunId>();
    // Each candidate is tried once, so that one that cannot be dropped does not keep this loop from ending.
    for (let isMore = true; isMore; ) {
      if (isStopped(signal)) return dropped;
      isMore = false;
      for (const runId of await withTimeout(clock, host.listCandidates(repo))) {
        if (isStopped(signal)) return dropped;
        if (tried.has(runId)) continue;
        tried.add(runId);
        isMore = true;
        if (await isOpen(repo, runId)) continue;
        await withTimeout(clock, host.dropCandidate({ repo, runId }));
        dropped += 1;
      }
    }
  }
  return dropped;
};

/** Whether a test run is open, in a queue that exists. */
export const openRunsOf =
  (store: Store) =>
  async (repo: RepoRef, runId: TestRunId): Promise<boolean> => {
    const run = await findRun(store, repo, runId);
    return run !== null && isOpenRun(run);
  };

const isYetToBeBuilt = (run: TestRun): boolean => isOpenRun(run) && run.candidate === null;

const findRun = async (store: Store, repo: RepoRef, runId: TestRunId): Promise<TestRun | null> => {
  for await (const { id } of everyQueue(store, { repo })) {
    const run = await store.run(id, runId);
    if (run !== null) return run;
  }
  return null;
};
