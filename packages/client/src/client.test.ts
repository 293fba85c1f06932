import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { clientOf, json, problem, unreachable } from '../test/scripted-server.js';
import { createClient, MqError, operationTable } from './index.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const repo = { host: 'local', owner: 'acme', name: 'widgets' };
const queue = { repo, targetBranch: 'main' };

const allOf = async <Page>(pages: AsyncIterable<Page>): Promise<readonly Page[]> => {
  const all: Page[] = [];
  for await (const page of pages) all.push(page);
  return all;
};

/** The outcome of a call without real waits. */
const outcomeOf = async <Value>(promise: Promise<Value>): Promise<Value | MqError> => {
  const outcome = promise.catch((error: MqError) => error);
  await vi.runAllTimersAsync();
  return outcome;
};

describe('a call', () => {
  test('a call sends the body and the token to the operation, and follows no redirect', async () => {
    const { mq, asked } = clientOf(() => json({ state: 'running' }));

    expect(await mq.getQueue(queue)).toEqual({ state: 'running' });
    expect(asked).toEqual([
      expect.objectContaining({ path: '/v1/getQueue', body: queue, redirect: 'manual' }),
    ]);
    expect(asked[0]?.headers.get('x-api-token')).toBe('secret');
    expect(asked[0]?.headers.has('idempotency-key')).toBe(false);
  });

  test('a call keeps the path of the address of the server', async () => {
    const paths: string[] = [];
    const mq = createClient({
      url: 'https://example.com/queues',
      fetch: async (input) => {
        paths.push(String(input));
        return json({});
      },
    });

    await mq.whoami({});

    expect(paths).toEqual(['https://example.com/queues/v1/whoami']);
  });

  test('a call has a method for every operation that takes and answers JSON', () => {
    const { mq } = clientOf(() => json({}));

    for (const name of Object.keys(operationTable)) expect(mq).toHaveProperty(name, expect.any(Function));
  });

  test('a call rejects with code, status, message, request id and every fault of the answer', async () => {
    const errors = [{ path: 'pr.number', message: 'must be at least 1' }];
    const { mq } = clientOf(() =>
      json({ code: 'INVALID_REQUEST', detail: 'The request does not fit.', status: 400, errors }, 400),
    );

    const error = await mq.getQueue(queue).catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(MqError);
    expect(error).toMatchObject({
      code: 'INVALID_REQUEST',
      status: 400,
      requestId: 'request-1',
      retryAfterMs: null,
      message: 'The request does not fit.\npr.number: must be at least 1',
      problem: { errors },
    });
  });

  test.each([
    ['a page of a proxy', () => new Response('<html>', { status: 404 }), 404],
    ['text in place of JSON', () => new Response('ok'), 200],
    [
      'a redirect',
      () => new Response(null, { status: 302, headers: { location: 'https://evil.example' } }),
      302,
    ],
  ])('a call rejects with UNEXPECTED_ANSWER for %s', async (_, answer, status) => {
    const { mq, asked } = clientOf(answer);

    await expect(mq.getQueue(queue)).rejects.toMatchObject({ code: 'UNEXPECTED_ANSWER', status });
    expect(asked).toHaveLength(1);
  });
});

describe('a call with a transient failure', () => {
  test('a call with a transient failure is repeated until it succeeds', async () => {
    const { mq, asked } = clientOf(
      unreachable,
      () => problem('UNAVAILABLE', 503),
      () => json({ done: 1 }),
    );

    expect(await outcomeOf(mq.getQueue(queue))).toEqual({ done: 1 });
    expect(asked).toHaveLength(3);
  });

  test('a call with a transient failure is repeated under one idempotency key if it writes', async () => {
    const { mq, asked } = clientOf(unreachable, () => json({}));

    await outcomeOf(mq.cancelPullRequest({ ...queue, pr: { number: 7 } }));

    const keys = asked.map(({ headers }) => headers.get('idempotency-key'));
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), keys[0]]);
  });

  test('a call with a transient failure rejects with the last error after four repetitions, and says why', async () => {
    const { mq, asked } = clientOf(unreachable);

    expect(await outcomeOf(mq.getQueue(queue))).toMatchObject({
      code: 'UNREACHABLE',
      status: null,
      message: 'https://mq.example cannot be reached: connect ECONNREFUSED 127.0.0.1:1.',
    });
    expect(asked).toHaveLength(5);
  });

  test('a call with a transient failure waits as long as the server asks', async () => {
    const { mq, asked } = clientOf(
      () => problem('RATE_LIMITED', 429, { 'retry-after': '7' }),
      () => json({}),
    );

    const answer = mq.getQueue(queue);
    await vi.advanceTimersByTimeAsync(6_999);
    expect(asked).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);

    expect(await answer).toEqual({});
  });

  test('a call with a transient failure rejects at once if the server asks for a longer wait than the limit', async () => {
    const { mq, asked } = clientOf(() => problem('RATE_LIMITED', 429, { 'retry-after': '3600' }));

    await expect(mq.getQueue(queue)).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterMs: 3_600_000 });
    expect(asked).toHaveLength(1);
  });

  test.each([400, 401, 403, 404, 409, 412, 422, 500])(
    'a call with a transient failure is not repeated after %d',
    async (status) => {
      const { mq, asked } = clientOf(() => problem('SOME_CODE', status));

      await expect(mq.getQueue(queue)).rejects.toMatchObject({ code: 'SOME_CODE', status });
      expect(asked).toHaveLength(1);
    },
  );
});

describe('a signal', () => {
  test('a signal ends a request, and the call rejects with its reason', async () => {
    const { mq } = clientOf(
      (_, signal) =>
        new Promise((_resolve, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason));
        }),
    );
    const end = new AbortController();

    const outcome = outcomeOf(mq.getQueue(queue, { signal: end.signal }));
    end.abort(new Error('enough'));

    expect(await outcome).toEqual(new Error('enough'));
  });

  test('a signal ends a wait between two tries', async () => {
    const { mq, asked } = clientOf(unreachable);
    const end = new AbortController();
    const failed = mq.getQueue(queue, { signal: end.signal }).catch((error: unknown) => error);

    await vi.advanceTimersByTimeAsync(0);
    end.abort(new Error('enough'));

    expect(await failed).toEqual(new Error('enough'));
    expect(asked).toHaveLength(1);
  });
});

test('a call that is not answered in time rejects with TIMED_OUT', async () => {
  const mq = createClient({
    url: 'https://mq.example',
    timeoutMs: 5_000,
    fetch: (_, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
      }),
  });

  expect(await outcomeOf(mq.getQueue(queue))).toMatchObject({
    code: 'TIMED_OUT',
    message: 'https://mq.example did not answer within 5 s.',
  });
});

describe('pages', () => {
  test('pages continue at the cursor of the previous page, to the last one', async () => {
    const { mq, asked } = clientOf(
      () => json({ pullRequests: [1], nextCursor: 'c2' }),
      () => json({ pullRequests: [2] }),
    );

    const pages = await allOf(mq.pages('listPullRequests', { ...queue, take: 1 }));

    expect(pages.map((page) => page.pullRequests)).toEqual([[1], [2]]);
    expect(asked.map(({ body }) => body)).toEqual([
      { ...queue, take: 1 },
      { ...queue, take: 1, cursor: 'c2' },
    ]);
  });

  test('pages continue at the next offset if the operation counts', async () => {
    const { mq, asked } = clientOf(
      () => json({ testingResults: [1, 2], totalItems: 3 }),
      () => json({ testingResults: [3], totalItems: 3 }),
    );
    const request = { ...queue, since: '2026-01-01T00:00:00.000Z' };

    const pages = await allOf(mq.pages('listMergeQueueTestingResults', request));

    expect(pages.flatMap((page) => page.testingResults)).toEqual([1, 2, 3]);
    expect(asked.map(({ body }) => body)).toEqual([request, { ...request, offset: 2 }]);
  });
});
