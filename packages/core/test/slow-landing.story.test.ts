import { createMergeQueue, type MergeQueue } from '@mq/core';
import { memoryStore } from '@mq/store-memory';
import { fakeHost, virtualClock } from '@mq/testkit';
import { expect, test } from 'vitest';

const ref = { repo: { host: 'fake.example', owner: 'acme', name: 'widgets' }, targetBranch: 'main' };
const prs = [1, 2, 3, 4, 5];
const LANDING_MS = 3_000;
const POLL_MS = 1_000;

/**
 * Five stacked pull requests that pass and land one by one, at a host that answers a landing 3 s after it has moved the
 * branch.
 */
const landOneByOne = async () => {
  const clock = virtualClock();
  const never = new AbortController().signal;
  const host = fakeHost({
    clock,
    intercept: async ({ method }, perform) => {
      const answer = await perform();
      if (method === 'land') await clock.wait(clock.now() + LANDING_MS, never);
      return answer;
    },
  });
  const repository = host.createRepository({ ref: ref.repo });
  repository.reportTipChecks('main', { test: 'success' });
  const store = memoryStore({ clock });
  const pace = { pollChecksMs: POLL_MS, pollPullRequestsMs: POLL_MS };
  const mq = createMergeQueue({ store, hosts: { [ref.repo.host]: host }, clock, pace });
  await mq.createQueue({ ...ref, concurrency: prs.length });
  mq.start();
  for (const pr of prs) {
    repository.openPullRequest({ number: pr });
    await mq.submit({ ...ref, pr });
  }
  for (const pr of prs) {
    await clock.advance(5 * LANDING_MS);
    for (const { commit } of repository.ci.checks())
      if (repository.contents(commit).at(-1) === pr) repository.ci.finish(commit, null, 'success');
  }
  await clock.advance(5 * LANDING_MS);
  const ends = await endsOf(mq);
  const closing = mq.close();
  await clock.advance(LANDING_MS);
  await closing;
  return ends;
};

/** What merged, and the test runs that were closed without having landed. */
const endsOf = async (mq: MergeQueue) => {
  const { items } = await mq.history({ ...ref, order: 'oldest_first', take: 200 });
  return {
    merged: items.flatMap((row) => (row.type === 'moved' && row.to === 'merged' ? [row.pr] : [])),
    restarted: items.flatMap((row) =>
      row.type === 'run' && row.change === 'closed' && row.cause !== 'landed' ? [row.prs] : [],
    ),
  };
};

test('a landing that is answered long after the branch has moved restarts no test behind it', async () => {
  expect(await landOneByOne()).toEqual({ merged: prs, restarted: [] });
});
