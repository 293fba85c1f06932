import { z } from 'zod';
import type { Summaries } from '../engine/summaries.js';
import { MergeQueueError } from '../errors.js';
import type { Instant, QueueId } from '../model/ids.js';
import {
  addSummaries,
  ciCauseOf,
  emptySummary,
  HOUR_MS,
  hourOf,
  quantileOf,
  type Summary,
} from '../model/summary.js';
import type { Store } from '../ports/store.js';
import { SUMMARIES_PER_CALL, type SummaryStore } from '../ports/summary-store.js';
import { fields, takes } from '../validation/request-schemas.js';
import {
  STATISTICS_BUCKETS_LIMIT,
  STATISTICS_CHECKS_LIMIT,
  STATISTICS_DAYS_LIMIT,
  type Statistics,
  type StatisticsBucket,
  type StatisticsOfSpan,
  type StatisticsRequest,
  statisticsBuckets,
} from '../validation/statistics.js';
import type { QueueReader } from './queue-reader.js';

const DAY_MS = 24 * HOUR_MS;
/** The first Monday of the epoch is its fifth day. */
const FIRST_MONDAY = 4 * DAY_MS;
const lengths = { hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS } as const;
/** Instants that a date can be. */
const INSTANT_MAX = 8_640_000_000_000_000;

const at = z.number().min(0).max(INSTANT_MAX);
const ofStatistics = z.strictObject({
  ...fields.queueRef,
  since: at,
  until: at.optional(),
  bucket: z.enum(statisticsBuckets).optional(),
});

export interface QueueStatisticsParts {
  readonly store: Pick<Store, 'now'>;
  readonly stored: SummaryStore | null;
  readonly summaries: Pick<Summaries, 'recent'>;
  readonly reader: Pick<QueueReader, 'queue'>;
}

/** What queues did over time. */
export class QueueStatistics {
  readonly #parts: QueueStatisticsParts;

  constructor(parts: QueueStatisticsParts) {
    this.#parts = parts;
  }

  readonly statistics = takes(ofStatistics, async (request: StatisticsRequest): Promise<Statistics> => {
    const { bucket = 'day' } = request;
    const { id } = await this.#parts.reader.queue(request);
    const until = request.until ?? (await this.#parts.store.now());
    const span = spanOf(bucket, request.since, until);
    const hours = await this.#hours(id, span.since, span.until);
    const length = lengths[bucket];
    const buckets = Array.from({ length: (span.until - span.since) / length }, () => emptySummary);
    for (const [hour, summary] of hours) {
      const index = Math.floor((hour - span.since) / length);
      buckets[index] = addSummaries(buckets[index] ?? emptySummary, summary);
    }
    return {
      bucket,
      total: present(buckets.reduce(addSummaries, emptySummary), span.since, span.until),
      buckets: buckets.map((one, index) => {
        const since = span.since + index * length;
        return present(one, since, since + length);
      }),
    };
  });

  /** Stored summaries, and what the history has since. An hour is counted from one of them. */
  async #hours(queueId: QueueId, since: Instant, until: Instant): Promise<ReadonlyMap<Instant, Summary>> {
    const { from, hours } = await this.#parts.summaries.recent(queueId);
    const all = new Map([...hours].filter(([hour]) => hour >= since && hour < until));
    for (let next = since; this.#parts.stored !== null && next < Math.min(from, until); ) {
      const page = await this.#parts.stored.read({ queueId, since: next, until: Math.min(from, until) });
      for (const { hour, ...summary } of page) all.set(hour, summary);
      const last = page.at(-1);
      if (last === undefined || page.length < SUMMARIES_PER_CALL) break;
      next = last.hour + HOUR_MS;
    }
    return all;
  }
}

/** Whole buckets. Throws INVALID_REQUEST if there are none or too many. */
const spanOf = (bucket: StatisticsBucket, since: Instant, until: Instant) => {
  const length = lengths[bucket];
  const offset = bucket === 'week' ? FIRST_MONDAY : 0;
  const first = Math.floor((hourOf(since) - offset) / length) * length + offset;
  const end = Math.ceil((until - offset) / length) * length + offset;
  if (until < since) throw invalid('until', 'must not be before since');
  if ((end - first) / length > STATISTICS_BUCKETS_LIMIT)
    throw invalid('since', `must not be more than ${STATISTICS_BUCKETS_LIMIT} buckets before until`);
  if (end - first > (STATISTICS_DAYS_LIMIT + 7) * DAY_MS)
    throw invalid('since', `must not be more than ${STATISTICS_DAYS_LIMIT} days before until`);
  return { since: first, until: Math.max(end, first + length) };
};

const invalid = (name: string, message: string): MergeQueueError =>
  new MergeQueueError('INVALID_REQUEST', `The request is not valid: ${name} ${message}.`, [
    { path: [name], message },
  ]);

const present = (summary: Summary, since: Instant, until: Instant): StatisticsOfSpan => {
  const { landed, failed, cancelled, timesInQueue } = summary;
  const median = quantileOf(timesInQueue, 0.5);
  const p95 = quantileOf(timesInQueue, 0.95);
  return {
    ...{ since, until, landed, failed, cancelled },
    timeInQueueMs: median === null || p95 === null ? null : { median, p95 },
    ci: Object.entries(summary.ciMs)
      .map(([name, ms]) => ({ ...ciCauseOf(name), ms }))
      .sort((one, other) => other.ms - one.ms),
    checks: Object.entries(summary.checks)
      .map(([name, count]) => ({ name, ...count }))
      .sort((one, other) => other.failures - one.failures || other.tests - one.tests)
      .slice(0, STATISTICS_CHECKS_LIMIT),
  };
};
