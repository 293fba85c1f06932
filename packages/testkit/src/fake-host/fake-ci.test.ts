import { expect, test } from 'vitest';
import { runIdOf, shaOf } from '../builders.js';
import { virtualClock } from '../virtual-clock.js';
import { FakeCi, type FakeCiOptions } from './fake-ci.js';
import type { FakeCommit } from './fake-git.js';

const commit = { sha: shaOf(1), tree: shaOf(1, 'd'), files: { 'a.txt': 'a' } } as unknown as FakeCommit;

const testing = (options: FakeCiOptions = {}) => {
  const clock = virtualClock();
  let ids = 0;
  const ci = new FakeCi(
    clock,
    options,
    () => {
      ids += 1;
      return String(ids);
    },
    () => undefined,
  );
  ci.start(runIdOf(1), commit, ['test'], ['test']);
  return { ci, clock, isGood: () => ci.isGood(commit.tree, commit.files, 'test') };
};

test('a check that ends by itself has ended at its time, whenever somebody looks', async () => {
  const { ci, clock } = testing({ mode: 'automatic', durationMs: 60_000 });
  const startedAt = clock.now();
  await clock.advance(59_999);
  expect(ci.checksOf(commit.sha)).toMatchObject([{ status: 'running', completedAt: null }]);
  await clock.advance(30_000);

  expect(ci.checksOf(commit.sha)).toMatchObject([
    { status: 'completed', conclusion: 'success', startedAt, completedAt: startedAt + 60_000 },
  ]);
});

test.each([
  ['success', true],
  ['failure', false],
] as const)('what a test said of a tree, %s, wins over its content', (conclusion, isGood) => {
  const told = testing();
  if (isGood) told.ci.failWhen('test', 'a');
  expect(told.isGood()).toBe(!isGood);

  told.ci.finish(commit.sha, 'test', conclusion);

  expect(told.isGood()).toBe(isGood);
});

test('a check that is run again shows beside its first run, for the same run of the queue', () => {
  const { ci } = testing();
  ci.finish(commit.sha, 'test', 'success');

  expect(ci.rerun(commit.sha, 'test')).toBe(1);
  const [first, again] = ci.checksOf(commit.sha);
  expect(first).toMatchObject({ status: 'completed', conclusion: 'success' });
  expect(again).toMatchObject({ status: 'running', conclusion: null, runId: first?.runId, name: 'test' });
  ci.finish(commit.sha, 'test', 'failure');
  expect(ci.checksOf(commit.sha).map(({ conclusion }) => conclusion)).toEqual(['success', 'failure']);
});

test.each(['cancelled', 'infrastructure', 'skipped', 'neutral'] as const)(
  '%s says nothing of the content',
  (conclusion) => {
    const { ci, isGood } = testing();

    ci.finish(commit.sha, 'test', conclusion);

    expect(isGood()).toBe(true);
  },
);
