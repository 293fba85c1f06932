import { aQueue, aSubmission, BUILT_AT, queueIdOf } from '@mq/testkit';
import { expect, test } from 'vitest';
import type { Queue } from './model/queue.js';
import type { HistoryQuery } from './ports/store.js';
import { scrape } from './scrape.js';

const queues = [1, 2, 3].map((n) => aQueue({ id: queueIdOf(n), branch: `branch-${n}` }));
const asked: HistoryQuery[] = [];
const store = {
  queues: async () => ({ items: queues, next: null }),
  history: async (query: HistoryQuery) => {
    asked.push(query);
    return { items: [], next: null };
  },
};
const stateOf = async (queue: Queue) => ({ now: BUILT_AT, queue, submissions: [aSubmission(1)] });

test('a scrape asks for the history of many queues at once', async () => {
  asked.length = 0;
  const text = await scrape({ store, stateOf }, {});

  expect(text).toContain('branch="branch-3"');
  expect(asked.map(({ queueIds }) => queueIds.length)).toEqual([3]);
});

test('a queue that is deleted while it is read is left out', async () => {
  const text = await scrape(
    { store, stateOf: async (queue) => (queue.branch === 'branch-2' ? null : stateOf(queue)) },
    {},
  );

  expect(text).toContain('branch="branch-1"');
  expect(text).not.toContain('branch="branch-2"');
});
