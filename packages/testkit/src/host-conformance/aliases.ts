import type { ContractTests } from './under-test.js';

const ALIAS = 'stable';

export const aliases: ContractTests = {
  'an alias shows the head of its branch and names that branch': async ({ world }, expect) => {
    if (world.pointAlias === undefined) return;
    const { host, repo, branch } = world;
    await world.pointAlias(ALIAS, `refs/heads/${branch}`);
    const plain = await host.getBranch(repo, branch);
    expect(await host.getBranch(repo, ALIAS)).toEqual({ ...plain, symbolicRef: `refs/heads/${branch}` });
    expect(plain?.symbolicRef).toBe(undefined);
  },

  'a landing on an alias moves the branch that the alias points to, and keeps the alias': async (
    under,
    expect,
  ) => {
    const { world } = under;
    if (world.pointAlias === undefined) return;
    await world.pointAlias(ALIAS, `refs/heads/${world.branch}`);
    const built = await under.build([await world.open({ files: { 'a.txt': 'a\n' }, base: ALIAS })]);
    const outcome = await under.land(built, { branch: ALIAS });
    expect(outcome).toEqual({ kind: 'landed', head: built.candidate.commit, tree: built.candidate.tree });
    expect(await under.tip()).toBe(built.candidate.commit);
    const pushed = await world.push({ 'b.txt': 'b\n' });
    expect(await under.tip(ALIAS)).toBe(pushed);
    expect((await under.land(built, { branch: ALIAS })).kind).toBe('landed');
  },

  'a landing on an alias that now points to another branch is refused as base_moved': async (
    under,
    expect,
  ) => {
    const { world } = under;
    if (world.pointAlias === undefined) return;
    await world.pointAlias(ALIAS, `refs/heads/${world.branch}`);
    await world.branchOff('other');
    const built = await under.build([await world.open({ files: { 'a.txt': 'a\n' }, base: ALIAS })]);
    const pushed = await world.push({ 'b.txt': 'b\n' });
    await world.pointAlias(ALIAS, 'refs/heads/other');
    const before = await under.tip('other');
    expect((await under.land({ ...built, base: pushed }, { branch: ALIAS })).kind).toBe('base_moved');
    expect([await under.tip(), await under.tip('other')]).toEqual([pushed, before]);
  },
};
