import type { Followed, FollowRequest, HistoryItem, MergeQueue } from '@mq/core';
import { aMove, aQueue } from '@mq/testkit';
import { expect, onTestFinished, test } from 'vitest';
import type { Principal } from './auth.js';
import { eventStream } from './stream.js';

const queue = aQueue();
const principal: Principal = { id: 'one', name: 'one', scopes: new Set(['read']) };

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
    ...{ mq, principal: of, request: {}, lastEventId: undefined },
    ...{ closing: new AbortController().signal, requireStillValid: async () => undefined },
    log: { warn: () => undefined },
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

test('the text of an event is made once for all streams, and another one for streams without a token', async () => {
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
