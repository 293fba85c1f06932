import type { Logger } from '@mq/core';

/** From this delay of the event loop on, requests are refused: more work would make all of them later. */
export const DELAY_LIMIT_MS = 1_000;
const MEASURE_EVERY_MS = 500;

export interface EventLoopGauge {
  /** Why nothing can be served at this moment; null where the process keeps up. */
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
  let isLate = false;
  const measure = (): void => {
    const now = performance.now();
    const delayMs = Math.max(0, Math.round(now - last - everyMs));
    const wasLate = isLate;
    [last, isLate] = [now, delayMs > limitMs];
    if (isLate && !wasLate)
      logger.warn({ delayMs }, 'the process cannot keep up; requests are refused until it can');
    if (!isLate && wasLate) logger.info({ delayMs }, 'the process keeps up again');
  };
  const timer = setInterval(measure, everyMs).unref();
  return {
    trouble: () => (isLate ? 'The service cannot keep up with its requests.' : null),
    close: () => clearInterval(timer),
  };
};
