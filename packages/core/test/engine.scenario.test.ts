import { registerScenarios, story } from '@mq/testkit';
import { test } from 'vitest';

// One run of the engine on the memory store and the fake host, in virtual time, stands for the model, the store and the host.
registerScenarios({ test }, ['U', 'M', 'S'], ({ settings, ...world }) => story(settings, world));
