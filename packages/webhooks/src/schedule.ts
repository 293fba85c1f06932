import type { Delivery, DeliveryTry, Instant } from '@mq/core';
import { DELIVERY_LOG_LIMIT } from '@mq/core';
import type { Posted } from './post.js';

const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];

/** The wait before each try. */
export const TRY_DELAYS_MS = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  10 * HOUR,
] as const;

/** A webhook is disabled after this time without a success. */
export const FAILING_LIMIT_MS = 5 * DAY;
/** Waits differ by up to this share, so that deliveries that failed together do not come together again. */
const JITTER = 0.1;

/** A delivery after a try. `random` is in [0, 1). */
export const afterTry = (
  delivery: Delivery,
  posted: Posted,
  {
    startedAt,
    now,
    keepsAnswer,
    random,
  }: {
    readonly startedAt: Instant;
    readonly now: Instant;
    readonly keepsAnswer: boolean;
    readonly random: number;
  },
): Delivery => {
  const tries = delivery.tries + 1;
  const entry: DeliveryTry = {
    at: startedAt,
    tookMs: Math.max(0, now - startedAt),
    status: posted.status,
    error: posted.error,
    answer: keepsAnswer ? posted.answer : null,
  };
  const changed = {
    ...delivery,
    tries,
    log: [...delivery.log, entry].slice(-DELIVERY_LOG_LIMIT),
    version: delivery.version + 1,
  };
  const delayMs = TRY_DELAYS_MS[tries];
  if (posted.error === null) return { ...changed, state: 'delivered', nextAt: null, endedAt: now };
  if (delayMs === undefined) return givenUp(changed, now);
  const waitMs = Math.max(Math.round(delayMs * (1 + JITTER * random)), posted.retryAfterMs ?? 0);
  return { ...changed, nextAt: now + waitMs };
};

/** A delivery that is not retried. */
export const givenUp = (delivery: Delivery, now: Instant): Delivery => ({
  ...delivery,
  state: 'failed',
  nextAt: null,
  endedAt: now,
});
