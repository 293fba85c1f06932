import { type ContractTests, methods, NO_COMMIT } from './under-test.js';

export const conflicts: ContractTests = {
  'a conflict with the target is reported with its paths': async (under, expect) => {
    const number = await under.open({ 'README.md': 'mine\n', 'a.txt': 'a\n' });
    const other = await under.open({ 'b.txt': 'b\n' });
    await under.world.push({ 'README.md': 'theirs\n' });
    for (const method of methods)
      for (const prs of [[number], [other, number]])
        expect(await under.tryToBuild(prs, { method })).toEqual({
          kind: 'conflicted',
          pr: number,
          with: 'target',
          paths: ['README.md'],
        });
  },

  'a conflict with a pull request below names that one, and the others can still be built': async (
    under,
    expect,
  ) => {
    const one = await under.open({ 'a.txt': 'a\n' });
    const two = await under.open({ 'README.md': 'two\n' });
    const three = await under.open({ 'README.md': 'three\n' });
    for (const method of methods) {
      const outcome = await under.tryToBuild([one, two, three], { method });
      expect(outcome).toEqual({ kind: 'conflicted', pr: three, with: two, paths: ['README.md'] });
      expect(await under.tryToBuild([two, one, three], { method })).toEqual(outcome);
      expect((await under.tryToBuild([one, three], { method })).kind).toBe('built');
    }
  },

  'a conflict with a pull request below becomes a conflict with the target once that one has landed': async (
    under,
    expect,
  ) => {
    const one = await under.open({ 'README.md': 'one\n' });
    const two = await under.open({ 'README.md': 'two\n' });
    await under.land(await under.build([one]));
    const outcome = await under.tryToBuild([two]);
    expect(outcome).toEqual({ kind: 'conflicted', pr: two, with: 'target', paths: ['README.md'] });
  },

  'a change that is already on the target is reported as nothing to land': async (under, expect) => {
    const number = await under.open({ 'a.txt': 'a\n' });
    await under.world.push({ 'a.txt': 'a\n' });
    for (const method of methods)
      expect(await under.tryToBuild([number], { method })).toEqual({
        kind: 'nothing_to_land',
        pr: number,
        with: 'target',
      });
  },

  'a change that a pull request below makes too is reported as nothing to land': async (under, expect) => {
    const one = await under.open({ 'a.txt': 'a\n' });
    const two = await under.open({ 'b.txt': 'b\n' });
    const same = await under.open({ 'b.txt': 'b\n' });
    for (const method of methods)
      expect(await under.tryToBuild([one, two, same], { method })).toEqual({
        kind: 'nothing_to_land',
        pr: same,
        with: two,
      });
  },

  'a head that does not exist is reported as gone': async (under, expect) => {
    const { host, repo, branch } = under.world;
    const part = { pr: 7, head: NO_COMMIT, message: { title: 'T', body: '' } };
    const request = {
      repo,
      branch,
      runId: under.nextRun(),
      base: await under.tip(),
      parts: [part],
      decidedAt: 0,
    };
    for (const method of methods)
      expect(await host.buildCandidate({ ...request, method })).toEqual({ kind: 'head_gone', pr: 7 });
  },

  'a base that does not exist is refused without naming a pull request': async (under, expect) => {
    const number = await under.open({ 'a.txt': 'a\n' });
    for (const prs of [[number], []]) {
      const outcome = await under.tryToBuild(prs, { base: NO_COMMIT });
      expect([outcome.kind, 'class' in outcome && outcome.class, 'pr' in outcome && outcome.pr]).toEqual([
        'refused',
        'wait',
        null,
      ]);
    }
  },

  'a candidate that could not be built is not stored': async (under, expect) => {
    const number = await under.open({ 'README.md': 'mine\n' });
    await under.world.push({ 'README.md': 'theirs\n' });
    await under.tryToBuild([number]);
    expect(await under.world.host.listCandidates(under.world.repo)).toEqual([]);
  },
};
