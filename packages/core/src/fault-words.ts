import type { z } from 'zod';

/** Of a value that was given, so much is told again. */
const SHOWN_CHARS_LIMIT = 40;

/** What is wrong with a value, where that can be said better than the schema does: what is allowed, and what was given. */
export const faultWords = (issue: z.core.$ZodRawIssue): string | undefined => {
  if (issue.input === undefined && (issue.code === 'invalid_type' || issue.code === 'invalid_value'))
    return 'is required';
  if (issue.code !== 'invalid_value') return undefined;
  return `must be ${oneOf(issue.values)}, not ${shownValue(issue.input)}`;
};

const oneOf = (values: readonly unknown[]): string =>
  values.length === 1 ? String(values[0]) : `one of ${values.join(', ')}`;

/** A value that somebody gave, fit to stand in a sentence. */
export const shownValue = (value: unknown): string => {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value !== 'string') return String(value);
  const whole = JSON.stringify(value);
  return whole.length <= SHOWN_CHARS_LIMIT ? whole : `${whole.slice(0, SHOWN_CHARS_LIMIT)}…"`;
};
