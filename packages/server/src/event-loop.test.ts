import { silentLogger } from '@mq/core';
import { expect, onTestFinished, test } from 'vitest';
import { eventLoopGauge, LATE_IN_A_ROW } from './event-loop.js';

const blockFor = (ms: number): void => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};

const turn = () => new Promise((resolve) => setTimeout(resolve, 1));

test('a process whose event loop is late several times in a row refuses requests until it keeps up again', async () => {
  const warned: string[] = [];
  const logger = { ...silentLogger, warn: (_: unknown, message?: string) => void warned.push(message ?? '') };
  const gauge = eventLoopGauge({ logger, limitMs: 100, everyMs: 10 });
  onTestFinished(() => gauge.close());
  const troubles: (string | null)[] = [];
  for (let late = 0; late < LATE_IN_A_ROW; late += 1) {
    troubles.push(gauge.trouble());
    blockFor(200);
    await turn();
  }
  expect(troubles).toEqual(Array.from({ length: LATE_IN_A_ROW }, () => null));
  expect(gauge.trouble()).toContain('cannot keep up');
  expect(warned).toHaveLength(1);
  await expect.poll(() => gauge.trouble(), { interval: 50 }).toBe(null);
});
