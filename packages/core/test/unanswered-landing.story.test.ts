import { HostError, type LandRequest } from '@mq/core';
import { type Story, stories } from '@mq/testkit';
import { afterEach, expect, test, vi } from 'vitest';

const story = stories(afterEach);

/** Fails the landings of these pull requests, or of all, as a host that does not answer. */
const isUnanswered = (
  { world: { repository } }: Story,
  words: (request: LandRequest) => string,
  prs?: readonly number[],
): void => {
  const land = repository.land.bind(repository);
  vi.spyOn(repository, 'land').mockImplementation((request) => {
    const isConcerned = request.members.some(({ pr }) => prs?.includes(pr) ?? true);
    if (!isConcerned || !repository.candidates.has(request.runId)) return land(request);
    throw new HostError(words(request), 'later');
  });
};

const noConnection = () => 'The host does not answer: connect ECONNREFUSED 10.0.0.1:22';
/** The words of host-git/src/land.ts. */
const withItsRun = ({ runId }: LandRequest) => `The refs of run ${runId} changed 5 times while it landed.`;

const isEnded = (q: Story, prs: readonly number[]): boolean =>
  prs.every((pr) => ['merged', 'failed'].includes(q.world.seen.submissions.get(pr)?.submission.state ?? ''));

const alarms = (q: Story) => q.world.seen.history.filter(({ type }) => type === 'alarm');

test('an outage of landings that outlasts an hour does not fail the only pull request, and holds landings with an alarm', async () => {
  const q = await story();
  isUnanswered(q, noConnection);
  await q.submit(1);
  await q.passes('main+1');
  await q.after('5h');
  q.isIn({ 1: 'tests_passed' });
  q.hasOnRecord(/Landings are on hold: the code host has not answered the merge of #1 for over an hour/);
  expect(alarms(q)).toHaveLength(1);
  vi.restoreAllMocks();
  await q.after('20m');
  q.hasLanded('main+1');
});

test('an outage of landings fails no pull request of several, whatever the words of its errors, and tries the first one every 10 min', async () => {
  const q = await story();
  isUnanswered(q, withItsRun);
  await q.submit(1, 2, 3, 4);
  await q.passes('main+1');
  await q.after('90m');
  q.isIn({ 1: 'pending', 2: 'testing' });
  q.hasReason(1, 'LANDING_UNANSWERED');
  await q.passes('main+2');
  await q.after('2m');
  q.hasOnRecord(
    /Landings are on hold: the code host did not answer the merge of #1, and then not that of #2/,
  );
  const before = q.world.asked.get('land') ?? 0;
  await q.after('4h');
  q.isIn({ 2: 'tests_passed' });
  expect((q.world.asked.get('land') ?? 0) - before).toBeLessThan(4 * 6 * 10);
  expect(alarms(q)).toHaveLength(1);

  vi.restoreAllMocks();
  await q.after('20m');
  q.hasLanded('main+2');
  q.isIn({ 1: 'pending', 2: 'merged' });
});

test('a pull request whose landing is never answered lets the others land, and then fails after more tries', async () => {
  const q = await story();
  isUnanswered(q, noConnection, [1]);
  await q.submit(1, 2);
  await q.passes('main+1');
  await q.after('90m');
  await q.passes('main+2');
  q.hasLanded('main+2');
  expect(alarms(q)).toEqual([]);

  await q.passes('main+2+1');
  await q.after('10m');
  q.isIn({ 1: 'tests_passed' });
  await q.after('2h');
  q.hasReason(1, 'GITHUB_API_MERGE_PR_FAILED');
  q.explains(1, /ECONNREFUSED/);
});

test('a pull request whose landing is never answered lets those land that were tested in its batch or on top of it', async () => {
  const q = await story({ concurrency: 2, batch: true, batchingMinSize: 2 });
  isUnanswered(q, noConnection, [1]);
  await q.submit(1, 2, 3, 4);
  for (let minutes = 0; minutes < 900 && !isEnded(q, [1, 2, 3, 4]); minutes += 5) {
    const running = q.world.checks().filter((check) => check.isRunning);
    for (const content of new Set(running.map(({ commit }) => q.world.contentOf(commit)))) {
      await q.passes(content);
      break;
    }
    await q.after('5m');
  }
  q.isIn({ 1: 'failed', 2: 'merged', 3: 'merged', 4: 'merged' });
  expect(alarms(q)).toEqual([]);
});

test('a pull request whose landing is never answered lets one land that is submitted while landings are on hold', async () => {
  const q = await story();
  isUnanswered(q, noConnection, [1]);
  await q.submit(1);
  await q.passes('main+1');
  await q.after('3h');
  expect(alarms(q)).toHaveLength(1);
  await q.submit(2);
  await q.after('15m');
  await q.passes('main+2');
  q.hasLanded('main+2');
});

test('an outage of landings that lasts almost until the limit does not count when the host then asks to wait', async () => {
  const q = await story();
  isUnanswered(q, noConnection);
  await q.submit(1);
  await q.passes('main+1');
  await q.after('75m');
  vi.restoreAllMocks();
  await q.refusesLandings({ class: 'wait', pr: 1, message: 'its own checks are running' });
  await q.after('40m');
  q.isIn({ 1: 'tests_passed' });
  await q.after('1h');
  q.isIn({ 1: 'failed' });
});
