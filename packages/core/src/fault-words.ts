import type { z } from 'zod';
import { isSameWithin } from './model/same.js';

/** Of a value that was given, so much is told again. */
const SHOWN_CHARS_LIMIT = 40;
/** Of names that nobody knows, so many are told again. */
const NAMES_SHOWN_LIMIT = 5;

/** What is wrong with a value, where that can be said better than the schema does: what is allowed, and what was given. */
export const faultWords = (issue: z.core.$ZodRawIssue): string | undefined => {
  const isLeftOut = issue.code === 'invalid_type' || issue.code === 'invalid_value';
  if (isLeftOut && issue.input === undefined) return 'is required';
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${kinds[issue.expected] ?? issue.expected}, not ${shownValue(issue.input)}`;
    case 'invalid_value':
      return `must be ${oneOf(issue.values)}, not ${shownValue(issue.input)}`;
    case 'too_small':
      return `must ${boundOf(issue.origin, 'at least', issue.minimum)}, not ${sizeOf(issue.input)}`;
    case 'too_big':
      return `must ${boundOf(issue.origin, 'at most', issue.maximum)}, not ${sizeOf(issue.input)}`;
    case 'unrecognized_keys':
      return `there is no ${issue.keys.slice(0, NAMES_SHOWN_LIMIT).map(shownValue).join(', no ')}`;
    default:
      return undefined;
  }
};

/** Without the bound of whole numbers that can be told apart, where the value has a narrower one that it exceeds as well. */
export const narrowestOnly = (issues: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] =>
  issues.filter((issue) => {
    const isWidest = (issue.code === 'too_big' || issue.code === 'too_small') && issue.origin === 'int';
    return !isWidest || !issues.some((other) => other !== issue && isSameWithin(other.path, issue.path));
  });

const kinds: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a number',
  string: 'text',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

const boundOf = (origin: string, bound: string, limit: number | bigint): string => {
  const plural = Number(limit) === 1 ? '' : 's';
  if (origin === 'string') return `have ${bound} ${limit} character${plural}`;
  return origin === 'array' ? `have ${bound} ${limit} element${plural}` : `be ${bound} ${limit}`;
};

const sizeOf = (value: unknown): string =>
  typeof value === 'string' || Array.isArray(value) ? String(value.length) : shownValue(value);

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
