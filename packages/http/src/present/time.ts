import type { Instant } from '@mq/core';

/** ISO 8601 in UTC with milliseconds. */
export const isoTime = (instant: Instant): string => new Date(instant).toISOString();

export const isoTimeOrNull = (instant: Instant | null): string | null =>
  instant === null ? null : isoTime(instant);
