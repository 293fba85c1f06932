import { expect, test } from 'vitest';
import type { Environment } from './program.js';
import { git, makeRepository, queueRef, type Server, serverWith } from './server-process.js';
import { until } from './until.js';

const stateOf = async (server: Server, number: number) =>
  (await server.call('getSubmittedPullRequest', { pr: { number } })).json;

test('malformed, unauthorised and oversized requests get a clear answer', async () => {
  const server = await serverWith();
  const requests: readonly [string, Environment, number, string][] = [
    ['{"repo":', {}, 400, 'MALFORMED_JSON'],
    ['{"__proto__":{"a":1}}', {}, 400, 'INVALID_REQUEST'],
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

test('a request that is invalid or names something unknown is refused with the fault, and nothing is stored', async () => {
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

test('pages outside of the API answer without a token', async () => {
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

test('a target that was moved back is logged as soon as the queue has something to do', async () => {
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
