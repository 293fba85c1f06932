import {
  type Clock,
  type CodeHost,
  type Logger,
  openRunsOf,
  type RepoRef,
  type Store,
  SWEEP_EVERY_MS,
  sweepCandidates,
} from '@mq/core';

export interface SweeperParts {
  readonly host: Pick<CodeHost, 'hasRepository' | 'listCandidates' | 'dropCandidate'>;
  readonly store: Store;
  readonly clock: Clock;
  readonly repositories: () => Promise<readonly RepoRef[]>;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

export interface Sweeper {
  /** Sweeps now, then every ten minutes. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Drops candidates without an open test run in each served repository without a queue. The engine sweeps repositories with
 * queues only, but candidates can be left in others: a store may lose the creation of a queue.
 */
export const sweeper = (parts: SweeperParts): Sweeper => {
  const { host, store, clock, logger } = parts;
  const isOpen = openRunsOf(store);
  let timer: NodeJS.Timeout | undefined;
  const stopped = new AbortController();
  const { signal } = stopped;
  let running: Promise<void> | null = null;

  const hasNoQueue = async (repo: RepoRef): Promise<boolean> =>
    (await store.queues({ repo, limit: 1 })).items.length === 0;
  const sweep = async (): Promise<void> => {
    let dropped = 0;
    for (const repo of await parts.repositories()) {
      if (signal.aborted) return;
      try {
        if (await hasNoQueue(repo)) dropped += await sweepCandidates({ host, clock, isOpen, signal }, [repo]);
      } catch (error) {
        if (!signal.aborted) logger.warn({ repo, error }, 'candidates could not be swept; retrying');
      }
    }
    if (dropped > 0) logger.info({ dropped }, 'dropped candidates without an open test run');
  };
  const sweepAll = (): void => {
    running ??= sweep()
      .catch((error: unknown) => logger.warn({ error }, 'the repositories could not be listed; retrying'))
      .finally(() => {
        running = null;
      });
  };
  return {
    start: async () => {
      timer = setInterval(sweepAll, SWEEP_EVERY_MS).unref();
      await sweep();
    },
    stop: async () => {
      stopped.abort();
      clearInterval(timer);
      await running;
    },
  };
};
