import type { Instant, QueueId } from '../model/ids.js';
import { HOUR_MS, type HourSummary, hourOf, type Summary, summarize } from '../model/summary.js';
import type { Clock } from '../ports/clock.js';
import type { Logger } from '../ports/logger.js';
import { PAGE_LIMIT, type Store } from '../ports/store.js';
import { SUMMARIES_PER_CALL, type SummaryStore } from '../ports/summary-store.js';
import { Countdown } from './countdown.js';
import { everyQueue, everyRow } from './pages.js';

export const SUMMARIZE_EVERY_MS = 600_000;
/** The delay from the end of an hour to its summary. After it, no replica commits a row of that hour. */
export const HOUR_FINAL_MS = 600_000;
/** How long summaries are kept. */
export const SUMMARIES_KEPT_MS = 800 * 24 * HOUR_MS;
const REST_AFTER_FAILURE_MS = 10_000;

export interface SummariesParts {
  readonly store: Store;
  /** Null: nothing outlives the history. */
  readonly summaries: SummaryStore | null;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The hours of a queue that are over, and the rest of its history. */
export interface Recent {
  /** Where the stored summaries end. */
  readonly from: Instant;
  readonly hours: ReadonlyMap<Instant, Summary>;
}

/**
 * Writes a summary of each hour of each queue before its history is pruned. Any replica may do so, also twice: the
 * summary of an hour that is over is a function of its rows.
 */
export class Summaries {
  readonly #untilNext: Countdown;
  #running: Promise<void> | null = null;

  constructor(private readonly parts: SummariesParts) {
    this.#untilNext = new Countdown(parts.clock);
  }

  /** Summarizes all live queues, at most every ten minutes. Failures are retried. */
  run(): Promise<void> {
    const { summaries } = this.parts;
    if (summaries === null || !this.#untilNext.isOver) return this.#running ?? Promise.resolve();
    this.#running ??= this.#all(summaries).finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /** Resolves when the current run has ended. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #all(summaries: SummaryStore): Promise<void> {
    const { store, logger } = this.parts;
    this.#untilNext.start(SUMMARIZE_EVERY_MS);
    try {
      for await (const { id } of everyQueue(store, {})) await this.recent(id);
      await summaries.prune((await store.now()) - SUMMARIES_KEPT_MS);
    } catch (error) {
      this.#untilNext.start(REST_AFTER_FAILURE_MS);
      logger.warn({ error }, 'the history could not be summarized; retrying');
    }
  }

  /** Summarizes the history that is not summarized yet. Stores the hours that ended long enough ago. */
  async recent(queueId: QueueId): Promise<Recent> {
    const { store, summaries } = this.parts;
    const last = (await summaries?.lastHour(queueId)) ?? null;
    const since = last === null ? 0 : last + HOUR_MS;
    const until = hourOf((await store.now()) - HOUR_FINAL_MS);
    const hours = new Map<Instant, Summary>();
    const query = { queueIds: [queueId], types: ['moved', 'run'], since, order: 'oldest_first' } as const;
    for await (const row of everyRow(store, { ...query, limit: PAGE_LIMIT })) summarize([row], hours);
    const over: HourSummary[] = [];
    for (const [hour, summary] of hours) if (hour < until) over.push({ hour, ...summary });
    for (let first = 0; first < over.length; first += SUMMARIES_PER_CALL)
      await summaries?.put(queueId, over.slice(first, first + SUMMARIES_PER_CALL));
    return { from: since, hours };
  }
}
