import { storeConformance } from '@mq/testkit';
import { Pool } from 'pg';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { pgDatabase } from '../src/index.js';
import { startTransactionPooler } from './transaction-pooler.js';
import { sharedSchema } from './worlds.js';

const pooler = await startTransactionPooler(inject('postgresUrl'), 4);
const pool = new Pool({ connectionString: pooler.url, max: 10 });
afterAll(async () => {
  await pool.end();
  await pooler.close();
});

describe('behind a pooler in transaction mode', () => {
  storeConformance({ describe, test, expect }, sharedSchema(pgDatabase(pool)));

  test('the pooler gives almost every transaction another connection', () => {
    expect(pooler.switches).toBeGreaterThan(100);
  });
});
