import { aMove, runIdOf, submissionIdOf } from '@mq/testkit';
import { expect, test } from 'vitest';
import { aQuietQueue, aRunOn, aState, aTestedSubmission, NOW } from '../../test/rules.js';
import { defaultPace } from '../decide/draft/context.js';
import type { RunChanged } from '../model/history.js';
import { applyRows } from '../model/state.js';
import type { Submission } from '../model/submission.js';
import type { HistoryItem, HistoryQuery } from '../ports/store.js';
import { Estimates } from './estimates.js';
import { SUBMISSIONS_PER_READ } from './reads.js';

const ref = { repo: { host: 'fake.example', owner: 'acme', name: 'widgets' }, targetBranch: 'main' };
const MINUTE = 60_000;

/** The n-th newest test that passed: it took ten minutes. */
const passed = (n: number): RunChanged => ({
  type: 'run',
  sequence: 1_000 - n,
  at: NOW - n * MINUTE,
  settingsVersion: 1,
  runId: runIdOf(100 + n),
  change: 'ended',
  purpose: 'test',
  prs: [100 + n],
  attempts: [1],
  outcome: 'passed',
  cause: null,
  testingSince: NOW - (n + 10) * MINUTE,
  isTested: true,
  candidate: null,
});
/** A landing that took three minutes. */
const landed = aMove(900, {
  from: 'tests_passed',
  to: 'merged',
  since: NOW - 13 * MINUTE,
  at: NOW - 10 * MINUTE,
  runId: runIdOf(101),
});
/** A run of #1 that passed and was let go of: it is read, since the same may come again. */
const letGo: RunChanged = {
  ...passed(7),
  runId: runIdOf(7),
  change: 'closed',
  prs: [1],
  cause: 'superseded',
};

const pages = [
  [passed(1), passed(2), passed(3), letGo],
  [landed, passed(4), passed(5), passed(6)],
];

interface Meanwhile {
  readonly isThere?: boolean;
  /** What is committed while runs that are over are read. */
  readonly lands?: readonly Submission[];
  /** What a page of history waits for. */
  readonly before?: () => Promise<void>;
}

/** One that is tested for a minute by now, in a queue with this history, three rows to a page. */
const estimating = ({ isThere = true, lands = [], before = async () => undefined }: Meanwhile = {}) => {
  const state = aState({
    queue: aQuietQueue(),
    submissions: [aTestedSubmission(1)],
    runs: [aRunOn([1], { startedChecks: ['build'] })],
  });
  const history = async ({ order, types, cursor }: HistoryQuery) => {
    await before();
    const page = Number(cursor ?? 0);
    const rows = order === 'newest_first' ? (pages[page] ?? []) : [];
    const items = rows.filter(({ type }) => types?.includes(type)) as unknown as readonly HistoryItem[];
    return { items, next: page + 1 < pages.length ? String(page + 1) : null };
  };
  const run = async () => {
    applyRows(state, { queue: null, submissions: lands, runs: [], targets: [] });
    return null;
  };
  const seen = () => {
    const submissions = [state.submissions.get(submissionIdOf(1)) ?? lands].flat();
    return { state, version: 1, delta: { now: NOW, recalled: { submissions, targets: [] } } };
  };
  return new Estimates({
    store: { history, run } as never,
    pace: defaultPace,
    looks: { queue: async () => state.queue },
    deciderOf: () =>
      ({
        see: async (_: unknown, look: (loaded: unknown) => unknown) => (isThere ? look(seen()) : null),
      }) as never,
  });
};

test('an estimate is made from every page of history, of tests and of landings', async () => {
  expect(await estimating().estimate({ ...ref, pr: 1 })).toMatchObject({
    status: 'available',
    basedOnRuns: 6,
    expectedTestEndAt: NOW + 9 * MINUTE,
    expectedMergeAt: NOW + 12 * MINUTE,
  });
});

test('as many are estimated at once as one question may name, and no more', async () => {
  const prs = Array.from({ length: SUBMISSIONS_PER_READ }, (_, index) => index + 1);

  expect([...(await estimating().estimates({ ...ref, prs })).keys()]).toEqual([1]);
  await expect(estimating().estimates({ ...ref, prs: [...prs, 99] })).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
  });
});

test('one that was never submitted, and a queue that is deleted meanwhile, are told', async () => {
  await expect(estimating().estimate({ ...ref, pr: 2 })).rejects.toMatchObject({ code: 'NOT_SUBMITTED' });
  await expect(estimating({ isThere: false }).estimate({ ...ref, pr: 1 })).rejects.toMatchObject({
    code: 'QUEUE_NOT_FOUND',
  });
});

test('one that is merged while past runs are read is told to have left', async () => {
  const lands = [aTestedSubmission(1, { state: 'merged', reason: 'MERGE_GRAPH_MERGE' })];

  expect(await estimating({ lands }).estimate({ ...ref, pr: 1 })).toMatchObject({
    status: 'unavailable',
    reason: 'ended',
  });
});

test('a forecast is made once those that were asked for before have been made', async () => {
  let pagesRead = 0;
  let goOn = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const before = async () => {
    pagesRead += 1;
    if (pagesRead === 1) await held;
  };
  const estimates = estimating({ before });
  const asked = [1, 2, 3].map(() => estimates.estimate({ ...ref, pr: 1 }));
  await new Promise((resolve) => setImmediate(resolve));
  expect(pagesRead).toBe(1);

  goOn();

  expect(new Set((await Promise.all(asked)).map(({ status }) => status))).toEqual(new Set(['available']));
  expect(pagesRead).toBe(3 * pages.length);
});
