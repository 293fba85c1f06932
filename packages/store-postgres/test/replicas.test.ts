import { createMergeQueue, type Effect, type Fact, type QueueRef } from '@mq/core';
import { anEffect, effectIdOf, fakeHost, type Intercept, inputIdOf, virtualClock } from '@mq/testkit';
import { afterAll, expect, test } from 'vitest';
import type { Database } from '../src/index.js';
import { replicas } from './replicas.js';

const { begin, end, server } = replicas();
afterAll(end);

const HOST = 'fake.example';
const ref: QueueRef = { repo: { host: HOST, owner: 'acme', name: 'widgets' }, targetBranch: 'main' };
const noRecall = { prs: [], inputIds: [] };

/** Engines with one store each, on one database, and one host. */
const world = async (
  count: number,
  intercept: Intercept = (_call, perform) => perform(),
  faults?: Faults,
) => {
  const clock = virtualClock();
  const { schema, storeFor } = await begin(count, faults);
  const host = fakeHost({ clock, intercept });
  const repository = host.createRepository({ ref: ref.repo });
  repository.reportTipChecks('main', { test: 'success' });
  const stores = Array.from({ length: count }, (_, replica) => storeFor(clock, replica));
  const engines = stores.map((store) => createMergeQueue({ store, hosts: { [HOST]: host }, clock }));
  const [first, second] = engines;
  if (first === undefined || second === undefined) throw new Error('There are fewer than two engines.');
  await first.createQueue(ref);
  const { queue } = await first.getQueue(ref);
  const submit = async (pr: number, by = first) => {
    repository.openPullRequest({ number: pr });
    await by.submit({ ...ref, pr });
  };
  return { repository, schema, stores, engines, first, second, queue, submit };
};

type Faults = (database: Database) => Database;

test('T-D18 a reader sees none or all of a batch while it is formed', async () => {
  const { engines, first, stores, queue, submit } = await world(3);
  await first.updateQueue({ ...ref, batch: true, batchingMinSize: 4 });
  const seen = new Set<string>();
  let isOver = false;
  const look = async () => {
    while (!isOver) {
      const delta = await stores[2]?.load(queue.id, 0, noRecall);
      const testing = delta?.submissions.filter(({ state }) => state === 'testing').length;
      seen.add(
        `${testing} tested in ${delta?.runs.map(({ batch }) => batch.length).join(', ') || 'nothing'}`,
      );
    }
  };
  const looking = look();
  for (const pr of [1, 2, 3, 4]) await submit(pr);
  await Promise.all(engines.slice(0, 2).map((engine) => engine.settled()));
  await stores[2]?.now();
  isOver = true;
  await looking;
  seen.delete('0 tested in nothing');
  seen.delete('4 tested in 4');
  expect([...seen]).toEqual([]);
  expect((await first.listRuns(ref)).map(({ run }) => run.batch.length)).toEqual([4]);
});

/** Once on, two of five statements are rolled back. */
const trouble = () => {
  let statements = 0;
  const itself = {
    isOn: false,
    between: (database: Database): Database => ({
      ...database,
      query: (statement, values) => {
        if (itself.isOn) statements += 1;
        const code = ({ 1: '40001', 3: '40P01' } as const)[statements % 5];
        return itself.isOn && code !== undefined
          ? Promise.reject(Object.assign(new Error('it gave way'), { code }))
          : database.query(statement, values);
      },
    }),
  };
  return itself;
};

test('T-I12 twenty concurrent writers finish while two of five statements are rolled back', async () => {
  const faults = trouble();
  const { engines, first, stores, queue } = await world(20, undefined, faults.between);
  faults.isOn = true;
  const minutes = engines.map((_, replica) => 100 + replica);
  await Promise.all(
    engines.map((engine, replica) =>
      engine.updateQueue({ ...ref, testingTimeoutMinutes: minutes[replica] ?? 0 }),
    ),
  );
  const { items } = await first.history({ ...ref, order: 'oldest_first', types: ['configured'] });
  const asked = items.flatMap((row) =>
    row.type === 'configured' && row.sequence > 1 ? [row.settings.testingTimeoutMinutes] : [],
  );
  const results = asked.filter((one) => one !== undefined);
  expect([...results].sort()).toEqual(minutes);
  expect((await first.getQueue(ref)).queue.settings.testingTimeoutMinutes).toBe(results.at(-1));
  const delta = await stores[0]?.load(queue.id, 0, noRecall);
  expect(delta?.version).toBeLessThanOrEqual(3 + minutes.length);
});

test('T-I18 an engine stopped during a landing completes it, and another one continues', async () => {
  let enter = (): void => {};
  let leave = (): void => {};
  const entered = new Promise<void>((resolve) => {
    enter = resolve;
  });
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const { first, second, repository, stores, submit } = await world(2, async (call, perform) => {
    if (call.method !== 'land') return perform();
    enter();
    await left;
    return perform();
  });
  await submit(1);
  await first.settled();
  for (const { commit, status } of repository.ci.checks())
    if (status !== 'completed') repository.ci.finish(commit, null, 'success');
  const running = first.start();
  await first.notice({ repo: ref.repo, what: 'checks' });
  await entered;
  await submit(2, second);
  const stopped = running.close();
  leave();
  await stopped;
  await second.settled();
  expect((await second.getSubmission({ ...ref, pr: 1 })).submission.state).toBe('merged');
  expect((await second.getSubmission({ ...ref, pr: 2 })).submission.state).toBe('testing');
  expect(repository.moves.filter(({ runId }) => runId !== null)).toHaveLength(1);
  const effects = await stores[1]?.lease({ owner: 'looker', forMs: 1, limit: 10 });
  expect(effects).toEqual([]);
});

test('T-I20 data of a later release is kept by this one, and its effects wait', async () => {
  const { first, second, queue, schema, stores, submit } = await world(2);
  await submit(1);
  await first.settled();
  await server.script(`update ${schema}.submissions set value = value::jsonb || '{"later": "kept"}';
    update ${schema}.queues set value = value::jsonb || '{"later": "kept"}'`);
  const later = { ...anEffect(7), type: 'of a later release' } as unknown as Effect;
  await server.script(`insert into ${schema}.effects
    select '${effectIdOf(7)}', '${queue.id}', '${JSON.stringify(ref.repo)}', 0, 1000000, 0, false, null, null,
      '${JSON.stringify(later)}'`);
  const unheard = {
    id: inputIdOf(7),
    effectId: effectIdOf(7),
    type: 'of_a_later_release',
  } as unknown as Fact;
  await stores[0]?.push(queue.id, [unheard]);
  await second.updateQueue({ ...ref, concurrency: 3 });
  await second.cancel({ ...ref, pr: 1 });
  await Promise.all([first.settled(), second.settled()]);
  const delta = await stores[0]?.load(queue.id, 0, { prs: [1], inputIds: [] });
  expect(delta?.queue).toMatchObject({ later: 'kept', settings: { concurrency: 3 }, hostTrouble: null });
  expect(delta?.queue.notUnderstood).toEqual([unheard]);
  expect(delta?.recalled.submissions).toMatchObject([{ state: 'cancelled', later: 'kept' }]);
  const rows = await server.query(`select tries from ${schema}.effects where id = '${effectIdOf(7)}'`, []);
  expect(rows.map(({ tries }) => Number(tries))).toEqual([1]);
  const { items } = await first.history({ ...ref, order: 'oldest_first', types: ['alarm'] });
  expect(items).toEqual([]);
});

const FLOOD = 10_000;

test('T-J20 a flood of events waits as one fact and is consumed', async () => {
  const { engines, first, second, stores, queue, repository, submit } = await world(2);
  await submit(1);
  await first.settled();
  for (const { commit, status } of repository.ci.checks())
    if (status !== 'completed') repository.ci.finish(commit, null, 'success');
  const kinds = ['checks', 'pull_requests', 'branch'] as const;
  for (let sent = 0; sent < FLOOD; sent += 100)
    await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        engines[index % 2]?.notice({ repo: ref.repo, what: kinds[index % 3] ?? 'checks' }),
      ),
    );
  const delta = await stores[0]?.load(queue.id, 0, noRecall);
  expect(delta?.inbox.length).toBeLessThanOrEqual(kinds.length);
  await Promise.all([first.settled(), second.settled()]);
  expect((await second.getSubmission({ ...ref, pr: 1 })).submission.state).toBe('merged');
});
