import type { Sha } from '@mq/core';
import { forgeAt, proxyTo } from '@mq/test-gitea';
import { HostUnderTest } from '@mq/testkit';
import { expect, inject, onTestFinished, test } from 'vitest';
import { hostChapters } from './chapters.js';
import { giteaWorld } from './gitea-world.js';

const forge = forgeAt(inject('gitea'));

/** The rest of the contract is tried on a host without drafts. */
hostChapters((_index, chapter) => /draft pull requests/.test(chapter), { drafts: true });

const shown = async () => {
  const way = await proxyTo(forge.gitea.url);
  const world = await giteaWorld(forge, { drafts: true, url: way.url });
  onTestFinished(async () => {
    await world.close();
    await way.close();
  });
  const under = new HostUnderTest(world, expect);
  const built = await under.build([await under.open({ 'a.txt': 'a\n' })]);
  const open = () =>
    world.host.openDraft?.({
      ...{ repo: world.repo, runId: built.run, branch: 'main', commit: built.candidate.commit },
      ...{ title: 'Merge queue: test of 1', body: 'Do not merge it.' },
    });
  const numbers = async (): Promise<readonly number[]> => {
    const all = await forge.api('GET', `${world.path}/pulls?state=open`);
    return (all as unknown as readonly { readonly number: number }[]).map(({ number }) => number);
  };
  return { way, world, built, open, numbers };
};

test('the poll for labels reads no timeline of a draft that the queue opened', async () => {
  const { way, world, open, numbers } = await shown();
  const [pr] = await numbers();
  await open();
  const draft = (await numbers()).find((number) => number !== pr);
  expect(draft).toBeDefined();
  const from = way.requests.length;
  await world.gitea.commands.labelEventsSince(world.repo, 0);
  const read = way.requests.slice(from).filter(({ path }) => path.includes('/timeline'));
  expect(read.map(({ path }) => /issues\/(\d+)/.exec(path)?.[1])).toEqual([String(pr)]);
});

test('a host that refuses drafts, or never learns of the branch, keeps no test run from starting', async () => {
  const { way, open, numbers } = await shown();
  for (const status of [422, 423, 404]) {
    way.instead = ({ method, path }) =>
      method === 'POST' && path.endsWith('/pulls') ? { status, body: '{"message": "no"}' } : null;
    await expect(open()).resolves.toBeUndefined();
  }
  expect(await numbers()).toHaveLength(1);
});

test('a check counts as one of the merge with the target, unless Actions of the host say that it ran on the commit', async () => {
  const { world, built } = await shown();
  const { commit } = built.candidate;
  const contexts = ['drone', 'test / unit (push)', 'test / unit (pull_request)'];
  for (const context of contexts)
    await forge.api('POST', `${world.path}/statuses/${commit}`, { context, state: 'success' });
  const checks = (await world.gitea.getChecks(world.repo, [commit as Sha])).get(commit as Sha) ?? [];
  expect(Object.fromEntries(checks.map(({ name, isOnMerge }) => [name, isOnMerge]))).toEqual({
    drone: true,
    'test / unit (push)': undefined,
    'test / unit (pull_request)': undefined,
  });
});
