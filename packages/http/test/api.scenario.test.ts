import { registerScenarios } from '@mq/testkit';
import { test } from 'vitest';
import { httpDriver } from './http-driver.js';

registerScenarios({ test }, ['A'], httpDriver);
