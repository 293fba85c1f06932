import { expect, test } from 'vitest';
import { type PgPool, pgDatabase } from '../src/index.js';

/** A pool that remembers what it was asked, and fails for names as told. */
const aPool = (code: string | null) => {
  const asked: (string | null)[] = [];
  const pool: PgPool = {
    query: async (query) => {
      const name = typeof query === 'string' ? null : query.name;
      asked.push(name);
      if (name !== null && code !== null) throw Object.assign(new Error('no such statement'), { code });
      return { rows: [{ done: true }] };
    },
    connect: () => Promise.reject(new Error('not asked for')),
    on: () => undefined,
  };
  return { pool, asked };
};

test('a text has one name, and another text another', async () => {
  const { pool, asked } = aPool(null);
  const database = pgDatabase(pool);
  for (const text of ['select 1', 'select 2', 'select 1']) await database.query(text, []);

  expect(asked[0]).toMatch(/^mq_[0-9a-f]{40}$/);
  expect([asked[2], asked[1] === asked[0]]).toEqual([asked[0], false]);
});

test.each(['26000', '42P05'])(
  'a pooler that mixes statements up (%s) is noticed, and each is done once',
  async (code) => {
    const { pool, asked } = aPool(code);
    const database = pgDatabase(pool);

    for (const text of ['select 1', 'select 2'])
      expect(await database.query(text, [])).toEqual([{ done: true }]);
    expect(asked.map((name) => name === null)).toEqual([false, true, true]);
  },
);

test('another fault is no reason to ask again', async () => {
  const { pool, asked } = aPool('40001');

  await expect(pgDatabase(pool).query('select 1', [])).rejects.toMatchObject({ code: '40001' });
  expect(asked).toHaveLength(1);
});

test('nothing is kept where it is not wanted, or where nobody listens', async () => {
  const { pool, asked } = aPool(null);
  await pgDatabase(pool, { prepare: false }).query('select 1', []);
  await pgDatabase(pool, { listen: false }).query('select 1', []);

  expect(asked).toEqual([null, null]);
});
