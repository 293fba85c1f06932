import { HostError, type Store } from '@mq/core';
import { aQueue, aRepo, fakeHost, queueIdOf, type Story, stories, virtualClock } from '@mq/testkit';
import fastify from 'fastify';
import { afterEach, expect, test } from 'vitest';
import { type CounterName, counterCatalogue } from './catalogue.js';
import { COUNTED_QUEUES_LIMIT, Counters, OTHERS } from './counters.js';
import { measuredHost, measuredStore } from './measured.js';
import { addCounters } from './route.js';

const story = stories(afterEach);

const counting = (q: Story): Counters => {
  const counters = new Counters({ isProcessMeasured: false });
  for (const engine of q.world.engines) counters.watch(engine);
  return counters;
};

/** The series of a family that are not 0, as `labels value` without the labels of the queue. */
const seriesOf = async (counters: Counters, name: CounterName): Promise<readonly string[]> =>
  (await counters.text())
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`))
    .map((line) => line.slice(name.length).replace(/repo="[^"]*",branch="[^"]*",?/, ''))
    .sort();

test('a landing, a culprit and the commands are counted once', async () => {
  const q = await story({ concurrency: 2 });
  const counters = counting(q);
  await q.submit(1);
  await q.submit(2);
  await q.passes('main+1');
  await q.fails('main+1+2');
  await q.after('1m');

  expect(await seriesOf(counters, 'mq_pull_requests_submitted_total')).toEqual(['{} 2']);
  expect(await seriesOf(counters, 'mq_landings_total')).toEqual(['{kind="single"} 1']);
  expect(await seriesOf(counters, 'mq_culprits_total')).toEqual([
    '{reason="TEST_RUN_REQUIRED_STATUS_FAILED"} 1',
  ]);
  expect(await seriesOf(counters, 'mq_pull_requests_concluded_total')).toEqual([
    '{conclusion="failed",reason="TEST_RUN_REQUIRED_STATUS_FAILED"} 1',
    '{conclusion="merged",reason="MERGE_GRAPH_MERGE"} 1',
  ]);
  expect(await seriesOf(counters, 'mq_commands_total')).toEqual(['{command="submit"} 2']);
});

test('CI time is used if it gave a verdict, and wasted if the test run was cancelled', async () => {
  const q = await story({ concurrency: 2 });
  const counters = counting(q);
  await q.submit(1);
  await q.submit(2);
  await q.after('10m');
  await q.cancel(1);
  await q.after('1m');

  expect(await seriesOf(counters, 'mq_test_runs_cancelled_total')).toEqual([
    '{purpose="test",cause="member_left"} 1',
    '{purpose="test",cause="superseded"} 1',
  ]);
  const spent = await seriesOf(counters, 'mq_ci_seconds_total');
  expect(spent).toHaveLength(2);
  for (const line of spent) expect(line).toMatch(/use="wasted".* 6\d\d$/);
});

test('a queue beyond the limit is counted among the others', async () => {
  const counters = new Counters({ isProcessMeasured: false });
  const listeners = new Map<string, (event: never) => void>();
  counters.watch({
    on: (name, listener) => {
      listeners.set(name, listener as (event: never) => void);
      return () => undefined;
    },
  });
  for (let n = 0; n <= COUNTED_QUEUES_LIMIT; n += 1)
    listeners.get('queue.changed')?.({ queue: { ...aQueue(), id: queueIdOf(n), branch: `b${n}` } } as never);
  const alarm = { type: 'alarm', code: 'CLOCK_JUMPED', queueId: queueIdOf(COUNTED_QUEUES_LIMIT) };
  listeners.get('history')?.(alarm as never);

  expect(await counters.text()).toContain(
    `mq_alarms_total{repo="${OTHERS}",branch="${OTHERS}",code="CLOCK_JUMPED"} 1`,
  );
});

test('calls of the code host are counted by operation and outcome', async () => {
  const counters = new Counters({ isProcessMeasured: false });
  const host = fakeHost({ clock: virtualClock() });
  host.createRepository({ ref: aRepo });
  const getBranch = () => Promise.reject(new HostError('no access', 'never'));
  await measuredHost(host, 'local', counters).hasRepository(aRepo);
  await expect(measuredHost({ ...host, getBranch }, 'local', counters).getBranch()).rejects.toThrow(
    'no access',
  );

  expect(await seriesOf(counters, 'mq_host_calls_total')).toEqual([
    '{host="local",operation="getBranch",outcome="refused"} 1',
    '{host="local",operation="hasRepository",outcome="ok"} 1',
  ]);
});

test('calls about what pull requests show, and about commands, are counted like all others', async () => {
  const counters = new Counters({ isProcessMeasured: false });
  const host = fakeHost({ clock: virtualClock() });
  host.createRepository({ ref: aRepo }).openPullRequest({ number: 1 });
  const { presence, commands, hooksNotRun } = measuredHost(host, 'local', counters);
  await presence.createComment({ repo: aRepo, pr: 1 }, 'Merged.');
  await expect(presence.createComment({ repo: aRepo, pr: 2 }, 'Merged.')).rejects.toThrow();
  await commands.commentsSince(aRepo, 0);
  await hooksNotRun(aRepo);
  presence.installationOf(aRepo);

  expect(await seriesOf(counters, 'mq_host_calls_total')).toEqual([
    '{host="local",operation="commentsSince",outcome="ok"} 1',
    '{host="local",operation="createComment",outcome="ok"} 1',
    '{host="local",operation="createComment",outcome="refused"} 1',
    '{host="local",operation="hooksNotRun",outcome="ok"} 1',
  ]);
});

test('a commit whose outcome is unknown is counted as an error, and the error is passed on', async () => {
  const counters = new Counters({ isProcessMeasured: false });
  const broken = { commit: () => Promise.reject(new Error('gone')) } as unknown as Store;

  await expect(measuredStore(broken, counters).commit({} as never)).rejects.toThrow('gone');
  expect(await seriesOf(counters, 'mq_commits_total')).toEqual(['{outcome="error"} 1']);
});

test('the counters are served for a token with the scope metrics, and nothing else', async () => {
  const app = fastify();
  addCounters(app, {
    counters: new Counters(),
    authenticate: (token) => {
      const scopes = new Set([token === 'scraper' || token === 'limited' ? 'metrics' : 'read'] as const);
      const limit = token === 'limited' ? { repositories: [aRepo] } : {};
      return token === 'stranger' ? null : { id: token, name: token, scopes, ...limit };
    },
  });
  const answerTo = async (headers: Record<string, string>) =>
    await app.inject({ method: 'GET', url: '/metrics', headers });

  const statuses = ['stranger', 'reader', 'limited', 'scraper'].map(
    async (token) => (await answerTo({ authorization: `Bearer ${token}` })).statusCode,
  );
  expect(await Promise.all(statuses)).toEqual([401, 403, 403, 200]);
  expect((await answerTo({})).statusCode).toBe(401);
  const { body } = await answerTo({ authorization: 'Bearer scraper' });
  for (const name of Object.keys(counterCatalogue)) expect(body).toContain(`# HELP ${name} `);
  expect(body).toContain('process_cpu_seconds_total');
});
