import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { issueMessage, narrowestOnly } from './issue-message.js';

const schema = z.object({
  count: z.int().min(1).max(5),
  name: z.string().min(1).max(3),
  list: z.array(z.string()).max(1),
  flag: z.boolean(),
  at: z.iso.datetime(),
});
const good = { count: 1, name: 'a', list: [], flag: true, at: '2026-09-17T10:16:02.000Z' };

const faultOf = (value: object): string | undefined =>
  schema.safeParse({ ...good, ...value }, { error: issueMessage }).error?.issues[0]?.message;

describe('a fault says what is allowed and what was given', () => {
  test.each([
    [{ count: 0 }, 'must be at least 1, not 0'],
    [{ count: 9 }, 'must be at most 5, not 9'],
    [{ count: 1.5 }, 'must be a whole number, not 1.5'],
    [{ count: '3' }, 'must be a number, not "3"'],
    [{ name: '' }, 'must have at least 1 character, not 0'],
    [{ name: 'four' }, 'must have at most 3 characters, not 4'],
    [{ name: 7 }, 'must be text, not 7'],
    [{ list: ['a', 'b'] }, 'must have at most 1 element, not 2'],
    [{ list: 'a' }, 'must be a list, not "a"'],
    [{ flag: 'true' }, 'must be true or false, not "true"'],
    [{ flag: undefined }, 'is required'],
    [{ at: 'yesterday' }, 'must be an ISO 8601 timestamp such as 2026-09-17T10:16:02.000Z, not "yesterday"'],
  ])('%j: %s', (value, words) => {
    expect(faultOf(value)).toBe(words);
  });

  test.each([1e308, 2 ** 53])(
    'a fault of %d names the bound of the field, not that of safe integers',
    (count) => {
      const { error } = schema.safeParse({ ...good, count }, { error: issueMessage });
      const messages = narrowestOnly(error?.issues ?? []).map(({ message }) => message);
      expect(messages).toEqual([`must be at most 5, not ${count}`]);
    },
  );

  test('a fault of a field without a bound names that of safe integers', () => {
    const { error } = z
      .object({ offset: z.int().min(0) })
      .safeParse({ offset: 2 ** 60 }, { error: issueMessage });
    expect(narrowestOnly(error?.issues ?? [])).toMatchObject([{ maximum: Number.MAX_SAFE_INTEGER }]);
  });
});
