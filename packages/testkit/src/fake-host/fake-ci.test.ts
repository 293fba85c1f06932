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

test('an automatic check ends at its own time, however late it is read', async () => {
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
] as const)(
  'the conclusion %s that a test gave to a tree overrides the content of the tree',
  (conclusion, isGood) => {
    const setup = testing();
    if (isGood) setup.ci.failWhen('test', 'a');
    expect(setup.isGood()).toBe(!isGood);

    setup.ci.finish(commit.sha, 'test', conclusion);

    expect(setup.isGood()).toBe(isGood);
  },
);

test('a check that is rerun is shown next to its first result, for the same test run', () => {
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
  'the conclusion %s does not decide whether the content is good',
  (conclusion) => {
    const { ci, isGood } = testing();

    ci.finish(commit.sha, 'test', conclusion);

    expect(isGood()).toBe(true);
  },
);
