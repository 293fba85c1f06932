import { type HistoryQuery, type HistoryRow, pullRequestsOf, type QueueId, type Store } from '@mq/core';
import { aCommit, aMove, aQueue, queueIdOf, runIdOf, shaOf, someWrites, submissionIdOf } from '@mq/testkit';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { postgresStore } from '../src/index.js';
import { freshName, pagesOf, postgres } from './worlds.js';

const server = postgres();
let store: Store;
beforeAll(async () => {
  store = await postgresStore({ database: server, schema: freshName() });
});
afterAll(() => server.pool.end());

type MakeRow = (sequence: number, at: number) => HistoryRow;

const pr = fc.integer({ min: 1, max: 3 });
const makeRow: fc.Arbitrary<MakeRow> = fc.oneof(
  pr.map(
    (of): MakeRow =>
      (sequence, at) =>
        aMove(sequence, { at, pr: of }),
  ),
  pr.map(
    (of): MakeRow =>
      (sequence, at) => ({
        ...{ type: 'put_off', sequence, at, settingsVersion: 1, submissionId: submissionIdOf(of), pr: of },
        ...{ attempt: 1, reason: 'HOST_NOT_READY', detail: null },
      }),
  ),
  fc.constant<MakeRow>((sequence, at) => ({
    ...{ type: 'alarm', sequence, at, settingsVersion: 1, code: 'TREE_MISMATCH', sentence: 'Look at it.' },
  })),
  fc.uniqueArray(pr).map(
    (prs): MakeRow =>
      (sequence, at) => ({
        ...{ type: 'run', sequence, at, settingsVersion: 1, runId: runIdOf(1), change: 'created', prs },
        ...{ purpose: 'test', attempts: prs.map(() => 1), outcome: null, cause: null, testingSince: null },
        ...{ isTested: false, candidate: null, base: shaOf(1), stack: [], ref: null },
      }),
  ),
);

/** The rows of each commit, and the time since the previous one. */
const commits = fc.array(
  fc.record({
    later: fc.integer({ min: 0, max: 1 }),
    rows: fc.array(makeRow, { minLength: 1, maxLength: 7 }),
  }),
  { minLength: 1, maxLength: 6 },
);

const instant = fc.integer({ min: 0, max: 7 });
const types = ['moved', 'put_off', 'alarm', 'run'] as const;
const queries = fc.record(
  {
    order: fc.constantFrom('oldest_first' as const, 'newest_first' as const),
    limit: fc.integer({ min: 1, max: 6 }),
    pr,
    types: fc.uniqueArray(fc.constantFrom(...types)),
    since: instant,
    until: instant,
  },
  { requiredKeys: ['order', 'limit'] },
);
type Asked = Omit<HistoryQuery, 'queueIds'>;

const walk = async (queueId: QueueId, asked: Asked): Promise<readonly number[]> => {
  const pages = await pagesOf(store, { queueIds: [queueId], ...asked });
  for (const page of pages) expect(page.length).toBeLessThanOrEqual(asked.limit);
  for (const page of pages.slice(0, -1)) expect(page).toHaveLength(asked.limit);
  return pages.flat();
};

const isAsked =
  ({ pr, types, since, until }: Asked) =>
  (row: HistoryRow): boolean =>
    (pr === undefined || pullRequestsOf(row).includes(pr)) &&
    (types === undefined || types.some((type) => type === row.type)) &&
    row.at >= (since ?? row.at) &&
    row.at <= (until ?? row.at);

test('pages of history have each row once and in order, for any commits and queries', async () => {
  let queues = 0;
  const property = fc.asyncProperty(
    commits,
    fc.array(queries, { minLength: 6, maxLength: 6 }),
    async (made, asked) => {
      queues += 1;
      const queueId = queueIdOf(queues);
      await store.createQueue(aQueue({ id: queueId, branch: `b${queues}` }), 0, null);
      const all: HistoryRow[] = [];
      let at = 1;
      for (const [index, { later, rows }] of made.entries()) {
        at += later;
        const history = rows.map((row, n) => row(all.length + n + 1, at));
        all.push(...history);
        await store.commit(aCommit({ queueId, expected: index + 1, writes: someWrites({ history }) }));
      }
      for (const one of asked) {
        const wanted = all.filter(isAsked(one)).map(({ sequence }) => sequence);
        expect(await walk(queueId, one)).toEqual(one.order === 'oldest_first' ? wanted : wanted.reverse());
      }
    },
  );
  await fc.assert(property, { numRuns: 60 });
});
