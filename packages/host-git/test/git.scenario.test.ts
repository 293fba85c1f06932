import { registerScenarios } from '@mq/testkit';
import { afterEach, test } from 'vitest';
import { gitDriver } from './git-driver.js';

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const driver of open.splice(0)) await driver.close();
});

registerScenarios({ test }, ['L'], async (setup) => {
  const driver = await gitDriver(setup);
  open.push(driver);
  return driver;
});
