import { memoryStore } from '@mq/store-memory';
import { virtualClock, whileOneStalls } from '@mq/testkit';
import { expect, test } from 'vitest';

test('T-B09 queues of other branches and repositories go on while one stalls, and share nothing', async () => {
  const clock = virtualClock();
  const { stalled, others } = await whileOneStalls(memoryStore({ clock }), clock);
  expect(stalled).toMatchObject({ states: ['testing', 'testing'], landed: [] });
  for (const { prs, ...other } of others)
    expect(other).toMatchObject({ states: ['merged', 'merged'], landed: prs });
});
