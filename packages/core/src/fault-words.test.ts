import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { faultWords } from './fault-words.js';

const schema = z.object({
  count: z.int().min(1).max(5),
  name: z.string().min(1).max(3),
  list: z.array(z.string()).max(1),
  flag: z.boolean(),
});
const good = { count: 1, name: 'a', list: [], flag: true };

const faultOf = (value: object): string | undefined =>
  schema.safeParse({ ...good, ...value }, { error: faultWords }).error?.issues[0]?.message;

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
  ])('%j: %s', (value, words) => {
    expect(faultOf(value)).toBe(words);
  });
});
