import {
  ada,
  at,
  attempts,
  createdToken,
  delivery,
  enqueued,
  found,
  hash,
  pr,
  prSha,
  queue,
  queueRef,
  receipt,
  repo,
  rights,
  snapshot,
  statistics,
  submitted,
  testedSha,
  testRun,
  testRunId,
  timeline,
  token,
  webhook,
} from './example-shapes.js';

/** A request and a possible answer to it. */
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
  preview: {
    request: { ...queueRef, operation: 'submitPullRequest', pr, skipTheLine: true },
    answer: {
      refusal: null,
      started: [{ purpose: 'test', prNumbers: [41], testedOnTopOf: [] }],
      startedCount: 1,
      cancelled: [
        {
          purpose: 'test',
          prNumbers: [40],
          testedOnTopOf: [],
          testRunId,
          cause: 'interrupted',
          hadPassed: false,
          ciMinutes: 4.5,
        },
      ],
      cancelledCount: 1,
      ciMinutesLost: 4.5,
      moves: [{ prNumber: 40, from: 'testing', to: 'pending', reason: 'SKIP_THE_LINE_INTERRUPTED' }],
      movesCount: 1,
      positions: [
        { prNumber: 41, from: null, to: 1 },
        { prNumber: 40, from: 1, to: 2 },
      ],
      positionsCount: 2,
      merges: [],
    },
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
  getQueueSnapshot: {
    request: { ...queueRef, version: '7d1f1c54-6d0e-4c57-9a55-3c5b4b1d0a01.41' },
    answer: snapshot,
  },
  getQueueAt: {
    request: { ...queueRef, at: at('20:00') },
    answer: {
      at: at('20:00'),
      earliestAt: at('00:00'),
      state: 'running',
      pullRequests: [
        {
          prNumber: 41,
          prTitle: enqueued.prTitle,
          prAuthor: enqueued.prAuthor,
          attempt: 1,
          state: 'testing',
          stateChangedAt: at('16:02'),
          reason: 'CAPACITY_AVAILABLE',
          position: 1,
          testRunId,
        },
      ],
      morePullRequests: 0,
      testRuns: [
        {
          testRunId,
          purpose: 'test',
          state: 'testing',
          outcome: null,
          prNumbers: [41],
          testedOnTopOf: [],
          baseSha: testRun.baseSha,
          testBranchSha: testedSha,
          createdAt: at('16:00'),
          testingSince: at('16:02'),
        },
      ],
      moreTestRuns: 0,
    },
  },
  listQueueChanges: {
    request: { ...queueRef, since: at('00:00') },
    answer: {
      changes: [
        {
          timestamp: at('20:00'),
          kind: 'settings',
          sentence: 'The queue was paused by ada.',
          actor: { kind: 'api', name: 'ada' },
        },
      ],
    },
  },
  getQueueStatistics: {
    request: { ...queueRef, since: at('00:00'), until: at('59:00'), bucket: 'day' },
    answer: statistics,
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
  listExpectedChecks: {
    request: { repo, checks: ['build'], waitSeconds: 30 },
    answer: {
      expectedChecks: [
        {
          repo,
          targetBranch: 'main',
          testRunId,
          ref: `refs/mq/candidates/${testRunId}`,
          commit: testedSha,
          check: 'build',
          status: 'queued',
          sequence: 0,
          reportedAt: null,
          askedAt: at('16:02'),
          startBy: at('26:02'),
          deadlineAt: at('46:02'),
          reportToken: 'good_for_this_check_alone',
        },
      ],
      reached: true,
    },
  },
  reportCheck: {
    request: { repo, testRunId, check: 'build', status: 'completed', conclusion: 'success' },
    answer: {
      testRunId,
      check: 'build',
      reporter: 'jenkins',
      applied: true,
      status: 'completed',
      conclusion: 'success',
      sequence: 1,
    },
  },
  whoami: { request: {}, answer: { tokenId: token.tokenId, isBootstrap: false, ...rights } },
  diagnose: {
    request: {},
    answer: {
      version: '0.1.0',
      time: at('20:00'),
      token: { tokenId: token.tokenId, isBootstrap: false, ...rights },
      findings: [
        {
          code: 'CHECK_NEVER_REPORTED',
          severity: 'warning',
          subject: 'acme/widgets main',
          sentence: 'lint is required and was never reported.',
          remedy:
            'Compare the name with what the CI reports, and check that the CI tests the candidates of the queue.',
        },
      ],
      queues: 3,
      isComplete: true,
    },
  },
  createToken: {
    request: {
      name: 'Jenkins',
      scopes: ['checks'],
      repositories: [repo],
      checks: ['build'],
      reporter: 'jenkins',
    },
    answer: createdToken,
  },
  rotateToken: { request: { tokenId: token.tokenId, overlapSeconds: 3_600 }, answer: createdToken },
  listTokens: { request: { take: 1 }, answer: { tokens: [token] } },
  revokeToken: { request: { tokenId: token.tokenId }, answer: { revokedTokenIds: [token.tokenId] } },
  createWebhook: {
    request: { url: webhook.url, types: webhook.types, repo },
    answer: { ...webhook, secret: 'whsec_the_secret_is_shown_this_once' },
  },
  listWebhooks: { request: { take: 1 }, answer: { webhooks: [webhook] } },
  updateWebhook: {
    request: { webhookId: webhook.webhookId, rotateSecret: true, overlapSeconds: 3_600 },
    answer: { ...webhook, oldSecretsUntil: at('59:02'), secret: 'whsec_the_new_secret' },
  },
  deleteWebhook: { request: { webhookId: webhook.webhookId }, answer: {} },
  testWebhook: {
    request: { webhookId: webhook.webhookId },
    answer: { deliveryId: 'msg_0d9c8b7a-6f5e-4d3c-8b2a-1f0e9d8c7b6a' },
  },
  listDeliveries: {
    request: { webhookId: webhook.webhookId, states: ['pending'], take: 1 },
    answer: { deliveries: [delivery] },
  },
  replayDeliveries: {
    request: { webhookId: webhook.webhookId, since: at('00:00'), states: ['failed'] },
    answer: { replayedCount: 12 },
  },
};
