// A pass is reused from a commit of another test run, at a host that does not say for which test run a check ran.
import type { Conclusion, Sha } from '@mq/core';
import { stories } from '@mq/testkit';
import { afterEach, describe, test } from 'vitest';

const story = stories(afterEach);

/** #1 has passed behind #3: by its own check `lint`, and by the pass of `test` of a cancelled test run. */
const withReusedPass = async () => {
  const q = await story({ concurrency: 2, testingTimeoutMinutes: 30 });
  const { ci, candidates } = q.world.repository;
  await q.requires(['test', 'lint']);
  ci.startsBy = 'silence';
  await q.submit(3, 1);
  const commitOf = (content: string, other?: Sha): Sha => {
    const found = [...candidates.values()].find(
      (commit) => commit !== other && q.world.contentOf(commit) === content,
    );
    if (found === undefined) throw q.world.error(`There is no candidate of ${content}.`);
    return found;
  };
  const reports = async (commit: Sha, name: string, conclusion: Conclusion | 'running') => {
    const state = conclusion === 'running' ? { status: 'running' as const } : { conclusion };
    const startedAt = q.world.clock.now() - 1_000;
    await q.world.act(() => void ci.report(commit, { name, source: 'ci', startedAt, ...state }));
    await q.after('1m');
  };
  const cancelled = commitOf('main+3+1');
  await reports(cancelled, 'test', 'success');
  await q.cancel(1);
  await q.after('1m');
  await q.edits(1, { title: 'another title' });
  await q.submit(1);
  await q.after('1m');
  const own = commitOf('main+3+1', cancelled);
  await reports(own, 'lint', 'success');
  q.isIn({ 1: 'tests_passed', 3: 'testing' });
  const passesAhead = async () => {
    const ahead = commitOf('main+3');
    await reports(ahead, 'test', 'success');
    await reports(ahead, 'lint', 'success');
  };
  return { q, cancelled, own, reports, passesAhead };
};

describe('another check of the commit that a reused pass came from', () => {
  test('another check of the commit that a reused pass came from does not fail the pull request', async () => {
    const { q, cancelled, reports, passesAhead } = await withReusedPass();
    await reports(cancelled, 'lint', 'failure');
    q.isIn({ 1: 'tests_passed' });
    await passesAhead();
    q.hasLanded('main+3+1');
  });

  test('another check of the commit that a reused pass came from is not waited for', async () => {
    const { q, cancelled, reports, passesAhead } = await withReusedPass();
    await reports(cancelled, 'lint', 'running');
    q.isIn({ 1: 'tests_passed' });
    await passesAhead();
    q.isIn({ 1: 'merged', 3: 'merged' });
  });

  test('another check of the commit that a reused pass came from does not replace a check that runs again', async () => {
    const { q, cancelled, own, reports, passesAhead } = await withReusedPass();
    await reports(own, 'lint', 'running');
    q.isIn({ 1: 'testing' });
    await reports(cancelled, 'lint', 'success');
    await passesAhead();
    await q.after('5m');
    q.isIn({ 1: 'testing', 3: 'merged' });
    await reports(own, 'lint', 'success');
    q.isIn({ 1: 'merged' });
  });
});

describe('a reused check that runs again', () => {
  test('a reused check that fails again does not fail the pull request: the check is tested for it', async () => {
    const { q, cancelled, own, reports, passesAhead } = await withReusedPass();
    await reports(cancelled, 'test', 'failure');
    q.isIn({ 1: 'testing' });
    await passesAhead();
    q.hasLanded('main+3');
    await reports(own, 'test', 'success');
    q.isIn({ 1: 'merged' });
  });

  test('a reused check that succeeds again lets its pull request land', async () => {
    const { q, cancelled, reports, passesAhead } = await withReusedPass();
    await reports(cancelled, 'test', 'running');
    q.isIn({ 1: 'testing' });
    await reports(cancelled, 'test', 'success');
    q.isIn({ 1: 'tests_passed' });
    await passesAhead();
    q.isIn({ 1: 'merged' });
  });
});
