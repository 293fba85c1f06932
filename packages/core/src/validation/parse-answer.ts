import { z } from 'zod';
import { truncate } from '../model/truncate.js';
import { HostError } from '../ports/code-host.js';
import { compiled } from './compiled.js';

/** Limit for names of people and labels, and for messages of a host. */
export const SHOWN_WORDS_LIMIT_CHARS = 1_000;
/** The rest of a longer list is dropped. */
export const SHOWN_LABELS_LIMIT = 1_000;

// NUL and lone surrogates are not characters, and some stores refuse them; bidirectional overrides reorder what people see.
const noCharacter = /[\0\p{Surrogate}\u202a-\u202e\u2066-\u2069]/u;
const everyNoCharacter = new RegExp(noCharacter, 'gu');

/** A text of a host. A longer one is truncated with a mark. */
export const prose = (limit: number) =>
  z.string().transform((whole) => {
    const shown = truncate(whole, limit);
    return noCharacter.test(shown) ? shown.replace(everyNoCharacter, '\ufffd') : shown;
  });

/** The answer of a host to a call of the port. Throws a HostError if it does not fit the schema. */
export const parseAnswer = <Value>(method: string, schema: z.ZodType<Value>, value: unknown): Value => {
  const parsed = compiled(schema).safeParse(value);
  if (parsed.success) return parsed.data;
  const [fault] = parsed.error.issues;
  throw noAnswer([method, ...(fault?.path.slice(0, 4) ?? [])], fault?.message ?? 'does not fit');
};

export const noAnswer = (where: readonly PropertyKey[], fault: string): HostError =>
  new HostError(`It answered ${where.map(String).join('.')} with an invalid value (${fault}).`, 'later');
