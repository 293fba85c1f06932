import type { Sha } from '@mq/core';
import type { ContractTests, HostUnderTest } from './under-test.js';

/** The branch and the target changed the same file; the branch merged the target and resolved the conflict. */
const resolved = async (under: HostUnderTest): Promise<{ readonly number: number; readonly merge: Sha }> => {
  const { world } = under;
  const own = await world.commit({ parents: [await under.tip()], files: { 'README.md': 'mine\n' } });
  const base = await world.push({ 'README.md': 'theirs\n' });
  const merge = await world.commit({ parents: [own, base], files: { 'README.md': 'both\n' } });
  return { number: await world.open({ head: merge }), merge };
};

export const mergeContent: ContractTests = {
  'a rebase that would lose the resolution in a merge commit names that commit, and is not a conflict':
    async (under, expect) => {
      const { number, merge } = await resolved(under);
      const other = await under.open({ 'b.txt': 'b\n' });
      for (const prs of [[number], [other, number]])
        expect(await under.tryToBuild(prs, { method: 'rebase' })).toEqual({
          kind: 'merge_content_lost',
          pr: number,
          with: 'target',
          commit: merge,
        });
      expect((await under.build([number], { method: 'squash' })).candidate.steps.length).toBe(1);
    },

  'a rebase that would lose changes made in a merge commit is refused': async (under, expect) => {
    const { world } = under;
    const own = await world.commit({ parents: [await under.tip()], files: { 'a.txt': 'a\n' } });
    const base = await world.push({ 'b.txt': 'b\n' });
    const files = { 'b.txt': 'b\n', 'fix.txt': 'fix\n' };
    const merge = await world.commit({ parents: [own, base], files });
    const head = await world.commit({ parents: [merge], files: { 'c.txt': 'c\n' } });
    const number = await world.open({ head });
    expect(await under.tryToBuild([number], { method: 'rebase' })).toEqual({
      ...{ kind: 'merge_content_lost', pr: number, with: 'target', commit: merge },
    });
  },

  'a rebase of a branch whose merge commits add nothing is built': async (under, expect) => {
    const { world } = under;
    const own = await world.commit({ parents: [await under.tip()], files: { 'a.txt': 'a\n' } });
    const base = await world.push({ 'b.txt': 'b\n' });
    const merge = await world.commit({ parents: [own, base], files: { 'b.txt': 'b\n' } });
    const head = await world.commit({ parents: [merge], files: { 'c.txt': 'c\n' } });
    const { candidate } = await under.build([await world.open({ head })], { method: 'rebase' });
    expect(Object.keys(await world.filesAt(candidate.commit)).sort()).toEqual([
      ...['README.md', 'a.txt', 'b.txt', 'c.txt'],
    ]);
  },

  'a rebase is built if the target already has the changes made in a merge commit': async (under, expect) => {
    const { world } = under;
    const own = await world.commit({ parents: [await under.tip()], files: { 'a.txt': 'a\n' } });
    const base = await world.push({ 'b.txt': 'b\n' });
    const files = { 'b.txt': 'b\n', 'fix.txt': 'fix\n' };
    const merge = await world.commit({ parents: [own, base], files });
    const number = await world.open({ head: merge });
    await world.push({ 'fix.txt': 'fix\n' });
    const { candidate } = await under.build([number], { method: 'rebase' });
    expect(candidate.steps.map(({ tree, reviewedTree }) => tree === reviewedTree)).toEqual([true]);
  },

  'a branch on top of another branch is rebased if it has no merge commits': async (under, expect) => {
    const { world } = under;
    const below = await world.commit({ parents: [await under.tip()], files: { 'README.md': 'one\n' } });
    const above = await world.commit({ parents: [below], files: { 'README.md': 'two\n' } });
    const prs = [await world.open({ head: below }), await world.open({ head: above })];
    await world.push({ 'b.txt': 'b\n' });
    const { candidate } = await under.build(prs, { method: 'rebase' });
    expect((await world.filesAt(candidate.commit))['README.md']).toBe('two\n');
  },

  'changes that a rebase loses only on top of a pull request below are reported with that one': async (
    under,
    expect,
  ) => {
    const { world } = under;
    const own = await world.commit({ parents: [await under.tip()], files: { 'a.txt': 'a\n' } });
    const base = await world.push({ 'b.txt': 'b\n' });
    const files = { 'b.txt': 'b\n', 'fix.txt': 'fix\n' };
    const merge = await world.commit({ parents: [own, base], files });
    const tip = await world.push({ 'fix.txt': 'fix\n' });
    const without = await world.commit({ parents: [tip], files: { 'fix.txt': null } });
    const [one, two] = [await world.open({ head: without }), await world.open({ head: merge })];
    expect(await under.tryToBuild([one, two], { method: 'rebase' })).toEqual({
      ...{ kind: 'merge_content_lost', pr: two, with: one, commit: merge },
    });
  },

  'a step names the tree of merging its head into the step below, with every merge method': async (
    under,
    expect,
  ) => {
    const [one, two] = [await under.open({ 'a.txt': 'a\n' }), await under.open({ 'b.txt': 'b\n' })];
    const { steps } = (await under.build([one, two], { method: 'squash' })).candidate;
    expect(steps.map(({ reviewedTree }) => reviewedTree)).toEqual(steps.map(({ tree }) => tree));
    const rebased = (await under.build([one, two], { method: 'rebase' })).candidate.steps;
    expect(rebased.map(({ reviewedTree }) => reviewedTree)).toEqual(steps.map(({ tree }) => tree));
  },

  'a rebased step has no reviewed tree if merging its head into the step below conflicts': async (
    under,
    expect,
  ) => {
    const { world } = under;
    const first = await world.commit({ parents: [await under.tip()], files: { 'README.md': 'one\n' } });
    const head = await world.commit({ parents: [first], files: { 'README.md': 'two\n' } });
    const number = await world.open({ head });
    await world.push({ 'README.md': 'one\n' });
    const { candidate } = await under.build([number], { method: 'rebase' });
    expect(candidate.steps.map(({ reviewedTree }) => reviewedTree)).toEqual([null]);
  },
};
