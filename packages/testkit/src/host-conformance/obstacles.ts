import type { HostPullRequest } from '@mq/core';
import { NO_COMMIT, type Promises } from './under-test.js';
import type { PullChange } from './world.js';

const changes: Readonly<Record<string, PullChange>> = {
  'pushed to': { files: { 'a.txt': 'b\n' } },
  closed: { state: 'closed' },
  'made a draft': { draft: true },
  retargeted: { base: 'next' },
};

/** What a landing has to know of it: mergeability is none of that. */
const asItIs = ({ number, head, base, state, draft, merged }: HostPullRequest) => ({
  ...{ number, head, base, state, draft, merged },
});

const changed = Object.entries(changes).map(([what, change]): [string, Promises[string]] => [
  `a member that was ${what} holds the landing back, and is shown as it is now`,
  async (under, expect) => {
    await under.world.branchOff('next');
    const number = await under.open({ 'a.txt': 'a\n' });
    const other = await under.open({ 'b.txt': 'b\n' });
    const built = await under.build([other, number]);
    await under.world.update(number, change);
    const outcome = await under.holdsBack(built, 'members_changed');
    if (outcome.kind !== 'members_changed') return;
    const now = await under.pull(number);
    expect(outcome.missing).toEqual([]);
    expect(outcome.pulls.map(asItIs)).toEqual([asItIs(now)]);
    expect((await under.pull(other)).state).toBe('open');
  },
]);

export const obstacles: Promises = {
  'a target that was pushed to holds the landing back': async (under, expect) => {
    const number = await under.open({ 'a.txt': 'a\n' });
    const built = await under.build([number]);
    const head = await under.world.push({ 'b.txt': 'b\n' });
    expect(await under.holdsBack(built, 'base_moved')).toEqual({ kind: 'base_moved', head });
    expect((await under.pull(number)).state).toBe('open');
  },

  'a target that was forced back holds the landing back': async (under, expect) => {
    const before = await under.tip();
    await under.world.push({ 'b.txt': 'b\n' });
    const built = await under.build([await under.open({ 'a.txt': 'a\n' })]);
    await under.world.rewind(before);
    expect(await under.holdsBack(built, 'base_moved')).toEqual({ kind: 'base_moved', head: before });
  },

  'a branch that does not exist has no head to land on': async (under, expect) => {
    const built = await under.build([await under.open({ 'a.txt': 'a\n' })]);
    const outcome = await under.holdsBack(built, 'base_moved', { branch: 'no-such-branch' });
    expect(outcome).toEqual({ kind: 'base_moved', head: null });
  },

  ...Object.fromEntries(changed),

  'a member that was deleted holds the landing back, and is missing': async (under, expect) => {
    const number = await under.open({ 'a.txt': 'a\n' });
    const built = await under.build([number, await under.open({ 'b.txt': 'b\n' })]);
    await under.world.update(number, { deleted: true });
    const outcome = await under.holdsBack(built, 'members_changed');
    expect(outcome).toEqual({ kind: 'members_changed', pulls: [], missing: [number] });
  },

  'a member that the host does not know is missing': async (under, expect) => {
    const built = await under.build([await under.open({ 'a.txt': 'a\n' })]);
    const members = [{ pr: 99_999, head: built.candidate.steps[0]?.head ?? NO_COMMIT, forced: false }];
    const outcome = await under.holdsBack(built, 'members_changed', { members });
    expect(outcome).toEqual({ kind: 'members_changed', pulls: [], missing: [99_999] });
  },

  'a member that landed before cannot land again': async (under, expect) => {
    const number = await under.open({ 'a.txt': 'a\n' });
    const first = await under.build([number]);
    await under.land(first);
    const other = await under.build([await under.open({ 'b.txt': 'b\n' })]);
    const members = first.candidate.steps.map(({ pr, head }) => ({ pr, head, forced: false }));
    const outcome = await under.holdsBack(other, 'members_changed', { members });
    expect(outcome.kind === 'members_changed' && outcome.pulls.map(({ state }) => state)).toEqual(['merged']);
  },

  'never by force: a candidate that is not built on the tip is refused': async (under, expect) => {
    const built = await under.build([await under.open({ 'a.txt': 'a\n' })]);
    const onto = await under.world.push({ 'b.txt': 'b\n' });
    const outcome = await under.holdsBack(built, 'refused', { onto });
    expect(outcome.kind === 'refused' && outcome.pr).toBe(null);
  },

  'a candidate that was dropped does not land': async (under, expect) => {
    const { host, repo } = under.world;
    const built = await under.build([await under.open({ 'a.txt': 'a\n' })]);
    await host.dropCandidate({ repo, runId: built.run });
    expect(await under.holdsBack(built, 'candidate_gone')).toEqual({ kind: 'candidate_gone' });
  },

  'another commit than the one that is kept for the run does not land': async (under) => {
    const one = await under.build([await under.open({ 'a.txt': 'a\n' })]);
    const two = await under.build([await under.open({ 'b.txt': 'b\n' })]);
    await under.holdsBack(one, 'candidate_gone', { candidate: two.candidate, members: [] });
  },
};
