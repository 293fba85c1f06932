import { z } from 'zod';

const made = new WeakMap<z.ZodType, z.ZodType>();

/**
 * The same schema, with a function of its own for values that are valid. It is made when it is first asked for: that takes
 * a millisecond, and most processes meet few of the schemas. What is not valid is read again by the schema itself, in its
 * words: so what a schema calls must be the same each time.
 */
export const compiled = <Schema extends z.ZodType>(schema: Schema): Schema => {
  const known = made.get(schema);
  if (known !== undefined) return known as Schema;
  const fresh = z.compile(schema);
  made.set(schema, fresh);
  return fresh;
};
