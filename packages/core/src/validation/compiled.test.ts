import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { compiled } from './compiled.js';

const schema = z.object({
  name: z.string().min(1).toLowerCase(),
  number: z.preprocess((value) => (value === '7' ? 7 : value), z.int()).optional(),
  which: z.union([z.int(), z.enum(['all', 'none']), z.null()]).optional(),
});

describe('a compiled schema', () => {
  test.each([
    [{ name: 'Ada', more: true }],
    [{ name: 'ada', number: '7', which: 'all' }],
    [{ name: 'ada', number: undefined, which: null }],
    [{ name: '', number: 1.5, which: 'some' }],
    [{ number: '8' }],
    [null],
    [[]],
  ])('a compiled schema reads %j as the schema does, faults and all', (value) => {
    const words = { error: ({ code }: { readonly code?: string }) => `in words of ours: ${code}` };
    const [plain, quick] = [schema.safeParse(value, words), compiled(schema).safeParse(value, words)];
    expect(quick.data).toStrictEqual(plain.data);
    expect(quick.error?.issues).toStrictEqual(plain.error?.issues);
  });

  test('a compiled schema is created once', () => expect(compiled(schema)).toBe(compiled(schema)));
});
