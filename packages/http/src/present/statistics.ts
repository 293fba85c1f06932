import type { Statistics, StatisticsOfSpan } from '@mq/core';
import type { z } from 'zod';
import type * as schemas from '../schemas/statistics.js';
import { isoTime } from './time.js';

export const presentStatistics = ({
  bucket,
  total,
  buckets,
}: Statistics): z.output<typeof schemas.queueStatistics> => ({
  bucket,
  total: presentSpan(total),
  buckets: buckets.map(presentSpan),
});

const presentSpan = (span: StatisticsOfSpan): z.output<typeof schemas.statisticsOfSpan> => ({
  since: isoTime(span.since),
  until: isoTime(span.until),
  landed: span.landed,
  failed: span.failed,
  cancelled: span.cancelled,
  timeInQueue:
    span.timeInQueueMs === null
      ? null
      : { medianMs: span.timeInQueueMs.median, p95Ms: span.timeInQueueMs.p95 },
  ciMinutes: span.ci.map(({ isUsed, ms, ...one }) => ({
    ...one,
    used: isUsed,
    minutes: rounded(ms / 60_000),
  })),
  checks: span.checks.map((check) => ({
    ...check,
    failureRate: shareOf(check.failures, check.tests),
    flakeRate: shareOf(check.flakes, check.tests),
  })),
});

/** Capped at 1: a flake may be counted in a later hour than its test, so `part` may exceed `whole`. */
const shareOf = (part: number, whole: number): number =>
  whole === 0 ? 0 : rounded(Math.min(1, part / whole));

const rounded = (value: number): number => Math.round(value * 10_000) / 10_000;
