import { silentLogger } from '@mq/core';
import { expect, onTestFinished, test } from 'vitest';
import { eventLoopGauge } from './event-loop.js';

const blockFor = (ms: number): void => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};

test('a process whose event loop is late refuses requests until it keeps up again', async () => {
  const warned: string[] = [];
  const logger = { ...silentLogger, warn: (_: unknown, message?: string) => void warned.push(message ?? '') };
  const gauge = eventLoopGauge({ logger, limitMs: 100, everyMs: 10 });
  onTestFinished(() => gauge.close());
  expect(gauge.trouble()).toBe(null);
  blockFor(200);
  await new Promise((resolve) => setTimeout(resolve, 1));
  expect(gauge.trouble()).toContain('cannot keep up');
  expect(warned[0]).toContain('cannot keep up');
  await expect.poll(() => gauge.trouble(), { interval: 50 }).toBe(null);
});
