import { type ContractTests, methods } from './under-test.js';

export const candidates: ContractTests = {
  'a candidate contains the base and its pull requests, with every merge method': async (under, expect) => {
    const one = await under.open({ 'a.txt': 'a\n' });
    const two = await under.open({ 'b.txt': 'b\n' });
    await under.world.push({ 'c.txt': 'c\n' });
    for (const method of methods) {
      const { candidate } = await under.build([one, two], { method });
      expect(await under.world.filesAt(candidate.commit)).toEqual({
        'README.md': 'begin\n',
        'a.txt': 'a\n',
        'b.txt': 'b\n',
        'c.txt': 'c\n',
      });
    }
  },

  'a candidate has one step per pull request, and the last step is the candidate itself': async (
    under,
    expect,
  ) => {
    const prs = [await under.open({ 'a.txt': 'a\n' }), await under.open({ 'b.txt': 'b\n' })];
    for (const method of methods) {
      const { candidate } = await under.build(prs, { method });
      expect(candidate.steps.map(({ pr }) => pr)).toEqual(prs);
      expect(candidate.steps.map(({ head }) => head)).toEqual([
        (await under.pull(prs[0] ?? 0)).head,
        (await under.pull(prs[1] ?? 0)).head,
      ]);
      const [first, last] = candidate.steps;
      expect({ commit: last?.commit, tree: last?.tree }).toEqual({
        commit: candidate.commit,
        tree: candidate.tree,
      });
      const alone = first === undefined ? {} : await under.world.filesAt(first.commit);
      expect(Object.keys(alone).sort()).toEqual(['README.md', 'a.txt']);
    }
  },

  'a step names the tree of its pull request’s head, which equals the step’s tree if the base adds nothing':
    async (under, expect) => {
      const [one, two] = [await under.open({ 'a.txt': 'a\n' }), await under.open({ 'b.txt': 'b\n' })];
      for (const method of methods) {
        const alone = await under.build([one], { method });
        const both = await under.build([one, two], { method });
        const [first, second] = both.candidate.steps;
        expect(alone.candidate.steps.map(({ headTree }) => headTree)).toEqual([alone.candidate.tree]);
        expect([first?.headTree, first?.tree]).toEqual([alone.candidate.tree, alone.candidate.tree]);
        const ofSecond = await under.build([two], { method });
        expect([second?.headTree, second?.headTree === second?.tree]).toEqual([
          ofSecond.candidate.tree,
          false,
        ]);
      }
      await under.world.push({ 'c.txt': 'c\n' });
      const [step] = (await under.build([one])).candidate.steps;
      expect(step?.headTree === step?.tree).toBe(false);
    },

  'the same request gives the same commits, for every test run and every time': async (under, expect) => {
    const prs = [await under.open({ 'a.txt': 'a\n' }), await under.open({ 'b.txt': 'b\n' })];
    for (const method of methods) {
      const first = await under.build(prs, { method });
      expect((await under.build(prs, { method, run: first.run })).candidate).toEqual(first.candidate);
      const another = await under.build(prs, { method });
      expect({ ...another.candidate, ref: first.candidate.ref }).toEqual(first.candidate);
    }
  },

  'a candidate names its ref, and each test run has its own ref': async (under, expect) => {
    const number = await under.open({ 'a.txt': 'a\n' });
    const [one, two] = [await under.build([number]), await under.build([number])];
    const refs = [one, two].map(({ candidate }) => candidate.ref);
    expect([refs.includes(''), new Set(refs).size]).toEqual([false, 2]);
  },

  'a pull request becomes the same commit alone and below others': async (under, expect) => {
    const one = await under.open({ 'a.txt': 'a\n' });
    const two = await under.open({ 'b.txt': 'b\n' });
    for (const method of methods) {
      const alone = await under.build([one], { method });
      const stacked = await under.build([one, two], { method });
      expect(stacked.candidate.steps[0]?.commit).toBe(alone.candidate.commit);
      const onTop = await under.build([two], { method, base: alone.candidate.commit });
      expect(onTop.candidate.commit).toBe(stacked.candidate.commit);
    }
  },

  'building moves no branch, merges nothing, and stores the candidate of the test run until it is dropped':
    async (under, expect) => {
      const { host, repo } = under.world;
      const number = await under.open({ 'a.txt': 'a\n' });
      const before = await under.tip();
      const first = await under.build([number]);
      await under.build([number], { run: first.run });
      const second = await under.build([number]);
      expect(await under.tip()).toBe(before);
      expect((await under.pull(number)).state).toBe('open');
      expect([...(await host.listCandidates(repo))].sort()).toEqual([first.run, second.run].sort());
      await host.dropCandidate({ repo, runId: first.run });
      await host.dropCandidate({ repo, runId: first.run });
      expect(await host.listCandidates(repo)).toEqual([second.run]);
    },

  'a candidate without pull requests is the base itself, for every test run and merge method': async (
    under,
    expect,
  ) => {
    const base = await under.world.push({ 'a.txt': 'a\n' });
    const [{ tree } = { tree: '' }] = await under.world.log();
    for (const method of methods) {
      const { candidate } = await under.build([], { method });
      expect({ ...candidate, ref: '' }).toEqual({ ref: '', commit: base, tree, steps: [] });
    }
    expect(await under.tip()).toBe(base);
  },

  'a candidate without pull requests is stored until it is dropped, even if the target no longer contains its base':
    async (under, expect) => {
      const { host, repo } = under.world;
      const before = await under.tip();
      const pushed = await under.world.push({ 'a.txt': 'a\n' });
      const baseline = await under.build([]);
      await under.world.rewind(before);
      expect(await host.listCandidates(repo)).toEqual([baseline.run]);
      const again = await under.build([], { run: baseline.run, base: pushed });
      expect(again.candidate).toEqual(baseline.candidate);
      await host.dropCandidate({ repo, runId: baseline.run });
      expect(await host.listCandidates(repo)).toEqual([]);
      expect(await under.tip()).toBe(before);
    },

  'a merge commit has the base and the head as parents and the requested message': async (under, expect) => {
    const number = await under.world.open({ files: { 'a.txt': 'a\n' }, commits: [{ 'b.txt': 'b\n' }] });
    const { head } = await under.pull(number);
    const built = await under.build([number], { method: 'merge_commit' });
    await under.land(built);
    const [commit, below] = await under.world.log();
    expect({ parents: commit?.parents, title: commit?.title }).toEqual({
      parents: [built.base, head],
      title: `Land #${number}`,
    });
    expect(below?.commit).toBe(built.base);
  },

  'a squash is one commit on the base with the requested message': async (under, expect) => {
    const number = await under.world.open({ files: { 'a.txt': 'a\n' }, commits: [{ 'b.txt': 'b\n' }] });
    const built = await under.build([number], { method: 'squash' });
    await under.land(built);
    const [commit] = await under.world.log();
    expect({ parents: commit?.parents, title: commit?.title }).toEqual({
      parents: [built.base],
      title: `Land #${number}`,
    });
  },

  'a rebase applies each commit in order, with one parent each': async (under, expect) => {
    const number = await under.world.open({
      files: { 'a.txt': 'a\n' },
      commits: [{ 'b.txt': 'b\n' }, { 'b.txt': 'c\n' }],
    });
    const base = await under.world.push({ 'c.txt': 'c\n' });
    const built = await under.build([number], { method: 'rebase' });
    await under.land(built);
    const line = (await under.world.log()).slice(0, 4);
    expect(line.map(({ parents }) => parents.length)).toEqual([1, 1, 1, 1]);
    expect(line[3]?.commit).toBe(base);
    const added = [];
    for (const { commit } of line.slice(0, 3)) added.push((await under.world.filesAt(commit))['b.txt']);
    expect(added).toEqual(['c\n', 'b\n', undefined]);
  },

  'a rebase leaves out commits that the target already has': async (under, expect) => {
    const number = await under.world.open({ files: { 'a.txt': 'a\n' }, commits: [{ 'b.txt': 'b\n' }] });
    const base = await under.world.push({ 'a.txt': 'a\n' });
    const built = await under.build([number], { method: 'rebase' });
    await under.land(built);
    const [commit] = await under.world.log();
    expect(commit?.parents).toEqual([base]);
    expect(Object.keys(await under.world.filesAt(built.candidate.commit)).sort()).toEqual([
      'README.md',
      'a.txt',
      'b.txt',
    ]);
  },

  'a candidate keeps what landed after the pull request branched off': async (under, expect) => {
    const number = await under.open({ 'a.txt': 'a\n' });
    await under.world.push({ 'README.md': 'newer\n', 'c.txt': 'c\n' });
    for (const method of methods) {
      const { candidate } = await under.build([number], { method });
      expect(await under.world.filesAt(candidate.commit)).toEqual({
        'README.md': 'newer\n',
        'a.txt': 'a\n',
        'c.txt': 'c\n',
      });
    }
  },

  'a candidate is built from the requested head, even if its branch was pushed to since': async (
    under,
    expect,
  ) => {
    const { host, repo, branch } = under.world;
    const pr = await under.open({ 'a.txt': 'a\n' });
    const { head } = await under.pull(pr);
    await under.world.update(pr, { files: { 'a.txt': 'newer\n' } });
    const parts = [{ pr, head, message: { title: 'Add a', body: '' } }];
    const at = { repo, branch, base: await under.tip(), method: 'squash', decidedAt: 0 } as const;
    const outcome = await host.buildCandidate({ ...at, runId: under.nextRun(), parts });
    if (outcome.kind !== 'built') throw new Error(`No candidate was built: ${JSON.stringify(outcome)}`);
    expect((await under.world.filesAt(outcome.candidate.commit))['a.txt']).toBe('a\n');
    expect(outcome.candidate.steps.map((step) => step.head)).toEqual([head]);
  },

  'a candidate is built from the requested head, even if its branch was deleted': async (under, expect) => {
    const number = await under.open({ 'a.txt': 'a\n' });
    await under.world.update(number, { deleteBranch: true });
    const { candidate } = await under.build([number]);
    expect((await under.world.filesAt(candidate.commit))['a.txt']).toBe('a\n');
  },
};
