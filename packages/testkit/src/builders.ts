import {
  type Actor,
  type Answer,
  type Candidate,
  type Check,
  type Commit,
  defaultSettings,
  type Effect,
  type Fact,
  firstAdaptation,
  type HistoryRow,
  type Member,
  type PullRequest,
  type Queue,
  type RepoRef,
  type Submission,
  type TargetBook,
  type TestRun,
  type Verdict,
  type Writes,
} from '@mq/core';
import {
  BUILT_AT,
  commitIdOf,
  effectIdOf,
  inputIdOf,
  queueIdOf,
  runIdOf,
  shaOf,
  submissionIdOf,
} from './ids.js';

export * from './ids.js';

// Valid rows of the model with sample contents. The same arguments give equal rows; `override` replaces whole fields.
export const aRepo: RepoRef = { host: 'git.example', owner: 'acme', name: 'widgets' };

export const anActor: Actor = { kind: 'api', id: 'u-1', name: 'Ada' };

const settledPoll: Queue['polls']['branch'] = {
  asked: null,
  upTo: null,
  askedAt: BUILT_AT,
  again: false,
  dueAt: BUILT_AT,
};

export const aQueue = (override: Partial<Queue> = {}): Queue => ({
  id: queueIdOf(1),
  repo: aRepo,
  branch: 'main',
  settings: defaultSettings,
  settingsVersion: 1,
  wanted: 'running',
  cancelsPending: false,
  isBisectionConcurrencySet: true,
  statusReason: null,
  askedFor: null,
  nextMode: null,
  target: { head: shaOf(1), requiredChecks: ['build'], digests: {}, exists: true, readAt: BUILT_AT },
  lastBeforeParallel: null,
  goneFrom: null,
  tipTrust: {
    head: shaOf(1),
    fails: [],
    passes: ['build'],
    confirmed: [],
    failedFor: {},
    asked: [],
    tries: 0,
  },
  groundTrust: [],
  isTipInDoubt: false,
  infrastructureFailure: null,
  landing: null,
  landAfter: null,
  polls: { branch: settledPoll, pullRequests: settledPoll, checks: settledPoll },
  landsSingly: false,
  hostTrouble: null,
  standstills: [],
  movingBase: null,
  adaptation: firstAdaptation,
  testDurations: [],
  refusedLanding: null,
  notUnderstood: [],
  reportedChecks: ['build'],
  lastSuccesses: {},
  lastPlace: 0,
  receipts: { count: 0, hash: null },
  sequence: 0,
  createdAt: BUILT_AT,
  createdBy: null,
  decidedAt: BUILT_AT,
  deletedAt: null,
  ...override,
});

/** An open, mergeable pull request. Its head is `shaOf(0xa000 + number)`. */
export const aPullRequest = (number = 1, override: Partial<PullRequest> = {}): PullRequest => ({
  number,
  title: `Change ${number}`,
  body: '',
  author: 'ada',
  url: `https://git.example/acme/widgets/pull/${number}`,
  head: shaOf(0xa000 + number),
  headBranch: `change-${number}`,
  base: 'main',
  state: 'open',
  merged: null,
  draft: false,
  fork: false,
  labels: [],
  mergeability: 'mergeable',
  mergeabilityReason: null,
  conflicts: false,
  readAt: BUILT_AT,
  ...override,
});

/** A submission in state `pending`. */
export const aSubmission = (pr = 1, override: Partial<Submission> = {}): Submission => {
  const pull = override.pull ?? aPullRequest(pr);
  return {
    id: submissionIdOf(pr),
    pr,
    attempt: 1,
    state: 'pending',
    stateSince: BUILT_AT,
    reason: 'MERGE_ITEM_NOW_READY',
    reasonDetail: null,
    submittedAt: BUILT_AT,
    submittedRank: pr,
    submittedBy: anActor,
    wasIncomplete: false,
    admittedAt: BUILT_AT,
    admittedRank: pr,
    head: pull.head,
    pull,
    priority: { value: 100, named: false },
    skipTheLine: false,
    noBatch: false,
    forceEnqueued: false,
    place: null,
    batch: null,
    goesWithUrgent: false,
    begunAt: null,
    alone: false,
    suspectedBy: null,
    suspectedDetail: null,
    suspectedChecks: [],
    isRepeated: false,
    reruns: 0,
    heldBy: null,
    retries: 0,
    retryAt: null,
    timesPutOff: 0,
    refusedLandings: null,
    failedRunId: null,
    asideSince: null,
    missingSince: null,
    isGone: false,
    fault: null,
    message: null,
    landed: null,
    verifiedBy: null,
    ...override,
  };
};

/** A submission that a user cancelled. */
export const anEndedSubmission = (pr = 1, override: Partial<Submission> = {}): Submission =>
  aSubmission(pr, { state: 'cancelled', reason: 'USER_REQUESTED', ...override });

export const aMember = (pr = 1, override: Partial<Member> = {}): Member => ({
  submissionId: submissionIdOf(pr),
  attempt: 1,
  pr,
  head: shaOf(0xa000 + pr),
  ...override,
});

/** A candidate with one commit for each of these pull requests; without any, the base of `aRun()`. */
export const aCandidate = (prs: readonly number[] = [1]): Candidate => {
  const steps = prs.map((pr) => ({
    pr,
    head: shaOf(0xa000 + pr),
    headTree: shaOf(0xa000 + pr, 'd'),
    commit: shaOf(0xb000 + pr),
    tree: shaOf(pr, 'd'),
  }));
  const last = steps.at(-1) ?? { commit: shaOf(1), tree: shaOf(0, 'd') };
  return { ref: `candidates/${prs.join('+')}`, commit: last.commit, tree: last.tree, steps };
};

/** A test run of one pull request whose checks are running. */
export const aRun = (ordinal = 1, override: Partial<TestRun> = {}): TestRun => ({
  id: runIdOf(ordinal),
  purpose: { kind: 'test' },
  batch: [aMember(ordinal)],
  stack: [],
  without: [],
  base: shaOf(1),
  isDirect: false,
  method: 'squash',
  landed: [],
  onto: shaOf(1),
  beside: [],
  overtakenBy: null,
  isOvertakerKnown: false,
  state: 'testing',
  outcome: null,
  decidedBy: null,
  failure: null,
  candidate: aCandidate([ordinal]),
  isCandidateKept: true,
  checks: [],
  known: [],
  requiredChecks: ['build'],
  startedChecks: ['build'],
  createdAt: BUILT_AT,
  testingSince: BUILT_AT,
  rerunSince: null,
  checksReadAt: null,
  deadlineAt: BUILT_AT + 300 * 60_000,
  expired: null,
  endedAt: null,
  closedAt: null,
  closedBecause: null,
  witnesses: [],
  bisection: null,
  building: null,
  starting: null,
  ...override,
});

/** A test run that passed and was closed because it landed. */
export const aClosedRun = (ordinal = 1, override: Partial<TestRun> = {}): TestRun =>
  aRun(ordinal, {
    state: 'ended',
    outcome: 'passed',
    checks: [aCheck()],
    endedAt: BUILT_AT + 1_000,
    closedAt: BUILT_AT + 2_000,
    closedBecause: 'landed',
    ...override,
  });

/** A check that passed. */
export const aCheck = (override: Partial<Check> = {}): Check => ({
  id: 'check-1',
  runId: null,
  name: 'build',
  source: 'ci',
  digest: null,
  status: 'completed',
  conclusion: 'success',
  startedAt: BUILT_AT,
  completedAt: BUILT_AT + 1_000,
  url: null,
  summary: null,
  ...override,
});

export const aVerdict = (tree: string = shaOf(1, 'd'), check: Partial<Check> = {}): Verdict => ({
  tree,
  check: aCheck(check),
});

export const aTargetBook = (pr = 1, targets: readonly string[] = ['//app']): TargetBook => ({
  pr,
  sets: [{ head: shaOf(0xa000 + pr), targets, source: 'trusted', at: BUILT_AT }],
});

type Moved = Extract<HistoryRow, { type: 'moved' }>;

/** The history row of a pull request that joined the line. */
export const aMove = (sequence = 1, override: Partial<Moved> = {}): Moved => {
  const pr = override.pr ?? 1;
  return {
    type: 'moved',
    sequence,
    at: BUILT_AT + sequence,
    settingsVersion: 1,
    submissionId: submissionIdOf(pr),
    pr,
    attempt: 1,
    from: 'not_ready',
    to: 'pending',
    since: BUILT_AT,
    admittedAt: BUILT_AT + sequence,
    reasonBefore: null,
    reason: 'MERGE_ITEM_NOW_READY',
    detail: null,
    runId: null,
    actor: anActor,
    ...{ title: `Change ${pr}`, author: 'ada', priority: 100 },
    ...override,
  };
};

/** A hint that something may have changed at the host. */
export const aFact = (ordinal = 1): Fact => ({
  id: inputIdOf(ordinal),
  type: 'noticed',
  what: 'pull_requests',
});

/** The effect that drops the candidate of a test run. */
export const anEffect = (ordinal = 1): Effect => ({
  id: effectIdOf(ordinal),
  type: 'drop_candidate',
  runId: runIdOf(ordinal),
});

/** The answer to a command that was refused. */
export const anAnswer = (ordinal = 1, detail = 'It was not submitted.'): Answer => ({
  inputId: inputIdOf(ordinal),
  digest: null,
  result: { ok: false, refusal: { code: 'NOT_SUBMITTED', detail } },
});

export const someWrites = (override: Partial<Writes> = {}): Writes => ({
  queue: null,
  submissions: [],
  runs: [],
  targets: [],
  verdicts: [],
  history: [],
  receipts: [],
  ...override,
});

/** The first commit of `aQueue()`. Writes nothing by default. */
export const aCommit = (override: Partial<Commit> = {}): Commit => ({
  id: commitIdOf(1),
  recallable: false,
  absent: null,
  queueId: queueIdOf(1),
  expected: 1,
  incarnation: null,
  writes: someWrites(),
  consumed: [],
  answers: [],
  effects: [],
  withdraw: [],
  settled: [],
  handOver: null,
  wakeAt: null,
  ...override,
});
