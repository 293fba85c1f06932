import { expect, test } from 'vitest';
import { type PgPool, pgDatabase } from '../src/index.js';

/** A pool that records its queries and fails for the given names. */
const aPool = (code: string | null, failsFor = (_text: string): boolean => true) => {
  const asked: (string | null)[] = [];
  const pool: PgPool = {
    query: async (query) => {
      const name = typeof query === 'string' ? null : (query.name ?? null);
      asked.push(name);
      const text = typeof query === 'string' ? query : query.text;
      if (name !== null && code !== null && failsFor(text))
        throw Object.assign(new Error('no such statement'), { code });
      return { rows: [{ done: true }] };
    },
    connect: () => Promise.reject(new Error('not asked for')),
    on: () => undefined,
  };
  return { pool, asked };
};

test('each statement text has its own name', async () => {
  const { pool, asked } = aPool(null);
  const database = pgDatabase(pool);
  for (const text of ['select 1', 'select 2', 'select 1']) await database.query(text, []);

  expect(asked[0]).toMatch(/^mq_[0-9a-f]{40}$/);
  expect([asked[2], asked[1] === asked[0]]).toEqual([asked[0], false]);
});

test.each(['26000', '42P05'])(
  'a pooler that mixes up statements (%s) is detected, and each statement runs once',
  async (code) => {
    const { pool, asked } = aPool(code);
    const database = pgDatabase(pool);

    for (const text of ['select 1', 'select 2'])
      expect(await database.query(text, [])).toEqual([{ done: true }]);
    expect(asked.map((name) => name === null)).toEqual([false, true, true]);
  },
);

test('other errors are not retried', async () => {
  const { pool, asked } = aPool('40001');

  await expect(pgDatabase(pool).query('select 1', [])).rejects.toMatchObject({ code: '40001' });
  expect(asked).toHaveLength(1);
});

test.each(['42703', '42P10', '42804'])(
  'after a statement no longer fits the tables (%s), other statements are prepared',
  async (code) => {
    let isTaken = false;
    const { pool, asked } = aPool(code, (text) => isTaken && text === 'select 0');
    const database = pgDatabase(pool);
    for (let number = 0; number < 200; number += 1) await database.query(`select ${number}`, []);
    await database.query('as of now', []);
    expect(asked.at(-1)).toBeNull();

    isTaken = true;
    await expect(database.query('select 0', [])).rejects.toMatchObject({ code });
    await database.query('as of now', []);
    expect(asked.at(-1)).not.toBeNull();
  },
);

test('statements are not prepared without `prepare` or `listen`', async () => {
  const { pool, asked } = aPool(null);
  await pgDatabase(pool, { prepare: false }).query('select 1', []);
  await pgDatabase(pool, { listen: false }).query('select 1', []);

  expect(asked).toEqual([null, null]);
});
