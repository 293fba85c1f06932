import { nearestName, shownValue } from '@mq/core';
import { z } from 'zod';
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
    const known = Object.hasOwn(shape, name) ? shape[name] : undefined;
    return known === undefined
      ? [{ path, meant: nearestName(name, Object.keys(shape)) }]
      : unknownFields(known, part, path);
  });
};

/** Warns about unknown fields. They are ignored, for clients of other versions, but may be misspelt. */
export const warningsOfUnknown = (
  schema: z.ZodType,
  body: unknown,
): NonNullable<WithWarnings['warnings']> => {
  const unknown = unknownFields(schema, body);
  if (unknown.length === 0) return [];
  const shown = unknown.slice(0, FIELDS_LIMIT).map(({ path, meant }) => {
    const name = shownValue(pathText(path));
    return meant === null ? name : `${name} (did you mean ${meant}?)`;
  });
  const more = unknown.length - shown.length;
  return [
    {
      code: 'UNKNOWN_FIELD',
      sentence: `Ignored, as there is no such field: ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`,
      fields: unknown.slice(0, FIELDS_LIMIT).map(({ path }) => pathText(path)),
    },
  ];
};
