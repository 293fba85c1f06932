import { type Sha, TARGETS_LIMIT } from '@mq/core';
import { describe, expect, test, vi } from 'vitest';
import { FIELDS_LIMIT, OUTSIDE_BYTES_LIMIT, VALUES_LIMIT } from '../src/body.js';
import { operations } from '../src/routes.js';
import { apiWith, emptyView, queueRef, repo, scriptedQueue, validRequests } from './world.js';

const text = JSON.stringify(queueRef);

const api = async () => {
  const { mq, asked } = scriptedQueue({ getQueue: async () => emptyView });
  return { ...(await apiWith({ mq })), asked };
};

describe('T-P05 only exactly JSON is read', () => {
  test.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
  ])('the content type %j is accepted', async (type) => {
    const { post } = await api();
    expect((await post('getQueue', text, { headers: { 'content-type': type } })).status).toBe(200);
  });

  test.each([
    'text/plain',
    'application/json\t',
    ' application/json',
    'application/json x',
    'application/json; charset=utf-8; x',
    'application/json; charset=utf-16',
    'application/jsonx',
    'application/json, text/plain',
    'application/problem+json',
    'application/x-www-form-urlencoded',
    '*/*',
    '',
  ])('the content type %j is refused with 415', async (type) => {
    const { post, asked } = await api();
    const answer = await post('getQueue', text, { headers: { 'content-type': type } });
    expect(answer.status).toBe(415);
    expect(answer.json.code).toBe('CONTENT_TYPE_NOT_SUPPORTED');
    expect(asked).toEqual([]);
  });

  test('a request without content type, with or without body, is refused with 415', async () => {
    const { app } = await api();
    for (const payload of [undefined, text]) {
      const answer = await app.inject({
        method: 'POST',
        url: '/v1/getQueue',
        headers: { 'x-api-token': 'secret-of-the-bootstrap-token' },
        ...(payload === undefined ? {} : { payload: Buffer.from(payload) }),
      });
      expect(answer.statusCode).toBe(415);
    }
  });

  test('T-P04 a compressed body is refused with 415', async () => {
    const { post } = await api();
    expect((await post('getQueue', text, { headers: { 'content-encoding': 'gzip' } })).status).toBe(415);
    const plain = { headers: { 'content-encoding': 'Identity' } };
    expect((await post('getQueue', text, plain)).status).not.toBe(415);
  });
});

describe('T-P06 hostile JSON is refused or has no effect', () => {
  test.each([
    ['no JSON', '{"repo": x}'],
    ['an empty body', ''],
    ['blanks', '   '],
    ['half of an object', '{"repo": {'],
    ['NaN', '{"repo": NaN}'],
    ['10,000 lists', '['.repeat(10_000)],
    ['10,000 closed lists', `${'['.repeat(10_000)}${']'.repeat(10_000)}`],
    ['10,000 objects', '{"a":'.repeat(10_000)],
  ])('a hostile body (%s) gets 400', async (_what, body) => {
    const { post, asked } = await api();
    const answer = await post('getQueue', body);
    expect(answer.status).toBe(400);
    expect(answer.json.code).toBe('MALFORMED_JSON');
    expect(answer.json.errors).toEqual([]);
    expect(asked).toEqual([]);
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });

  test.each([
    ['__proto__', '{"__proto__": {"isAdmin": true, "targetBranch": "other"}'],
    ['__proto__ with an escape', '{"__\\u0070roto__": {"isAdmin": true, "targetBranch": "other"}'],
    ['constructor.prototype', '{"constructor": {"prototype": {"isAdmin": true}}'],
  ])('the key %s is ignored like any unknown one', async (_what, start) => {
    const { post, asked } = await api();
    const answer = await post('getQueue', `${start}, ${JSON.stringify(queueRef).slice(1)}`);
    expect([answer.status, asked]).toEqual([200, [{ method: 'getQueue', request: queueRef }]]);
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
    const inside = `{"targetBranch": "main", "repo": {"__proto__": ${JSON.stringify(repo)}}}`;
    expect((await post('getQueue', inside)).json.errors.map(({ path }: { path: string }) => path)).toEqual([
      ...['repo.host', 'repo.owner', 'repo.name'],
    ]);
  });

  test('a body with 32 levels of nesting is accepted, and one with 33 is refused', async () => {
    const { post } = await api();
    const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    expect((await post('getQueue', nested(32))).json.code).toBe('INVALID_REQUEST');
    expect((await post('getQueue', nested(33))).json.code).toBe('MALFORMED_JSON');
  });

  test('lists and objects side by side do not count as depth', async () => {
    const { post } = await api();
    for (const part of [[], {}, [{}]]) {
      const body = { ...queueRef, others: Array.from({ length: 100 }, () => part) };
      expect((await post('getQueue', body)).status).toBe(200);
    }
  });

  test('brackets inside strings do not count as depth', async () => {
    const { post } = await api();
    expect((await post('getQueue', { ...queueRef, targetBranch: `\\"${'['.repeat(100)}` })).status).toBe(200);
  });

  test('a body that is not UTF-8 gets 400', async () => {
    const { app } = await api();
    const answer = await app.inject({
      method: 'POST',
      url: '/v1/getQueue',
      headers: { 'x-api-token': 'secret-of-the-bootstrap-token', 'content-type': 'application/json' },
      payload: Buffer.from([0x22, 0xff, 0x22]),
    });
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'MALFORMED_JSON']);
  });

  test('a byte order mark at the start of a body is ignored', async () => {
    const { app } = await api();
    const answer = await app.inject({
      method: 'POST',
      url: '/v1/getQueue',
      headers: { 'x-api-token': 'secret-of-the-bootstrap-token', 'content-type': 'application/json' },
      payload: `\uFEFF${JSON.stringify(queueRef)}`,
    });
    expect(answer.statusCode).toBe(200);
  });

  test('a byte order mark inside a string is kept', async () => {
    const { post, asked } = await api();
    await post('getQueue', { ...queueRef, targetBranch: 'next\uFEFF' });

    expect(asked[0]?.request).toMatchObject({ targetBranch: 'next\uFEFF' });
  });

  test.each(['null', '[]', '"text"', '1', 'true'])('the non-object body %s gets 400', async (body) => {
    const { post } = await api();
    const answer = await post('getQueue', body);
    expect(answer.status).toBe(400);
    expect(answer.json.code).toBe('INVALID_REQUEST');
  });

  test('the last value of a duplicate key counts', async () => {
    const { post, asked } = await api();
    await post('getQueue', `{"repo": ${JSON.stringify(repo)}, "targetBranch": "a", "targetBranch": "b"}`);
    expect(asked).toEqual([{ method: 'getQueue', request: { repo, targetBranch: 'b' } }]);
  });

  test.each([
    ['a lone surrogate', '\ud800'],
    ['a line feed', 'main\nx'],
    ['a NUL', 'main\u0000'],
    ['nothing', ''],
    ['256 characters', 'x'.repeat(256)],
  ])('a branch name with %s gets 400', async (_what, targetBranch) => {
    const { post } = await api();
    const answer = await post('getQueue', { repo, targetBranch });
    expect(answer.status).toBe(400);
    expect(answer.json.errors[0].path).toBe('targetBranch');
  });
});

test('T-P07 unknown keys are ignored', async () => {
  const { mq, asked } = scriptedQueue({ deleteQueue: async () => undefined });
  const { post } = await apiWith({ mq });
  const answer = await post('deleteQueue', { ...queueRef, force: true, repo: { ...repo, id: 7 } });
  expect(answer.status).toBe(200);
  expect(asked[0]?.request).toEqual({
    repo,
    targetBranch: 'main',
    actor: { kind: 'api', id: 'token-1', name: 'bootstrap' },
  });
});

test('a bad request lists every fault by its path', async () => {
  const { mq, asked } = scriptedQueue();
  const { post } = await apiWith({ mq });
  const answer = await post('submitPullRequest', {
    repo: { host: 1, owner: 'acme' },
    pr: { number: 'twelve' },
    priority: 256,
    noBatch: 'yes',
  });
  expect(answer.status).toBe(400);
  expect(answer.json.errors).toEqual([
    { path: 'repo.host', message: 'must be text, not 1' },
    { path: 'repo.name', message: 'is required' },
    { path: 'targetBranch', message: 'is required' },
    { path: 'pr.number', message: 'must be a number, not "twelve"' },
    { path: 'priority', message: 'must be at most 255, not 256' },
    { path: 'noBatch', message: 'must be true or false, not "yes"' },
  ]);
  expect(asked).toEqual([]);
});

test('every operation with required fields refuses an empty object', async () => {
  const { post } = await api();
  for (const { name, body } of operations) {
    if (body.safeParse({}).success) continue;
    const answer = await post(name, {});
    expect(answer.status, name).toBe(400);
    const [first] = Object.keys(validRequests[name] ?? {});
    expect(answer.json.errors.map(({ path }: { path: string }) => path)).toContain(first);
  }
});

test.each([0, -1, 1.5, 4_294_967_296, '0x10', '12 ', '', 'ten', null, true, [1], 1e308, '99999999999'])(
  'the pull request number %j gets 400',
  async (number) => {
    const { post } = await api();
    const answer = await post('cancelPullRequest', { ...queueRef, pr: { number } });
    expect(answer.status).toBe(400);
    expect(answer.json.errors[0].path).toBe('pr.number');
  },
);

test.each([1, 4_294_967_295, '4294967295'])('the pull request number %j is accepted', async (number) => {
  const { post } = await api();
  expect((await post('cancelPullRequest', { ...queueRef, pr: { number } })).status).not.toBe(400);
});

test('a number that is out of range for JSON gets 400', async () => {
  const { post } = await api();
  const answer = await post(
    'cancelPullRequest',
    `{"repo": ${JSON.stringify(repo)}, "targetBranch": "main", "pr": {"number": 1e400}}`,
  );
  expect(answer.status).toBe(400);
});

describe('many small values', () => {
  const MIB = 1024 * 1024;
  const filled = (part: string, bytes: number) => part.repeat(Math.floor(bytes / part.length));

  test.each([
    ['numbers', '0,', `${VALUES_LIMIT} values`],
    ['empty lists', '[],', `${VALUES_LIMIT} values`],
    ['texts', '"",', `${VALUES_LIMIT} values`],
    ['objects', '{"a":0},', `${FIELDS_LIMIT} fields`],
  ])('20 MiB of %s are refused before they are parsed', async (_, part, limit) => {
    const { post, asked } = await api();
    const body = `{"impactedTargets":[${filled(part, 19 * MIB)}0]}`;
    const parsed = vi.spyOn(JSON, 'parse');
    const answer = await post('setImpactedTargets', body);
    expect(parsed.mock.calls.filter(([text]) => text.length > MIB)).toEqual([]);
    parsed.mockRestore();
    expect([answer.status, answer.json.code]).toEqual([400, 'MALFORMED_JSON']);
    expect(answer.json.detail).toBe(`The body has more than ${limit}.`);
    expect(asked).toEqual([]);
  });

  test('commas and brackets inside strings do not count as values, and the longest list of targets is accepted', async () => {
    const { mq, asked } = scriptedQueue({
      setImpactedTargets: async () => ({ sha: 'a'.repeat(40) as Sha, impactedTargets: 'ALL', warnings: [] }),
    });
    const { post } = await apiWith({ mq });
    const impactedTargets = Array.from({ length: TARGETS_LIMIT }, (_, index) => `//a,[{:${index}\\"`);
    const answer = await post('setImpactedTargets', { ...queueRef, pr: { number: 1 }, impactedTargets });
    expect([answer.status, asked.length]).toEqual([200, 1]);
  });

  const refusedAs = async (body: string) => {
    const { post } = await api();
    const { status, json } = await post('getQueue', body);
    return [status, json.code, json.detail];
  };

  test('a body with more fields than a request could need is refused before it is parsed', async () => {
    const fields = Array.from({ length: FIELDS_LIMIT + 1 }, (_, n) => `"${n}":1`);
    const detail = `The body has more than ${FIELDS_LIMIT} fields.`;
    expect(await refusedAs(`{${fields}}`)).toEqual([400, 'MALFORMED_JSON', detail]);
  });

  test.each([
    ['blanks', ' '],
    ['digits', '1'],
  ])('a body with millions of %s outside of strings is refused before it is parsed', async (_, part) => {
    const detail = `The body has more than ${OUTSIDE_BYTES_LIMIT} bytes outside of strings.`;
    expect(await refusedAs(`{"a":${part.repeat(OUTSIDE_BYTES_LIMIT)}1}`)).toEqual([
      400,
      'MALFORMED_JSON',
      detail,
    ]);
  });

  test('quotes, colons and blanks inside strings count neither as fields nor as bytes outside of strings', async () => {
    const { post } = await api();
    const targetBranch = ['\\\\', '\\"', ': ', '\\\\\\"', '\\u0022'].join('x');
    const padding = `${'\\"'.repeat(MIB)}${': '.repeat(3 * MIB)}`;
    const body = `{"repo":${JSON.stringify(repo)},"targetBranch":"${targetBranch}","padding":"${padding}"}`;
    expect((await post('getQueue', body)).status).toBe(200);
  });

  test('others get turns of the event loop while a large body is read', async () => {
    const { post } = await api();
    let [turns, isOver] = [0, false];
    const over = post('getQueue', { ...queueRef, padding: 'x'.repeat(2 * MIB) }).finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await new Promise((resolve) => setImmediate(resolve));
      turns += 1;
    }
    expect([(await over).status, turns]).toEqual([200, expect.toSatisfy((count) => count >= 5)]);
  });
});
