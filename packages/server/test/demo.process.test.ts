import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { program, temporaryFolder } from './server-process.js';

test('the demo ends by itself with the expected outcome of each pull request, and leaves nothing behind', async () => {
  const folder = temporaryFolder();
  const demo = program('demo', { TMPDIR: folder }, ['--json']);
  const { code } = await demo.ended;
  expect(demo.stderr()).toBe('');
  const report = JSON.parse(demo.stdout());
  expect(report.surprises).toEqual([]);
  expect(
    report.pullRequests.map(({ pr, outcome, reason }: Record<string, unknown>) => [pr, outcome, reason]),
  ).toEqual([
    [1, 'merged', 'MERGE_GRAPH_MERGE'],
    [2, 'merged', 'MERGE_GRAPH_MERGE'],
    [3, 'merged', 'MERGE_GRAPH_MERGE'],
    [4, 'failed', 'TEST_RUN_REQUIRED_STATUS_FAILED'],
    [5, 'failed', 'TEST_RUN_REQUIRED_STATUS_FAILED'],
    [6, 'merged', 'MERGE_GRAPH_MERGE'],
    [7, 'failed', 'START_TEST_RUN_MERGE_CONFLICT'],
    [8, 'merged', 'MERGE_GRAPH_MERGE'],
  ]);
  expect(report.commits).toHaveLength(6);
  expect(report.commits.every(({ passes }: { readonly passes: boolean }) => passes)).toBe(true);
  expect(code).toBe(0);
  expect(
    readdirSync(folder).filter((name) => !name.startsWith('tsx-') && name !== 'node-compile-cache'),
  ).toEqual([]);
});

test('an unknown option of the demo is answered with those that there are', async () => {
  const demo = program('demo', {}, ['--fast']);
  expect((await demo.ended).code).toBe(1);
  expect(demo.stderr()).toContain('--record <file>');
});
