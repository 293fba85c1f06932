import { expect, test } from 'vitest';
import { runExample } from '../run-example.js';

test('the example on a git repository lands what passes and names the check that failed', async () => {
  const { code, output } = await runExample('02-local-git');
  const lines = output.trim().split('\n');
  expect(lines.slice(0, 3).sort()).toEqual([
    '#1 merged',
    expect.stringMatching(/^#2 failed: within the limit/),
    '#3 merged',
  ]);
  expect(lines.slice(3)).toEqual(['main: 10', 'lid: 4 (#1)', 'handle: 7 (#3)']);
  expect(code).toBe(0);
});
