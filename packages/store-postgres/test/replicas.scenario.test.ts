import { registerScenarios, story } from '@mq/testkit';
import { afterAll, test } from 'vitest';
import { replicas } from './replicas.js';

const REPLICAS = 3;
const { begin, end } = replicas();
afterAll(end);

// Each engine has its own store and connections, on one database.
registerScenarios({ test }, ['R'], async ({ settings, ...world }) => {
  const engines = Math.max(REPLICAS, world.engines ?? 1);
  const { storeFor } = await begin(engines);
  return story(settings, { ...world, engines, storeFor });
});
