import { git } from '@mq/test-git';
import { expect, onTestFinished, test } from 'vitest';
import { gitWorld, repo } from './git-world.js';
import { build, built, RUN } from './requests.js';

const worldWith = async (candidateBranches: boolean) => {
  const world = await gitWorld({ candidateBranches });
  onTestFinished(() => world.close());
  const pr = await world.open({ files: { 'a.txt': 'a\n' } });
  const branches = async () =>
    (
      await git(world.place.bare, 'for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads/mq')
    ).trim();
  return { world, pr, branches };
};

test('a candidate is a branch named after its pull request and test run until it is dropped', async () => {
  const { world, pr, branches } = await worldWith(true);
  const { commit } = await built(world, [pr]);
  await build(world, [pr]);

  expect(await branches()).toBe(`refs/heads/mq/pr-${pr}/${RUN} ${commit}`);
  await world.host.dropCandidate({ repo, runId: RUN });
  expect(await branches()).toBe('');
  await world.host.dropCandidate({ repo, runId: RUN });
});

test('the branch of a candidate is removed when the candidate lands', async () => {
  const { world, pr, branches } = await worldWith(true);
  const candidate = await built(world, [pr]);
  const members = candidate.steps.map(({ pr, head }) => ({ pr, head }));
  const onto = await world.place.tip('main');
  const outcome = await world.host.land({ repo, runId: RUN, branch: 'main', onto, candidate, members });

  expect(outcome.kind).toBe('landed');
  expect(await branches()).toBe('');
});

test('a candidate without pull requests has its own branch name', async () => {
  const { world, branches } = await worldWith(true);
  const { commit } = await built(world, []);

  expect(await branches()).toBe(`refs/heads/mq/base/${RUN} ${commit}`);
});

test('a push to the branch of a candidate is refused', async () => {
  const { world, pr, branches } = await worldWith(true);
  const { commit } = await built(world, [pr]);
  const { bare } = world.place;
  const push = git(bare, 'push', '--force', bare, `main:refs/heads/mq/pr-${pr}/${RUN}`);

  await expect(push).rejects.toThrow(/hidden ref/);
  expect(await branches()).toBe(`refs/heads/mq/pr-${pr}/${RUN} ${commit}`);
});

test('no candidate branch is written without the setting', async () => {
  const { world, pr, branches } = await worldWith(false);
  await built(world, [pr]);

  expect(await branches()).toBe('');
});

test('a branch that has the name of the folder of all candidates refuses builds with what to do', async () => {
  const { world, pr } = await worldWith(true);
  await git(world.place.bare, 'branch', 'mq', 'main');

  expect(await build(world, [pr])).toEqual({
    ...{ kind: 'refused', class: 'setting', pr: null },
    message: expect.stringMatching(/The branch mq .*Rename or delete it/),
  });
  await git(world.place.bare, 'branch', '-D', 'mq');
  await built(world, [pr]);
});

test('a branch that has the name of the folder of one pull request refuses only builds of that one', async () => {
  const { world, pr } = await worldWith(true);
  const other = await world.open({ files: { 'b.txt': 'b\n' } });
  await git(world.place.bare, 'branch', `mq/pr-${pr}`, 'main');

  expect(await build(world, [pr])).toEqual({
    ...{ kind: 'refused', class: 'pull_request', pr },
    message: expect.stringMatching(/The branch mq\/pr-1 .*Rename or delete it/),
  });
  await built(world, [other]);
});
