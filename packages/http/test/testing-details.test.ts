import type { MergeQueue, RunView, TestRun } from '@mq/core';
import {
  aCandidate,
  aCheck,
  aClosedRun,
  aMember,
  aQueue,
  aRun,
  aSubmission,
  BUILT_AT,
  runIdOf,
  shaOf,
} from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { apiWith, pathsOf, queueRef, repo, scriptedQueue } from './world.js';

const asking = async (script: Partial<MergeQueue>) => {
  const { mq, asked } = scriptedQueue(script);
  return { ...(await apiWith({ mq })), asked };
};

const readiness = {
  requiresImpactedTargets: false,
  hasImpactedTargets: false,
  doesBaseBranchMatch: true,
  hostMergeability: 'mergeable',
} as const;

const viewOf = (run: TestRun, override: Partial<RunView> = {}): RunView => ({
  run,
  queue: aQueue(),
  requiredChecks: { names: ['build'], source: 'merge_instance' },
  checks: [],
  tested: [],
  impactedTargets: null,
  impactedTargetsOfStack: null,
  waitsOn: [],
  explanation: 'It is tested.',
  ...override,
});

const details = async (view: RunView) => {
  const { post } = await asking({ getRun: async () => view });
  return (await post('getMergeQueueTestingDetails', { ...queueRef, testRunId: view.run.id })).json;
};

test('a test run shows its purpose', async () => {
  const purposes: readonly TestRun['purpose'][] = [
    { kind: 'isolate', failed: runIdOf(1) },
    { kind: 'control', isFresh: true },
    { kind: 'compose', vouchers: [runIdOf(1)] },
  ];
  for (const purpose of purposes)
    expect(await details(viewOf(aRun(2, { purpose })))).toMatchObject({ purpose: purpose.kind });
});

test('a test run shows what it tests, on top of what, and its progress', async () => {
  const json = await details(
    viewOf(
      aRun(2, {
        batch: [aMember(2), aMember(3)],
        stack: [aMember(4), aMember(1)],
        candidate: aCandidate([4, 1, 2, 3]),
        onto: shaOf(9),
        createdAt: BUILT_AT,
        testingSince: BUILT_AT + 1_000,
      }),
      {
        requiredChecks: { names: ['build', 'audit'], source: 'merge_instance' },
        checks: [
          aCheck({ name: 'unit', source: 'ci', url: 'https://ci.example/1', summary: 'fine' }),
          aCheck({ name: 'lint', source: 'other', status: 'running', conclusion: null, completedAt: null }),
          aCheck({ name: 'e2e', source: 'ci', status: 'queued', conclusion: null, completedAt: null }),
        ],
        tested: [{ submission: aSubmission(2), readiness, runId: null, waiting: null }],
        impactedTargets: ['//b'],
        impactedTargetsOfStack: 'ALL',
        waitsOn: [1],
      },
    ),
  );
  expect(json).toMatchObject({
    testRunId: runIdOf(2),
    purpose: 'test',
    status: 'in_progress',
    outcome: null,
    requiredStatuses: ['build'],
    requiredStatusesSource: 'merge_instance',
    testBranch: 'candidates/4+1+2+3',
    testBranchSha: shaOf(0xb003),
    baseSha: shaOf(1),
    createdAt: '2026-01-01T00:00:00.000Z',
    testingSince: '2026-01-01T00:00:01.000Z',
    deadlineAt: '2026-01-01T05:00:00.000Z',
    endedAt: null,
    closedBecause: null,
    statusChecks: [],
    failureCausingStatuses: [],
    testedPullRequests: [
      { prNumber: 2, prUrl: 'https://git.example/acme/widgets/pull/2', title: 'Change 2' },
      { prNumber: 3 },
    ],
    dependentPrs: [4, 1],
    waitsOnPrs: [1],
    impactedTargets: 'ALL',
    impactedTargetsForTestedPrs: ['//b'],
  });
  expect(json.checkSuites).toEqual([
    {
      source: 'ci',
      checkRuns: [
        {
          name: 'unit',
          url: 'https://ci.example/1',
          status: 'COMPLETED',
          conclusion: 'SUCCESS',
          startedAt: '2026-01-01T00:00:00.000Z',
          completedAt: '2026-01-01T00:00:01.000Z',
          summary: 'fine',
        },
        expect.objectContaining({ name: 'e2e', status: 'QUEUED' }),
      ],
    },
    { source: 'other', checkRuns: [expect.not.objectContaining({ conclusion: expect.anything() })] },
  ]);
  expect(json.runs).toHaveLength(1);
});

test('a test run that is being built has no test branch yet', async () => {
  const json = await details(
    viewOf(aRun(1, { state: 'building', candidate: null, testingSince: null, deadlineAt: null })),
  );
  expect([json.testBranch, json.testBranchSha]).toEqual([null, null]);
});

describe('the status of a run', () => {
  test.each([
    [aRun(1), 'in_progress'],
    [aRun(1, { state: 'building', candidate: null, testingSince: null, deadlineAt: null }), 'in_progress'],
    [aClosedRun(1), 'succeeded'],
    [aClosedRun(1, { outcome: 'failed', closedBecause: 'judged' }), 'failed'],
    [aClosedRun(1, { outcome: 'timed_out', closedBecause: 'judged' }), 'failed'],
    [aClosedRun(1, { outcome: 'infrastructure', closedBecause: 'judged' }), 'failed'],
    [aClosedRun(1, { outcome: 'cancelled', closedBecause: 'judged' }), 'cancelled'],
    [aRun(1, { closedAt: BUILT_AT, closedBecause: 'superseded' }), 'cancelled'],
  ])('a test run ($outcome, closed because $closedBecause) has the right status', async (run, status) => {
    const json = await details(viewOf(run));
    expect([json.status, json.outcome]).toEqual([status, run.outcome]);
  });

  test('a failed test run names the deciding check', async () => {
    const decidedBy = aCheck({ name: 'unit', conclusion: 'failure', url: 'https://ci.example/2' });
    const json = await details(viewOf(aClosedRun(1, { outcome: 'failed', decidedBy })));
    expect(json.failureCausingStatuses).toEqual([
      { name: 'unit', source: 'ci', url: 'https://ci.example/2', conclusion: 'FAILURE' },
    ]);
  });
});

describe('getMergeQueueTestingDetails', () => {
  const listRuns = async () => [
    viewOf(aRun(2, { createdAt: BUILT_AT + 5 })),
    viewOf(aRun(1, { createdAt: BUILT_AT })),
  ];

  test('getMergeQueueTestingDetails without a test run or pull request lists all open test runs, with none at the top level', async () => {
    const { post, asked } = await asking({ listRuns });
    const { json } = await post('getMergeQueueTestingDetails', queueRef);
    expect(Object.keys(json)).toEqual(['runs']);
    expect(json.runs.map(({ testRunId }: { testRunId: string }) => testRunId)).toEqual([
      runIdOf(2),
      runIdOf(1),
    ]);
    expect(asked[0]?.request).toEqual({ repo, targetBranch: 'main' });
  });

  test('getMergeQueueTestingDetails of a pull request has its newest test run at the top level', async () => {
    const { post, asked } = await asking({ listRuns });
    const { json } = await post('getMergeQueueTestingDetails', { ...queueRef, pr: { number: 7 } });
    expect(json.testRunId).toBe(runIdOf(2));
    expect(json.runs).toHaveLength(2);
    expect(asked[0]?.request).toEqual({ repo, targetBranch: 'main', pr: 7 });
  });

  test('getMergeQueueTestingDetails of a pull request without test runs answers an empty list', async () => {
    const getSubmission = async () => ({
      submission: aSubmission(7),
      readiness,
      runId: null,
      waiting: null,
      queue: aQueue(),
      position: null,
      aheadInLane: null,
      remedy: 'Submit it again.',
      failedRun: null,
      endedBy: null,
      restack: null,
    });
    const { post } = await asking({ listRuns: async () => [], getSubmission });
    expect((await post('getMergeQueueTestingDetails', { ...queueRef, pr: { number: 7 } })).json).toEqual({
      runs: [],
    });
  });

  test('getMergeQueueTestingDetails refuses a test run together with a pull request', async () => {
    const { post } = await asking({});
    const body = { ...queueRef, testRunId: runIdOf(1), pr: { number: 7 } };
    const answer = await post('getMergeQueueTestingDetails', body);
    expect(answer.json.errors[0].path).toBe('testRunId');
  });
});

describe('listMergeQueueTestingResults', () => {
  const since = '2026-01-01T00:00:00.000Z';

  test('listMergeQueueTestingResults answers one entry per pull request and test run', async () => {
    const { post, asked } = await asking({
      listTestingResults: async () => ({
        items: [
          {
            runId: runIdOf(1),
            isBisection: false,
            pr: 7,
            attempt: 2,
            outcome: 'timed_out',
            testingSince: BUILT_AT,
            endedAt: BUILT_AT + 90_000,
          },
          {
            runId: runIdOf(2),
            isBisection: true,
            pr: 8,
            attempt: 1,
            outcome: 'interrupted',
            testingSince: null,
            endedAt: BUILT_AT,
          },
        ],
        total: 12,
      }),
    });
    const { json } = await post('listMergeQueueTestingResults', { ...queueRef, since, offset: 10 });
    expect(asked[0]?.request).toEqual({ repo, targetBranch: 'main', since: BUILT_AT, offset: 10, take: 50 });
    expect(json).toEqual({
      testingResults: [
        {
          testRunId: runIdOf(1),
          isBisection: false,
          prNumber: 7,
          attempt: 2,
          outcome: 'timed_out',
          cycleConclusion: 'failed',
          startedAt: since,
          endedAt: '2026-01-01T00:01:30.000Z',
          testingDurationMs: 90_000,
        },
        {
          testRunId: runIdOf(2),
          isBisection: true,
          prNumber: 8,
          attempt: 1,
          outcome: 'interrupted',
          cycleConclusion: 'interrupted',
          startedAt: null,
          endedAt: since,
          testingDurationMs: null,
        },
      ],
      totalItems: 12,
    });
  });

  test.each([
    ['passed', 'passed'],
    ['failed', 'failed'],
    ['timed_out', 'failed'],
    ['infrastructure', 'failed'],
    ['cancelled', 'cancelled'],
    ['interrupted', 'interrupted'],
  ] as const)('the outcome %s is answered as cycleConclusion %s', async (outcome, word) => {
    const result = { runId: runIdOf(1), isBisection: false, pr: 7, attempt: 1, testingSince: null };
    const { post } = await asking({
      listTestingResults: async () => ({ items: [{ ...result, outcome, endedAt: BUILT_AT }], total: 1 }),
    });
    const { json } = await post('listMergeQueueTestingResults', { ...queueRef, since });
    expect(json.testingResults[0].cycleConclusion).toBe(word);
  });

  test.each([
    [{}, 'since'],
    [{ since, until: '2025-12-31T00:00:00Z' }, 'until'],
    [{ since, until: '2026-02-16T00:00:00Z' }, 'until'],
    [{ since, offset: -1 }, 'offset'],
    [{ since, take: 101 }, 'take'],
  ])('listMergeQueueTestingResults refuses %j', async (extra, path) => {
    const { post } = await asking({});
    const answer = await post('listMergeQueueTestingResults', { ...queueRef, ...extra });
    expect(pathsOf(answer)).toEqual([path]);
  });
});
