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
