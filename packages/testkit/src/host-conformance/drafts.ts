import type { BuiltRun, ContractTests, HostUnderTest } from './under-test.js';

const title = 'Merge queue: test of 1';

const show = ({ world }: HostUnderTest, { run, candidate }: BuiltRun): Promise<void> | undefined =>
  world.host.openDraft?.({
    ...{ repo: world.repo, runId: run, branch: world.branch, commit: candidate.commit },
    ...{ title, body: 'Do not merge it.' },
  });

const built = async (under: HostUnderTest): Promise<BuiltRun> =>
  under.build([await under.open({ 'a.txt': 'a\n' })]);

/** Tests of draft pull requests. A host without drafts passes if it offers none. */
export const drafts: ContractTests = {
  'a host offers draft pull requests if people can see them there, and not otherwise': async (
    { world },
    expect,
  ) => {
    expect(world.openDrafts !== undefined).toBe(world.host.openDraft !== undefined);
  },

  'a candidate is shown as one draft pull request, however often that is requested, until it is dropped':
    async (under, expect) => {
      const { world } = under;
      if (world.openDrafts === undefined) return;
      const one = await built(under);
      for (let times = 0; times < 2; times += 1) await show(under, one);
      expect(await world.openDrafts()).toEqual([{ branch: world.branch, title }]);
      await world.host.dropCandidate({ repo: world.repo, runId: one.run });
      expect(await world.openDrafts()).toEqual([]);
    },

  'a draft pull request does not keep its candidate from landing, and is closed by the landing': async (
    under,
    expect,
  ) => {
    const { world } = under;
    if (world.openDrafts === undefined) return;
    const one = await built(under);
    await show(under, one);
    expect((await under.land(one)).kind).toBe('landed');
    expect(await world.openDrafts()).toEqual([]);
    await show(under, one);
    expect(await world.openDrafts()).toEqual([]);
  },

  'a draft pull request is not opened for a candidate that is no longer kept': async (under, expect) => {
    const { world } = under;
    if (world.openDrafts === undefined) return;
    const one = await built(under);
    await world.host.dropCandidate({ repo: world.repo, runId: one.run });
    await show(under, one);
    expect(await world.openDrafts()).toEqual([]);
  },
};
