import { z } from 'zod';
import { isSameWithin } from '../model/equality.js';
import { charactersIn } from '../model/text.js';

/** Max characters of a given value that a message repeats. */
const SHOWN_CHARS_LIMIT = 40;
/** Max unknown names that a message repeats. */
const NAMES_SHOWN_LIMIT = 5;

/** A message that says what is allowed and what was given. Undefined if the schema's own message is better. */
export const issueMessage = (issue: z.core.$ZodRawIssue): string | undefined => {
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
    case 'invalid_format': {
      const format = formats[issue.format];
      return format === undefined ? undefined : `must be ${format}, not ${shownValue(issue.input)}`;
    }
    case 'unrecognized_keys':
      return unknownNames(issue.keys, namesOf(issue.inst));
    default:
      return undefined;
  }
};

/** Drops the issue about safe integers if the value also exceeds a narrower bound. */
export const narrowestOnly = (issues: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] =>
  issues.filter((issue) => {
    const isWidest = (issue.code === 'too_big' || issue.code === 'too_small') && issue.origin === 'int';
    return !isWidest || !issues.some((other) => other !== issue && isSameWithin(other.path, issue.path));
  });

/** The field names of an object schema; empty if it is not one. */
const namesOf = (schema: unknown): readonly string[] =>
  schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];

/** `there is no "concurency" (did you mean concurrency?)`, for each unknown name. */
const unknownNames = (unknown: readonly string[], known: readonly string[]): string => {
  const shown = unknown.slice(0, NAMES_SHOWN_LIMIT).map((name) => {
    const meant = nearestName(name, known);
    return meant === null ? shownValue(name) : `${shownValue(name)} (did you mean ${meant}?)`;
  });
  return `there is no ${shown.join(', no ')}`;
};

/** Names further away than this share of their length are not suggested. */
const SUGGESTION_DISTANCE = 0.4;
/** Longer names are not taken for misspelt ones. */
const SUGGESTION_CHARS_LIMIT = 60;

/** The known name that was probably meant: one that contains the given one, else the nearest. Null if none is near. */
export const nearestName = (given: string, known: readonly string[]): string | null => {
  if (given.length > SUGGESTION_CHARS_LIMIT) return null;
  const asked = given.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  if (asked === '') return null;
  let best: { readonly name: string; readonly distance: number } | null = null;
  for (const name of known) {
    const distance = distanceOf(asked, name.toLowerCase());
    if (distance <= Math.ceil(SUGGESTION_DISTANCE * asked.length) && distance < (best?.distance ?? Infinity))
      best = { name, distance };
  }
  return best?.name ?? null;
};

/** The edit distance. Less than 1 if one name starts with, ends with or contains the other. */
const distanceOf = (one: string, other: string): number => {
  if (
    Math.min(one.length, other.length) > 3 &&
    (other.startsWith(one) || other.endsWith(one) || one.includes(other))
  )
    return 1 - 1 / (1 + Math.abs(other.length - one.length));
  let before: readonly number[] = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let row = 1; row <= one.length; row += 1) {
    const line = [row];
    for (let at = 1; at <= other.length; at += 1) {
      const changed = (before[at - 1] ?? 0) + (one[row - 1] === other[at - 1] ? 0 : 1);
      line.push(Math.min(changed, (before[at] ?? 0) + 1, (line[at - 1] ?? 0) + 1));
    }
    before = line;
  }
  return before[other.length] ?? 0;
};

const kinds: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a number',
  string: 'text',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

const formats: Readonly<Record<string, string>> = {
  datetime: 'an ISO 8601 timestamp such as 2026-09-17T10:16:02.000Z',
  url: 'an address such as https://example.org',
  uuid: 'a UUID',
};

const boundOf = (origin: string, bound: string, limit: number | bigint): string => {
  const plural = Number(limit) === 1 ? '' : 's';
  if (origin === 'string') return `have ${bound} ${limit} character${plural}`;
  return origin === 'array' ? `have ${bound} ${limit} element${plural}` : `be ${bound} ${limit}`;
};

const sizeOf = (value: unknown): string => {
  if (typeof value === 'string') return String(charactersIn(value));
  return Array.isArray(value) ? String(value.length) : shownValue(value);
};

const oneOf = (values: readonly unknown[]): string =>
  values.length === 1 ? String(values[0]) : `one of ${values.join(', ')}`;

/** A given value, shortened for use in a message. */
export const shownValue = (value: unknown): string => {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value !== 'string') return String(value);
  const whole = JSON.stringify(value);
  return whole.length <= SHOWN_CHARS_LIMIT ? whole : `${whole.slice(0, SHOWN_CHARS_LIMIT)}…"`;
};
