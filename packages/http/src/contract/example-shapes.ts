import { defaultSettings, withInstantsAs } from '@mq/core';
import type { z } from 'zod';
import type * as pullRequests from '../schemas/pull-request.js';
import type { queueAnswer } from '../schemas/queue.js';
import type { queueSnapshot } from '../schemas/snapshot.js';
import type { queueStatistics } from '../schemas/statistics.js';
import type { testingDetails } from '../schemas/testing-details.js';

export const repo = { host: 'github.com', owner: 'acme', name: 'widgets' };
export const queueRef = { repo, targetBranch: 'main' };
export const pr = { number: 41 };
export const prSha = '5d3f6c0b8f0a4f6ea9d2d1c3b7e8f9a0b1c2d3e4';
export const testedSha = '9a8b7c6d5e4f30211203a4b5c6d7e8f901234567';
const baseSha = '0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c';
const queueId = '4f0c2a8e-6c1d-4a52-9a57-0a3f6d0b7c11';
export const testRunId = 'c7a1d9f4-2f0e-4d61-8a6b-3b0e5f7a9d20';
export const at = (time: string): string => `2026-09-17T10:${time}.000Z`;
export const ada = { kind: 'api', name: 'ada' };

export const queue = {
  ...withInstantsAs(String, defaultSettings),
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
  settingsVersion: 1,
  queueId,
  createdAt: at('00:00'),
} satisfies z.output<typeof queueAnswer>;

export const enqueued = {
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

export const submitted = {
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

export const found = {
  ...submitted,
  queueId,
  position: 1,
  aheadInLane: 0,
  remedy: 'It merges by itself once its checks have passed.',
  failure: null,
  endedBy: null,
  landedCommit: null,
} satisfies z.output<typeof pullRequests.foundPullRequest>;

export const timeline = [
  {
    timestamp: at('16:02'),
    attempt: 1,
    state: 'testing',
    testing: { reason: null, detail: null, testRunId },
  },
  { timestamp: at('15:40'), command: { name: 'submit', actor: ada } },
];

export const attempts = [
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

export const testRun = {
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

export const hash = (digit: string): string => digit.repeat(64);
const built = { commit: testedSha, tree: '77aa66bb55cc44dd33ee22ff11009988776655ff' };
const member = { pr: 41, attempt: 1, head: prSha };

export const receipt = {
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

export const rights = {
  name: 'Jenkins',
  person: null,
  reporter: 'jenkins',
  scopes: ['checks'],
  repositories: [repo],
  checks: ['build'],
  expiresAt: '2027-09-17T10:00:00.000Z',
};

export const token = {
  tokenId: '2b4c6d8e-1f3a-4b5c-8d7e-9f0a1b2c3d4e',
  prefix: 'mqt_4kQ9',
  state: 'active',
  ...rights,
  madeByTokenId: 'bootstrap',
  createdAt: at('00:00'),
  lastUsedAt: null,
  revoked: null,
  replacedByTokenId: null,
};

export const createdToken = { ...token, token: 'mqt_4kQ9_the_rest_is_shown_this_once' };

export const webhook = {
  webhookId: '7c1d2e3f-4a5b-4c6d-8e7f-0a1b2c3d4e5f',
  url: 'https://ci.example.com/merge-queue',
  description: '',
  format: 'standard',
  types: ['pull_request.testing'],
  repo,
  targetBranch: null,
  madeByTokenId: token.tokenId,
  createdAt: at('00:00'),
  disabled: null,
  oldSecretsUntil: null,
  lastSuccessAt: null,
  failingSince: null,
  lastFailure: null,
} as const;

export const delivery = {
  deliveryId: 'msg_5f4e3d2c1b0a9f8e7d6c5b4a39281706',
  webhookId: webhook.webhookId,
  type: 'pull_request.testing',
  queueId: '8d7c6b5a-4f3e-4d2c-9b1a-0f9e8d7c6b5a',
  sequence: 41,
  createdAt: at('16:02'),
  state: 'pending',
  nextTryAt: at('16:07'),
  endedAt: null,
  tries: [{ at: at('16:02'), tookMs: 84, status: 502, error: 'It answered 502.', answer: null }],
} as const;

export const snapshot = {
  version: '7d1f1c54-6d0e-4c57-9a55-3c5b4b1d0a01.42',
  since: '7d1f1c54-6d0e-4c57-9a55-3c5b4b1d0a01.41',
  computedAt: at('20:00'),
  pullRequests: {
    rows: [
      {
        prNumber: 41,
        prTitle: 'Add a login page',
        prAuthor: 'ada',
        prUrl: 'https://github.com/acme/widgets/pull/41',
        prSha,
        attempt: 1,
        state: 'testing',
        stateChangedAt: at('16:02'),
        submittedAt: at('15:40'),
        priorityValue: 100,
        priorityName: 'medium',
        skipTheLine: false,
        noBatch: false,
        position: 1,
        lane: 41,
        testRunId,
        waitingFor: { ...enqueued.waitingFor, remedy: found.remedy },
      },
    ],
    removed: [40],
    order: [41, 42],
    more: 0,
  },
  testRuns: {
    rows: [
      {
        testRunId,
        purpose: 'test',
        state: 'testing',
        outcome: null,
        prNumbers: [41],
        testedOnTopOf: [],
        baseSha,
        testBranch: `refs/mq/candidates/${testRunId}`,
        testBranchSha: testedSha,
        createdAt: at('16:00'),
        testingSince: at('16:02'),
        deadlineAt: at('46:02'),
        endedAt: null,
        bisects: null,
        requiredStatuses: ['build', 'test'],
        checks: [
          {
            name: 'build',
            source: 'ci',
            status: 'IN_PROGRESS',
            conclusion: null,
            startedAt: at('16:05'),
            completedAt: null,
            summary: null,
            hasLog: true,
          },
        ],
        explanation: '#41 is in test run c7a1d9f4: check build has been running for 4 min.',
      },
    ],
    removed: [],
    more: 0,
  },
  ended: { rows: [], removed: [] },
} satisfies z.output<typeof queueSnapshot>;

const day = {
  since: '2026-09-17T00:00:00.000Z',
  until: '2026-09-18T00:00:00.000Z',
  landed: 37,
  failed: 3,
  cancelled: 1,
  timeInQueue: { medianMs: 412_000, p95Ms: 1_260_000 },
  ciMinutes: [{ purpose: 'test', cause: 'landed', used: true, minutes: 184.5 }],
  checks: [{ name: 'build', tests: 41, failures: 3, flakes: 1, failureRate: 0.0732, flakeRate: 0.0244 }],
};

export const statistics = { bucket: 'day', total: day, buckets: [day] } satisfies z.output<
  typeof queueStatistics
>;
