import { z } from 'zod';

const made = new WeakMap<z.ZodType, z.ZodType>();

/**
 * Compiles a schema on first use, which takes a millisecond; most processes use few of the schemas. Invalid values are
 * parsed again by the original schema for its messages, so the schema must be deterministic.
 */
export const compiled = <Schema extends z.ZodType>(schema: Schema): Schema => {
  const existing = made.get(schema);
  if (existing !== undefined) return existing as Schema;
  const fresh = z.compile(schema);
  made.set(schema, fresh);
  return fresh;
};
