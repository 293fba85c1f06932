import { registerScenarios } from '@mq/testkit';
import { afterEach, test } from 'vitest';
import { gitDriver } from './git-driver.js';

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const driver of open.splice(0)) await driver.close();
});

/** Each git command is a process; many of them take their time on a machine that is busy with other things. */
const TIMEOUT_MS = 30_000;

registerScenarios(
  { test: (name, body) => test(name, { timeout: TIMEOUT_MS }, body) },
  ['L'],
  async (setup) => {
    const driver = await gitDriver(setup);
    open.push(driver);
    return driver;
  },
);
