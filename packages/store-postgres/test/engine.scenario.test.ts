import { registerScenarios, story, virtualClock, whileOneStalls } from '@mq/testkit';
import { afterAll, expect, test } from 'vitest';
import { timedBy } from './timed-by.js';
import { postgres, sharedSchema } from './worlds.js';

const server = postgres();
afterAll(() => server.pool.end());
const empty = sharedSchema(server);

// The same scenarios on PostgreSQL: host and clock are simulated as in the stories, the store is real.
registerScenarios({ test }, ['P'], async ({ settings, ...world }) => {
  const { store, setTime } = await empty();
  return story(settings, { ...world, storeFor: (clock) => timedBy(clock, setTime)(store) });
});

test('T-B09 queues of other branches and repositories proceed while one stalls, and share nothing', async () => {
  const [clock, { store, setTime }] = [virtualClock(), await empty()];
  const { stalled, others } = await whileOneStalls(timedBy(clock, setTime)(store), clock);
  expect(stalled).toMatchObject({ states: ['testing', 'testing'], landed: [] });
  for (const { prs, ...other } of others)
    expect(other).toMatchObject({ states: ['merged', 'merged'], landed: prs });
});
