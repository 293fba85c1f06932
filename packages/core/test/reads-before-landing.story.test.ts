import { HostError } from '@mq/core';
import { type Story, stories } from '@mq/testkit';
import { afterEach, expect, test, vi } from 'vitest';

const story = stories(afterEach);

const broken = new HostError("The host's answer to statuses is not what its API describes.", 'later');

/** The host cannot show the checks of these contents, or of any. */
const hidesChecks = ({ world }: Story, contents?: readonly string[]): void => {
  const read = world.host.getChecks.bind(world.host);
  vi.spyOn(world.host, 'getChecks').mockImplementation(async (repo, commits) => {
    const isHidden = (content: string | undefined) => content !== undefined && contents?.includes(content);
    if (contents === undefined || commits.some((commit) => isHidden(world.contentOf(commit)))) throw broken;
    return read(repo, commits);
  });
};

/** Waits until no landing is under way. */
const landingEnds = async (q: Story) => {
  for (let tries = 0; tries < 30 && q.world.seen.queue?.queue.landing !== null; tries += 1)
    await q.after('10s');
  expect(q.world.seen.queue?.queue.landing).toBeNull();
};

/** Lanes of these pull requests that have passed in a paused queue. */
const passedInLanes = async (...prs: readonly number[]) => {
  const q = await story({ mode: 'parallel', concurrency: prs.length });
  for (const pr of prs) await q.touches(pr, [`//${pr}`]);
  await q.submit(...prs);
  await q.pauses();
  for (const pr of prs) await q.passes(`main+${pr}`);
  return q;
};

test('a host that cannot show the checks of one passed commit lets the other lanes land, and its pull request be cancelled', async () => {
  const q = await passedInLanes(1, 2, 3);
  hidesChecks(q, ['main+2']);
  await q.resumes();
  await q.after('4m');
  q.isIn({ 1: 'merged', 2: 'tests_passed', 3: 'merged' });
  await landingEnds(q);
  await q.cancel(2);
  q.isIn({ 2: 'cancelled' });
});

test('a host that cannot show the checks of two of three passed commits lets the third one land', async () => {
  const q = await passedInLanes(1, 2, 3);
  hidesChecks(q, ['main+1', 'main+2']);
  await q.resumes();
  await q.after('20m');
  q.isIn({ 1: 'tests_passed', 2: 'tests_passed', 3: 'merged' });
});

test('a host that cannot show the checks of one passed commit for an hour fails its pull request with the words of the host', async () => {
  const q = await passedInLanes(1, 2);
  hidesChecks(q, ['main+1']);
  await q.resumes();
  await q.after('59m');
  q.isIn({ 1: 'tests_passed', 2: 'merged' });
  q.explains(1, /answer to statuses is not what its API describes/);
  await q.after('90m');
  q.hasReason(1, 'GITHUB_API_MERGE_PR_FAILED');
  q.explains(1, /answer to statuses is not what its API describes/);
});

test('a host that cannot show the checks of one passed commit lets a lane land that comes later', async () => {
  const q = await passedInLanes(1);
  await q.touches(2, ['//2']);
  hidesChecks(q, ['main+1']);
  await q.resumes();
  await q.after('10m');
  await q.submit(2);
  await q.passes('main+2');
  await q.after('10m');
  q.isIn({ 1: 'tests_passed', 2: 'merged' });
});

test('a host that cannot show the checks of one commit under test lets a test run beside it end and land', async () => {
  const q = await story({ mode: 'parallel', concurrency: 2 });
  for (const pr of [1, 2]) await q.touches(pr, [`//${pr}`]);
  hidesChecks(q, ['main+1']);
  await q.submit(1, 2);
  await q.passes('main+2');
  await q.after('3m');
  q.isIn({ 1: 'testing', 2: 'merged' });
  await q.cancel(1);
  q.isIn({ 1: 'cancelled' });
});

test('a pull request lands once the host shows the checks of its commit again', async () => {
  const q = await passedInLanes(1, 2);
  hidesChecks(q, ['main+1']);
  await q.resumes();
  await q.after('30m');
  vi.restoreAllMocks();
  await q.after('10m');
  q.isIn({ 1: 'merged', 2: 'merged' });
});

test.each(['getChecks', 'getPullRequests'] as const)(
  'a landing can be cancelled while the host fails each call of %s',
  async (method) => {
    const q = await passedInLanes(1);
    vi.spyOn(q.world.host, method).mockRejectedValue(broken);
    await q.resumes();
    await q.after('1m');
    await landingEnds(q);
    await q.cancel(1);
    vi.restoreAllMocks();
    await q.after('3m');
    q.isIn({ 1: 'cancelled' });
  },
);

test('a landing that took place counts as landed although its answer was lost and the checks can no longer be read', async () => {
  const q = await passedInLanes(1, 2);
  const { repository } = q.world;
  const land = repository.land.bind(repository);
  vi.spyOn(repository, 'land').mockImplementationOnce((request) => {
    land(request);
    hidesChecks(q);
    throw new HostError('500: error', 'later');
  });
  await q.resumes();
  await q.after('3m');
  q.isIn({ 1: 'merged', 2: 'merged' });
  expect(q.world.seen.history.filter(({ type }) => type === 'alarm')).toEqual([]);
});
