import { describe, expect, test } from 'vitest';
import { benches } from './benches.js';

describe('every bench', () => {
  test.each(benches)(
    '$name finds a number for each of its goals, in a tiny size',
    ({ run }) => {
      const notes: string[] = [];
      const { goals, tables } = run('tiny', (text) => notes.push(text));

      expect(goals).not.toHaveLength(0);
      expect(goals.filter(({ found }) => !/^-?\d/.test(found))).toEqual([]);
      expect(tables.filter(({ head, rows }) => rows.some((row) => row.length !== head.length))).toEqual([]);
      expect(tables.map(({ rows }) => rows.length)).not.toContain(0);
      expect(notes).not.toHaveLength(0);
    },
    30_000,
  );

  test('has a name of its own', () => {
    expect(new Set(benches.map(({ name }) => name)).size).toBe(benches.length);
  });
});
