import { aMove, runIdOf, shaOf, submissionIdOf } from '@mq/testkit';
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

/** The n-th newest passed test run; it took ten minutes. */
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
  base: shaOf(1),
  stack: [],
  ref: null,
});
/** A landing that took three minutes. */
const landed = aMove(900, {
  from: 'tests_passed',
  to: 'merged',
  since: NOW - 13 * MINUTE,
  at: NOW - 10 * MINUTE,
  runId: runIdOf(101),
});
/** A passed test run of #1 that was closed: it is read, since its content may be tested again. */
const closedRun: RunChanged = {
  ...passed(7),
  runId: runIdOf(7),
  change: 'closed',
  prs: [1],
  cause: 'superseded',
};

const pages = [
  [passed(1), passed(2), passed(3), closedRun],
  [landed, passed(4), passed(5), passed(6)],
];

interface Meanwhile {
  readonly isThere?: boolean;
  /** What is committed while closed test runs are read. */
  readonly lands?: readonly Submission[];
  /** What a page of history waits for. */
  readonly before?: () => Promise<void>;
}

/** A pull request under test for a minute, in a queue with this history, read three rows per page. */
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
    reader: { queue: async () => state.queue },
    deciderOf: () =>
      ({
        see: async (_: unknown, look: (loaded: unknown) => unknown) => (isThere ? look(seen()) : null),
      }) as never,
  });
};

test('an estimate uses every page of history, for test runs and landings', async () => {
  expect(await estimating().estimate({ ...ref, pr: 1 })).toMatchObject({
    status: 'available',
    basedOnRuns: 6,
    expectedTestEndAt: NOW + 9 * MINUTE,
    expectedMergeAt: NOW + 12 * MINUTE,
  });
});

test('the number of pull requests per estimate is limited', async () => {
  const prs = Array.from({ length: SUBMISSIONS_PER_READ }, (_, index) => index + 1);

  expect([...(await estimating().estimates({ ...ref, prs })).keys()]).toEqual([1]);
  await expect(estimating().estimates({ ...ref, prs: [...prs, 99] })).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
  });
});

test('an estimate is refused for a pull request never submitted, and for a queue deleted meanwhile', async () => {
  await expect(estimating().estimate({ ...ref, pr: 2 })).rejects.toMatchObject({ code: 'NOT_SUBMITTED' });
  await expect(estimating({ isThere: false }).estimate({ ...ref, pr: 1 })).rejects.toMatchObject({
    code: 'QUEUE_NOT_FOUND',
  });
});

test('a pull request merged while closed runs are read has no estimate, because it left', async () => {
  const lands = [aTestedSubmission(1, { state: 'merged', reason: 'MERGE_GRAPH_MERGE' })];

  expect(await estimating({ lands }).estimate({ ...ref, pr: 1 })).toMatchObject({
    status: 'unavailable',
    reason: 'ended',
  });
});

test('forecasts are computed one after another', async () => {
  let pagesRead = 0;
  let resume = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    resume = resolve;
  });
  const before = async () => {
    pagesRead += 1;
    if (pagesRead === 1) await held;
  };
  const estimates = estimating({ before });
  const asked = [1, 2, 3].map(() => estimates.estimate({ ...ref, pr: 1 }));
  await new Promise((resolve) => setImmediate(resolve));
  expect(pagesRead).toBe(1);

  resume();

  expect(new Set((await Promise.all(asked)).map(({ status }) => status))).toEqual(new Set(['available']));
  expect(pagesRead).toBe(3 * pages.length);
});
