import type { CheckSource, ExpectedCheck } from '../model/external-check.js';
import { type Finding, isNearLimit, type QueueFindingCode, queueFindings } from '../model/finding.js';
import type { Instant } from '../model/ids.js';
import type { PresenceRow } from '../model/presence.js';
import { heldByTrouble, isHalted, type Queue } from '../model/queue.js';
import { neverReported, REPORTED_CHECKS_LIMIT, requiredChecksOf } from '../model/required-checks.js';
import type { TestRun } from '../model/run.js';
import { silentAmongSeveral } from './diagnose-reporters.js';
import { durationOf, prsOf, quoted } from './phrases.js';

/** Below this share of `concurrency`, bisection slots delay everything behind a failed batch. */
export const BISECTION_SHARE_MIN = 0.25;
/** Passed test runs from which a percentile says something. */
const DURATIONS_NEEDED = 10;
const SLOW_SHARE = 0.95;
/** A test run takes far longer than usual from this multiple of the slowest passed one on record, and after a minute. */
const FAR_LONGER = 2;
const MINUTE_MS = 60_000;
/** A worker that runs takes up a check within seconds. */
const TAKEN_UP_WITHIN_MS = 2 * MINUTE_MS;

export interface DiagnosedQueue {
  readonly queue: Queue;
  readonly now: Instant;
  /** Where the results of the repository's checks come from; empty if the code host decides all. */
  readonly sources: readonly CheckSource[];
  /** Checks of the repository that were requested from reporters: open ones, recent ones, and those that succeeded last. */
  readonly expected: readonly ExpectedCheck[];
  /** The test runs whose tests run now. */
  readonly testing: readonly Pick<TestRun, 'batch' | 'testingSince'>[];
  /** Bytes of impacted targets that the pull requests in the queues of the repository hold, and may hold. */
  readonly targets: { readonly bytes: number; readonly limitBytes: number };
  /** Pull requests at which something is to be shown, or was a moment ago. */
  readonly presences: readonly Pick<PresenceRow, 'pr' | 'failures' | 'failure'>[];
}

type Found = readonly [QueueFindingCode, string];
type Rule = (of: DiagnosedQueue) => readonly Found[];

/** Finds present and coming problems of a queue. */
export const diagnoseQueue = (of: DiagnosedQueue): readonly Finding[] => {
  const { repo, branch } = of.queue;
  return rules
    .flatMap((rule) => rule(of))
    .map(([code, sentence]) => ({
      code,
      severity: queueFindings[code].severity,
      subject: `${repo.owner}/${repo.name} ${branch}`,
      sentence,
      remedy: queueFindings[code].remedy,
    }));
};

const halted: Rule = ({ queue }) =>
  isHalted(queue) ? [['QUEUE_HALTED', queue.statusReason?.sentence ?? 'The queue has paused itself.']] : [];

const hostTrouble: Rule = ({ queue, now }) => {
  const holdingTrouble = heldByTrouble(queue);
  const trouble = holdingTrouble ?? queue.hostTrouble;
  if (trouble === null) return [];
  const since = `For ${Math.max(0, Math.round((now - trouble.since) / MINUTE_MS))} min:`;
  return [[holdingTrouble === null ? 'HOST_FAILING' : 'HOST_REFUSES', `${since} ${trouble.message}`]];
};

/** A single failure may be one of the pull request, or pass by. */
const PRESENCE_FAILURES_NEEDED = 3;

const presence: Rule = ({ presences }) => {
  const failing = presences.filter(({ failures }) => failures >= PRESENCE_FAILURES_NEEDED);
  const [first] = failing;
  if (first === undefined) return [];
  const where = prsOf(failing);
  return [
    [
      'PRESENCE_FAILING',
      `What ${where} should show cannot be written: ${quoted(first.failure, 'no answer')}.`,
    ],
  ];
};

const checks: Rule = ({ queue, sources }) => {
  const required = requiredChecksOf(queue);
  if (required === null) return [['NO_REQUIRED_CHECKS', `No required check is known for ${queue.branch}.`]];
  return neverReported(queue).map((name): Found => {
    const source = sources.find((one) => one.name === name);
    return source?.source === 'external'
      ? [
          'REPORTER_NEVER_REPORTED',
          `${name} was never reported; it may be reported by ${source.reporters.join(', ')}.`,
        ]
      : ['CHECK_NEVER_REPORTED', `${name} is required and was never reported.`];
  });
};

const reporters: Rule = ({ queue, now, sources, expected }) => {
  const never = new Set(neverReported(queue));
  return sources.flatMap(({ name, source }): readonly Found[] => {
    if (source !== 'external' || never.has(name)) return [];
    const own = expected.filter((one) => one.name === name);
    const untaken = own.filter((one) => one.closedAt === null && one.executions.length === 0);
    const since = Math.min(...untaken.map(({ askedAt }) => askedAt));
    if (untaken.length === 0 || now - since < TAKEN_UP_WITHIN_MS) return [];
    const [last] = own
      .flatMap(({ executions }) => executions)
      .sort((one, other) => other.reportedAt - one.reportedAt);
    const lastReport =
      last === undefined
        ? 'Its last report is too old to be on record.'
        : `It was last reported ${durationOf(now - last.reportedAt)} ago, by ${last.reporter}.`;
    return [
      [
        'REPORTER_SILENT',
        `${name} was requested ${durationOf(now - since)} ago and not taken up. ${lastReport}`,
      ],
    ];
  });
};

const severalReporters: Rule = ({ sources, expected }) =>
  sources
    .flatMap((source) => silentAmongSeveral(source, expected))
    .map((one) => ['REPORTER_OF_SEVERAL_SILENT', one]);

const timeout: Rule = ({ queue: { settings, testDurations } }) => {
  const { testingTimeoutMinutes: minutes } = settings;
  if (minutes === 0)
    return [['NO_TIMEOUT', 'testingTimeoutMinutes is 0: a check that never ends holds its slot for ever.']];
  if (!isDurationKnown({ testDurations })) return [];
  const sorted = testDurations.toSorted((one, other) => one - other);
  const slow = sorted[Math.ceil(SLOW_SHARE * sorted.length) - 1] ?? 0;
  if (minutes * MINUTE_MS >= slow) return [];
  const took = `${(slow / MINUTE_MS).toFixed(1)} min`;
  return [
    [
      'TIMEOUT_SHORT',
      `testingTimeoutMinutes is ${minutes}, and one in twenty of the last ${sorted.length} passed test runs took ${took} or longer.`,
    ],
  ];
};

/** Whether enough test runs have passed to know how long one takes. */
export const isDurationKnown = ({ testDurations }: Pick<Queue, 'testDurations'>): boolean =>
  testDurations.length >= DURATIONS_NEEDED;

const slowRuns: Rule = ({ queue, now, testing }) => {
  if (!isDurationKnown(queue)) return [];
  const slowestMs = Math.max(...queue.testDurations);
  const usualMs = Math.max(FAR_LONGER * slowestMs, MINUTE_MS);
  const late = testing
    .flatMap(({ batch, testingSince: since }) => (since === null ? [] : [{ batch, ms: now - since }]))
    .filter(({ ms }) => ms > usualMs)
    .sort((one, other) => other.ms - one.ms);
  const [longest] = late;
  if (longest === undefined) return [];
  const which = longest.batch.length === 0 ? `the bare ${queue.branch}` : prsOf(longest.batch);
  const more = late.length === 1 ? '' : ` ${late.length - 1} more take longer than that, too.`;
  return [
    [
      'TEST_RUN_SLOW',
      `The test run of ${which} has taken ${durationOf(longest.ms)} so far. The slowest of the last ${queue.testDurations.length} passed ones took ${durationOf(slowestMs)}; more than ${durationOf(usualMs)} is far longer than usual.${more}`,
    ],
  ];
};

const fights: Rule = ({ queue: { settings } }) => {
  const found: Found[] = [];
  const { mode, canOptimisticallyMerge, pendingFailureDepth, batch } = settings;
  if (mode === 'parallel' && canOptimisticallyMerge && pendingFailureDepth > 0)
    found.push([
      'OPTIMISTIC_WITH_DEPTH',
      `canOptimisticallyMerge is on and pendingFailureDepth is ${pendingFailureDepth} in parallel mode: each failure waits for the pull requests behind it twice.`,
    ]);
  const slots = settings.bisectionConcurrency;
  if (slots !== null && slots < settings.concurrency * BISECTION_SHARE_MIN)
    found.push([
      'BISECTION_SLOTS_LOW',
      `bisectionConcurrency is ${slots} and concurrency is ${settings.concurrency}.`,
    ]);
  if (batch && settings.batchingMaxWaitTimeMinutes > 0 && settings.batchingMinSize <= 1)
    found.push([
      'BATCHES_NEVER_FULL',
      `batch is on with batchingMinSize ${settings.batchingMinSize}, so batchingMaxWaitTimeMinutes (${settings.batchingMaxWaitTimeMinutes}) has no effect.`,
    ]);
  return found;
};

const freeze: Rule = ({ queue: { settings }, now }) =>
  settings.freezeUntil !== null && settings.freezeUntil <= now
    ? [['FREEZE_ENDED', `freezeUntil was ${new Date(settings.freezeUntil).toISOString()}.`]]
    : [];

const limits: Rule = ({ queue: { reportedChecks }, targets: { bytes, limitBytes } }) => {
  const found: Found[] = [];
  if (isNearLimit(reportedChecks.length, REPORTED_CHECKS_LIMIT))
    found.push([
      'CHECKS_NEAR_LIMIT',
      `${reportedChecks.length} of ${REPORTED_CHECKS_LIMIT} names are on record.`,
    ]);
  if (isNearLimit(bytes, limitBytes))
    found.push([
      'TARGETS_NEAR_LIMIT',
      `The pull requests in the queues of this repository hold ${bytes} of ${limitBytes} bytes of impacted targets. Beyond that, a list is refused with TARGETS_FULL.`,
    ]);
  return found;
};

const rules: readonly Rule[] = [
  halted,
  hostTrouble,
  presence,
  checks,
  reporters,
  severalReporters,
  slowRuns,
  timeout,
  fights,
  freeze,
  limits,
];
