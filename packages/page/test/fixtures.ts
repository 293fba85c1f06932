import { readFileSync } from 'node:fs';
import type { AnswerOf, components } from '@mq/client';

export type Pull = components['schemas']['EnqueuedPullRequest'];
export type FoundPull = AnswerOf<'getSubmittedPullRequest'>;
export type Queue = AnswerOf<'listQueues'>['queues'][number];
export type TestingDetails = components['schemas']['TestingDetails'];

/** The moment at which every page of the tests is looked at. */
export const NOW = Date.parse('2026-11-26T14:30:00.000Z');
const MINUTE = 60_000;

export const at = (minutes: number): string => new Date(NOW + minutes * MINUTE).toISOString();

export const repo = { host: 'local', owner: 'acme', name: 'shop' };
export const queueRef = { repo, targetBranch: 'main' };

/** The queue that the OpenAPI document shows: it has all settings, most of them by default. */
const exampleQueue = (): Queue => {
  const path = new URL('../../../docs/reference/openapi.json', import.meta.url);
  const { paths } = JSON.parse(readFileSync(path, 'utf8'));
  return paths['/createQueue'].post.responses['200'].content['application/json'].example;
};

export const aQueue = (changes: Partial<Queue> = {}): Queue => ({
  ...exampleQueue(),
  state: 'running',
  stateReason: null,
  repo,
  branch: 'main',
  concurrency: 4,
  activeConcurrency: 4,
  bisectionConcurrency: 4,
  mode: 'parallel',
  activeMode: 'parallel',
  batch: true,
  requiredStatuses: ['unit', 'lint', 'integration'],
  settingsVersion: 3,
  queueId: '5f0d9f2e-0c3c-4d3f-9a55-0d6b1f1f0a01',
  createdAt: at(-90_000),
  ...changes,
});

const titles = [
  'Charge the card only after the stock is reserved',
  'Cache the price list per currency',
  'Speed up the search index by half',
  'Drop the old export format',
  'Show delivery dates in the time zone of the buyer',
  'Retry webhooks with a growing pause',
  'Let support see the history of an order',
  'Round taxes per line, as the law asks',
  'Move images to the new bucket',
  'Warn before a voucher expires',
];
const authors = ['ada', 'grace', 'linus', 'barbara', 'edsger', 'margaret'];

export const aPull = (prNumber: number, changes: Partial<Pull> = {}): Pull => ({
  id: `00000000-0000-4000-8000-${String(prNumber).padStart(12, '0')}`,
  state: 'pending',
  stateChangedAt: at(-12),
  attempt: 1,
  priorityValue: 100,
  priorityName: 'medium',
  usedDefaultPriorityName: 'medium',
  skipTheLine: false,
  noBatch: false,
  forceEnqueued: false,
  prNumber,
  prTitle: titles[prNumber % titles.length] ?? '',
  prSha: `${prNumber}f3c9d21ab87e6504d1c2b3a495867fedcba01234`.slice(0, 40),
  prBaseBranch: 'main',
  prAuthor: authors[prNumber % authors.length] ?? '',
  prUrl: `https://code.example/acme/shop/pull/${prNumber}`,
  waitingFor: {
    code: 'slot',
    sentence: `#${prNumber} waits for a test slot (4 of 4 in use).`,
    behindPr: null,
    until: at(8),
  },
  ...changes,
});

export const runId = (number: number): string =>
  `3d3cc1d0-0000-4000-8000-${String(number).padStart(12, '0')}`;

interface RunShape {
  readonly prs: readonly number[];
  readonly onTopOf?: readonly number[];
  readonly minutes?: number;
  /** Passed, running, failed and waiting checks by their first letters: `prf`. */
  readonly checks?: string;
  readonly changes?: Partial<TestingDetails>;
}

const checkNames = ['unit', 'lint', 'integration'];

export const aRun = (
  number: number,
  { prs, onTopOf = [], minutes = 4, checks = 'prr', changes = {} }: RunShape,
): TestingDetails => ({
  testRunId: runId(number),
  purpose: 'test',
  status: 'in_progress',
  outcome: null,
  requiredStatuses: checkNames,
  requiredStatusesSource: 'repo_provider_branch_protection',
  testBranch: `refs/mq/run/${number}`,
  testBranchSha: '0d9e8f7a6b5c4d3e2f1a0b9c8d7e6f5a4b3c2d1e',
  baseSha: '8a1f0c2b3d4e5f60718293a4b5c6d7e8f9012345',
  createdAt: at(-minutes),
  testingSince: at(-minutes),
  deadlineAt: at(300 - minutes),
  endedAt: null,
  closedBecause: null,
  checkSuites: [
    {
      source: 'ci',
      checkRuns: [...checks].map((letter, index) => ({
        name: checkNames[index] ?? `check-${index}`,
        url: `https://ci.example/log/${number}/${index}`,
        status:
          letter === 'r'
            ? ('IN_PROGRESS' as const)
            : letter === 'q'
              ? ('QUEUED' as const)
              : ('COMPLETED' as const),
        ...(letter === 'p' ? { conclusion: 'SUCCESS' } : letter === 'f' ? { conclusion: 'FAILURE' } : {}),
        startedAt: at(-minutes),
        completedAt: letter === 'p' || letter === 'f' ? at(-minutes + 1.5) : null,
        summary: letter === 'f' ? '3 of 214 tests failed: cart adds a voucher twice' : null,
      })),
    },
  ],
  statusChecks: [],
  failureCausingStatuses: [],
  testedPullRequests: prs.map((prNumber) => ({ prNumber })),
  explanation: 'It waits for the checks lint and integration, at the latest until 19:26.',
  dependentPrs: [...onTopOf],
  waitsOnPrs: [...onTopOf],
  ...changes,
});

const testing = (prNumber: number, number: number, changes: Partial<Pull> = {}): Pull =>
  aPull(prNumber, {
    state: 'testing',
    stateChangedAt: at(-4),
    testRunId: runId(number),
    waitingFor: {
      code: 'test',
      sentence: `#${prNumber} is in test run ${runId(number)} and waits for the checks lint and integration.`,
      behindPr: null,
      until: at(296),
    },
    ...changes,
  });

/** A queue at work: lanes, a batch, a bisection, and some that wait. */
export const busyLine = (): Line => ({
  enqueued: [
    testing(41, 1),
    testing(42, 2, { priorityName: 'high', priorityValue: 10 }),
    testing(43, 2),
    testing(44, 3, {
      state: 'pending_failure',
      waitingFor: {
        code: 'failure_undecided',
        sentence: '#44 failed the check integration; it is judged once #41 has merged or left.',
        behindPr: 41,
        until: null,
      },
    }),
    testing(45, 4),
    testing(46, 5, { skipTheLine: true, priorityName: 'urgent', priorityValue: 0 }),
    ...[47, 48, 49, 50, 51, 52].map((pr) => aPull(pr)),
  ],
  notReady: [
    aPull(40, {
      state: 'not_ready',
      stateChangedAt: at(-130),
      waitingFor: {
        code: 'approval',
        sentence: '#40 is not ready: the code host says that an approval is missing.',
        behindPr: null,
        until: at(1300),
      },
    }),
  ],
  runs: [
    aRun(1, { prs: [41], minutes: 9, checks: 'ppr' }),
    aRun(2, { prs: [42, 43], onTopOf: [41], minutes: 6, checks: 'prr' }),
    aRun(3, { prs: [44], onTopOf: [41, 42, 43], minutes: 5, checks: 'ppf' }),
    aRun(4, { prs: [45], minutes: 3, checks: 'prr', changes: { purpose: 'isolate' } }),
    aRun(5, { prs: [46], minutes: 1, checks: 'rrq' }),
    aRun(6, { prs: [], minutes: 2, checks: 'rrr', changes: { purpose: 'control' } }),
  ],
  ended: [
    anEnded(39),
    anEnded(38, {
      state: 'failed',
      endedAt: at(-35),
      reason: { code: 'TEST_FAILURE', sentence: 'The check integration failed.', detail: null },
      landedCommit: null,
    }),
    anEnded(37, { endedAt: at(-48) }),
  ],
});

/** A thousand in line, of which the first are being tested. */
export const longLine = (): Line => {
  const busy = busyLine();
  return {
    ...busy,
    enqueued: [...busy.enqueued, ...Array.from({ length: 988 }, (_, index) => aPull(100 + index))],
  };
};

export const estimate = (minutes: number) => ({
  status: 'available' as const,
  kind: 'merge' as const,
  expectedMergeAt: at(minutes),
  pessimisticMergeAt: at(minutes * 2),
  expectedResolutionAt: null,
  expectedTestStartAt: at(-4),
  expectedTestEndAt: at(minutes),
  waitingBehind: 1,
  basedOnRuns: 40,
});

export const foundPull = (pull: Pull, changes: Partial<FoundPull> = {}): FoundPull => ({
  ...pull,
  isCurrentlySubmittedToQueue: true,
  submittedAt: at(-14),
  readiness: {
    requiresImpactedTargets: false,
    hasImpactedTargets: true,
    doesBaseBranchMatch: true,
    hostMergeability: 'mergeable',
    gitHubMergeability: 'mergeable',
  },
  verifiedByTestRun: null,
  failedTestRun: null,
  queueState: 'running',
  queueId: aQueue().queueId,
  position: 2,
  aheadInLane: 1,
  remedy: 'You need to do nothing: it merges when its checks pass and #41 has merged.',
  failure: null,
  endedBy: null,
  landedCommit: null,
  timeline: [],
  timelineIsComplete: true,
  estimatedTimeToMerge: estimate(6),
  attempts: [
    {
      attempt: 1,
      state: 'testing',
      startedAt: at(-14),
      endedAt: null,
      sentence: 'It is being tested.',
      spentMs: { pending: 8 * MINUTE, testing: 6 * MINUTE },
      story: [
        {
          timestamp: at(-14),
          state: 'pending',
          reason: 'SUBMITTED',
          testRunId: null,
          sentence: 'Submitted by ada.',
        },
        {
          timestamp: at(-6),
          state: 'testing',
          reason: 'TEST_RUN_STARTED',
          testRunId: runId(2),
          sentence: `Tested with #43 on top of #41 (test run ${runId(2)}).`,
        },
      ],
    },
  ],
  ...changes,
});

type Snapshot = AnswerOf<'getQueueSnapshot'>;
type SnapshotRow = NonNullable<Snapshot['pullRequests']>['rows'][number];
type SnapshotRun = NonNullable<Snapshot['testRuns']>['rows'][number];
export type Ended = NonNullable<Snapshot['ended']>['rows'][number];

export interface Line {
  readonly enqueued: readonly Pull[];
  readonly notReady: readonly Pull[];
  readonly runs: readonly TestingDetails[];
  readonly ended?: readonly Ended[];
  readonly alarms?: NonNullable<Snapshot['alarms']>;
}

const ESTIMATED = 50;

const rowOf = (pull: Pull, position: number | null): SnapshotRow => ({
  ...pull,
  submittedAt: at(-14),
  position,
  lane: position === null ? null : 41,
  testRunId: pull.testRunId ?? null,
  ...(position === null || position > ESTIMATED ? {} : { estimatedTimeToMerge: estimate(4 + position * 3) }),
});

const snapshotRun = (run: TestingDetails): SnapshotRun => ({
  ...run,
  state: run.testingSince === null ? 'building' : 'testing',
  prNumbers: run.testedPullRequests.map(({ prNumber }) => prNumber),
  testedOnTopOf: run.dependentPrs,
  bisects: null,
  checks: run.checkSuites.flatMap(({ source, checkRuns }) =>
    checkRuns.map((check) => ({ ...check, source, conclusion: check.conclusion ?? null, hasLog: true })),
  ),
  explanation: run.explanation ?? '',
});

/** The whole answer about a queue with this line. */
export const snapshotOf = (queue: Queue, line: Line, version: string): Snapshot => ({
  version,
  since: null,
  computedAt: at(0),
  queue,
  counts: {
    enqueued: line.enqueued.length,
    begun: line.enqueued.filter(({ state }) => state !== 'pending').length,
    notReady: line.notReady.length,
    slotsInUse: line.runs.filter(({ purpose }) => purpose === 'test').length,
    bisectionSlotsInUse: line.runs.filter(({ purpose }) => purpose !== 'test').length,
  },
  targetSha: '8a1f0c2b3d4e5f60718293a4b5c6d7e8f9012345',
  landing: null,
  alarms: line.alarms ?? [],
  pullRequests: {
    rows: [
      ...line.enqueued.map((pull, index) => rowOf(pull, index + 1)),
      ...line.notReady.map((pull) => rowOf(pull, null)),
    ],
    removed: [],
    more: 0,
  },
  testRuns: { rows: line.runs.map(snapshotRun), removed: [], more: 0 },
  ended: { rows: [...(line.ended ?? [])], removed: [] },
});

export const anEnded = (prNumber: number, changes: Partial<Ended> = {}): Ended => ({
  prNumber,
  prTitle: aPull(prNumber).prTitle,
  prAuthor: aPull(prNumber).prAuthor,
  prUrl: aPull(prNumber).prUrl,
  prSha: aPull(prNumber).prSha,
  state: 'merged',
  submittedAt: at(-90),
  endedAt: at(-20),
  reason: { code: 'MERGED', sentence: 'Merged by the queue.', detail: null },
  landedCommit: '7c1d0e2f3a4b5c6d7e8f90123456789abcdef012',
  failedTestRun: null,
  ...changes,
});

export const emptyLine: Line = { enqueued: [], notReady: [], runs: [] };

export type Statistics = AnswerOf<'getQueueStatistics'>;
type Span = Statistics['total'];

const DAY_MS = 86_400_000;

const spanOf = (since: number, until: number, size: number, changes: Partial<Span> = {}): Span => ({
  since: new Date(since).toISOString(),
  until: new Date(until).toISOString(),
  landed: size,
  failed: Math.floor(size / 6),
  cancelled: Math.floor(size / 9),
  timeInQueue:
    size === 0 ? null : { medianMs: (14 + (size % 7)) * MINUTE, p95Ms: (38 + (size % 11)) * MINUTE },
  ciMinutes: [
    { purpose: 'test', cause: 'landed', used: true, minutes: size * 21 },
    { purpose: 'test', cause: 'stack_changed', used: false, minutes: size * 4 },
    { purpose: 'isolate', cause: 'isolation_done', used: true, minutes: size * 2 },
  ],
  checks: [
    { name: 'integration', tests: size * 3, failures: size, flakes: 2, failureRate: 0.11, flakeRate: 0.024 },
    { name: 'unit', tests: size * 3, failures: 2, flakes: 0, failureRate: 0.02, flakeRate: 0 },
    { name: 'lint', tests: size * 3, failures: 0, flakes: 0, failureRate: 0, flakeRate: 0 },
  ],
  ...changes,
});

/** Seven days, of which one had nothing. */
export const someStatistics = (): Statistics => {
  const sizes = [31, 42, 38, 0, 12, 47, 29, 18];
  const first = Math.floor(NOW / DAY_MS) * DAY_MS - (sizes.length - 1) * DAY_MS;
  return {
    bucket: 'day',
    total: spanOf(first, NOW, 217),
    buckets: sizes.map((size, index) => spanOf(first + index * DAY_MS, first + (index + 1) * DAY_MS, size)),
  };
};

const commit = '7c1d0e2f3a4b5c6d7e8f90123456789abcdef012';
const tree = '1f2e3d4c5b6a79880716253443526170aabbccdd';
const built = { commit, tree };

export const aReceipt = (pr: number): components['schemas']['Receipt'] => ({
  version: 1,
  queueId: aQueue().queueId,
  repo,
  branch: 'main',
  number: 17,
  previous: null,
  pr,
  attempt: 1,
  head: aPull(pr).prSha,
  submitted: { by: { kind: 'api', name: 'ada' }, at: NOW - 14 * MINUTE, forced: false },
  settingsVersion: 3,
  mergeMethod: 'squash',
  required: { names: ['unit', 'lint'], source: null },
  tested: {
    runId: runId(2),
    base: commit,
    stack: [],
    batch: [{ pr, attempt: 1, head: aPull(pr).prSha }],
    trial: built,
    step: built,
    checks: [],
  },
  landed: {
    landingId: 'l',
    runId: runId(2),
    onto: commit,
    trial: built,
    step: built,
    commit,
    tree,
    head: commit,
  },
  between: [],
  vouchedBy: [],
  at: NOW,
  hash: 'a'.repeat(64),
});

export type QueueAt = AnswerOf<'getQueueAt'>;

/** The queue at a moment: before a quarter of an hour ago one pull request was in test, later none. */
export const queueAt = (moment: string): QueueAt => {
  const isEarlier = Date.parse(moment) < NOW - 15 * MINUTE;
  return {
    at: moment,
    earliestAt: at(-3_000),
    state: 'running',
    pullRequests: isEarlier
      ? [
          {
            prNumber: 36,
            prTitle: 'Ask before an order is split',
            prAuthor: 'grace',
            attempt: 1,
            state: 'testing',
            stateChangedAt: new Date(Date.parse(moment) - 3 * MINUTE).toISOString(),
            reason: null,
            position: 1,
            testRunId: runId(9),
          },
        ]
      : [],
    morePullRequests: 0,
    testRuns: isEarlier
      ? [
          {
            testRunId: runId(9),
            purpose: 'test',
            state: 'testing',
            outcome: null,
            prNumbers: [36],
            testedOnTopOf: [],
            baseSha: commit,
            testBranchSha: commit,
            createdAt: new Date(Date.parse(moment) - 3 * MINUTE).toISOString(),
            testingSince: new Date(Date.parse(moment) - 3 * MINUTE).toISOString(),
          },
        ]
      : [],
    moreTestRuns: 0,
  };
};
