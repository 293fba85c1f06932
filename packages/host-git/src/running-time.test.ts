import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RunningTime } from './running-time.js';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

const processOf = (ms: number): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, ms));
const after = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test('the time between processes does not count for their limit', async () => {
  const time = new RunningTime(1_000);
  time.count(processOf(600));
  await after(5_000);
  expect(time.over.aborted).toBe(false);
  time.count(processOf(600));
  await after(399);
  expect(time.over.aborted).toBe(false);
  await after(1);
  expect(time.over.aborted).toBe(true);
});

test('processes that run at the same time count once for their limit', async () => {
  const time = new RunningTime(1_000);
  time.count(processOf(900));
  time.count(Promise.reject(new Error('failed')));
  time.count(processOf(900));
  await after(900);
  time.count(processOf(90));
  await after(5_000);
  expect(time.over.aborted).toBe(false);
});
