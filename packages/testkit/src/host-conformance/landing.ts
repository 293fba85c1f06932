import { type ContractTests, methods } from './under-test.js';

export const landing: ContractTests = {
  'after a landing the tested commit is the tip, and the pull request is merged as that commit': async (
    under,
    expect,
  ) => {
    const number = await under.open({ 'a.txt': 'a\n' });
    const built = await under.build([number]);
    const { commit, tree } = built.candidate;
    expect(await under.land(built)).toEqual({ kind: 'landed', head: commit, tree });
    expect(await under.tip()).toBe(commit);
    const pull = await under.pull(number);
    expect([pull.state, pull.merged]).toEqual(['merged', { branch: under.world.branch, commit }]);
  },

  'a batch lands in one move of the target, and each pull request is merged as its own step': async (
    under,
    expect,
  ) => {
    for (const method of methods) {
      const prs = [];
      for (const file of ['a', 'b', 'c']) prs.push(await under.open({ [`${method}-${file}`]: `${file}\n` }));
      const built = await under.build(prs, { method });
      const before = await under.world.moves();
      expect((await under.land(built)).kind).toBe('landed');
      expect(await under.world.moves()).toEqual([...before, built.candidate.commit]);
      const merged = [];
      for (const pr of prs) merged.push((await under.pull(pr)).merged?.commit);
      expect(merged).toEqual(built.candidate.steps.map(({ commit }) => commit));
    }
  },

  'a stacked candidate lands by fast-forward after the one below it': async (under, expect) => {
    for (const method of methods) {
      const one = await under.open({ [`${method}-1`]: '1\n' });
      const two = await under.open({ [`${method}-2`]: '2\n' });
      const lower = await under.build([one], { method });
      const upper = await under.build([one, two], { method });
      const before = await under.world.moves();
      expect((await under.land(lower)).kind).toBe('landed');
      const members = upper.candidate.steps.slice(1).map(({ pr, head }) => ({ pr, head, forced: false }));
      const outcome = await under.land(upper, { onto: lower.candidate.commit, members });
      expect(outcome.kind).toBe('landed');
      expect(await under.world.moves()).toEqual([...before, lower.candidate.commit, upper.candidate.commit]);
      expect(await under.tip()).toBe(upper.candidate.commit);
      expect([(await under.pull(one)).state, (await under.pull(two)).state]).toEqual(['merged', 'merged']);
    }
  },

  'a repeated landing returns the first outcome and changes nothing, whatever happened since': async (
    under,
    expect,
  ) => {
    const built = await under.build([await under.open({ 'a.txt': 'a\n' })]);
    const first = await under.land(built);
    expect(await under.land(built)).toEqual(first);
    const later = await under.world.push({ 'b.txt': 'b\n' });
    expect(await under.land(built)).toEqual(first);
    expect(await under.tip()).toBe(later);
    await under.world.rewind(built.base);
    expect(await under.land(built)).toEqual(first);
    expect((await under.world.moves()).slice(-3)).toEqual([built.candidate.commit, later, built.base]);
  },

  'a repeated landing returns the first outcome even if a member was deleted since': async (
    under,
    expect,
  ) => {
    const number = await under.open({ 'a.txt': 'a\n' });
    const built = await under.build([number, await under.open({ 'b.txt': 'b\n' })]);
    const first = await under.land(built);
    await under.world.update(number, { deleted: true });
    expect(await under.land(built)).toEqual(first);
    await under.world.rewind(built.base);
    expect(await under.land(built)).toEqual(first);
    expect(await under.world.host.getPullRequests(under.world.repo, [number])).toEqual([]);
  },

  'concurrent landings of the same test run all return landed, and the target moves once': async (
    under,
    expect,
  ) => {
    const built = await under.build([await under.open({ 'a.txt': 'a\n' })]);
    const before = await under.world.moves();
    const outcomes = await Promise.all([under.land(built), under.land(built), under.land(built)]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['landed', 'landed', 'landed']);
    expect(await under.world.moves()).toEqual([...before, built.candidate.commit]);
  },

  'one of two concurrent landings on the same base succeeds, and the other is refused as base_moved': async (
    under,
    expect,
  ) => {
    const one = await under.build([await under.open({ 'a.txt': 'a\n' })]);
    const two = await under.build([await under.open({ 'b.txt': 'b\n' })]);
    const before = await under.world.moves();
    const outcomes = await Promise.all([under.land(one), under.land(two)]);
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['base_moved', 'landed']);
    expect((await under.world.moves()).length).toBe(before.length + 1);
    expect((await under.world.log())[1]?.commit).toBe(one.base);
  },

  'a pull request whose branch was deleted lands at the tested head, unless the host closed it': async (
    under,
    expect,
  ) => {
    const number = await under.open({ 'a.txt': 'a\n' });
    const built = await under.build([number]);
    await under.world.update(number, { deleteBranch: true });
    if (under.world.closesWithBranch === true) {
      await under.isRefused(built, 'members_changed');
      return;
    }
    expect((await under.land(built)).kind).toBe('landed');
    expect((await under.pull(number)).state).toBe('merged');
  },
};
