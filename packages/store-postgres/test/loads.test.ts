import type { QueueId } from '@mq/core';
import { aQueue, queueIdOf } from '@mq/testkit';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { pgDatabase, postgresStore } from '../src/index.js';
import { freshStore, postgres } from './worlds.js';

const server = postgres();
afterAll(() => server.pool.end());

const FAR = Date.UTC(2200, 0, 1);
const noRecall = { prs: [], inputIds: [] };

/** A store whose database fails for every statement about one of its four queues. */
const withOneUnread = async (unread: QueueId) => {
  const made = await freshStore(server);
  onTestFinished(made.end);
  for (let n = 1; n <= 4; n += 1)
    await made.store.createQueue(aQueue({ id: queueIdOf(n), branch: `b${n}` }), FAR, null);
  const database = pgDatabase(server.pool, { listen: false });
  const store = await postgresStore({
    database: {
      ...database,
      query: (text, values) =>
        JSON.stringify(values).includes(unread)
          ? Promise.reject(Object.assign(new Error('damaged'), { severity: 'ERROR', code: 'XX001' }))
          : database.query(text, values),
    },
    schema: made.schema,
  });
  onTestFinished(() => store.close());
  return store;
};

test('a queue that cannot be read does not affect others of the same load', async () => {
  const store = await withOneUnread(queueIdOf(2));
  const asked = [
    [1, 0],
    [2, 0],
    [3, 0],
    [4, 1],
    [2, 1],
    [1, 1],
  ] as const;

  const found = await Promise.allSettled(
    asked.map(([n, since]) => store.load(queueIdOf(n), since, noRecall)),
  );

  expect(
    found.map((one) => (one.status === 'fulfilled' ? one.value?.queue?.id : one.reason.message)),
  ).toEqual([queueIdOf(1), 'damaged', queueIdOf(3), queueIdOf(4), 'damaged', queueIdOf(1)]);
});
