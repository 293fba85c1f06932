import { expect, test } from 'vitest';
import { runExample } from '../run-example.js';

test('the example in process merges what is good and holds back what is broken', async () => {
  const { code, output } = await runExample('01-in-process');
  expect(output.trim().split('\n').slice(-3)).toEqual([
    '#1 ended merged: Add a lid',
    '#2 ended failed: Add a leak',
    '#3 ended merged: Add a handle',
  ]);
  expect(code).toBe(0);
});
