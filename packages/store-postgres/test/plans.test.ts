import { aCommit, aQueue, aSubmission, someWrites, submissionIdOf } from '@mq/testkit';
import { afterAll, expect, test } from 'vitest';
import { type Database, postgresStore } from '../src/index.js';
import { freshName, postgres } from './worlds.js';

const server = postgres();
afterAll(() => server.pool.end());

const numbersFrom = (first: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => first + index);

/** As a connection keeps it: for whatever values come. */
const planOf = async (statement: string): Promise<string> => {
  const values = new Set(statement.match(/\$\d+/g)).size;
  const client = await server.pool.connect();
  try {
    await client.query(`set plan_cache_mode = force_generic_plan; prepare kept as ${statement}`);
    const { rows } = await client.query(`explain execute kept (${Array(values).fill('null').join(', ')})`);
    return rows.map((row) => String(row['QUERY PLAN'])).join('\n');
  } finally {
    client.release(true);
  }
};

/** A statement that is kept planned is planned once, and may live while its tables grow. */
test('pull requests are looked up by an index, also by a commit that is planned while few are there', async () => {
  const sent: string[] = [];
  const watched: Database = {
    ...server,
    query: (text, values) => {
      sent.push(text);
      return server.query(text, values);
    },
  };
  const store = await postgresStore({ database: watched, schema: freshName() });
  await store.createQueue(aQueue(), 0, null);
  for (let version = 1; version <= 12; version += 1) {
    const prs = numbersFrom(version * 100, 2 * version);
    const submissions = prs.map((pr) => aSubmission(pr, { id: submissionIdOf(pr), pr }));
    const commit = aCommit({
      expected: version,
      absent: { prs, inputIds: [] },
      writes: someWrites({ queue: aQueue(), submissions }),
    });
    expect(await store.commit(commit)).toMatchObject({ kind: 'committed' });

    const plan = await planOf(sent.at(-1) ?? '');
    expect(plan.match(/Index Cond: .*\bqueue_id = .*\bpr = /g)).toHaveLength(2);
    expect(plan).not.toMatch(/Filter: .*\bpr\b/);
  }
});
