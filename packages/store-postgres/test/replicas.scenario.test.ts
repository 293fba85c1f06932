import { registerScenarios, story } from '@mq/testkit';
import { afterAll, test } from 'vitest';
import { replicas } from './replicas.js';

const REPLICAS = 3;
const { begin, end } = replicas();
afterAll(end);

// Each engine has a store of its own, with connections of its own; all of them are on one database.
registerScenarios({ test }, ['R'], async ({ settings, ...world }) => {
  const engines = Math.max(REPLICAS, world.engines ?? 1);
  const { storeFor } = await begin(engines);
  return story(settings, { ...world, engines, storeFor });
});
