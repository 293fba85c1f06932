import { describe, expect, test } from 'vitest';
import { atMost, together } from './bench.js';
import { benches } from './benches.js';

describe('every bench', () => {
  test.each(benches)(
    '$name yields a number for each goal, in a tiny size',
    ({ parts }) => {
      const notes: string[] = [];
      const { goals, tables } = together(parts.map((part) => part('tiny', (text) => notes.push(text))));

      expect(goals).not.toHaveLength(0);
      expect(goals.filter(({ found }) => !/^-?\d/.test(found))).toEqual([]);
      expect(tables.filter(({ head, rows }) => rows.some((row) => row.length !== head.length))).toEqual([]);
      expect(tables.map(({ rows }) => rows.length)).not.toContain(0);
      expect(notes).not.toHaveLength(0);
    },
    30_000,
  );

  test('parts of a bench are merged into one table per head', () => {
    const part = (row: string, head: string) => ({
      about: 'of all',
      goals: [atMost(row, 1, 1)],
      tables: [{ head: [head], rows: [[row]] }],
      data: row,
    });

    const { about, goals, tables, data } = together([part('a', 'x'), part('b', 'y'), part('c', 'x')]);

    expect(about).toBe('of all');
    expect(goals.map(({ what }) => what)).toEqual(['a', 'b', 'c']);
    expect(tables).toEqual([
      { head: ['x'], rows: [['a'], ['c']] },
      { head: ['y'], rows: [['b']] },
    ]);
    expect(data).toEqual(['a', 'b', 'c']);
  });

  test('every bench has a unique name', () => {
    expect(new Set(benches.map(({ name }) => name)).size).toBe(benches.length);
  });
});
