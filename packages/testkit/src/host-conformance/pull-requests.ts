import { PULL_REQUESTS_PER_READ } from '@mq/core';
import { type ContractTests, type HostUnderTest, rejects } from './under-test.js';

/** About ten thousand characters. */
const longBody = `It was missing.\n\n${'Now it is there. '.repeat(600)}\nThe end.`;

const shownOf = async (under: HostUnderTest, number: number) => {
  const { state, merged, draft, mergeability, mergeabilityReason, conflicts } = await under.pull(number);
  return { state, merged, draft, mergeability, mergeabilityReason, conflicts };
};

export const pullRequests: ContractTests = {
  'an opened pull request is shown as it was opened': async (under, expect) => {
    const { world } = under;
    const number = await world.open({
      files: { 'a.txt': 'a\n' },
      title: 'Add a',
      body: longBody,
      author: 'Ada',
    });
    const pull = await under.pull(number);
    const { title, body, author, base, state, merged, draft, mergeability, conflicts } = pull;
    expect({ title, body, author, base, state, merged, draft, mergeability, conflicts }).toEqual({
      title: 'Add a',
      body: longBody,
      author: 'Ada',
      base: world.branch,
      state: 'open',
      merged: null,
      draft: false,
      mergeability: 'mergeable',
      conflicts: false,
    });
    expect(pull.number).toBe(number);
    expect(await world.filesAt(pull.head)).toEqual({ 'README.md': 'begin\n', 'a.txt': 'a\n' });
  },

  'text that looks like options or markup is returned unchanged': async (under, expect) => {
    const title = '--upload-pack=touch "$(id)" `x` \\ %s';
    const body = '-c core.hooksPath=/tmp\n\u2603 <b>\n--\n';
    const number = await under.world.open({ files: { 'a.txt': 'a\n' }, title, body });
    const pull = await under.pull(number);
    expect([pull.title, pull.body]).toEqual([title, body]);
  },

  'the head follows a push to its branch': async (under, expect) => {
    const number = await under.open({ 'a.txt': 'a\n' });
    const before = await under.pull(number);
    await under.world.update(number, { files: { 'a.txt': 'b\n' } });
    const after = await under.pull(number);
    expect(after.head === before.head).toBe(false);
    expect((await under.world.filesAt(after.head))['a.txt']).toBe('b\n');
  },

  'edits of text, draft, base and state are shown': async (under, expect) => {
    const { world } = under;
    await world.branchOff('next');
    const number = await under.open({ 'a.txt': 'a\n' });
    await world.update(number, { title: 'Other', body: 'New.', draft: true, base: 'next' });
    const { title, body, draft, base } = await under.pull(number);
    expect({ title, body, draft, base }).toEqual({ title: 'Other', body: 'New.', draft: true, base: 'next' });
    await world.update(number, { state: 'closed', draft: false });
    expect((await under.pull(number)).state).toBe('closed');
    await world.update(number, { state: 'open' });
    const again = await under.pull(number);
    expect([again.state, again.draft]).toEqual(['open', false]);
  },

  'a merged pull request is shown as not mergeable, with the reason and without a conflict': async (
    under,
    expect,
  ) => {
    const number = await under.open({ 'a.txt': 'a\n' });
    const built = await under.build([number]);
    await under.land(built);
    expect(await shownOf(under, number)).toEqual({
      state: 'merged',
      merged: { branch: under.world.branch, commit: built.candidate.commit },
      draft: false,
      mergeability: 'not_mergeable',
      mergeabilityReason: 'It is merged.',
      conflicts: false,
    });
  },

  'a closed pull request is shown as not mergeable, with the reason and without a conflict': async (
    under,
    expect,
  ) => {
    const number = await under.open({ 'README.md': 'mine\n' });
    await under.world.push({ 'README.md': 'theirs\n' });
    await under.world.update(number, { state: 'closed' });
    expect(await shownOf(under, number)).toEqual({
      state: 'closed',
      merged: null,
      draft: false,
      mergeability: 'not_mergeable',
      mergeabilityReason: 'It is closed.',
      conflicts: false,
    });
  },

  'the mergeability of a draft is shown as for any other pull request': async (under, expect) => {
    const number = await under.open({ 'README.md': 'mine\n' });
    await under.world.update(number, { draft: true });
    const open = { state: 'open', merged: null, draft: true } as const;
    const mergeable = { mergeability: 'mergeable', mergeabilityReason: null, conflicts: false } as const;
    expect(await shownOf(under, number)).toEqual({ ...open, ...mergeable });
    await under.world.push({ 'README.md': 'theirs\n' });
    const { mergeability, conflicts } = await shownOf(under, number);
    expect([mergeability, conflicts]).toEqual(['not_mergeable', true]);
  },

  'the head of a pull request stays known after its branch was deleted': async (under, expect) => {
    const number = await under.open({ 'a.txt': 'a\n' });
    const before = await under.pull(number);
    await under.world.update(number, { deleteBranch: true });
    const after = await under.pull(number);
    const state = under.world.closesWithBranch === true ? 'closed' : 'open';
    expect([after.head, after.headBranch, after.state]).toEqual([before.head, null, state]);
  },

  'one read returns many pull requests, without unknown numbers and without duplicates': async (
    { world },
    expect,
  ) => {
    const numbers = [];
    for (const file of ['a', 'b', 'c']) numbers.push(await world.open({ files: { [file]: `${file}\n` } }));
    const [first = 0] = numbers;
    const read = await world.host.getPullRequests(world.repo, [...numbers, 99_999, first]);
    expect(read.map(({ number }) => number).sort()).toEqual([...numbers].sort());
    expect(await world.host.getPullRequests(world.repo, [])).toEqual([]);
  },

  'reading more pull requests than allowed is an error': async ({ world }, expect) => {
    const numbers = Array.from({ length: PULL_REQUESTS_PER_READ + 1 }, (_, index) => index + 1);
    expect(await rejects(world.host.getPullRequests(world.repo, numbers))).toBe(true);
    expect(await rejects(world.host.getPullRequests(world.repo, numbers.slice(1)))).toBe(false);
  },

  'a conflict with the base is shown, and only for the pull request that has it': async (under, expect) => {
    const conflicting = await under.open({ 'README.md': 'mine\n' });
    const clean = await under.open({ 'a.txt': 'a\n' });
    await under.world.push({ 'README.md': 'theirs\n' });
    const { mergeability, mergeabilityReason, conflicts } = await under.pull(conflicting);
    expect([mergeability, conflicts, mergeabilityReason === null]).toEqual(['not_mergeable', true, false]);
    const other = await under.pull(clean);
    expect([other.mergeability, other.conflicts, other.mergeabilityReason]).toEqual([
      'mergeable',
      false,
      null,
    ]);
  },

  'a pull request is found by its head branch': async (under, expect) => {
    const { host, repo } = under.world;
    const one = await under.open({ 'a.txt': 'a\n' });
    const two = await under.open({ 'b.txt': 'b\n' });
    expect(await host.findPullRequest(repo, (await under.pull(one)).headBranch ?? '')).toBe(one);
    expect(await host.findPullRequest(repo, (await under.pull(two)).headBranch ?? '')).toBe(two);
    expect(await host.findPullRequest(repo, 'no-such-branch')).toBe(null);
  },

  'a closed pull request is still found by its head branch': async (under, expect) => {
    const { host, repo } = under.world;
    const number = await under.open({ 'a.txt': 'a\n' });
    const { headBranch } = await under.pull(number);
    await under.world.update(number, { state: 'closed' });
    expect(await host.findPullRequest(repo, headBranch ?? '')).toBe(number);
  },
};
