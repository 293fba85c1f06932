import type { Instant } from '@mq/core';

/** Cache of one entry: things decided together have the same instant, and are usually shown together. */
let last = { instant: Number.NaN, text: '' };

/** ISO 8601 in UTC with milliseconds. */
export const isoTime = (instant: Instant): string => {
  if (last.instant !== instant) last = { instant, text: new Date(instant).toISOString() };
  return last.text;
};

export const isoTimeOrNull = (instant: Instant | null): string | null =>
  instant === null ? null : isoTime(instant);
