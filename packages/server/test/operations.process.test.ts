import { expect, test } from 'vitest';
import type { Environment } from './program.js';
import { git, makeRepository, queueRef, type Server, serverWith, until } from './server-process.js';

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

test('malformed, unauthorised and oversized requests get a clear answer', async () => {
  const server = await serverWith();
  const requests: readonly [string, Environment, number, string][] = [
    ['{"repo":', {}, 400, 'MALFORMED_JSON'],
    ['{"__proto__":{"a":1}}', {}, 400, 'MALFORMED_JSON'],
    ['{}', { 'content-type': 'text/plain' }, 415, 'CONTENT_TYPE_NOT_SUPPORTED'],
    ['{}', { 'x-api-token': 'mqt_wrong' }, 401, 'UNAUTHORIZED'],
    ['{"repo":', { 'x-api-token': '' }, 401, 'UNAUTHORIZED'],
    [`"${'x'.repeat(20 * 1024 * 1024 - 1)}"`, {}, 413, 'BODY_TOO_LARGE'],
  ];
  for (const [body, headers, status, code] of requests) {
    const answer = await server.call('createQueue', body, headers);
    expect([body.slice(0, 30), answer.status, answer.json.code]).toEqual([body.slice(0, 30), status, code]);
  }
});

test('what does not exist or does not fit is refused with what is wrong, and nothing is stored', async () => {
  const server = await serverWith();
  const bare = await makeRepository(server.dataFolder, 'true', { good: 'good\n' });
  const refusals: readonly [string, object, number, string][] = [
    ['createQueue', { repo: { ...queueRef.repo, name: 'gadgets' } }, 404, 'REPOSITORY_NOT_FOUND'],
    ['createQueue', { repo: { ...queueRef.repo, host: 'elsewhere' } }, 404, 'UNKNOWN_HOST'],
    ['createQueue', { repo: { ...queueRef.repo, owner: '..', name: '../../etc' } }, 400, 'INVALID_REQUEST'],
    ['createQueue', { targetBranch: '--force' }, 404, 'BRANCH_NOT_FOUND'],
    ['createQueue', { concurrency: 'many', mode: 'sideways' }, 400, 'INVALID_REQUEST'],
    ['submitPullRequest', { pr: { number: 1 } }, 404, 'QUEUE_NOT_FOUND'],
  ];
  for (const [operation, body, status, code] of refusals) {
    const answer = await server.call(operation, body);
    expect([operation, answer.status, answer.json.code]).toEqual([operation, status, code]);
  }
  expect((await server.call('listQueues', '{}')).json.queues).toEqual([]);
  await server.call('createQueue');
  expect((await server.call('submitPullRequest', { pr: { number: 7 } })).json.code).toBe(
    'PULL_REQUEST_NOT_FOUND',
  );
  expect((await server.call('submitPullRequest', { pr: { number: 'seven' } })).status).toBe(400);
  expect((await server.call('createQueue')).json.code).toBe('QUEUE_EXISTS');
  expect(git(bare, 'log', '--format=%s', 'main')).toBe('Begin');
});

test('pages outside of the interface answer without a token', async () => {
  const server = await serverWith();
  expect((await server.ask('/')).text).toContain('/v1/openapi.json');
  expect((await server.ask('/v1/openapi.json')).json.paths).toHaveProperty('/submitPullRequest');
  expect((await server.ask('/health/live')).json).toEqual({ status: 'live' });
  expect((await server.ask('/health/ready')).json).toEqual({
    status: 'ready',
    store: { kind: 'pglite', answers: true },
  });
  expect((await fetch(`${server.url}/health/ready`, { method: 'HEAD' })).status).toBe(200);
  expect((await server.ask('/nowhere')).json.code).toBe('PATH_NOT_FOUND');
  expect((await server.ask('/%')).json).toMatchObject({ status: 400, code: 'MALFORMED_REQUEST' });
  const headers = { 'content-type': 'text/odd' };
  expect((await server.ask('/', { method: 'POST', body: 'x', headers })).json).toMatchObject({
    status: 404,
    code: 'PATH_NOT_FOUND',
  });
  const compressed = await server.ask('/logs/acme/widgets/1', { method: 'DELETE', body: 'x', headers });
  expect([compressed.status, compressed.json.code]).toEqual([404, 'PATH_NOT_FOUND']);
});

test('a target that somebody moved back is told in the log as soon as the queue has something to do', async () => {
  const server = await serverWith();
  const bare = await makeRepository(server.dataFolder, 'true', { one: '1\n', two: '2\n' });
  await server.call('createQueue');
  const isMerged = async (number: number) => {
    await server.call('submitPullRequest', { pr: { number } });
    await until(
      () => stateOf(server, number),
      ({ state }) => state === 'merged',
    );
  };
  await isMerged(1);
  git(bare, 'update-ref', 'refs/heads/main', 'main~1');
  await isMerged(2);
  await until(
    async () => server.stderr(),
    (log) => /"alarm":"TARGET_REWOUND".*main no longer contains/.test(log),
  );
});
