import { readFile } from 'node:fs/promises';
import { memoryStore } from '@mq/store-memory';
import { aCommit, aMove, aQueue, aRun, aSubmission, fakeHost, virtualClock } from '@mq/testkit';
import { expect, test } from 'vitest';
import { createMergeQueue, type HistoryRow, type Queue, type Run, type Submission } from '../src/index.js';
import { storeDoor } from '../src/store-door.js';

interface Recorded {
  readonly queue: Queue;
  readonly submissions: readonly Submission[];
  readonly runs: readonly Run[];
  readonly history: readonly HistoryRow[];
}

/** The rows of a queue as the first release that kept them on disk wrote them: never to be recorded anew. */
const recorded = async (): Promise<Recorded> =>
  JSON.parse(await readFile(new URL('./recorded/first-release.json', import.meta.url), 'utf8')) as Recorded;

const storeOfThen = async () => {
  const { queue, submissions, runs, history } = await recorded();
  const clock = virtualClock();
  await clock.advanceTo(queue.decidedAt);
  const store = memoryStore({ clock });
  await store.createQueue(queue, clock.now(), null);
  await store.commit(
    aCommit({
      queueId: queue.id,
      writes: { queue, submissions, runs, targets: [], verdicts: [], history, receipts: [] },
    }),
  );
  return { store, clock, queue };
};

/** Every field that is there nowadays, at any depth of what is no list. */
const fieldsOf = (row: object, path = ''): readonly string[] =>
  Object.entries(row).flatMap(([key, value]: [string, unknown]) => [
    `${path}${key}`,
    ...(key === 'settings' ? fieldsOf(value as object, 'settings.') : []),
  ]);

test('rows that the first release wrote have every field that rows have now', async () => {
  const { store, queue } = await storeOfThen();
  const door = storeDoor(store);
  const delta = await door.load(queue.id, 0, { prs: [1, 2], inputIds: [] });
  if (delta === null) throw new Error('the queue is not there');

  expect(fieldsOf(delta.queue)).toEqual(expect.arrayContaining([...fieldsOf(aQueue())]));
  const { items: submissions } = await door.submissions({ queueId: queue.id, limit: 100 });
  expect(submissions).toHaveLength(7);
  for (const row of [...delta.submissions, ...delta.recalled.submissions, ...submissions])
    expect(fieldsOf(row)).toEqual(expect.arrayContaining([...fieldsOf(aSubmission(1))]));
  for (const { id } of delta.runs)
    expect(fieldsOf((await door.run(queue.id, id)) ?? {})).toEqual(
      expect.arrayContaining([...fieldsOf(aRun())]),
    );
  const { items: history } = await door.history({ queueIds: [queue.id], order: 'oldest_first', limit: 1000 });
  for (const row of history)
    if (row.type === 'moved') expect(fieldsOf(row)).toEqual(expect.arrayContaining([...fieldsOf(aMove())]));
});

test('what is absent means what it meant then', async () => {
  const { store, queue } = await storeOfThen();
  const delta = await storeDoor(store).load(queue.id, 0, { prs: [], inputIds: [] });
  const submission = (pr: number) => delta?.submissions.find((one) => one.pr === pr);

  expect(submission(3)).toMatchObject({ place: 3, batch: 3, alone: false, suspectedBy: null });
  expect(submission(3)?.begunAt).toBe(submission(3)?.admittedAt);
  expect(submission(7)).toMatchObject({ place: null, batch: null, begunAt: null });
  expect(delta?.queue.tipTrust).toMatchObject({ head: queue.target.head, passes: [], tries: 0 });
  expect(delta?.queue.settings).toMatchObject({ confirmBeforeFailing: false, trustForkTargets: false });
  for (const run of delta?.runs ?? [])
    expect(run).toMatchObject({ purpose: { kind: 'test' }, landed: [], beside: [], isolation: null });
});

test('a run of then whose first had landed says so by its number', async () => {
  const { store, queue } = await storeOfThen();
  const { runs } = await recorded();
  const old = runs.find((run) => 'landedCount' in run && run.landedCount === 1);
  if (old === undefined) throw new Error('none is recorded');

  expect(await storeDoor(store).run(queue.id, old.id)).toMatchObject({ landed: [1] });
});

test('a queue of the first release is read, explained and decided on', async () => {
  const { store, clock, queue } = await storeOfThen();
  const { repo, branch } = queue;
  const ref = { repo, targetBranch: branch };
  const mq = createMergeQueue({ store, hosts: { [repo.host]: fakeHost({ clock }) }, clock });

  const { enqueued } = await mq.getQueue(ref);
  expect(enqueued.map(({ submission }) => submission.pr)).toEqual([3, 4, 5, 7]);
  expect((await mq.explain({ ...ref, pr: 7 })).waiting?.code).toBe('turn');
  expect((await mq.explain({ ...ref, pr: 2 })).story).toMatchObject({ state: 'failed' });
  expect(await mq.metrics()).toContain('mq_depth_current{');
  await mq.cancel({ ...ref, pr: 5 });
  expect((await mq.getSubmission({ ...ref, pr: 5 })).submission.state).toBe('cancelled');
  await mq.close();
});
