import type { Logger } from '@mq/core';

/** A timer that comes later than this is late. */
export const DELAY_LIMIT_MS = 1_000;
/**
 * Late timers in a row after which requests are refused: more work would delay all of them. A single one may be the
 * start of the embedded database, a collection of memory, or a machine that slept.
 */
export const LATE_IN_A_ROW = 3;
const MEASURE_EVERY_MS = 500;

export interface EventLoopGauge {
  /** Why nothing can be served at this moment; null if the process keeps up. */
  trouble(): string | null;
  close(): void;
}

export interface EventLoopGaugeOptions {
  readonly logger: Pick<Logger, 'warn' | 'info'>;
  readonly limitMs?: number;
  readonly everyMs?: number;
}

/** Measures how much later than due a timer of this process comes. */
export const eventLoopGauge = ({
  logger,
  limitMs = DELAY_LIMIT_MS,
  everyMs = MEASURE_EVERY_MS,
}: EventLoopGaugeOptions): EventLoopGauge => {
  let last = performance.now();
  let late = 0;
  const measure = (): void => {
    const now = performance.now();
    const delayMs = Math.max(0, Math.round(now - last - everyMs));
    const wasRefusing = late >= LATE_IN_A_ROW;
    [last, late] = [now, delayMs > limitMs ? late + 1 : 0];
    if (late === LATE_IN_A_ROW)
      logger.warn({ delayMs }, 'the process cannot keep up; requests are refused until it can');
    if (late === 0 && wasRefusing) logger.info({ delayMs }, 'the process keeps up again');
  };
  const timer = setInterval(measure, everyMs).unref();
  return {
    trouble: () => (late >= LATE_IN_A_ROW ? 'The service cannot keep up with its requests.' : null),
    close: () => clearInterval(timer),
  };
};
