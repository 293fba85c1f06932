import { describe, expect, test } from 'vitest';
import { type Principal, scopes, TOKEN_CHARS_LIMIT, tokenAuthenticator } from '../src/index.js';
import { operations } from '../src/routes.js';
import {
  apiWith,
  elsewhere,
  everything,
  queueRef,
  readOnly,
  repo,
  scriptedQueue,
  validRequests,
} from './world.js';

const names = operations.map(({ name }) => name);

test('the server has exactly the operations of the API', () => {
  expect([...names].sort()).toEqual(Object.keys(validRequests).sort());
});

describe('T-P01 every operation answers the same 401 for a missing token and for every kind of invalid token', () => {
  test.each(names)('%s answers 401 without a valid token', async (name) => {
    const { mq, asked } = scriptedQueue();
    const api = await apiWith({ mq });
    const answers = [];
    for (const token of [null, '', 'wrong', `${everything.token}x`, 'x'.repeat(600)])
      answers.push(await api.post(name, validRequests[name], { token }));
    answers.push(
      await api.post(name, validRequests[name], {
        token: null,
        headers: { 'x-forked-workflow-run-id': '12345' },
      }),
    );
    for (const answer of answers) {
      expect(answer.status).toBe(401);
      expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8');
      expect({ ...answer.json, instance: '' }).toEqual({
        type: 'urn:mq:problem:UNAUTHORIZED',
        title: 'Unauthorized',
        status: 401,
        detail:
          'A valid API token is needed. Send it in the header x-api-token, or as Authorization: Bearer.',
        remedy: 'Send it in the header x-api-token, or as Authorization: Bearer.',
        instance: '',
        code: 'UNAUTHORIZED',
      });
    }
    expect(asked).toEqual([]);
  });

  test('getMergeQueueMetrics answers 401 as plain text', async () => {
    const api = await apiWith({});
    const answer = await api.get('getMergeQueueMetrics', { token: 'wrong' });
    expect(answer.status).toBe(401);
    expect(answer.headers['content-type']).toBe('application/plain-text; charset=utf-8');
    expect(answer.text).toContain('x-api-token');
  });

  test('an unknown path answers 401 without a token, so that probing reveals nothing', async () => {
    const api = await apiWith({});
    expect((await api.get('nothing', { token: null })).status).toBe(401);
  });

  test('a bad token is refused before the body is read', async () => {
    const api = await apiWith({});
    expect((await api.post('getQueue', 'no json at all', { token: 'wrong' })).status).toBe(401);
  });
});

test('a valid token takes precedence over the id of a forked workflow run, and an empty id is ignored', async () => {
  const { mq, asked } = scriptedQueue({ deleteQueue: async () => undefined });
  const api = await apiWith({ mq });
  for (const run of ['', '12345']) {
    const answer = await api.post('deleteQueue', queueRef, { headers: { 'x-forked-workflow-run-id': run } });
    expect(answer.status).toBe(200);
  }
  expect(asked).toHaveLength(2);
});

test('T-P02 a token of one repository reads and writes nothing of another, whether it exists or not', async () => {
  const { mq, asked } = scriptedQueue();
  const api = await apiWith({ mq });
  for (const { name, namesNoRepository } of operations) {
    if (namesNoRepository === true && name !== 'listQueues') continue;
    const answer = await api.post(name, { ...validRequests[name], repo }, { token: elsewhere.token });
    expect(answer.status, name).toBe(403);
    expect(answer.json.code).toBe('REPOSITORY_NOT_ALLOWED');
    expect(answer.text).not.toContain(repo.name);
  }
  const metrics = await api.get('getMergeQueueMetrics?repo=acme/widgets&repoHost=fake.example', {
    token: elsewhere.token,
  });
  expect(metrics.status).toBe(403);
  expect(asked).toEqual([]);
});

test('T-P02 a token of one repository sees only that repository in operations that list or measure all', async () => {
  const { mq, asked } = scriptedQueue({
    listQueues: async () => ({ items: [], next: null }),
    metrics: async () => '',
  });
  const api = await apiWith({ mq });
  expect((await api.post('listQueues', {}, { token: elsewhere.token })).status).toBe(200);
  expect((await api.get('getMergeQueueMetrics', { token: elsewhere.token })).status).toBe(200);
  const { repositories } = elsewhere;
  expect(asked).toMatchObject([
    { method: 'listQueues', request: { repositories } },
    { method: 'metrics', request: { repositories } },
  ]);
});

test('a token of one repository is served for that repository', async () => {
  const { mq } = scriptedQueue({ listQueues: async () => ({ items: [], next: null }) });
  const api = await apiWith({ mq });
  const body = { repo: { ...repo, name: 'gadgets' } };
  expect((await api.post('listQueues', body, { token: elsewhere.token })).json).toEqual({ queues: [] });
});

test('a token of one repository is refused for a repository with the same name elsewhere', async () => {
  const { mq, asked } = scriptedQueue();
  const api = await apiWith({ mq });
  const [own] = elsewhere.repositories ?? [];
  for (const part of ['host', 'owner', 'name']) {
    const body = { repo: { ...own, [part]: 'other.example' } };
    expect((await api.post('listQueues', body, { token: elsewhere.token })).status, part).toBe(403);
  }
  expect(asked).toEqual([]);
});

test.each([
  ['submitPullRequest', 'submit'],
  ['cancelPullRequest', 'cancel'],
  ['restartTestsOnPullRequest', 'submit'],
  ['setImpactedTargets', 'targets'],
  ['createQueue', 'queue:write'],
  ['updateQueue', 'queue:write'],
  ['deleteQueue', 'queue:delete'],
  ['getSubmittedPullRequest', 'read'],
  ['getSubmittedPullRequests', 'read'],
  ['listPullRequests', 'read'],
  ['getQueue', 'read'],
  ['getQueueSnapshot', 'read'],
  ['getQueueAt', 'read'],
  ['getQueueStatistics', 'read'],
  ['listQueueChanges', 'read'],
  ['listQueues', 'read'],
  ['getMergeQueueTestingDetails', 'read'],
  ['listMergeQueueTestingResults', 'read'],
  ['listReceipts', 'read'],
  ['listExpectedChecks', 'checks'],
  ['reportCheck', 'checks'],
  ['createToken', 'tokens'],
  ['rotateToken', 'tokens'],
  ['listTokens', 'tokens'],
  ['revokeToken', 'tokens'],
  ['createWebhook', 'webhooks'],
  ['listWebhooks', 'webhooks'],
  ['updateWebhook', 'webhooks'],
  ['deleteWebhook', 'webhooks'],
  ['testWebhook', 'webhooks'],
  ['listDeliveries', 'webhooks'],
  ['replayDeliveries', 'webhooks'],
] as const)('%s requires the scope %s and accepts no other instead', async (name, scope) => {
  const { mq } = scriptedQueue();
  const others = { ...everything, scopes: new Set(scopes.filter((one) => one !== scope)) };
  const api = await apiWith({ mq, authenticate: tokenAuthenticator([others]) });
  const answer = await api.post(name, validRequests[name]);
  expect([answer.status, answer.json.detail]).toEqual([403, expect.stringContaining(`the scope ${scope};`)]);
});

test('T-P03 a read-only token gets 403 from every writing operation, and the engine is not called', async () => {
  const { mq, asked } = scriptedQueue();
  const api = await apiWith({ mq });
  for (const { name, writes } of operations) {
    if (!writes) continue;
    const answer = await api.post(name, validRequests[name], { token: readOnly.token });
    expect(answer.status, name).toBe(403);
    expect(answer.json.code).toBe('SCOPE_MISSING');
  }
  expect(asked).toEqual([]);
});

test('T-H24 forceEnqueued by a token without the force scope is refused and nothing is stored', async () => {
  const { mq, asked } = scriptedQueue();
  const submitter = { ...everything, scopes: new Set(['submit'] as const) };
  const api = await apiWith({ mq, authenticate: tokenAuthenticator([submitter]) });
  const answer = await api.post('submitPullRequest', {
    ...queueRef,
    pr: { number: 1 },
    forceEnqueued: true,
  });
  expect(answer.status).toBe(403);
  expect(answer.json.detail).toContain('force');
  expect(asked).toEqual([]);
});

test('forceEnqueued: false needs no force scope', async () => {
  const { mq, asked } = scriptedQueue();
  const submitter = { ...everything, scopes: new Set(['submit'] as const) };
  const api = await apiWith({ mq, authenticate: tokenAuthenticator([submitter]) });
  await api.post('submitPullRequest', { ...queueRef, pr: { number: 1 }, forceEnqueued: false });
  expect(asked).toMatchObject([{ method: 'submit', request: { forceEnqueued: false } }]);
});

test('an authenticator is never given a token that is empty or longer than its limit', async () => {
  const given: string[] = [];
  const api = await apiWith({
    authenticate: (token) => {
      given.push(token);
      return null;
    },
  });
  for (const length of [0, 1, TOKEN_CHARS_LIMIT, TOKEN_CHARS_LIMIT + 1])
    expect((await api.post('getQueue', queueRef, { token: 'x'.repeat(length) })).status).toBe(401);
  expect(given.map(({ length }) => length)).toEqual([1, TOKEN_CHARS_LIMIT]);
});

test('an authenticator that throws is answered with 500 without its message', async () => {
  const api = await apiWith({
    authenticate: () => {
      throw new Error('token table on db-7 is gone');
    },
  });
  const answer = await api.post('getQueue', queueRef);
  expect(answer.status).toBe(500);
  expect(answer.text).not.toContain('db-7');
});

describe('a token in Authorization: Bearer', () => {
  const asking = async (headers: Readonly<Record<string, string>>) => {
    const { mq } = scriptedQueue({ deleteQueue: async () => undefined });
    const api = await apiWith({ mq });
    return (await api.post('deleteQueue', queueRef, { token: null, headers })).status;
  };
  const bearer = (token: string, scheme = 'Bearer') => ({ authorization: `${scheme} ${token}` });

  test('a Bearer token counts like one in x-api-token, in any letter case of the scheme', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER '])
      expect(await asking(bearer(everything.token, scheme)), scheme).toBe(200);
    expect(await asking(bearer('wrong'))).toBe(401);
    expect(await asking({ ...bearer(everything.token), 'x-api-token': '' })).toBe(200);
  });

  test('a Bearer token is refused beside a different token in x-api-token, even if both are valid', async () => {
    const both = { ...bearer(readOnly.token), 'x-api-token': everything.token };
    expect(await asking(both)).toBe(401);
    expect(await asking({ ...both, ...bearer(everything.token) })).toBe(200);
  });

  test('a token in Authorization with another scheme than Bearer is ignored', async () => {
    expect(await asking({ ...bearer(everything.token, 'Basic') })).toBe(401);
    expect(await asking({ ...bearer('dXNlcg==', 'Basic'), 'x-api-token': everything.token })).toBe(200);
  });
});

describe('a submit that would overtake others needs the scope skip', () => {
  const submitter = { ...everything, scopes: new Set(['submit', 'force'] as const) };

  test.each([
    [{ skipTheLine: true }, 403],
    [{ priority: 'urgent' }, 403],
    [{ priority: 'high' }, 403],
    [{ priority: 99 }, 403],
    [{ priority: '0' }, 400],
    [{ priority: 100 }, 'asked'],
    [{ priority: 'low' }, 'asked'],
    [{ priority: null }, 'asked'],
    [{ skipTheLine: false }, 'asked'],
    [{}, 'asked'],
  ] as const)('the scope skip is required exactly to overtake others: %j', async (body, outcome) => {
    const { mq, asked } = scriptedQueue();
    const api = await apiWith({ mq, authenticate: tokenAuthenticator([submitter]) });
    const answer = await api.post('submitPullRequest', { ...queueRef, pr: { number: 1 }, ...body });
    if (outcome === 'asked') return expect(asked).toHaveLength(1);
    expect(answer.status).toBe(outcome);
    if (outcome === 403) expect(answer.json.detail).toContain('the scope skip;');
    expect(asked).toEqual([]);
  });
});

test('tokenAuthenticator throws for an empty token', () => {
  expect(() => tokenAuthenticator([{ ...everything, token: '' }])).toThrow('1 to 512 characters');
});

test('an asynchronous lookup of a token is awaited, for every kind of promise', async () => {
  const { mq, asked } = scriptedQueue({ deleteQueue: async () => undefined });
  const later = (principal: Principal | null): PromiseLike<Principal | null> => ({
    // biome-ignore lint/suspicious/noThenProperty: this is what a promise of another library looks like
    then: (resolve, reject) => Promise.resolve(principal).then(resolve, reject),
  });
  const authenticate = (token: string) =>
    later(token === everything.token ? everything : null) as Promise<Principal | null>;
  const api = await apiWith({ mq, authenticate });

  expect((await api.post('deleteQueue', queueRef, { token: 'wrong' })).status).toBe(401);
  expect(asked).toEqual([]);
  expect((await api.post('deleteQueue', queueRef)).status).toBe(200);
});

describe('an authenticator or a limit that throws without a reason admits no request', () => {
  const breaks = {
    'rejects with nothing': () => Promise.reject(),
    'throws nothing': () => {
      throw undefined;
    },
  };

  test.each(Object.entries(breaks))('no request passes a token or rate check that %s', async (_, broken) => {
    for (const options of [{ authenticate: broken }, { rateLimit: broken }]) {
      const { mq, asked } = scriptedQueue({ deleteQueue: async () => undefined });
      const api = await apiWith({ mq, ...options });
      // The body is bad: an answer of 400 would show that it was read.
      expect((await api.post('deleteQueue', { body: 'that does not fit' })).status).toBe(500);
      expect((await api.post('deleteQueue', queueRef)).status).toBe(500);
      expect((await api.get('nothing')).status).toBe('rateLimit' in options ? 404 : 500);
      expect(asked).toEqual([]);
    }
  });
});
