import type { Readable } from 'node:stream';
import { watchUntilEnd } from '@mq/secret-watch';
import { describe, expect, onTestFinished, test } from 'vitest';
import { engineWorld, pr } from './engine-world.js';
import { type Api, type AskOptions, apiWith, elsewhere, everything, queueRef, readOnly } from './world.js';

interface Message {
  readonly id?: string;
  readonly event?: string;
  readonly data?: Record<string, unknown>;
}

/** The messages of server-sent events in a text, without those that carry an id alone. */
const messagesIn = (text: string): readonly Message[] =>
  text
    .split('\n\n')
    .map((block): Message => {
      const fields = block.split('\n').map((line) => line.split(/: (.*)/s));
      const { data, ...rest } = Object.fromEntries(fields) as Record<string, string>;
      return data === undefined ? {} : { ...rest, data: JSON.parse(data) as Record<string, unknown> };
    })
    .filter(({ data }) => data !== undefined);

/** A client of the stream. */
const listen = async (api: Api, query = '', { token, headers = {} }: AskOptions = {}) => {
  const response = await api.app.inject({
    method: 'GET',
    url: `/v1/events${query}`,
    headers: { 'x-api-token': token ?? everything.token, ...headers },
    payloadAsStream: true,
  });
  const stream: Readable = response.stream();
  let text = '';
  watchUntilEnd('an event', () => text);
  stream.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const ended = new Promise<void>((resolve) => void stream.once('close', resolve));
  onTestFinished(() => void stream.destroy());
  return {
    headers: response.headers,
    status: response.statusCode,
    text: () => text,
    messages: () => messagesIn(text),
    types: () => messagesIn(text).map(({ event }) => event),
    lastId: () => [...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? '',
    close: () => void stream.destroy(),
    ended,
  };
};

const turns = async (): Promise<void> => {
  for (let n = 0; n < 30; n += 1) await new Promise((resolve) => setImmediate(resolve));
};

/** Resolves once the client has an event of this type, or after many turns. */
const shows = async (client: Awaited<ReturnType<typeof listen>>, type: string): Promise<void> => {
  for (let n = 0; n < 100 && !client.types().includes(type); n += 1) await turns();
};

describe('the stream of events', () => {
  test('the event stream shows the life of a pull request as it happens, each event with an id', async () => {
    const { api, q } = await engineWorld();
    const client = await listen(api);
    await q.submit(1);
    await q.passes('main+1');
    await turns();

    expect(client.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    expect(client.types()).toEqual([
      'pull_request.submitted',
      'pull_request.queued',
      'pull_request.testing',
      'pull_request.tests_passed',
      'pull_request.merged',
    ]);
    const [submitted] = client.messages();
    expect(submitted?.data).toMatchObject({
      type: 'pull_request.submitted',
      action: 'submitted',
      status: 'submitted',
      pr_number: 1,
      repository: queueRef.repo,
      target_branch: 'main',
      title: 'Change 1',
    });
    const testing = client.messages()[2]?.data;
    expect(testing).toMatchObject({ batched: false, is_bisection: false, tested_on_top_of: [] });
    expect(testing?.['test_branch_sha']).toMatch(/^[0-9a-f]{40}$/);
  });

  test('the event of a test names the pull request and its author, and that of an end the branch that was tested', async () => {
    const { api, q, ask } = await engineWorld({ batch: true, batchingMinSize: 2, concurrency: 3 });
    const client = await listen(api);
    await q.submit(1, 2, 3, 4, 5);
    const dataOf = (type: string, pr: number) =>
      client.messages().find(({ event, data }) => event === type && data?.['pr_number'] === pr)?.data;
    await turns();
    for (const number of [1, 2, 3, 4])
      expect(dataOf('pull_request.testing', number)).toMatchObject({
        ...{ title: `Change ${number}`, author: dataOf('pull_request.submitted', number)?.['author'] },
        batched: true,
      });
    const tested = (pr: number) => {
      const { test_branch, test_branch_sha } = dataOf('pull_request.testing', pr) ?? {};
      expect(test_branch).toBeTruthy();
      return { test_branch, test_branch_sha };
    };
    await ask('cancelPullRequest', pr(5));
    await ask('cancelPullRequest', pr(4));
    await q.passes('main+1+2');
    await turns();
    expect(dataOf('pull_request.merged', 1)).toMatchObject(tested(1));
    expect(dataOf('pull_request.canceled', 4)).toMatchObject(tested(4));
    expect(dataOf('pull_request.canceled', 5)).not.toHaveProperty('test_branch');
  });

  test('the event of a failure names the branch that failed', async () => {
    const { api, q } = await engineWorld();
    const client = await listen(api);
    await q.submit(1);
    await q.fails('main+1');
    await turns();
    const dataOf = (type: string) => client.messages().find(({ event }) => event === type)?.data;
    const { test_branch, test_branch_sha } = dataOf('pull_request.testing') ?? {};
    expect(dataOf('pull_request.failed')).toMatchObject({ test_branch, test_branch_sha });
  });

  test('the event stream resumes after Last-Event-ID without duplicates or gaps', async () => {
    const { api, q } = await engineWorld();
    const first = await listen(api);
    await q.submit(1);
    await turns();
    first.close();
    await q.passes('main+1');
    const second = await listen(api, '', { headers: { 'last-event-id': first.lastId() } });
    await turns();

    expect([...first.types(), ...second.types()]).toEqual([
      'pull_request.submitted',
      'pull_request.queued',
      'pull_request.testing',
      'pull_request.tests_passed',
      'pull_request.merged',
    ]);
  });

  test('the event stream of a service with 121 queues resumes after Last-Event-ID without duplicates or gaps', async () => {
    const { api, q } = await engineWorld();
    for (let n = 1; n <= 120; n += 1) {
      const repo = { ...queueRef.repo, name: `other-${n}` };
      q.world.host.createRepository({ ref: repo });
      await q.world.mq.createQueue({ repo, targetBranch: 'main' });
    }
    const first = await listen(api);
    await q.after('1s');
    await q.submit(1);
    await shows(first, 'pull_request.testing');
    first.close();
    await q.after('1s');
    await q.passes('main+1');
    const second = await listen(api, '', { headers: { 'last-event-id': first.lastId() } });
    await shows(second, 'pull_request.merged');

    const types = [...first.types(), ...second.types()];
    expect(types.filter((type) => type?.startsWith('pull_request.'))).toEqual([
      'pull_request.submitted',
      'pull_request.queued',
      'pull_request.testing',
      'pull_request.tests_passed',
      'pull_request.merged',
    ]);
    expect(types).not.toContain('reset');
    expect(first.lastId().length).toBeLessThan(12_000);
  });

  test('the event stream can be filtered by pull request and by event type', async () => {
    const { api, q } = await engineWorld({ concurrency: 2 });
    const { host, owner, name } = queueRef.repo;
    const of = `repo=${encodeURIComponent(`${owner}/${name}`)}&repoHost=${host}&targetBranch=main`;
    const second = await listen(api, `?${of}&pr=2`);
    const merges = await listen(api, `?${of}&types=pull_request.merged`);
    await q.submit(1, 2);
    await q.passes('main+1');
    await turns();

    expect(new Set(second.messages().map(({ data }) => data?.['pr_number']))).toEqual(new Set([2]));
    expect(merges.messages().map(({ data }) => data?.['pr_number'])).toEqual([1]);
  });

  test('the event stream shows a token limited to other repositories no events of this one', async () => {
    const { api, q } = await engineWorld();
    const client = await listen(api, '', { token: elsewhere.token });
    await q.submit(1);
    await turns();

    expect(client.messages()).toEqual([]);
  });

  test('the event stream refuses a repository that the token may not use, and does not stay silent', async () => {
    const { api } = await engineWorld();
    const asked = `events?repoHost=${queueRef.repo.host}&repo=acme/widgets`;
    const { status, json } = await api.get(asked, { token: elsewhere.token });

    expect([status, json.code]).toEqual([403, 'REPOSITORY_NOT_ALLOWED']);
  });

  test('the event stream names the members of a batch, and its end', async () => {
    const { api, q } = await engineWorld({ batch: true, batchingMinSize: 2 });
    const client = await listen(api, '?types=pull_request_batch.testing,pull_request_batch.merged');
    await q.submit(1, 2);
    await q.passes('main+1+2');
    await turns();

    expect(client.messages().map(({ event, data }) => [event, data?.['pr_numbers']])).toEqual([
      ['pull_request_batch.testing', [1, 2]],
      ['pull_request_batch.merged', [1, 2]],
    ]);
  });

  test('the event stream ends when the service stops, so that clients reconnect elsewhere', async () => {
    const { api } = await engineWorld();
    const client = await listen(api);
    await api.app.close();

    await client.ended;
    expect(client.text()).toMatch(/^retry: 1000\nid: /);
  });

  test.each([
    ['?repo=acme/widgets', 400, 'INVALID_REQUEST'],
    ['?types=pull_request.eaten', 400, 'INVALID_REQUEST'],
    ['?pr=1', 400, 'INVALID_REQUEST'],
    ['?after=x', 400, 'CURSOR_INVALID'],
  ])('the event stream refuses %s before the first byte', async (query, status, code) => {
    const { api } = await engineWorld();
    const answer = await api.get(`events${query}`);

    expect([answer.status, answer.json.code]).toEqual([status, code]);
  });

  test('the event stream serves many clients at once without a warning of Node', async () => {
    const { api } = await engineWorld();
    const warnings: string[] = [];
    const warn = ({ message }: Error): void => void warnings.push(message);
    process.on('warning', warn);
    onTestFinished(() => void process.off('warning', warn));
    for (let opened = 0; opened < 20; opened += 1) await listen(api);
    await turns();
    expect(warnings).toEqual([]);
  });

  test('the event stream needs a token and accepts only GET', async () => {
    const { api } = await engineWorld();

    expect((await api.get('events', { token: null })).status).toBe(401);
    expect((await api.post('events', {})).status).toBe(405);
  });
});

describe('waitForPullRequest', () => {
  test('waitForPullRequest answers as soon as the pull request is merged', async () => {
    const { api, q } = await engineWorld();
    await q.submit(1);
    const waiting = api.post('waitForPullRequest', { ...queueRef, ...pr(1) });
    await turns();
    await q.passes('main+1');

    const { status, json } = await waiting;
    expect([status, json.reached, json.state]).toEqual([200, true, 'merged']);
  });

  test('waitForPullRequest answers a requested intermediate state', async () => {
    const { ask, q } = await engineWorld();
    await q.submit(1);

    const { json } = await ask('waitForPullRequest', { ...pr(1), until: ['testing'] });
    expect([json.reached, json.state]).toEqual([true, 'testing']);
  });

  test('waitForPullRequest answers another terminal state at once, as not reached', async () => {
    const { ask, q } = await engineWorld();
    await q.submit(1);
    await ask('cancelPullRequest', pr(1));

    const { json } = await ask('waitForPullRequest', { ...pr(1), until: ['merged'] });
    expect([json.reached, json.state]).toEqual([false, 'cancelled']);
  });

  test('waitForPullRequest answers the present state when the time is over', async () => {
    const { ask, q } = await engineWorld();
    await q.submit(1);

    const { status, json } = await ask('waitForPullRequest', { ...pr(1), waitSeconds: 0 });
    expect([status, json.reached, json.state]).toEqual([200, false, 'testing']);
  });

  test('waitForPullRequest answers the present state when the service stops', async () => {
    const { api, q } = await engineWorld();
    await q.submit(1);
    const waiting = api.post('waitForPullRequest', { ...queueRef, ...pr(1) });
    await turns();
    await api.app.close();

    expect((await waiting).json).toMatchObject({ reached: false, state: 'testing' });
  });

  test('waits for many pull requests of one queue share one reader of its history, which ends with the last of them', async () => {
    const { q } = await engineWorld({ concurrency: 5 });
    const { mq } = q.world;
    let [readers, ended] = [0, 0];
    const follow: typeof mq.follow = (request) => {
      readers += 1;
      request.signal?.addEventListener('abort', () => (ended += 1));
      return mq.follow(request);
    };
    const api = await apiWith({ mq: { ...mq, follow } });
    const numbers = [1, 2, 3, 4, 5];
    await q.submit(...numbers);
    const waiting = numbers.map((number) => api.post('waitForPullRequest', { ...queueRef, ...pr(number) }));
    await turns();
    await q.passes('main+1');
    expect((await waiting[0])?.json).toMatchObject({ reached: true, state: 'merged' });
    expect([readers, ended]).toEqual([1, 0]);
    for (const number of numbers.slice(1)) await q.cancel(number);

    const states = (await Promise.all(waiting)).map(({ json }) => json.state);
    expect(states).toEqual(['merged', ...numbers.slice(1).map(() => 'cancelled')]);
    expect([readers, ended]).toEqual([1, 1]);
  });

  test('waitForPullRequest refuses a pull request that was never submitted, and more than 55 seconds', async () => {
    const { ask } = await engineWorld();

    expect((await ask('waitForPullRequest', pr(9))).json.code).toBe('NOT_SUBMITTED');
    const long = await ask('waitForPullRequest', { ...pr(9), waitSeconds: 56 });
    expect(long.json.errors).toEqual([
      { path: 'waitSeconds', message: expect.stringContaining('55') as string },
    ]);
  });

  test('waitForPullRequest needs the scope read', async () => {
    const scopeless = { ...readOnly, scopes: new Set(['metrics'] as const), token: 'metrics-alone' };
    const api = await apiWith({ authenticate: (token) => (token === scopeless.token ? scopeless : null) });

    const answer = await api.post(
      'waitForPullRequest',
      { ...queueRef, ...pr(1) },
      { token: scopeless.token },
    );
    expect(answer.status).toBe(403);
  });
});
