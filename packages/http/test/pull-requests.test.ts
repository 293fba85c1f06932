import type { FoundView, MergeQueue, SubmissionView, SubmittedView } from '@mq/core';
import {
  aMove,
  anActor,
  anEndedSubmission,
  aPullRequest,
  aQueue,
  aSubmission,
  BUILT_AT,
  queueIdOf,
  runIdOf,
  shaOf,
  submissionIdOf,
} from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { TIMELINE_LIMIT } from '../src/reads.js';
import { apiWith, pathsOf, queueRef, repo, scriptedQueue } from './world.js';

const ready = {
  requiresImpactedTargets: false,
  hasImpactedTargets: false,
  doesBaseBranchMatch: true,
  hostMergeability: 'mergeable',
} as const;

const view = (override: Partial<SubmissionView> = {}): SubmittedView => ({
  submission: aSubmission(7),
  readiness: ready,
  runId: null,
  waiting: null,
  ...override,
  queue: aQueue(),
});

/** The same pull request as a read returns it. */
const found = (override: Partial<FoundView> = {}): FoundView => ({
  ...view(override),
  position: null,
  aheadInLane: null,
  remedy: 'Submit #7 again.',
  failedRun: null,
  endedBy: null,
  restack: null,
  ...override,
});

const asking = async (script: Partial<MergeQueue>) => {
  const { mq, asked } = scriptedQueue(script);
  return { ...(await apiWith({ mq })), asked };
};

const actor = { kind: 'api', id: 'token-1', name: 'bootstrap' };
const common = { repo, targetBranch: 'main', actor };
const pr7 = { ...queueRef, pr: { number: 7 } };

describe('a submitted pull request', () => {
  test('an answered pull request has every field of the API', async () => {
    const { post } = await asking({
      submit: async () =>
        view({
          runId: runIdOf(3),
          submission: aSubmission(7, {
            state: 'testing',
            reason: 'CAPACITY_AVAILABLE',
            attempt: 2,
            submittedAt: BUILT_AT,
            admittedAt: BUILT_AT + 1_000,
            stateSince: BUILT_AT + 2_000,
            // Pushed to since the submit; the submitted head is tested.
            head: shaOf(0xa007),
            pull: aPullRequest(7, { head: shaOf(0xb007) }),
          }),
          waiting: {
            code: 'checks',
            sentence: 'It is tested.',
            behindPr: 6,
            untilAt: BUILT_AT + 60_000,
            causes: [
              {
                code: 'checks',
                sentence: 'It is tested.',
                pr: 5,
                runId: runIdOf(5),
                checks: ['unit'],
                untilAt: null,
              },
            ],
            remedy: 'These checks decide.',
          },
        }),
    });
    const answer = await post('submitPullRequest', pr7);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.json).toEqual({
      id: '00000002-0000-4000-8000-000000000007',
      state: 'testing',
      stateChangedAt: '2026-01-01T00:00:02.000Z',
      attempt: 2,
      priorityValue: 100,
      priorityName: 'medium',
      usedDefaultPriorityName: 'medium',
      skipTheLine: false,
      noBatch: false,
      forceEnqueued: false,
      prNumber: 7,
      prTitle: 'Change 7',
      prSha: shaOf(0xa007),
      prBaseBranch: 'main',
      prAuthor: 'ada',
      prUrl: 'https://git.example/acme/widgets/pull/7',
      testRunId: runIdOf(3),
      reason: {
        code: 'CAPACITY_AVAILABLE',
        sentence: 'A test slot was free and its tests started.',
        detail: null,
      },
      waitingFor: {
        code: 'checks',
        sentence: 'It is tested.',
        behindPr: 6,
        until: '2026-01-01T00:01:00.000Z',
        causes: [
          {
            code: 'checks',
            sentence: 'It is tested.',
            pr: 5,
            testRunId: runIdOf(5),
            checks: ['unit'],
            until: null,
          },
        ],
        remedy: 'These checks decide.',
      },
      isCurrentlySubmittedToQueue: true,
      submittedAt: '2026-01-01T00:00:00.000Z',
      readiness: { ...ready, gitHubMergeability: 'mergeable' },
      verifiedByTestRun: null,
      failedTestRun: null,
      queueState: 'running',
    });
  });

  test('a pull request that is not ready yet is submitted, and shows the state of its queue', async () => {
    const { post } = await asking({
      submit: async () => ({
        ...view({ submission: aSubmission(7, { state: 'not_ready', admittedAt: null }) }),
        queue: aQueue({ nextMode: 'parallel' }),
      }),
    });
    expect((await post('submitPullRequest', pr7)).json).toMatchObject({
      isCurrentlySubmittedToQueue: true,
      queueState: 'switching_modes',
    });
  });

  test('a pull request that has left the queue waits for nothing and has no test run', async () => {
    const { post } = await asking({
      cancel: async () => view({ submission: anEndedSubmission(7, { verifiedBy: runIdOf(2) }) }),
    });
    const { json } = await post('cancelPullRequest', pr7);
    expect(json).toMatchObject({
      state: 'cancelled',
      isCurrentlySubmittedToQueue: false,
      verifiedByTestRun: runIdOf(2),
    });
    expect(json).not.toHaveProperty('waitingFor');
    expect(json).not.toHaveProperty('testRunId');
  });

  test.each([
    [0, 'urgent'],
    [1, 'high'],
    [10, 'high'],
    [11, 'medium'],
    [100, 'medium'],
    [101, 'low'],
    [255, 'low'],
  ])('a pull request with the priority %i is shown as %s, beside the default', async (value, name) => {
    const { post } = await asking({
      submit: async () => view({ submission: aSubmission(7, { priority: { value, named: true } }) }),
    });
    const { json } = await post('submitPullRequest', { ...pr7, priority: value });
    expect([json.priorityValue, json.priorityName]).toEqual([value, name]);
    expect(json.usedDefaultPriorityName).toBe('medium');
  });
});

describe('submitPullRequest', () => {
  test.each([
    [{}, {}],
    [{ pr: { number: '7' } }, {}],
    [{ priority: 0 }, { priority: 0 }],
    [{ priority: 255 }, { priority: 255 }],
    [{ priority: 'Urgent' }, { priority: 0 }],
    [{ priority: 'high' }, { priority: 10 }],
    [{ priority: 'MEDIUM' }, { priority: 100 }],
    [{ priority: 'low' }, { priority: 200 }],
    [{ priority: null }, { priority: null }],
    [{ noBatch: true }, { noBatch: true }],
    [{ noBatch: false }, { noBatch: false }],
    [{ skipTheLine: true }, { skipTheLine: true }],
    [{ forceEnqueued: true }, { forceEnqueued: true }],
    [{ pr: { number: 7, sha: 'AB'.repeat(20) } }, { sha: 'ab'.repeat(20) }],
  ])('submitPullRequest calls the engine for %j', async (extra, meant) => {
    const { post, asked } = await asking({ submit: async () => view() });
    expect((await post('submitPullRequest', { ...pr7, ...extra })).status).toBe(200);
    expect(asked).toEqual([{ method: 'submit', request: { ...common, pr: 7, ...meant } }]);
  });

  test.each([
    [{ priority: -1 }, 'priority'],
    [{ priority: 256 }, 'priority'],
    [{ priority: 1.5 }, 'priority'],
    [{ priority: 1e308 }, 'priority'],
    [{ priority: 'urgentest' }, 'priority'],
    [{ priority: '10' }, 'priority'],
    [{ priority: true }, 'priority'],
    [{ noBatch: 'true' }, 'noBatch'],
    [{ noBatch: null }, 'noBatch'],
    [{ pr: { number: 7, sha: 'main' } }, 'pr.sha'],
    [{ pr: 7 }, 'pr'],
  ])('T-M12 submitPullRequest answers 400 for %j and does not call the engine', async (extra, path) => {
    const { post, asked } = await asking({});
    const answer = await post('submitPullRequest', { ...pr7, ...extra });
    expect(answer.status).toBe(400);
    expect(pathsOf(answer)).toEqual([path]);
    expect(asked).toEqual([]);
  });
});

test('an invalid priority is refused with the given value and the allowed ones', async () => {
  const { post } = await asking({});
  const answer = await post('submitPullRequest', { ...pr7, priority: 'urgentest' });
  expect(answer.json.errors).toEqual([
    {
      path: 'priority',
      message: 'must be an integer from 0 to 255, one of urgent, high, medium, low, or null, not "urgentest"',
    },
  ]);
});

test('cancel and restart pass the pull request and the caller to the engine', async () => {
  const { post, asked } = await asking({ cancel: async () => view(), restartTests: async () => view() });
  await post('cancelPullRequest', pr7);
  await post('restartTestsOnPullRequest', pr7);
  expect(asked).toEqual([
    { method: 'cancel', request: { ...common, pr: 7 } },
    { method: 'restartTests', request: { ...common, pr: 7 } },
  ]);
});

describe('getSubmittedPullRequest', () => {
  test.each([
    [{ number: 7 }, { pr: 7 }],
    [{ branch: 'fix/a' }, { headBranch: 'fix/a' }],
  ])('getSubmittedPullRequest finds a pull request by %j', async (pr, meant) => {
    const { post, asked } = await asking({ getSubmission: async () => found() });
    const { json } = await post('getSubmittedPullRequest', { ...queueRef, pr });
    expect(json.prNumber).toBe(7);
    expect(json).not.toHaveProperty('timeline');
    expect(json).not.toHaveProperty('estimatedTimeToMerge');
    expect(asked).toEqual([{ method: 'getSubmission', request: { repo, targetBranch: 'main', ...meant } }]);
  });

  test.each([{}, { number: 7, branch: 'fix/a' }])('getSubmittedPullRequest refuses %j', async (pr) => {
    const { post } = await asking({});
    const answer = await post('getSubmittedPullRequest', { ...queueRef, pr });
    expect(answer.json.errors).toEqual([{ path: 'pr', message: 'must have either number or branch' }]);
  });

  test('getSubmittedPullRequest says why there is no estimate of the merge', async () => {
    const reason = { status: 'unavailable', reason: 'paused', sentence: 'The queue is paused.' } as const;
    const { post, asked } = await asking({
      getSubmission: async () => found(),
      estimate: async () => reason,
    });
    const { json } = await post('getSubmittedPullRequest', { ...pr7, includeEstimatedTimeToMerge: true });
    expect(json.estimatedTimeToMerge).toEqual(reason);
    expect(asked[1]).toEqual({ method: 'estimate', request: { repo, targetBranch: 'main', pr: 7 } });
  });

  test('getSubmittedPullRequests estimates the merges of several pull requests by one call of the engine', async () => {
    const estimate = {
      status: 'available',
      kind: 'merge',
      expectedMergeAt: BUILT_AT + 60_000,
      pessimisticMergeAt: null,
      expectedResolutionAt: null,
      expectedTestStartAt: BUILT_AT,
      expectedTestEndAt: BUILT_AT + 50_000,
      waitingBehind: 2,
      basedOnRuns: 5,
    } as const;
    const { post, asked } = await asking({
      getSubmissions: async () => ({ found: [found()], notFound: [9] }),
      estimates: async () => new Map([[7, estimate]]),
    });
    const { json } = await post('getSubmittedPullRequests', {
      ...queueRef,
      prs: [{ number: 7 }, { number: 9 }],
      includeEstimatedTimeToMerge: true,
    });
    expect(json.pullRequests[0].estimatedTimeToMerge).toEqual({
      ...estimate,
      expectedMergeAt: '2026-01-01T00:01:00.000Z',
      expectedTestStartAt: '2026-01-01T00:00:00.000Z',
      expectedTestEndAt: '2026-01-01T00:00:50.000Z',
    });
    expect(asked.filter(({ method }) => method === 'estimates')).toHaveLength(1);
  });

  test('getSubmittedPullRequest shows the timeline, newest first, each entry with the state that was entered', async () => {
    const queueId = queueIdOf(1);
    const moves = (
      [
        ['merged', 'MERGE_GRAPH_MERGE', 'merged'],
        ['tests_passed', 'TEST_RUN_PASSED', 'testsPassed'],
        ['pending_failure', null, 'pendingFailure'],
        ['testing', 'CAPACITY_AVAILABLE', 'testing'],
        ['failed', 'TEST_RUN_TIMEOUT', 'failure'],
        ['cancelled', 'PR_PUSHED_TO', 'cancellation'],
        ['pending', 'MERGE_ITEM_NOW_READY', 'pending'],
        ['not_ready', 'API_REQUESTED', 'notReady'],
      ] as const
    ).map(([to, reason, key]) => ({ key, row: { ...aMove(1, { pr: 7, to, reason }), queueId } }));
    const base = { queueId, sequence: 1, at: BUILT_AT, settingsVersion: 1 };
    const { post, asked } = await asking({
      getSubmission: async () => found(),
      timeline: async () => ({
        items: [
          ...moves.map(({ row }) => row),
          {
            ...base,
            type: 'run',
            runId: runIdOf(3),
            change: 'closed',
            purpose: 'test',
            prs: [7],
            attempts: [1],
            outcome: 'passed',
            cause: 'landed',
            testingSince: BUILT_AT,
            isTested: true,
            candidate: null,
            base: shaOf(1),
            stack: [],
            ref: null,
          },
          { ...base, type: 'commanded', actor: anActor, command: 'submit', inputId: 'i' as never, pr: 7 },
          { ...base, type: 'alarm', code: 'TREE_MISMATCH', sentence: 'Look.' },
          {
            ...{ ...base, type: 'aside', submissionId: submissionIdOf(7), pr: 7, attempt: 2 },
            ...{ lack: 'mergeable', detail: 'A review is missing.', since: null },
          },
          {
            ...{ ...base, type: 'put_off', submissionId: submissionIdOf(7), pr: 7, attempt: 2 },
            ...{ reason: 'HOST_NOT_READY', detail: 'Try later.' },
          },
        ],
        next: 'more',
      }),
    });
    const { json } = await post('getSubmittedPullRequest', { ...pr7, includeTimeline: true });
    expect(asked[1]).toMatchObject({
      method: 'timeline',
      request: { pr: 7, targetBranch: 'main', take: TIMELINE_LIMIT },
    });
    expect(json.timelineIsComplete).toBe(false);
    for (const [index, { key, row }] of moves.entries()) {
      expect(json.timeline[index]).toMatchObject({
        timestamp: '2026-01-01T00:00:00.001Z',
        attempt: 1,
        state: row.to,
        [key]: { reason: row.reason },
      });
    }
    expect(json.timeline[0].merged.actor).toEqual({ kind: 'api', name: 'Ada', tokenId: 'u-1' });
    expect(json.timeline.slice(moves.length)).toEqual([
      {
        timestamp: '2026-01-01T00:00:00.000Z',
        testRun: {
          testRunId: runIdOf(3),
          change: 'closed',
          sha: null,
          outcome: 'passed',
          closedBecause: 'landed',
          testedPullRequests: [{ prNumber: 7 }],
        },
      },
      {
        timestamp: '2026-01-01T00:00:00.000Z',
        command: { name: 'submit', actor: { kind: 'api', name: 'Ada', tokenId: 'u-1' } },
      },
      {
        timestamp: '2026-01-01T00:00:00.000Z',
        attempt: 2,
        aside: { lack: 'mergeable', detail: 'A review is missing.' },
      },
      {
        timestamp: '2026-01-01T00:00:00.000Z',
        attempt: 2,
        putOff: { reason: 'HOST_NOT_READY', detail: 'Try later.' },
      },
    ]);
  });

  test('getSubmittedPullRequest shows when each attempt began, passed its stages and ended', async () => {
    const queueId = queueIdOf(1);
    const rows = [
      aMove(3, { pr: 7, from: 'pending', to: 'cancelled', reason: 'USER_REQUESTED' }),
      aMove(2, { pr: 7, from: 'not_ready', to: 'pending', reason: 'MERGE_ITEM_NOW_READY' }),
      aMove(1, { pr: 7, from: null, to: 'not_ready', reason: 'API_REQUESTED' }),
    ].map((row) => ({ ...row, queueId }));
    const { post } = await asking({
      getSubmission: async () => found(),
      timeline: async () => ({ items: rows, next: null }),
    });
    const { json } = await post('getSubmittedPullRequest', { ...pr7, includeTimeline: true });
    const [attempt] = json.attempts;
    expect(attempt).toMatchObject({
      state: 'cancelled',
      startedAt: '2026-01-01T00:00:00.001Z',
      endedAt: '2026-01-01T00:00:00.003Z',
    });
    expect(attempt.story.map(({ timestamp }: { timestamp: string }) => timestamp)).toEqual([
      '2026-01-01T00:00:00.001Z',
      '2026-01-01T00:00:00.002Z',
      '2026-01-01T00:00:00.003Z',
    ]);
  });
});

describe('getSubmittedPullRequests', () => {
  test('getSubmittedPullRequests answers the pull requests found and lists those not found', async () => {
    const { post, asked } = await asking({
      getSubmissions: async () => ({ found: [found()], notFound: [8] }),
    });
    const { json } = await post('getSubmittedPullRequests', {
      ...queueRef,
      prs: [{ number: 7 }, { number: '8' }, { number: 7 }],
    });
    expect(json.pullRequests.map(({ prNumber }: { prNumber: number }) => prNumber)).toEqual([7]);
    expect(json.notFound).toEqual([8]);
    expect(asked[0]?.request).toEqual({ repo, targetBranch: 'main', prs: [7, 8] });
  });

  test('getSubmittedPullRequests accepts at most 50 pull requests', async () => {
    const { post } = await asking({});
    const prs = Array.from({ length: 51 }, (_, index) => ({ number: index + 1 }));
    const answer = await post('getSubmittedPullRequests', { ...queueRef, prs });
    expect(answer.json.errors).toEqual([{ path: 'prs', message: 'must not have more than 50 elements' }]);
  });
});

describe('listPullRequests', () => {
  const page = async () => ({
    items: [view({ submission: aSubmission(9, { pull: aPullRequest(9) }) })],
    next: 'n-2',
  });

  test('listPullRequests has a default page size of 50, and answers the cursor of the next page', async () => {
    const { post, asked } = await asking({ listSubmissions: page });
    const { json } = await post('listPullRequests', queueRef);
    expect(asked[0]?.request).toEqual({ repo, targetBranch: 'main', take: 50 });
    expect(json.nextCursor).toBe('n-2');
    expect(json.pullRequests).toHaveLength(1);
    expect(json.pullRequests[0]).toMatchObject({ prNumber: 9, state: 'pending', noBatch: false });
  });

  test('listPullRequests passes state, times, cursor and page size to the engine', async () => {
    const { post, asked } = await asking({ listSubmissions: async () => ({ items: [], next: null }) });
    const { json } = await post('listPullRequests', {
      ...queueRef,
      state: 'MERGED',
      since: '2026-01-01T00:00:00Z',
      until: '2026-01-01T02:00:00+01:00',
      cursor: 'n-2',
      take: 100,
    });
    expect(asked[0]?.request).toEqual({
      repo,
      targetBranch: 'main',
      states: ['merged'],
      since: Date.UTC(2026, 0, 1),
      until: Date.UTC(2026, 0, 1, 1),
      cursor: 'n-2',
      take: 100,
    });
    expect(json).toEqual({ pullRequests: [] });
  });

  test.each([
    [{ take: 0 }, 'take'],
    [{ take: 101 }, 'take'],
    [{ take: '5' }, 'take'],
    [{ state: 'landed' }, 'state'],
    [{ state: ['merged'] }, 'state'],
    [{ since: 'yesterday' }, 'since'],
    [{ until: 1_700_000_000 }, 'until'],
    [{ cursor: '' }, 'cursor'],
    [{ cursor: 'x'.repeat(4_001) }, 'cursor'],
  ])('listPullRequests refuses %j', async (extra, path) => {
    const { post } = await asking({});
    const answer = await post('listPullRequests', { ...queueRef, ...extra });
    expect(answer.status).toBe(400);
    expect(pathsOf(answer)).toEqual([path]);
  });
});
