import { registerScenarios, story } from '@mq/testkit';
import { afterAll, test } from 'vitest';
import { timedBy } from './timed-by.js';
import { postgres, sharedSchema } from './worlds.js';

const server = postgres();
afterAll(() => server.pool.end());
const empty = sharedSchema(server);

// The same scenarios, told on PostgreSQL: the host and the clock are those of the stories, the store is the real one.
registerScenarios({ test }, ['P'], async ({ settings, ...world }) => {
  const { store, setTime } = await empty();
  return story(settings, { ...world, storeFor: (clock) => timedBy(clock, setTime)(store) });
});
