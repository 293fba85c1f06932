import { isSameRepo, type RepoRef } from '@mq/core';
import { NO_COMMIT, type Promises, rejects } from './under-test.js';

export const repositories: Promises = {
  'a repository is there, and another is not': async ({ world }, expect) => {
    const { host, repo } = world;
    expect(await host.hasRepository(repo)).toBe(true);
    expect(await host.hasRepository({ ...repo, name: 'no-such-repository' })).toBe(false);
    expect(await host.hasRepository({ ...repo, owner: '../..' })).toBe(false);
  },

  'asking about a repository that is not there is an error, not an empty answer': async (
    { world },
    expect,
  ) => {
    const { host, repo } = world;
    const other = { ...repo, name: 'no-such-repository' };
    expect(await rejects(host.getBranch(other, world.branch))).toBe(true);
    expect(await rejects(host.getPullRequests(other, [1]))).toBe(true);
    expect(await rejects(host.listCandidates(other))).toBe(true);
  },

  'a branch is where it was pushed to; one that does not exist is null': async ({ world }, expect) => {
    const { host, repo, branch } = world;
    const pushed = await world.push({ 'a.txt': 'a\n' });
    expect((await host.getBranch(repo, branch))?.head).toBe(pushed);
    expect(await host.getBranch(repo, 'no-such-branch')).toBe(null);
  },

  'a branch requires the checks that are configured; without any no rule speaks of checks': async (
    { world },
    expect,
  ) => {
    const { host, repo, branch } = world;
    expect((await host.getBranch(repo, branch))?.requiredChecks).toBe(null);
    await world.setChecks([
      { name: 'unit', failsWhen: 'x' },
      { name: 'lint', failsWhen: 'y' },
    ]);
    const required = (await host.getBranch(repo, branch))?.requiredChecks ?? [];
    expect([...required].sort()).toEqual(['lint', 'unit']);
  },

  'what is reachable from a commit is contained in it, and nothing else': async (under, expect) => {
    const { host, repo } = under.world;
    const first = await under.tip();
    const second = await under.world.push({ 'a.txt': 'a\n' });
    expect(await host.contains(repo, second, first)).toBe(true);
    expect(await host.contains(repo, second, second)).toBe(true);
    expect(await host.contains(repo, first, second)).toBe(false);
    expect(await host.contains(repo, second, NO_COMMIT)).toBe(false);
    expect(await host.contains(repo, NO_COMMIT, second)).toBe(false);
  },

  'whoever listens is told of this repository, and of nothing any more once that was ended': async (
    { world },
    expect,
  ) => {
    const { host, repo } = world;
    const told: RepoRef[] = [];
    const end = host.onEvent?.((event) => told.push(event.repo));
    await world.push({ 'a.txt': 'a\n' });
    end?.();
    const before = told.length;
    await world.push({ 'a.txt': 'b\n' });
    await host.getBranch(repo, world.branch);
    expect(told.filter((other) => !isSameRepo(repo, other))).toEqual([]);
    expect(told.length).toBe(before);
  },
};
