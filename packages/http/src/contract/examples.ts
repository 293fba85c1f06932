import { defaultSettings } from '@mq/core';
import type { z } from 'zod';
import type * as pullRequests from '../schemas/pull-request.js';
import type { queueAnswer } from '../schemas/queue.js';
import type { testingDetails } from '../schemas/testing-details.js';

const repo = { host: 'github.com', owner: 'acme', name: 'widgets' };
const queueRef = { repo, targetBranch: 'main' };
const pr = { number: 41 };
const prSha = '5d3f6c0b8f0a4f6ea9d2d1c3b7e8f9a0b1c2d3e4';
const testedSha = '9a8b7c6d5e4f30211203a4b5c6d7e8f901234567';
const baseSha = '0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c';
const queueId = '4f0c2a8e-6c1d-4a52-9a57-0a3f6d0b7c11';
const testRunId = 'c7a1d9f4-2f0e-4d61-8a6b-3b0e5f7a9d20';
const at = (time: string): string => `2026-09-17T10:${time}.000Z`;
const ada = { kind: 'api', name: 'ada' };

const queue = {
  ...defaultSettings,
  state: 'running',
  stateReason: null,
  repo,
  branch: 'main',
  concurrency: 5,
  bisectionConcurrency: 5,
  activeConcurrency: 5,
  activeBatchSize: defaultSettings.batchingMinSize,
  activeMode: defaultSettings.mode,
  cancelPending: false,
  allowedBotSubmitters: [...defaultSettings.allowedBotSubmitters],
  batchingRules: [],
  requiredStatuses: ['build', 'test'],
  requiredStatusesSource: 'host',
  freezeUntil: null,
  queueId,
  createdAt: at('00:00'),
} satisfies z.output<typeof queueAnswer>;

const enqueued = {
  id: 'e729c891-37c5-4f8e-9d55-0b6a2c0f3f4d',
  state: 'testing',
  stateChangedAt: at('16:02'),
  attempt: 1,
  priorityValue: 100,
  priorityName: 'medium',
  usedDefaultPriorityName: 'medium',
  skipTheLine: false,
  noBatch: false,
  forceEnqueued: false,
  prNumber: 41,
  prTitle: 'Add a login page',
  prSha,
  prBaseBranch: 'main',
  prAuthor: 'ada',
  prUrl: 'https://github.com/acme/widgets/pull/41',
  testRunId,
  waitingFor: {
    code: 'checks',
    sentence: 'Waiting for the checks build and test.',
    behindPr: null,
    until: at('46:02'),
  },
} satisfies z.output<typeof pullRequests.enqueuedPullRequest>;

const submitted = {
  ...enqueued,
  isCurrentlySubmittedToQueue: true,
  submittedAt: at('15:40'),
  readiness: {
    requiresImpactedTargets: false,
    hasImpactedTargets: false,
    doesBaseBranchMatch: true,
    hostMergeability: 'mergeable',
    gitHubMergeability: 'mergeable',
  },
  verifiedByTestRun: null,
  failedTestRun: null,
  queueState: 'running',
} satisfies z.output<typeof pullRequests.submittedPullRequest>;

const found = {
  ...submitted,
  queueId,
  position: 1,
  aheadInLane: 0,
  remedy: 'It merges by itself once its checks have passed.',
  failure: null,
  endedBy: null,
  landedCommit: null,
} satisfies z.output<typeof pullRequests.foundPullRequest>;

const timeline = [
  {
    timestamp: at('16:02'),
    attempt: 1,
    state: 'testing',
    testing: { reason: null, detail: null, testRunId },
  },
  { timestamp: at('15:40'), command: { name: 'submit', actor: ada } },
];

const attempts = [
  {
    attempt: 1,
    state: 'testing',
    startedAt: at('15:40'),
    endedAt: null,
    sentence: 'It is being tested.',
    spentMs: { not_ready: 22_000 },
    story: [
      { timestamp: at('16:02'), state: 'testing', reason: null, testRunId, sentence: 'Its tests began.' },
    ],
  },
];

const testRun = {
  testRunId,
  purpose: 'test',
  status: 'in_progress',
  outcome: null,
  requiredStatuses: ['build', 'test'],
  requiredStatusesSource: 'repo_provider_branch_protection',
  testBranch: `refs/mq/candidates/${testRunId}`,
  testBranchSha: testedSha,
  baseSha,
  createdAt: at('16:00'),
  testingSince: at('16:02'),
  deadlineAt: at('46:02'),
  endedAt: null,
  closedBecause: null,
  checkSuites: [
    {
      source: 'ci',
      checkRuns: [
        {
          name: 'build',
          url: 'https://ci.example/runs/7',
          status: 'IN_PROGRESS',
          startedAt: at('16:05'),
          completedAt: null,
          summary: null,
        },
      ],
    },
  ],
  statusChecks: [],
  failureCausingStatuses: [],
  testedPullRequests: [{ prNumber: 41, prUrl: enqueued.prUrl, title: enqueued.prTitle }],
  explanation: 'Waiting for the check build.',
  dependentPrs: [],
  waitsOnPrs: [],
} satisfies z.output<typeof testingDetails>;

const hash = (digit: string): string => digit.repeat(64);
const built = { commit: testedSha, tree: '77aa66bb55cc44dd33ee22ff11009988776655ff' };
const member = { pr: 41, attempt: 1, head: prSha };

const receipt = {
  version: 1,
  queueId,
  repo,
  branch: 'main',
  number: 1,
  previous: null,
  pr: 41,
  attempt: 1,
  head: prSha,
  reviewedTree: built.tree,
  submitted: { by: ada, at: 1_789_640_140_000, forced: false },
  settingsVersion: 1,
  mergeMethod: 'squash',
  required: { names: ['build'], source: 'repo_provider_branch_protection' },
  tested: {
    runId: testRunId,
    base: baseSha,
    stack: [],
    batch: [member],
    trial: built,
    step: built,
    checks: [
      {
        name: 'build',
        source: 'ci',
        id: '7',
        runId: testRunId,
        digest: null,
        conclusion: 'success',
        startedAt: 1_789_640_165_000,
        completedAt: 1_789_640_400_000,
        url: 'https://ci.example/runs/7',
      },
    ],
    checksReadAt: 1_789_640_410_000,
  },
  landed: {
    landingId: '0d9c7a55-8c3e-4b0d-8f58-5c7d2f4f9b10',
    runId: testRunId,
    onto: baseSha,
    trial: built,
    step: built,
    commit: testedSha,
    tree: built.tree,
    head: testedSha,
  },
  between: [],
  vouchedBy: [],
  at: 1_789_640_412_000,
  hash: hash('a'),
};

/** A request and its answer, as they may follow each other. */
export interface Example {
  readonly request: object;
  readonly answer: object;
}

/** One for each operation, by its name. */
export const examples: Readonly<Record<string, Example>> = {
  submitPullRequest: {
    request: { ...queueRef, pr, priority: 'high' },
    answer: { ...submitted, priorityValue: 10, priorityName: 'high' },
  },
  cancelPullRequest: {
    request: { ...queueRef, pr },
    answer: { ...submitted, state: 'cancelled', isCurrentlySubmittedToQueue: false },
  },
  restartTestsOnPullRequest: { request: { ...queueRef, pr }, answer: { ...submitted, state: 'pending' } },
  getSubmittedPullRequest: { request: { ...queueRef, pr: { branch: 'login-page' } }, answer: found },
  getSubmittedPullRequests: {
    request: { ...queueRef, prs: [pr, { number: 42 }] },
    answer: { pullRequests: [found], notFound: [42] },
  },
  waitForPullRequest: { request: { ...queueRef, pr, waitSeconds: 30 }, answer: { ...found, reached: false } },
  getPullRequestTimeline: { request: { ...queueRef, pr, take: 2 }, answer: { timeline, attempts } },
  listPullRequests: { request: { ...queueRef, state: 'testing' }, answer: { pullRequests: [enqueued] } },
  setImpactedTargets: {
    request: { ...queueRef, pr: { number: 41, sha: prSha }, impactedTargets: ['//app:login'] },
    answer: { prNumber: 41, prSha, impactedTargetsCount: 1, impactedTargets: ['//app:login'] },
  },
  createQueue: { request: { ...queueRef, concurrency: 5 }, answer: queue },
  updateQueue: {
    request: { ...queueRef, state: 'paused', stateReason: 'The database is being upgraded.' },
    answer: {
      ...queue,
      state: 'paused',
      stateReason: {
        code: 'REQUESTED',
        sentence: 'The database is being upgraded.',
        actor: ada,
        at: at('20:00'),
      },
      landingUnderWay: false,
    },
  },
  deleteQueue: { request: queueRef, answer: {} },
  getQueue: {
    request: queueRef,
    answer: { ...queue, enqueuedPullRequests: [enqueued], notReadyPullRequests: [] },
  },
  listQueues: { request: { repo }, answer: { queues: [queue] } },
  getMergeQueueTestingDetails: {
    request: { ...queueRef, testRunId },
    answer: { ...testRun, runs: [testRun] },
  },
  listMergeQueueTestingResults: {
    request: { ...queueRef, since: '2026-09-16T00:00:00.000Z' },
    answer: {
      testingResults: [
        {
          testRunId,
          isBisection: false,
          prNumber: 41,
          attempt: 1,
          outcome: 'passed',
          cycleConclusion: 'passed',
          startedAt: at('16:02'),
          endedAt: at('20:10'),
          testingDurationMs: 248_000,
        },
      ],
      totalItems: 1,
    },
  },
  listReceipts: {
    request: { ...queueRef, take: 1 },
    answer: { receipts: [receipt], chain: { count: 1, hash: hash('a') } },
  },
};
