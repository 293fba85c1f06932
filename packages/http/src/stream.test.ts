import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { Followed, FollowRequest, HistoryItem, MergeQueue } from '@mq/core';
import { aMove, aQueue } from '@mq/testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Principal } from './auth.js';
import { EventChannels } from './event-channels.js';
import type { EventReader } from './event-reader.js';
import { SnapshotFeeds } from './snapshot-feeds.js';
import { eventStream, HEARTBEAT_MS, type StreamParts } from './stream.js';

const queue = aQueue();
const principal: Principal = { id: 'one', name: 'one', scopes: new Set(['read']) };

const silent = { warn: () => undefined, info: () => undefined };

/** A stream of these rows, which are there at once. */
const streamOf = async (rows: readonly HistoryItem[], of: Principal = principal) => {
  const mq = {
    async *follow({ signal }: FollowRequest): AsyncGenerator<Followed> {
      yield { type: 'started', cursor: '0' };
      for (const row of rows) yield { type: 'row', queue, row, cursor: String(row.sequence) };
      await new Promise((resolve) => signal?.addEventListener('abort', resolve));
    },
  } as unknown as MergeQueue;
  const stream = await eventStream({
    ...{ mq, principal: of, request: {}, after: undefined, channels: new EventChannels() },
    ...{ feeds: new SnapshotFeeds(mq, silent), shown: null },
    ...{ closing: new AbortController().signal, requireStillValid: async () => undefined },
    log: silent,
  });
  onTestFinished(() => void stream.destroy());
  const chunks: string[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
  await expect.poll(() => chunks.join('')).toContain(`id: ${rows.at(-1)?.sequence}\n\n`);
  return chunks;
};

const moves = (...sequences: readonly number[]): readonly HistoryItem[] =>
  sequences.map((sequence) => ({ ...aMove(sequence, { pr: sequence, to: 'merged' }), queueId: queue.id }));

test('events that are there together are sent in one piece, each with its id', async () => {
  const [greeting, ...chunks] = await streamOf(moves(1, 2, 3));
  expect(greeting).toBe('retry: 1000\nid: 0\n\n');
  expect(chunks.length).toBe(1);
  expect(chunks[0]?.match(/^id: .*$/gm)).toEqual(['id: 1', 'id: 2', 'id: 3']);
});

test('many events are sent in pieces of a bounded length', async () => {
  const rows = moves(...Array.from({ length: 500 }, (_, n) => n + 1));
  const chunks = await streamOf(rows);
  expect(Math.max(...chunks.map(({ length }) => length))).toBeLessThan(20_000);
  expect(chunks.join('').match(/^event: /gm)?.length).toBe(500);
});

test('the text of an event is built once for all streams, and once more for streams without a token', async () => {
  let reads = 0;
  const rows = moves(1).map((row) =>
    Object.defineProperty({ ...row }, 'title', {
      enumerable: true,
      get: () => {
        reads += 1;
        return 'Change one';
      },
    }),
  );
  const first = await streamOf(rows);
  const readsOfOne = reads;
  expect(await streamOf(rows)).toEqual(first);
  expect(reads).toBe(readsOfOne);
  await streamOf(rows, { ...principal, isAnonymous: true });
  expect(reads).toBe(2 * readsOfOne);
});

/** Streams of one growing history, with the number of reads of it that are open. */
const growing = () => {
  const rows: HistoryItem[] = [];
  const readers = new Set<() => void>();
  const [channels, closing] = [new EventChannels(), new AbortController()];
  const mq = {
    async *follow({ after, signal }: FollowRequest): AsyncGenerator<Followed> {
      let wake = (): void => undefined;
      const nudge = () => wake();
      readers.add(nudge);
      signal?.addEventListener('abort', nudge);
      try {
        let at = after === undefined ? rows.length : Number(after);
        yield { type: 'started', cursor: String(at) };
        while (signal?.aborted !== true) {
          const row = rows[at];
          if (row !== undefined) yield { type: 'row', queue, row, cursor: String(++at) };
          else await new Promise<void>((resolve) => (wake = resolve));
        }
      } finally {
        readers.delete(nudge);
      }
    },
  } as unknown as MergeQueue;
  let sequence = 0;
  const grow = (many = 1, title = '') => {
    for (let made = 0; made < many; made += 1)
      rows.push({ ...aMove(++sequence, { pr: sequence, to: 'merged', title }), queueId: queue.id });
    for (const nudge of [...readers]) nudge();
  };
  const open = async (after?: number, request: StreamParts['request'] = {}, of = principal) => {
    const stream = await eventStream({
      ...{ mq, principal: of, request, after: after === undefined ? undefined : String(after), channels },
      ...{ feeds: new SnapshotFeeds({} as MergeQueue, silent), shown: null },
      ...{ closing: closing.signal, requireStillValid: async () => undefined },
      log: silent,
    });
    onTestFinished(() => void stream.destroy());
    return stream;
  };
  return { grow, open, channels, closing, reads: () => readers.size };
};

/** The numbers of the events that a stream was sent so far. */
const seenBy = (stream: Readable): readonly number[] => {
  const seen: number[] = [];
  stream.on('data', (chunk: Buffer) => {
    for (const [, number] of chunk.toString().matchAll(/"pr_number":(\d+)/g)) seen.push(Number(number));
  });
  return seen;
};

const upTo = (last: number, from = 1): readonly number[] =>
  Array.from({ length: last - from + 1 }, (_, n) => from + n);

test('streams that have caught up share one reader, and a later one joins it without a gap or a duplicate', async () => {
  const { grow, open, reads } = growing();
  const first = seenBy(await open());
  grow(3);
  const others = [seenBy(await open(0)), seenBy(await open(2)), seenBy(await open())];
  grow(2);
  await expect.poll(reads).toBe(1);
  grow(4);
  await expect.poll(() => [first, ...others]).toEqual([upTo(9), upTo(9), upTo(9, 3), upTo(9, 4)]);
  expect(reads()).toBe(1);
});

test('streams share a reader only with those that want and may see the same', async () => {
  const { grow, open, reads } = growing();
  await open(0, { pr: 1 });
  await open(0, { types: ['pull_request.merged'] });
  await open(0, {}, { ...principal, repositories: [queue.repo] });
  const all = seenBy(await open(0));
  grow(2);
  await expect.poll(() => all).toEqual(upTo(2));
  expect(reads()).toBe(4);
});

test('a stream that reads slowly leaves the others at their pace, and gets every event once', async () => {
  const { grow, open, reads } = growing();
  const slow = await open();
  const quick = seenBy(await open());
  await expect.poll(reads).toBe(1);
  for (let made = 0; made < 40; made += 1) {
    grow(1, 'x'.repeat(5_000));
    await expect.poll(() => quick.length, { interval: 1 }).toBe(made + 1);
  }
  expect(slow.readableLength).toBeLessThan(40_000);
  const late = seenBy(slow);
  await expect.poll(() => late).toEqual(upTo(40));
  await expect.poll(reads).toBe(1);
  grow();
  await expect.poll(() => [quick, late]).toEqual([upTo(41), upTo(41)]);
});

test('the last stream that leaves ends the reader, and a later stream has one of its own', async () => {
  const { grow, open, reads } = growing();
  const streams = [await open(), await open()];
  await expect.poll(reads).toBe(1);
  for (const stream of streams) stream.destroy();
  await expect.poll(reads).toBe(0);
  const again = seenBy(await open());
  grow();
  await expect.poll(() => again).toEqual([1]);
});

test('an event that a stream and its channel read at the same time is sent once', async () => {
  const { grow, open, channels } = growing();
  const joining = vi.spyOn(channels, 'join').mockReturnValue();
  const seen = seenBy(await open());
  await expect.poll(() => joining.mock.calls.length).toBe(1);
  const [, member, reader] = joining.mock.calls[0] ?? [];
  grow();
  // Its own reader has the event, and waits for more.
  await new Promise((resolve) => process.nextTick(resolve));
  member?.joined({ ...reader } as EventReader);
  for (const number of [1, 2]) {
    const bytes = Buffer.from(`event: pull_request.merged\ndata: {"pr_number":${number}}\nid: ${number}\n\n`);
    member?.deliver({ bytes, cursor: `${number}`, isLast: true });
    await setImmediate();
    await setImmediate();
  }
  expect(seen).toEqual([1, 2]);
});

test('a stream that pauses sends all events of the pause in one piece, before a heartbeat and before its end', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { grow, open, closing } = growing();
  const stream = await open(undefined, { restMs: 10_000 });
  const pieces: string[] = [];
  stream.on('data', (chunk: Buffer) => pieces.push(chunk.toString()));
  const turns = async () => {
    for (let n = 0; n < 10; n += 1) await setImmediate();
  };
  const cursors = () => pieces.map((piece) => piece.match(/(?<=^id: ).*$/gm)?.join(' '));
  await turns();
  for (const _ of [1, 2]) {
    grow();
    await turns();
  }
  expect(cursors()).toEqual(['0']);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(cursors()).toEqual(['0', '1 2']);
  grow();
  await turns();
  await vi.advanceTimersByTimeAsync(HEARTBEAT_MS - 10_000);
  await turns();
  expect(cursors()).toEqual(['0', '1 2', '3 3']);
  grow();
  await turns();
  closing.abort();
  await turns();
  expect(cursors()).toEqual(['0', '1 2', '3 3', '4']);
});

test('a stream that stopped reading for a while goes on with heartbeats, and one that reads nothing is ended', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { grow, open } = growing();
  const [paused, silent] = [
    await open(undefined, { restMs: 10_000 }),
    await open(undefined, { restMs: 10_000 }),
  ];
  const turns = async () => {
    for (let n = 0; n < 10; n += 1) await setImmediate();
  };
  await turns();
  for (const ms of [10_000, HEARTBEAT_MS - 10_000]) {
    grow(1, 'x'.repeat(9_000));
    await turns();
    await vi.advanceTimersByTimeAsync(ms);
  }
  let beats = 0;
  paused.on('data', (chunk: Buffer) => {
    if (/^id: 2$/m.test(chunk.toString())) beats += 1;
  });
  await turns();
  for (const _ of [1, 2, 3]) {
    await vi.advanceTimersByTimeAsync(HEARTBEAT_MS);
    await turns();
  }
  expect(beats).toBeGreaterThanOrEqual(3);
  expect([paused.destroyed, silent.destroyed]).toEqual([false, true]);
});
