import type { HostPullRequest } from '@mq/core';
import { type ContractTests, NO_COMMIT } from './under-test.js';
import type { PullChange } from './world.js';

const changes: Readonly<Record<string, PullChange>> = {
  'pushed to': { files: { 'a.txt': 'b\n' } },
  closed: { state: 'closed' },
  'made a draft': { draft: true },
  retargeted: { base: 'next' },
};

/** The fields that a refused landing must return; mergeability is optional. */
const landingFields = ({ number, head, base, state, draft, merged }: HostPullRequest) => ({
  ...{ number, head, base, state, draft, merged },
});

const changed = Object.entries(changes).map(([what, change]): [string, ContractTests[string]] => [
  `a landing is refused if a member was ${what}, and the member is returned as it is now`,
  async (under, expect) => {
    await under.world.branchOff('next');
    const number = await under.open({ 'a.txt': 'a\n' });
    const other = await under.open({ 'b.txt': 'b\n' });
    const built = await under.build([other, number]);
    await under.world.update(number, change);
    const outcome = await under.isRefused(built, 'members_changed');
    if (outcome.kind !== 'members_changed') return;
    const now = await under.pull(number);
    expect(outcome.missing).toEqual([]);
    expect(outcome.pulls.map(landingFields)).toEqual([landingFields(now)]);
    expect((await under.pull(other)).state).toBe('open');
  },
]);

export const obstacles: ContractTests = {
  'a landing is refused if the target was pushed to': async (under, expect) => {
    const number = await under.open({ 'a.txt': 'a\n' });
    const built = await under.build([number]);
    const head = await under.world.push({ 'b.txt': 'b\n' });
    expect(await under.isRefused(built, 'base_moved')).toEqual({ kind: 'base_moved', head });
    expect((await under.pull(number)).state).toBe('open');
  },

  'a landing is refused if the target was force-pushed back': async (under, expect) => {
    const before = await under.tip();
    await under.world.push({ 'b.txt': 'b\n' });
    const built = await under.build([await under.open({ 'a.txt': 'a\n' })]);
    await under.world.rewind(before);
    expect(await under.isRefused(built, 'base_moved')).toEqual({ kind: 'base_moved', head: before });
  },

  'a landing on a branch that does not exist is refused without a head': async (under, expect) => {
    const built = await under.build([await under.open({ 'a.txt': 'a\n' })]);
    const outcome = await under.isRefused(built, 'base_moved', { branch: 'no-such-branch' });
    expect(outcome).toEqual({ kind: 'base_moved', head: null });
  },

  ...Object.fromEntries(changed),

  'a landing is refused if a member was deleted, and the member is listed as missing': async (
    under,
    expect,
  ) => {
    const number = await under.open({ 'a.txt': 'a\n' });
    const built = await under.build([number, await under.open({ 'b.txt': 'b\n' })]);
    await under.world.update(number, { deleted: true });
    const outcome = await under.isRefused(built, 'members_changed');
    expect(outcome).toEqual({ kind: 'members_changed', pulls: [], missing: [number] });
  },

  'a landing with a pull request that does not exist lists it as missing': async (under, expect) => {
    const built = await under.build([await under.open({ 'a.txt': 'a\n' })]);
    const members = [{ pr: 99_999, head: built.candidate.steps[0]?.head ?? NO_COMMIT, forced: false }];
    const outcome = await under.isRefused(built, 'members_changed', { members });
    expect(outcome).toEqual({ kind: 'members_changed', pulls: [], missing: [99_999] });
  },

  'a member that has already landed cannot land again': async (under, expect) => {
    const number = await under.open({ 'a.txt': 'a\n' });
    const first = await under.build([number]);
    await under.land(first);
    const other = await under.build([await under.open({ 'b.txt': 'b\n' })]);
    const members = first.candidate.steps.map(({ pr, head }) => ({ pr, head, forced: false }));
    const outcome = await under.isRefused(other, 'members_changed', { members });
    expect(outcome.kind === 'members_changed' && outcome.pulls.map(({ state }) => state)).toEqual(['merged']);
  },

  'a candidate that is not built on the tip is refused: landings never force-push': async (under, expect) => {
    const built = await under.build([await under.open({ 'a.txt': 'a\n' })]);
    const onto = await under.world.push({ 'b.txt': 'b\n' });
    const outcome = await under.isRefused(built, 'refused', { onto });
    expect(outcome.kind === 'refused' && outcome.pr).toBe(null);
  },

  'a dropped candidate does not land': async (under, expect) => {
    const { host, repo } = under.world;
    const built = await under.build([await under.open({ 'a.txt': 'a\n' })]);
    await host.dropCandidate({ repo, runId: built.run });
    expect(await under.isRefused(built, 'candidate_gone')).toEqual({ kind: 'candidate_gone' });
  },

  'a commit other than the stored candidate of the test run does not land': async (under) => {
    const one = await under.build([await under.open({ 'a.txt': 'a\n' })]);
    const two = await under.build([await under.open({ 'b.txt': 'b\n' })]);
    await under.isRefused(one, 'candidate_gone', { candidate: two.candidate, members: [] });
  },
};
