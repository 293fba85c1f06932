import type { Sha, TestRunId } from '@mq/core';
import { describe, expect, test } from 'vitest';
import { contentPasses } from './content-truth.js';
import { CI_SOURCE } from './fake-ci.js';
import { fakeHost } from './fake-host.js';
import { mergeText } from './merge-text.js';

const repo = { host: 'fake.example', owner: 'acme', name: 'widgets' };
const world = () => {
  const host = fakeHost({ clock: { now: () => 0 } });
  const repository = host.createRepository({ ref: repo });
  let runs = 0;
  const build = async (...prs: readonly number[]) => {
    runs += 1;
    const runId = `run-${runs}` as TestRunId;
    const outcome = await host.buildCandidate({
      repo,
      runId,
      branch: 'main',
      decidedAt: 0,
      base: repository.branches.get('main')!,
      parts: prs.map((pr) => ({
        pr,
        head: repository.pulls.get(pr)!.head,
        message: { title: `Land #${pr}`, body: '' },
      })),
      method: 'squash',
    });
    if (outcome.kind !== 'built') throw new Error(outcome.kind);
    await host.startChecks({ repo, runId, commit: outcome.candidate.commit, names: ['test'] });
    return outcome.candidate.commit;
  };
  const verdict = async (...prs: readonly number[]) => {
    repository.ci.finish(await build(...prs));
    return repository.ci.checks().at(-1)?.conclusion;
  };
  return { host, repository, build, verdict };
};

describe('the truth of content', () => {
  test('two pull requests that clash pass alone and fail together', async () => {
    const { repository, verdict } = world();
    repository.openPullRequest({ number: 1 });
    repository.openPullRequest({ number: 2, clashesWith: 1 });
    expect(await verdict(1)).toBe('success');
    expect(await verdict(2)).toBe('success');
    expect(await verdict(1, 2)).toBe('failure');
  });

  test('a broken pull request fails on any base until another one fixes it', async () => {
    const { repository, verdict } = world();
    repository.openPullRequest({ number: 1, broken: true });
    repository.openPullRequest({ number: 2 });
    repository.openPullRequest({ number: 3, fixes: 1 });
    expect(await verdict(1)).toBe('failure');
    expect(await verdict(2, 1)).toBe('failure');
    expect(await verdict(1, 3)).toBe('success');
  });

  test('a pull request that needs another passes only on top of it', async () => {
    const { repository, verdict } = world();
    repository.openPullRequest({ number: 1 });
    repository.openPullRequest({ number: 2, needs: 1 });
    expect(await verdict(2)).toBe('failure');
    expect(await verdict(1, 2)).toBe('success');
  });

  test('a marker that names a check fails no other check', () => {
    const files = { 'pr-1.txt': '!broken:lint\n' };
    expect([contentPasses(files, 'lint'), contentPasses(files, 'test')]).toEqual([false, true]);
  });
});

describe('a three-way merge of text', () => {
  const base = 'a\nb\nc\nd\ne\n';

  test('a three-way merge of text takes changes of separate lines from both sides', () => {
    expect(mergeText(base, 'A\nb\nc\nd\ne\n', 'a\nb\nc\nd\nE\nf\n')).toBe('A\nb\nc\nd\nE\nf\n');
  });

  test('a three-way merge of text takes a change that both sides made once', () => {
    expect(mergeText(base, 'a\nB\nc\nd\ne\n', 'a\nB\nc\nd\nE\n')).toBe('a\nB\nc\nd\nE\n');
  });

  test('a three-way merge of text reports a conflict for different changes of adjoining lines', () => {
    expect(mergeText(base, 'a\nB\nc\nd\ne\n', 'a\nb\nC\nd\ne\n')).toBeNull();
  });
});

describe('checks that no test run requested', () => {
  const shown = async (host: ReturnType<typeof fakeHost>, commit: Sha) =>
    ((await host.getChecks(repo, [commit])).get(commit) ?? []).map(
      ({ name, source, runId, status, conclusion }) => [name, source, runId, conclusion ?? status],
    );

  test('checks that no test run requested are shown on the head of a pull request with the source of the CI, and listeners get a hint', async () => {
    const { host, repository, build } = world();
    repository.openPullRequest({ number: 1 });
    const { head } = repository.pulls.get(1)!;
    const hints: string[] = [];
    host.onEvent(({ what }) => hints.push(what));
    repository.reportHeadChecks(1, { test: 'success', lint: 'running' });
    expect(hints).toEqual(['checks', 'checks']);
    expect(await shown(host, head)).toEqual([
      ['test', CI_SOURCE, null, 'success'],
      ['lint', CI_SOURCE, null, 'running'],
    ]);
    expect((await shown(host, await build(1))).map(([name]) => name)).toEqual(['test']);
  });

  test('checks that no test run requested are shown on the tip of a branch, and stay on that commit when the branch moves', async () => {
    const { host, repository } = world();
    const tip = repository.branches.get('main')!;
    repository.reportTipChecks('main', { test: 'failure' });
    expect(await shown(host, repository.pushTo('main'))).toEqual([]);
    expect(await shown(host, tip)).toEqual([['test', CI_SOURCE, null, 'failure']]);
  });

  test('checks that no test run requested run until they are finished, with a given conclusion or the one of their content', async () => {
    const { host, repository } = world();
    repository.openPullRequest({ number: 1, broken: 'lint' });
    const { head } = repository.pulls.get(1)!;
    repository.reportHeadChecks(1, { test: 'running', lint: 'running', e2e: 'running' });
    repository.ci.finish(head, 'e2e', 'cancelled');
    repository.ci.finish(head);
    expect((await shown(host, head)).map(([name, , , end]) => `${name}: ${end}`)).toEqual([
      'test: success',
      'lint: failure',
      'e2e: cancelled',
    ]);
  });

  test('checks that no test run requested decide whether their tree is good, as checks of a candidate do', () => {
    const { repository } = world();
    repository.openPullRequest({ number: 1, broken: true });
    const { tree, files } = repository.git.get(repository.pulls.get(1)!.head);
    expect(repository.ci.isGood(tree, files, 'test')).toBe(false);
    repository.reportHeadChecks(1, { test: 'success' });
    expect(repository.ci.isGood(tree, files, 'test')).toBe(true);
  });
});

describe('a host in trouble', () => {
  test('a host in trouble refuses every call while it is unreachable, and keeps its data', async () => {
    const { host, build } = world();
    host.repository(repo).openPullRequest({ number: 1 });
    await build(1);
    host.setReachable(false);
    await expect(host.listCandidates(repo)).rejects.toMatchObject({ name: 'HostError', retry: 'later' });
    host.setReachable(true);
    expect(await host.listCandidates(repo)).toEqual(['run-1']);
  });

  test('a host in trouble lets a test intercept a call after it took effect', async () => {
    const seen: string[] = [];
    const host = fakeHost({
      intercept: async ({ method }, perform) => {
        seen.push(method);
        await perform();
        throw new Error('the answer is lost');
      },
    });
    const runId = 'run-1' as TestRunId;
    const repository = host.createRepository({ ref: repo });
    repository.candidates.set(runId, repository.branches.get('main')!);
    await expect(host.dropCandidate({ repo, runId })).rejects.toThrow('the answer is lost');
    expect([seen, repository.candidates.size]).toEqual([['dropCandidate'], 0]);
  });
});

describe('a head branch', () => {
  test('a head branch finds its newest open pull request, or its newest one if none is open', async () => {
    const { host, repository } = world();
    for (const number of [1, 2, 3]) repository.openPullRequest({ number, headBranch: 'mine' });
    const found = () => host.findPullRequest(repo, 'mine');
    expect(await found()).toBe(3);

    repository.edit(3, { state: 'closed' });
    expect(await found()).toBe(2);

    for (const number of [1, 2]) repository.edit(number, { state: 'closed' });
    expect(await found()).toBe(3);
  });
});

test('an unreachable host gives no hints', async () => {
  const { host, repository } = world();
  const heard: string[] = [];
  host.onEvent?.(({ what }) => void heard.push(what));
  host.setReachable(false);
  repository.openPullRequest({ number: 1 });
  expect(heard).toEqual([]);

  host.setReachable(true);
  repository.openPullRequest({ number: 2 });
  expect(heard).toContain('pull_requests');
});
