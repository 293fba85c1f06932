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
  /** Sweeps at once, and every ten minutes from then on. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Drops candidates of which the store knows no open run, in every repository that the server serves and that has no queue: the
 * engine sweeps those with queues, and knows no others, but a store may lose the creation of a queue.
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
        if (!signal.aborted) logger.warn({ repo, error }, 'candidates could not be swept; it is tried again');
      }
    }
    if (dropped > 0) logger.info({ dropped }, 'candidates that belong to no open run were dropped');
  };
  const sweepAll = (): void => {
    running ??= sweep()
      .catch((error: unknown) => logger.warn({ error }, 'the repositories could not be listed to be swept'))
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
