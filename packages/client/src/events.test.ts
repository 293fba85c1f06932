import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { clientOf, json, problem, stream, unreachable } from '../test/scripted-server.js';
import type { MqEvent } from './index.js';
import { MESSAGE_LIMIT_CHARS, SseParser } from './sse.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const repo = { host: 'local', owner: 'acme', name: 'widgets' };
const queue = { repo, targetBranch: 'main' };

const message = (type: string, id: string, data: object): string =>
  `event: ${type}\ndata: ${JSON.stringify(data)}\nid: ${id}\n\n`;

/** The first events, without real waits. */
const firstOf = async (events: AsyncGenerator<MqEvent>, count: number): Promise<readonly MqEvent[]> => {
  const found: MqEvent[] = [];
  const reading = (async () => {
    for await (const event of events) {
      found.push(event);
      if (found.length === count) return;
    }
  })();
  const failed = reading.catch((error: unknown) => error);
  while (found.length < count && vi.getTimerCount() > 0) await vi.advanceTimersToNextTimerAsync();
  const error = await failed;
  if (error !== undefined) throw error;
  return found;
};

describe('events', () => {
  test('events come with their type, their data and the position behind them', async () => {
    const { mq, asked } = clientOf(() =>
      stream(['retry: 1000\nid: c0\n\n', message('pull_request.merged', 'c1', { pr_number: 7 })]),
    );

    const [event] = await firstOf(mq.events({ ...queue, pr: 7, types: ['pull_request.merged'] }), 1);

    expect(event).toEqual({ id: 'c1', type: 'pull_request.merged', data: { pr_number: 7 } });
    expect(asked[0]?.path).toBe(
      '/v1/events?repo=acme%2Fwidgets&repoHost=local&targetBranch=main&pr=7&types=pull_request.merged',
    );
  });

  test('events continue after the last position when the stream ends or cannot be opened', async () => {
    const { mq, asked } = clientOf(
      () => stream([message('alarm', 'c1', { n: 1 }), 'id: c2\n\n']),
      unreachable,
      () => problem('UNAVAILABLE', 503),
      () => stream([message('alarm', 'c3', { n: 2 })], false),
    );

    const events = await firstOf(mq.events(), 2);

    expect(events.map(({ data }) => data)).toEqual([{ n: 1 }, { n: 2 }]);
    expect(asked.map(({ headers }) => headers.get('last-event-id'))).toEqual([null, 'c2', 'c2', 'c2']);
  });

  test('each event comes once if a stream ends between two events of one row', async () => {
    const first = `event: alarm\ndata: ${JSON.stringify({ n: 1 })}\n\n`;
    const { mq, asked } = clientOf(
      () => stream(['id: c0\n\n', first]),
      () => stream([first, message('alarm', 'c1', { n: 2 })], false),
    );

    const events = await firstOf(mq.events(), 2);

    expect(events.map(({ id, data }) => [id, data])).toEqual([
      [null, { n: 1 }],
      ['c1', { n: 2 }],
    ]);
    expect(asked.map(({ headers }) => headers.get('last-event-id'))).toEqual([null, 'c0']);
  });

  test('events begin behind the position that is given', async () => {
    const { mq, asked } = clientOf(() => stream([message('alarm', 'c9', {})]));

    await firstOf(mq.events({ after: 'c8' }), 1);

    expect(asked[0]?.headers.get('last-event-id')).toBe('c8');
  });

  test.each([400, 401, 403, 404])('events reject if the server answers %d', async (status) => {
    const { mq, asked } = clientOf(() => problem('SOME_CODE', status));

    await expect(firstOf(mq.events(), 1)).rejects.toMatchObject({ code: 'SOME_CODE', status });
    expect(asked).toHaveLength(1);
  });

  test('events are asked for again when nothing has come for a minute', async () => {
    const hanging = (signal: AbortSignal | null) =>
      new Response(
        new ReadableStream({
          start: (controller) => signal?.addEventListener('abort', () => controller.error(signal.reason)),
        }),
        { headers: { 'content-type': 'text/event-stream' } },
      );
    const { mq, asked } = clientOf(
      (_, signal) => hanging(signal),
      () => stream([message('alarm', 'c1', {})]),
    );

    expect(await firstOf(mq.events(), 1)).toHaveLength(1);
    expect(asked).toHaveLength(2);
  });
});

test('a snapshot of the queue that is shown is handed over at once, and the events around it as before', async () => {
  const { mq, asked } = clientOf(() =>
    stream([
      'event: pull_request.merged\ndata: {}\n\n',
      'event: queue_snapshot\ndata: {"version":"a.2","since":"a.1"}\n\n',
      message('alarm', 'c1', {}),
    ]),
  );
  const shown = { ...queue, version: 'a.1' };

  const positions: string[] = [];
  const onPosition = (position: string) => void positions.push(position);
  const versions: string[] = [];
  const onSnapshot = ({ version }: { readonly version: string }) => void versions.push(version);
  const events = await firstOf(mq.events({ restMs: 1_000, shown }, { onPosition, onSnapshot }), 2);
  expect(versions).toEqual(['a.2']);
  expect(positions).toEqual(['c1']);
  expect(events.map(({ type, id }) => [type, id])).toEqual([
    ['pull_request.merged', null],
    ['alarm', 'c1'],
  ]);
  expect(asked[0]?.path).toContain(
    `restMs=1000&shownRepo=${repo.owner}%2F${repo.name}&shownRepoHost=${repo.host}&shownBranch=main&shownVersion=a.1`,
  );
});

describe('waitFor', () => {
  const found = (state: string) => json({ state, prNumber: 7 });

  test('waitFor reads when the stream is open and after each event, until the pull request is merged', async () => {
    const states = ['testing', 'tests_passed', 'merged'];
    const { mq } = clientOf(({ path }) =>
      path.startsWith('/v1/events')
        ? stream(
            [message('pull_request.tests_passed', 'c1', {}), message('pull_request.merged', 'c2', {})],
            false,
          )
        : found(states.shift() ?? 'merged'),
    );
    const seen: string[] = [];

    const waited = await mq.waitFor({ ...queue, pr: 7 }, { onChange: ({ state }) => seen.push(state) });

    expect(waited).toMatchObject({ state: 'merged', reached: true });
    expect(seen.at(-1)).toBe('merged');
  });

  test('waitFor answers that no requested state was reached if the pull request ends in another one', async () => {
    const { mq } = clientOf(({ path }) =>
      path.startsWith('/v1/events') ? stream(['id: c0\n\n'], false) : found('failed'),
    );

    expect(await mq.waitFor({ ...queue, pr: 7 }, { until: ['testing'] })).toMatchObject({
      state: 'failed',
      reached: false,
    });
  });

  test('waitFor uses long polls if a proxy breaks streams', async () => {
    const { mq, asked } = clientOf(
      () => new Response('<html>', { headers: { 'content-type': 'text/html' } }),
      () => json({ state: 'testing', prNumber: 7, reached: false }),
      () => json({ state: 'merged', prNumber: 7, reached: true }),
    );

    expect(await mq.waitFor({ ...queue, pr: 7 })).toMatchObject({ state: 'merged', reached: true });
    expect(asked.map(({ path }) => path.replace(/\?.*/, ''))).toEqual([
      '/v1/events',
      '/v1/waitForPullRequest',
      '/v1/waitForPullRequest',
    ]);
  });

  test('waitFor rejects if the pull request was never submitted', async () => {
    const { mq } = clientOf(({ path }) =>
      path.startsWith('/v1/events') ? stream(['id: c0\n\n'], false) : problem('NOT_SUBMITTED', 404),
    );

    await expect(mq.waitFor({ ...queue, pr: 7 })).rejects.toMatchObject({ code: 'NOT_SUBMITTED' });
  });

  test('waitFor ends with its signal', async () => {
    const { mq } = clientOf(({ path }) =>
      path.startsWith('/v1/events') ? stream(['id: c0\n\n'], false) : found('testing'),
    );
    const end = new AbortController();

    const waiting = mq.waitFor(
      { ...queue, pr: 7 },
      { signal: end.signal, onChange: () => end.abort(new Error('enough')) },
    );

    await expect(waiting).rejects.toThrow('enough');
  });
});

describe('the parser of streams', () => {
  const text = ': hello\r\nevent: a\r\ndata: 1\r\ndata: 2\r\nid: x\r\n\r\nevent: b\ndata:3\n\n';

  test.each([1, 2, 3, 5, 1000])(
    'the parser of streams finds the same messages in pieces of %d characters',
    (size) => {
      const parser = new SseParser();
      const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
        text.slice(index * size, (index + 1) * size),
      );

      expect(pieces.flatMap((piece) => parser.push(piece))).toEqual([
        { event: 'a', data: '1\n2', id: 'x' },
        { event: 'b', data: '3', id: null },
      ]);
    },
  );

  test('the parser of streams refuses an event that is too long', () => {
    const parser = new SseParser();
    const piece = 'x'.repeat(MESSAGE_LIMIT_CHARS / 2);
    parser.push(piece);
    parser.push(piece);

    expect(() => parser.push('x')).toThrow('too long');
  });
});
