import { methods, type Promises } from './under-test.js';

export const landing: Promises = {
  'the commit that was tested is the tip, and the pull request is merged as it': async (under, expect) => {
    const number = await under.open({ 'a.txt': 'a\n' });
    const built = await under.build([number]);
    const { commit, tree } = built.candidate;
    expect(await under.land(built)).toEqual({ kind: 'landed', head: commit, tree });
    expect(await under.tip()).toBe(commit);
    const pull = await under.pull(number);
    expect([pull.state, pull.merged]).toEqual(['merged', { branch: under.world.branch, commit }]);
  },

  'a batch lands in one move of the target, each pull request merged as its own step': async (
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

  'a candidate stacked on another lands by fast-forward after it': async (under, expect) => {
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

  'asked again it answers landed again, whatever came after, and changes nothing': async (under, expect) => {
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

  'asked again after a member was deleted it answers landed again': async (under, expect) => {
    const number = await under.open({ 'a.txt': 'a\n' });
    const built = await under.build([number, await under.open({ 'b.txt': 'b\n' })]);
    const first = await under.land(built);
    await under.world.update(number, { deleted: true });
    expect(await under.land(built)).toEqual(first);
    await under.world.rewind(built.base);
    expect(await under.land(built)).toEqual(first);
    expect(await under.world.host.getPullRequests(under.world.repo, [number])).toEqual([]);
  },

  'of twins that land at once both say landed, and it happens once': async (under, expect) => {
    const built = await under.build([await under.open({ 'a.txt': 'a\n' })]);
    const before = await under.world.moves();
    const outcomes = await Promise.all([under.land(built), under.land(built), under.land(built)]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['landed', 'landed', 'landed']);
    expect(await under.world.moves()).toEqual([...before, built.candidate.commit]);
  },

  'of two runs that land on one base at once one lands and the other finds that the base has moved': async (
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

  'a pull request whose branch is gone lands at the head that was tested': async (under, expect) => {
    const number = await under.open({ 'a.txt': 'a\n' });
    const built = await under.build([number]);
    await under.world.update(number, { deleteBranch: true });
    expect((await under.land(built)).kind).toBe('landed');
    expect((await under.pull(number)).state).toBe('merged');
  },
};
