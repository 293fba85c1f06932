import type { Store, TestRun } from '@mq/core';
import { aCommit, aQueue, aRun, shaOf, someWrites } from '@mq/testkit';
import { afterAll, expect, test } from 'vitest';
import { postgresStore } from '../src/index.js';
import { freshName, postgres } from './worlds.js';

const server = postgres();
afterAll(() => server.pool.end());

const candidate = { ref: 'candidates/1', commit: shaOf(7), tree: shaOf(8), steps: [] };
const building = aRun(1, { state: 'building', candidate: null });
const built = { ...building, state: 'testing', candidate } as const;

/** A queue with a test run, written in this many commits. */
const writeRuns = async (store: Store, from: number, ...runs: readonly TestRun[]): Promise<void> => {
  for (const [index, run] of runs.entries())
    expect(
      await store.commit(
        aCommit({ expected: from + index, writes: someWrites({ queue: aQueue(), runs: [run] }) }),
      ),
    ).toMatchObject({ kind: 'committed' });
};

const runsIn = async (store: Store): Promise<readonly TestRun[]> =>
  (await store.load(aQueue().id, 0, { prs: [], inputIds: [] }))?.runs ?? [];

/** Loads and writes a test run as the engine does. */
const change = async (store: Store, since: number, change: Partial<TestRun>): Promise<readonly TestRun[]> => {
  const delta = await store.load(aQueue().id, since, { prs: [], inputIds: [] });
  if (delta === null) throw new Error('the queue is missing');
  const changed = delta.runs.map((run) => ({ ...run, ...change }));
  const writes = someWrites({ queue: delta.queue, runs: changed });
  const { version: expected, incarnation } = delta;
  expect(await store.commit(aCommit({ expected, incarnation, writes }))).toMatchObject({ kind: 'committed' });
  return changed;
};

test('a test run is read as it was written, for any content', async () => {
  const hostile = `\0 \ud800 \udc00\ud800 \uf8fe0000 \\u0000 \\ud800 " \u2028`;
  const later: object = JSON.parse('{ "__proto__": 1e308, "constructor": 5e-324, "toString": null }');
  const run = {
    ...built,
    candidate: { ...candidate, ref: hostile },
    method: hostile,
    later: { later, hostile },
  };
  const store = await postgresStore({ database: server, schema: freshName() });
  await store.createQueue(aQueue(), 0, null);
  await writeRuns(store, 1, run as unknown as TestRun);

  const [changed] = await change(store, 0, { isCandidateKept: false });

  expect(await runsIn(store)).toEqual([{ ...run, isCandidateKept: false }]);
  expect(Object.keys((changed as unknown as typeof run).later.later)).toContain('__proto__');
});

test('the unchanging parts of a test run are written once', async () => {
  const schema = freshName();
  const store = await postgresStore({ database: server, schema });
  await store.createQueue(aQueue(), 0, null);
  const { incarnation = '' } = (await store.load(aQueue().id, 0, { prs: [], inputIds: [] })) ?? {};
  const sent: string[] = [];
  const watched = await postgresStore({
    database: {
      ...server,
      query: (text, values) => {
        sent.push(JSON.stringify(values));
        return server.query(text, values);
      },
    },
    schema,
  });
  await watched.load(aQueue().id, 0, { prs: [], inputIds: [] });
  const states: readonly TestRun[] = [building, built, { ...built, isCandidateKept: false }];
  for (const [index, run] of states.entries())
    await watched.commit(
      aCommit({ expected: index + 1, incarnation, writes: someWrites({ queue: aQueue(), runs: [run] }) }),
    );

  expect(sent.filter((values) => values.includes(candidate.commit))).toHaveLength(1);
  expect(sent.filter((values) => values.includes(building.batch[0]?.head ?? '?'))).toHaveLength(1);
  expect(await runsIn(store)).toEqual(states.slice(-1));
});
