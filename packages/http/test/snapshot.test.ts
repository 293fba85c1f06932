import { expect, test } from 'vitest';
import { sharedSnapshot } from '../src/shared-snapshots.js';
import { engineWorld } from './engine-world.js';
import { queueRef } from './world.js';

// biome-ignore lint/suspicious/noExplicitAny: a test reads answers as a client would
type Json = Record<string, any>;

/** A reader of snapshots like the page: it applies each answer to its state. */
class Reader {
  readonly #tables: Record<string, { rows: Map<unknown, Json>; order: unknown[]; more: number }> = {};
  #head: Json = {};
  version: string | undefined;
  since: string | null = null;

  take(answer: Json): void {
    const { version, since, computedAt: _at, pullRequests, testRuns, ended, ...head } = answer;
    this.#head = since === null ? head : { ...this.#head, ...head };
    const tables = { pullRequests, testRuns, ended };
    for (const [name, change] of Object.entries(tables)) {
      const keyOf = (row: Json) => row[name === 'testRuns' ? 'testRunId' : 'prNumber'];
      const table = this.#tables[name];
      const rows = new Map(since === null ? [] : table?.rows);
      for (const row of change.rows) rows.set(keyOf(row), row);
      for (const key of change.removed) rows.delete(key);
      this.#tables[name] = { rows, order: change.order ?? table?.order ?? [], more: change.more };
    }
    [this.version, this.since] = [version, since];
  }

  /** What it shows. */
  get shown() {
    const rowsOf = ({ rows, order, more }: { rows: Map<unknown, Json>; order: unknown[]; more: number }) => {
      expect([...rows.keys()].sort()).toEqual([...order].sort());
      return { rows: order.map((key) => rows.get(key)), more };
    };
    const tables = Object.entries(this.#tables).map(([name, table]) => [name, rowsOf(table)] as const);
    return { ...this.#head, ...Object.fromEntries(tables) } as Json;
  }
}

const readers = async (settings: Parameters<typeof engineWorld>[0] = {}) => {
  const world = await engineWorld(settings);
  const ask = async (body: object = {}) => (await world.ask('getQueueSnapshot', body)).json;
  const reader = new Reader();
  const reads = async () => {
    await world.q.after('2s');
    reader.take(await ask(reader.version === undefined ? {} : { version: reader.version }));
    return reader;
  };
  return { ...world, ask, reads };
};

test('a snapshot shows the line, the stacked test runs and ended pull requests', async () => {
  const { q, reads } = await readers({ concurrency: 2 });
  await q.submit(1, 2, 3, 4);
  await q.fails('main+1');
  const { shown } = await reads();
  expect(shown['pullRequests'].rows).toMatchObject([
    { prNumber: 2, position: 1, lane: 2, state: 'testing', waitingFor: { code: 'checks' } },
    { prNumber: 3, position: 2, lane: 2, state: 'testing' },
    { prNumber: 4, position: 3, lane: 2, state: 'pending', waitingFor: { code: 'turn' }, testRunId: null },
  ]);
  expect(shown['testRuns'].rows).toMatchObject([
    { prNumbers: [2], testedOnTopOf: [], state: 'testing', requiredStatuses: ['test'] },
    { prNumbers: [3], testedOnTopOf: [2] },
  ]);
  const [second] = shown['pullRequests'].rows;
  expect(second.testRunId).toBe(shown['testRuns'].rows[0].testRunId);
  expect(shown['ended'].rows).toMatchObject([{ prNumber: 1, state: 'failed', landedCommit: null }]);
  expect(shown['counts']).toEqual({
    ...{ enqueued: 3, begun: 2, notReady: 0, slotsInUse: 2, bisectionSlotsInUse: 0 },
  });
});

test('a reader of differences shows at each step what a reader of whole snapshots shows', async () => {
  const { q, ask, reads } = await readers({ concurrency: 2, batch: true, batchingMinSize: 2 });
  const steps: (() => Promise<unknown>)[] = [
    () => q.submit(1, 2, 3, 4, 5),
    () => q.passes('main+1+2'),
    () => q.cancel(5),
    () => q.submit(6, { skipTheLine: true }),
    () => q.pauses(),
    () => q.resumes(),
    () => q.drafts(7),
    () => q.submit(7),
    async () => {},
  ];
  for (const step of steps) {
    await step();
    const reader = await reads();
    const whole = new Reader();
    whole.take(await ask());
    expect(reader.shown).toEqual(whole.shown);
    expect(whole.since).toBeNull();
    if (step !== steps[0]) expect(reader.since).not.toBeNull();
  }
});

test('a reader of differences gets changed rows only, and the sentence of a test run contains its duration', async () => {
  const { q, ask, reads } = await readers({ concurrency: 1 });
  await q.submit(1, 2, 3);
  await reads();
  await reads();
  const { version } = await reads();
  await q.after('2s');
  const same = await ask({ version });
  expect(same).toMatchObject({ version, since: version, pullRequests: { rows: [], removed: [] } });
  expect(same).not.toHaveProperty('queue');
  expect(same.pullRequests).not.toHaveProperty('order');

  await q.cancel(3);
  await q.after('2s');
  const next = await ask({ version });
  expect(next.pullRequests.rows.map((row: Json) => row['prNumber'])).toEqual([1]);
  expect([next.pullRequests.removed, next.pullRequests.order]).toEqual([[3], [1, 2]]);
});

test('a version from another replica, from the future or of invalid form gets the whole snapshot', async () => {
  const { q, ask, reads } = await readers();
  await q.submit(1);
  const { version = '' } = await reads();
  const id = version.split('.')[0];
  for (const unknown of [`${id}.999999`, `${id}.0`, `${id}.1e3`, id, `other.1`, '.', '💥']) {
    const answer = await ask({ version: unknown });
    expect([unknown, answer.since, answer.pullRequests.rows.length]).toEqual([unknown, null, 1]);
  }
});

test('within a second a snapshot is not computed again, and a second later it is', async () => {
  const { q, ask } = await readers();
  await q.submit(1);
  const first = await ask();
  await q.submit(2);
  expect(await ask()).toEqual(first);
  await q.after('1s');
  expect((await ask()).pullRequests.order).toEqual([1, 2]);
});

test('a snapshot of a queue that was deleted and created again shows the new queue', async () => {
  const { ask, q } = await engineWorld();
  const { queue } = (await ask('getQueueSnapshot')).json;
  await ask('deleteQueue');
  await q.after('2s');
  expect((await ask('getQueueSnapshot')).status).toBe(404);
  await ask('createQueue');
  expect((await ask('getQueueSnapshot')).json.queue.queueId).not.toBe(queue.queueId);
});

test('an overview has the queue and its alarms, and no rows', async () => {
  const { q, ask } = await readers();
  await q.submit(1);
  expect(Object.keys(await ask({ overviewOnly: true })).sort()).toEqual(
    ['version', 'since', 'computedAt', 'queue', 'counts', 'targetSha', 'landing', 'alarms'].sort(),
  );
});

test('all readers of a version get one answer, which is made once', async () => {
  const { q } = await readers();
  const { mq } = q.world;
  await q.submit(1);
  const { repo, targetBranch } = queueRef;
  const first = await mq.queueSnapshot({ repo, targetBranch });
  expect(await mq.queueSnapshot({ repo, targetBranch })).toBe(first);
  const answer = sharedSnapshot(first, repo, false);
  expect(sharedSnapshot(first, repo, false)).toBe(answer);
  await q.submit(2);
  await q.after('2s');
  const { version } = first;
  const later = await mq.queueSnapshot({ repo, targetBranch, version });
  expect(later).not.toBe(first);
  expect(await mq.queueSnapshot({ repo, targetBranch, version })).toBe(later);
});

test('an answer that is shared names the repository as its caller does, and only an overview has no rows', async () => {
  const { q } = await readers();
  await q.submit(1);
  const { repo, targetBranch } = queueRef;
  const snapshot = await q.world.mq.queueSnapshot({ repo, targetBranch });
  const alias = { ...repo, name: 'renamed-since' };
  for (const [named, isOverview] of [
    [repo, false],
    [repo, true],
    [alias, false],
    [repo, false],
  ] as const) {
    const { queue, pullRequests } = sharedSnapshot(snapshot, named, isOverview);
    expect(queue?.repo).toEqual(named);
    expect(pullRequests === undefined).toBe(isOverview);
  }
});
