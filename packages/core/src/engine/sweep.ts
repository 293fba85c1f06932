import type { Instant, RunId } from '../model/ids.js';
import { type RepoRef, repoKey } from '../model/repo.js';
import { isOpenRun, type Run } from '../model/run.js';
import type { Clock } from '../ports/clock.js';
import type { CodeHost } from '../ports/code-host.js';
import type { Logger } from '../ports/logger.js';
import type { Incarnation, Store } from '../ports/store.js';
import { everyQueue } from './pages.js';

/** What nobody wishes away any more is a matter of room: it may lie for a while. */
export const SWEEP_EVERY_MS = 600_000;
const REST_AFTER_FAILURE_MS = 10_000;
/** After this it is looked again what became of those that were yet to be built. */
const LOOK_AGAIN_MS = 10_000;

export interface SweepParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly hostOf: (repo: RepoRef) => CodeHost | null;
}

/**
 * Removes what runs left at the hosts that the store knows nothing of any more, or that are over: it went back to what it
 * was before they were begun or built, and nobody will ever wish for their end.
 */
export class Sweep {
  #isAllWanted = false;
  readonly #wanted = new Map<string, RepoRef>();
  /** The one of the store for which all were wanted last. */
  #incarnation: Incarnation | null = null;
  #notBefore: Instant = 0;
  /** When all are wanted again; null before the first pass. */
  #allAt: Instant | null = null;
  #running: Promise<void> | null = null;

  constructor(private readonly parts: SweepParts) {}

  /** Of all repositories, with the next pass: once for each incarnation of the store, however many queues notice it. */
  wantAll(incarnation: Incarnation): void {
    if (incarnation === this.#incarnation) return;
    this.#incarnation = incarnation;
    this.#isAllWanted = true;
  }

  /** Of one repository, with the next pass. */
  want(repo: RepoRef): void {
    this.#wanted.set(repoKey(repo), repo);
  }

  /**
   * Does what is wanted, and everything every ten minutes; what fails, or is stopped, is wanted again. One at a time: whoever
   * calls meanwhile waits for that one.
   */
  run(signal?: AbortSignal): Promise<void> {
    this.#running ??= this.#sweep(signal).finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /** What is under way comes to its end. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #sweep(signal: AbortSignal | undefined): Promise<void> {
    const { store, clock } = this.parts;
    this.#wantAllInTime(clock.now());
    if ((!this.#isAllWanted && this.#wanted.size === 0) || clock.now() < this.#notBefore) return;
    if (this.#isAllWanted) {
      try {
        this.#isAllWanted = false;
        for (const repo of await reposOf(store)) this.want(repo);
      } catch (error) {
        this.#isAllWanted = true;
        this.#tryLater(error);
      }
    }
    const repos = [...this.#wanted.values()];
    this.#wanted.clear();
    for (const repo of repos) await this.#sweepOne(repo, signal);
  }

  #wantAllInTime(now: Instant): void {
    if (this.#allAt !== null && now < this.#allAt) return;
    if (this.#allAt !== null) this.#isAllWanted = true;
    this.#allAt = now + SWEEP_EVERY_MS;
  }

  async #sweepOne(repo: RepoRef, signal: AbortSignal | undefined): Promise<void> {
    if (isStopped(signal)) return this.want(repo);
    const { store, logger, hostOf } = this.parts;
    let isOneUnclear = false;
    const isOpen = async (of: RepoRef, runId: RunId): Promise<boolean> => {
      const run = await findRun(store, of, runId);
      // It may be over, and the wish for its trial taken back, before anybody knows that there is one.
      if (run !== null && isYetToBeBuilt(run)) isOneUnclear = true;
      return run !== null && isOpenRun(run);
    };
    try {
      const host = hostOf(repo);
      const dropped = host === null ? 0 : await sweepTrials(host, [repo], isOpen, signal);
      if (dropped > 0) logger.warn({ repo, dropped }, 'trials of runs that the store has lost were dropped');
      if (isStopped(signal)) return this.want(repo);
      if (!isOneUnclear) return;
      this.want(repo);
      this.#notBefore = this.parts.clock.now() + LOOK_AGAIN_MS;
    } catch (error) {
      this.want(repo);
      this.#tryLater(error);
    }
  }

  #tryLater(error: unknown): void {
    this.#notBefore = this.parts.clock.now() + REST_AFTER_FAILURE_MS;
    this.parts.logger.warn({ error }, 'trials of lost runs could not be dropped; it is tried again');
  }
}

const isStopped = (signal: AbortSignal | undefined): boolean => signal?.aborted === true;

/** Drops the trials of these repositories whose runs are not open, until it is told to stop. How many were dropped. */
export const sweepTrials = async (
  host: Pick<CodeHost, 'hasRepository' | 'listTrials' | 'dropTrial'>,
  repos: readonly RepoRef[],
  isOpen: (repo: RepoRef, runId: RunId) => Promise<boolean>,
  signal?: AbortSignal,
): Promise<number> => {
  let dropped = 0;
  for (const repo of repos) {
    if (!(await host.hasRepository(repo))) continue;
    const seen = new Set<RunId>();
    let found = await host.listTrials(repo);
    // One that cannot be dropped must not keep this from coming to an end: each is tried once.
    while (found.some((runId) => !seen.has(runId))) {
      for (const runId of found) {
        if (isStopped(signal)) return dropped;
        if (seen.has(runId)) continue;
        seen.add(runId);
        if (await isOpen(repo, runId)) continue;
        await host.dropTrial({ repo, runId });
        dropped += 1;
      }
      found = await host.listTrials(repo);
    }
  }
  return dropped;
};

/** Whether a run is an open one of a queue that is there. */
export const openRunsOf =
  (store: Store) =>
  async (repo: RepoRef, runId: RunId): Promise<boolean> => {
    const run = await findRun(store, repo, runId);
    return run !== null && isOpenRun(run);
  };

const isYetToBeBuilt = (run: Run): boolean => isOpenRun(run) && run.trial === null;

const findRun = async (store: Store, repo: RepoRef, runId: RunId): Promise<Run | null> => {
  for await (const { id } of everyQueue(store, { repo })) {
    const run = await store.run(id, runId);
    if (run !== null) return run;
  }
  return null;
};

const reposOf = async (store: Store): Promise<readonly RepoRef[]> => {
  const repos = new Map<string, RepoRef>();
  for await (const { repo } of everyQueue(store, {})) repos.set(repoKey(repo), repo);
  return [...repos.values()];
};
