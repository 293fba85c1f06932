import { aCommit, aQueue, aSubmission, someWrites, submissionIdOf } from '@mq/testkit';
import { afterAll, expect, test } from 'vitest';
import { type Database, postgresStore } from '../src/index.js';
import { freshName, postgres } from './worlds.js';

const server = postgres();
afterAll(() => server.pool.end());

const numbersFrom = (first: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => first + index);

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

    const { rows } = await server.pool.query(`explain (generic_plan) ${sent.at(-1)}`);

    const plan = rows.map((row) => String(row['QUERY PLAN'])).join('\n');
    expect(plan.match(/Index Cond: .*\bqueue_id = .*\bpr = /g)).toHaveLength(2);
    expect(plan).not.toMatch(/Filter: .*\bpr\b/);
  }
});
