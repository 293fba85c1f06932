import { Pool } from 'pg';

/** The number of connections for the store, and for each reference. */
export const POOL_SIZE = 20;

export interface CountedPool {
  readonly pool: Pool;
  readonly statements: () => number;
}

/** A pool that counts statements: each is one round trip. */
export const countedPool = (url: string): CountedPool => {
  const pool = new Pool({ connectionString: url, max: POOL_SIZE });
  let statements = 0;
  const query = pool.query.bind(pool) as (...args: unknown[]) => unknown;
  pool.query = ((...args: unknown[]) => {
    statements += 1;
    return query(...args);
  }) as typeof pool.query;
  return { pool, statements: () => statements };
};
