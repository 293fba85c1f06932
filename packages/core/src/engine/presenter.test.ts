import { memoryPresenceStore } from '@mq/store-memory';
import { aQueue, aSubmission, fakeHost } from '@mq/testkit';
import { expect, test } from 'vitest';
import { defaultSettings, type SubmissionState } from '../index.js';
import type { Instant } from '../model/ids.js';
import { silentLogger } from '../ports/logger.js';
import { defaultWriteLimits } from '../presence/budget.js';
import type { PresenceFacts } from '../presence/facts.js';
import { Presenter } from './presenter.js';

const MINUTE_MS = 60_000;

/** A queue of which one pull request lands in every minute, or as often as asked: the first is tested, and the second is next. */
const landingOneAMinute = (landEveryMs = MINUTE_MS, waiting = 1_000) => {
  let now: Instant = 0;
  // No call takes long, so that no wait ends.
  const clock = { now: () => now, wait: () => new Promise<void>(() => undefined) };
  const pass = (ms: number): void => {
    now += ms;
  };
  const begunAt = clock.now();
  const repo = { host: 'fake.example', owner: 'acme', name: 'widgets' };
  const queue = {
    ...aQueue(),
    createdAt: begunAt,
    repo,
    settings: { ...defaultSettings, stateLabelsEnabled: true },
  };
  const host = fakeHost({ clock });
  const repository = host.createRepository({ ref: repo });
  for (let pr = 1; pr <= waiting; pr += 1) repository.openPullRequest({ number: pr });
  const landed = () => Math.floor((clock.now() - begunAt) / landEveryMs);
  const endOf = (pr: number): Instant => begunAt + pr * landEveryMs;
  const presenceFactsOf = (pr: number): PresenceFacts => {
    const ahead = pr - landed() - 1;
    const state: SubmissionState = ahead < 0 ? 'merged' : ahead === 0 ? 'testing' : 'pending';
    const isNext = ahead === 1;
    const head = repository.pulls.get(pr)!.head;
    return {
      ...{ pr, attempt: 1, state, isNext, isEnded: ahead < 0, head, author: 'ada', sentence: state },
      ...{ stateSince: ahead < 0 ? endOf(pr) : begunAt, submittedAt: begunAt, remedy: null },
      key: `${state} ${isNext}`,
    };
  };
  const numbers = Array.from({ length: waiting }, (_, index) => index + 1);
  const presenter = new Presenter({
    ...{ clock, logger: silentLogger, owner: 'me', limits: defaultWriteLimits, linkOf: () => null },
    presence: memoryPresenceStore({ clock }),
    hostOf: () => host,
    allFacts: async (_, prs) => {
      const asked = new Set(prs);
      return numbers.filter((pr) => pr > landed() || asked.has(pr)).map(presenceFactsOf);
    },
    factsOf: async (_, pr) => presenceFactsOf(pr),
    store: {
      queues: async () => ({ items: [queue], next: null }),
      history: async () => ({ items: [], next: null }),
      submissions: async ({ since = 0 }) => ({
        items: numbers.filter((pr) => pr <= landed() && endOf(pr) >= since).map((pr) => aSubmission(pr)),
        next: null,
      }),
    },
  });
  return { pass, presenter, repository, endOf, landed };
};

const mostWithin = (times: readonly Instant[], ms: number): number =>
  Math.max(...times.map((end) => times.filter((at) => at > end - ms && at <= end).length));

test('with a thousand waiting and one landing a minute, every end is shown within two minutes, and the budget holds', async () => {
  const { pass, presenter, repository, endOf, landed } = landingOneAMinute();
  while (landed() < 65) {
    await presenter.pass();
    pass(20_000);
  }

  const { writes } = repository.discussion;
  const shownAt = (pr: number): Instant =>
    writes.find((one) => one.pr === pr && one.at >= endOf(pr))?.at ?? Number.POSITIVE_INFINITY;
  const ends = Array.from({ length: 60 }, (_, index) => index + 1);
  const latestMs = Math.max(...ends.map((pr) => shownAt(pr) - endOf(pr)));
  const times = writes.map(({ at }) => at);

  expect(latestMs).toBeLessThanOrEqual(2 * MINUTE_MS);
  expect(mostWithin(times, MINUTE_MS)).toBeLessThanOrEqual(defaultWriteLimits.perMinute);
  expect(mostWithin(times, 60 * MINUTE_MS)).toBeLessThanOrEqual(defaultWriteLimits.perHour);
  expect(repository.discussion.comments.size).toBeGreaterThan(landed());
  for (const pr of ends) expect(repository.pulls.get(pr)?.labels).toEqual(['mq:merged']);
});

test('a clock that is set back by an hour stops no presence for longer than a minute', async () => {
  const { pass, presenter, repository } = landingOneAMinute();
  const look = async () => {
    await presenter.run();
    return repository.discussion.writes.length;
  };
  pass(120 * MINUTE_MS);
  const before = await look();
  pass(-60 * MINUTE_MS);
  await look();
  pass(MINUTE_MS + 1);
  expect(await look()).toBeGreaterThan(before);
});

test('an end that was read back early, since the clock was set ahead, is read back again', async () => {
  const { pass, presenter, repository } = landingOneAMinute(12 * 60 * MINUTE_MS, 2);
  const { discussion } = repository;
  pass(12 * 60 * MINUTE_MS);
  await presenter.pass();
  pass(60 * MINUTE_MS);
  await presenter.pass();
  discussion.comment(1, discussion.of(1)[0]?.body ?? '', discussion.account);
  pass(6 * MINUTE_MS);
  await presenter.pass();

  expect(discussion.of(1)).toHaveLength(1);
});

test('the ends of the day before the first look at a queue are shown, and no earlier ones', async () => {
  const hour = 60 * MINUTE_MS;
  const { pass, presenter, repository } = landingOneAMinute(12 * hour);
  pass(48 * hour);
  while (await presenter.pass()) pass(20_000);

  const shown = [1, 2, 3, 4].filter((pr) => repository.discussion.of(pr).length > 0);
  expect(shown).toEqual([2, 3, 4]);
});
