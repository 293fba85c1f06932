import { aMove, aQueue, aSubmission, BUILT_AT, queueIdOf } from '@mq/testkit';
import { expect, test } from 'vitest';
import { WINDOW_MS } from '../metrics/catalogue.js';
import type { Queue } from '../model/queue.js';
import type { HistoryQuery } from '../ports/store.js';
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

test('a scrape reads the history of many queues in one call', async () => {
  asked.length = 0;
  const text = await scrape({ store, stateOf }, {});

  expect(text).toContain('branch="branch-3"');
  expect(asked.map(({ queueIds }) => queueIds.length)).toEqual([3]);
});

test('a queue deleted during a scrape is left out', async () => {
  const text = await scrape(
    { store, stateOf: async (queue) => (queue.branch === 'branch-2' ? null : stateOf(queue)) },
    {},
  );

  expect(text).toContain('branch="branch-1"');
  expect(text).not.toContain('branch="branch-2"');
});

test('a scrape of very many queues reads their history in several calls', async () => {
  asked.length = 0;
  const many = Array.from({ length: 201 }, (_, n) => aQueue({ id: queueIdOf(n), branch: `branch-${n}` }));
  const text = await scrape(
    { store: { ...store, queues: async () => ({ items: many, next: null }) }, stateOf },
    {},
  );

  expect(asked.map(({ queueIds }) => queueIds.length)).toEqual([100, 100, 1]);
  expect(text.match(/^mq_depth_current\{.*queue_type="main"\} 1$/gm)).toHaveLength(201);
});

test('a scrape counts the last hour of each queue by its own time', async () => {
  asked.length = 0;
  const later = 10_000;
  const at = BUILT_AT - WINDOW_MS + later - 1;
  const moves = [1, 2].map((n) => ({ ...aMove(n, { to: 'merged', at }), queueId: queueIdOf(n) }));
  const text = await scrape(
    {
      store: {
        ...store,
        history: async (query) => {
          asked.push(query);
          return { items: moves, next: null };
        },
      },
      stateOf: async (queue) => ({
        ...(await stateOf(queue)),
        now: queue.branch === 'branch-2' ? BUILT_AT + later : BUILT_AT,
      }),
    },
    {},
  );
  const merged = (branch: string) =>
    new RegExp(
      `^mq_pr_conclusions_1h_total\\{.*"${branch}",queue_type="main",conclusion="merged"\\} (\\d)$`,
      'm',
    ).exec(text)?.[1];

  expect(asked[0]?.since).toBe(BUILT_AT - WINDOW_MS);
  expect([merged('branch-1'), merged('branch-2')]).toEqual(['1', '0']);
});
