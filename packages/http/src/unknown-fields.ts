import { nearestName, shownValue } from '@mq/core';
import { z } from 'zod';
import type { Operation } from './operation.js';
import { pathText } from './problem-reply.js';
import type { WithWarnings } from './schemas/warnings.js';

/** Max fields named in a warning; the number of the others is added. */
const FIELDS_LIMIT = 20;

interface UnknownField {
  readonly path: readonly string[];
  readonly meant: string | null;
}

/** The fields of a valid body that are not in its schema, including those of nested objects. */
const unknownFields = (schema: z.ZodType, value: unknown, parent: readonly string[] = []): UnknownField[] => {
  const inner =
    schema instanceof z.ZodOptional || schema instanceof z.ZodExactOptional ? schema.unwrap() : schema;
  if (inner instanceof z.ZodDiscriminatedUnion) {
    const fitting = inner.options.find((option) => (option as z.ZodType).safeParse(value).success);
    return fitting === undefined ? [] : unknownFields(fitting as z.ZodType, value, parent);
  }
  if (!(inner instanceof z.ZodObject) || typeof value !== 'object' || value === null) return [];
  const shape: Readonly<Record<string, z.ZodType>> = inner.shape;
  return Object.entries(value).flatMap(([name, part]) => {
    const path = [...parent, name];
    const fieldSchema = Object.hasOwn(shape, name) ? shape[name] : undefined;
    return fieldSchema === undefined
      ? [{ path, meant: nearestName(name, Object.keys(shape)) }]
      : unknownFields(fieldSchema, part, path);
  });
};

/**
 * Warns about unknown fields. They are ignored, for clients of other versions, but may be misspelt. Fields in
 * `readOnly` cause no warning if the body was made from an answer about the same queue, so that clients can write
 * back what they read.
 */
export const warningsOfUnknown = (
  { body: schema, readOnly = new Map() }: Pick<Operation, 'body' | 'readOnly'>,
  body: unknown,
  answer: object,
): NonNullable<WithWarnings['warnings']> => {
  const unknown = unknownFields(schema, body);
  const isReadOnly = ({ path }: UnknownField): boolean => path.length === 1 && readOnly.has(path[0] ?? '');
  const misspelt = unknown.filter((field) => !isReadOnly(field));
  const shown = isWrittenBack(body, answer) ? [] : unknown.filter(isReadOnly);
  const settable = shown.map(({ path }) => ({ path, meant: readOnly.get(path[0] ?? '') ?? null }));
  return [
    ...warningOf(
      'UNKNOWN_FIELD',
      'Ignored, as there is no such field',
      misspelt,
      (to) => `did you mean ${to}?`,
    ),
    ...warningOf(
      'READ_ONLY_FIELD',
      'Ignored, as only answers have it',
      settable,
      (to) => `set ${to} instead`,
    ),
  ];
};

/** Whether a body names the permanent id of the queue that the answer is about. */
const isWrittenBack = (body: unknown, answer: object): boolean => {
  const id: unknown = Reflect.get(answer, 'queueId');
  return typeof body === 'object' && body !== null && id !== undefined && Reflect.get(body, 'queueId') === id;
};

const warningOf = (
  code: 'UNKNOWN_FIELD' | 'READ_ONLY_FIELD',
  lead: string,
  all: readonly UnknownField[],
  hint: (meant: string) => string,
): NonNullable<WithWarnings['warnings']> => {
  if (all.length === 0) return [];
  const shown = all.slice(0, FIELDS_LIMIT).map(({ path, meant }) => {
    const name = shownValue(pathText(path));
    return meant === null ? name : `${name} (${hint(meant)})`;
  });
  const more = all.length - shown.length;
  return [
    {
      code,
      sentence: `${lead}: ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`,
      fields: all.slice(0, FIELDS_LIMIT).map(({ path }) => pathText(path)),
    },
  ];
};
