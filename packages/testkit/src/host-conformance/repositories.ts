import { type HostError, isSameRepo, type RepoRef } from '@mq/core';
import { type ContractTests, NO_COMMIT, rejects } from './under-test.js';

export const repositories: ContractTests = {
  'the host knows its repository and no other': async ({ world }, expect) => {
    const { host, repo } = world;
    expect(await host.hasRepository(repo)).toBe(true);
    expect(await host.hasRepository({ ...repo, name: 'no-such-repository' })).toBe(false);
    expect(await host.hasRepository({ ...repo, owner: '../..' })).toBe(false);
  },

  'a repository whose id is not the wanted one is refused': async ({ world }, expect) => {
    const { host, repo } = world;
    const id = (await host.identify?.(repo))?.id ?? null;
    if (id === null) return;
    expect(await host.hasRepository({ ...repo, id })).toBe(true);
    expect((await host.getBranch({ ...repo, id }, world.branch)) === null).toBe(false);
    const other = { ...repo, id: `${id}0` };
    expect(await host.hasRepository(other)).toBe(false);
    const asked = [
      host.getBranch(other, world.branch),
      host.getPullRequests(other, [1]),
      host.listCandidates(other),
      host.getChecks(other, [NO_COMMIT]),
    ];
    for (const one of asked) {
      const { retry, reach } = await one.then(
        () => ({ retry: null, reach: null }),
        (error: Partial<HostError>) => error,
      );
      expect([retry, reach]).toEqual(['never', 'repository']);
    }
    expect(await host.identify?.({ ...repo, name: 'no-such-repository' })).toBe(null);
  },

  'a host that ignores letter case finds its repository in capitals and names it as it does; any other has no such repository':
    async ({ world }, expect) => {
      const { host, repo } = world;
      const inCapitals = { ...repo, owner: repo.owner.toUpperCase(), name: repo.name.toUpperCase() };
      expect(await host.hasRepository(inCapitals)).toBe(host.ignoresCase === true);
      if (host.ignoresCase !== true) return;
      const identity = await host.identify?.(repo);
      expect([identity?.owner, identity?.name]).toEqual([repo.owner, repo.name]);
      expect(await host.identify?.(inCapitals)).toEqual(identity);
      const branch = await host.getBranch(inCapitals, world.branch);
      expect(branch).toEqual(await host.getBranch(repo, world.branch));
      expect(branch === null).toBe(false);
    },

  'reading a repository that does not exist is an error, not an empty result': async ({ world }, expect) => {
    const { host, repo } = world;
    const other = { ...repo, name: 'no-such-repository' };
    expect(await rejects(host.getBranch(other, world.branch))).toBe(true);
    expect(await rejects(host.getPullRequests(other, [1]))).toBe(true);
    expect(await rejects(host.listCandidates(other))).toBe(true);
  },

  'a branch shows its last push, and one that does not exist is null': async ({ world }, expect) => {
    const { host, repo, branch } = world;
    const pushed = await world.push({ 'a.txt': 'a\n' });
    expect((await host.getBranch(repo, branch))?.head).toBe(pushed);
    expect(await host.getBranch(repo, 'no-such-branch')).toBe(null);
  },

  'a branch requires the configured checks; without any, its required checks are null': async (
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

  'a commit contains itself and its ancestors, and nothing else': async (under, expect) => {
    const { host, repo } = under.world;
    const first = await under.tip();
    const second = await under.world.push({ 'a.txt': 'a\n' });
    expect(await host.contains(repo, second, first)).toBe(true);
    expect(await host.contains(repo, second, second)).toBe(true);
    expect(await host.contains(repo, first, second)).toBe(false);
    expect(await host.contains(repo, second, NO_COMMIT)).toBe(false);
    expect(await host.contains(repo, NO_COMMIT, second)).toBe(false);
  },

  'a listener gets hints for its repositories only, and none after it was removed': async (
    { world },
    expect,
  ) => {
    const { host, repo } = world;
    const hinted: RepoRef[] = [];
    const end = host.onEvent?.((event) => hinted.push(event.repo));
    await world.push({ 'a.txt': 'a\n' });
    end?.();
    const before = hinted.length;
    await world.push({ 'a.txt': 'b\n' });
    await host.getBranch(repo, world.branch);
    expect(hinted.filter((other) => !isSameRepo(repo, other))).toEqual([]);
    expect(hinted.length).toBe(before);
  },
};
