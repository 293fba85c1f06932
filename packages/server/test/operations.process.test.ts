import { expect, test } from 'vitest';
import { git, makeRepository, type Server, serverWith, startedWith } from './server-process.js';
import { until } from './until.js';

const stateOf = async (server: Server, number: number) =>
  (await server.call('getSubmittedPullRequest', { pr: { number } })).json;

test('a queue is made, filled, read, changed and deleted over HTTP, and what passes lands in the repository', async () => {
  const server = await serverWith({ MQ_TOKEN: 'a-token-of-mine' });
  const bare = await makeRepository(server.dataFolder, 'cat *.txt && ! grep -l broken *.txt', {
    good: 'good\n',
    bad: 'broken\n',
  });
  expect((await server.call('createQueue', { concurrency: 2 })).json).toMatchObject({
    state: 'running',
    requiredStatuses: ['unit'],
    requiredStatusesSource: 'host',
  });
  expect(
    (await server.call('setImpactedTargets', { pr: { number: 1 }, impactedTargets: ['a'] })).json,
  ).toMatchObject({
    prNumber: 1,
    impactedTargets: ['a'],
  });
  for (const number of [1, 2])
    expect((await server.call('submitPullRequest', { pr: { number } })).json.prNumber).toBe(number);
  expect((await server.call('getQueue')).json.branch).toBe('main');

  await until(
    () => stateOf(server, 1),
    ({ state }) => state === 'merged',
  );
  const bad = await until(
    () => stateOf(server, 2),
    ({ state }) => state === 'failed',
  );
  expect(bad.reason).toMatchObject({ code: 'TEST_RUN_REQUIRED_STATUS_FAILED' });
  expect(git(bare, 'log', '--format=%s', 'main')).toBe('Write good (#1)\nBegin');

  expect(
    (await server.call('getSubmittedPullRequests', { prs: [{ number: 1 }, { number: 9 }] })).json,
  ).toMatchObject({
    pullRequests: [{ prNumber: 1 }],
    notFound: [9],
  });
  expect((await server.call('listPullRequests', { state: 'failed' })).json.pullRequests).toMatchObject([
    { prNumber: 2 },
  ]);
  const results = await server.call('listMergeQueueTestingResults', {
    since: new Date(0).toISOString(),
    until: new Date(1).toISOString(),
  });
  expect(results.json).toEqual({ testingResults: [], totalItems: 0 });
  const metrics = await server.ask('/v1/getMergeQueueMetrics', { headers: { 'x-api-token': server.token } });
  expect(metrics.text).toContain('mq_depth_current{repo="acme/widgets",branch="main"');
  const counters = await server.ask('/metrics', { headers: { authorization: `Bearer ${server.token}` } });
  expect(counters.text).toContain('mq_landings_total{repo="acme/widgets",branch="main",kind="single"} 1');
  expect(counters.text).toMatch(/mq_ci_seconds_total\{.*use="used",cause="landed"\} \d/);
  expect(counters.text).toMatch(/mq_host_calls_total\{host="local",operation="land",outcome="ok"\} [1-9]/);
  expect(
    (await server.call('updateQueue', { state: 'paused', stateReason: 'a holiday' })).json,
  ).toMatchObject({
    state: 'paused',
    stateReason: { sentence: 'a holiday' },
  });
  expect((await server.call('listQueues', '{}')).json.queues).toMatchObject([{ state: 'paused' }]);
  expect((await server.call('restartTestsOnPullRequest', { pr: { number: 2 } })).status).toBe(422);
  expect((await server.call('cancelPullRequest', { pr: { number: 2 } })).status).toBe(422);
  expect((await server.call('deleteQueue')).json).toEqual({});
  expect((await server.call('getQueue')).status).toBe(404);
});

test('the details of a run link to the log of its check, which the link alone opens', async () => {
  const server = await serverWith();
  await makeRepository(server.dataFolder, 'echo the tests say hello', { good: 'good\n' });
  await server.call('createQueue');
  await server.call('submitPullRequest', { pr: { number: 1 } });
  const merged = await until(
    () => stateOf(server, 1),
    ({ state }) => state === 'merged',
  );
  const details = await server.call('getMergeQueueTestingDetails', { testRunId: merged.verifiedByTestRun });
  const link: string = details.json.checkSuites[0].checkRuns[0].url;

  const log = await server.ask(link);
  expect(log.status).toBe(200);
  expect(log.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(log.text).toBe('$ echo the tests say hello\nthe tests say hello\n');
  const [path = ''] = link.split('?');
  expect((await server.ask(path)).status).toBe(401);
  expect((await server.ask(`${path}x${link.slice(path.length)}`)).status).toBe(401);
  const headers = { 'x-api-token': server.token };
  expect((await server.ask(path, { headers })).text).toBe(log.text);
  expect((await server.ask(`${path}0`, { headers })).status).toBe(404);
});

test('what a server that was stopped had merged is remembered by the next one, which is ready', async () => {
  const stopped = await serverWith();
  const { dataFolder } = stopped;
  await makeRepository(dataFolder, 'true', { good: 'good\n' });
  await stopped.call('createQueue');
  await stopped.call('submitPullRequest', { pr: { number: 1 } });
  await until(
    () => stateOf(stopped, 1),
    ({ state }) => state === 'merged',
  );
  stopped.child.kill('SIGTERM');
  expect((await stopped.ended).code).toBe(0);

  const next = await startedWith({ MQ_DATA: dataFolder });
  expect((await stateOf(next, 1)).state).toBe('merged');
  expect((await next.ask('/health/ready')).json).toEqual({
    status: 'ready',
    store: { kind: 'pglite', answers: true },
  });
});
