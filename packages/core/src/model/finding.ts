/** How much a finding matters: `error` stops something now, `warning` will or may, `info` is worth knowing. */
export const severities = ['error', 'warning', 'info'] as const;
export type Severity = (typeof severities)[number];

/**
 * What a diagnosis can find in a queue. The codes are part of the public API. `meaning` is for the reference page;
 * the sentence of a finding has the numbers.
 */
export const queueFindings = {
  QUEUE_HALTED: {
    severity: 'error',
    meaning: 'The queue has paused itself because a person has to check something.',
    remedy: 'Do what the sentence says, then set the state of the queue to running.',
  },
  HOST_REFUSES: {
    severity: 'error',
    meaning: 'The code host refuses requests of the queue, and retrying alone does not help.',
    remedy: 'Check that the repository exists and that the account of the service has write access to it.',
  },
  HOST_FAILING: {
    severity: 'warning',
    meaning: 'Requests of the queue to the code host fail and are retried.',
    remedy: 'Check the code host. The queue continues by itself when it answers.',
  },
  PRESENCE_FAILING: {
    severity: 'warning',
    meaning:
      'The queue cannot write comments, statuses or labels at the code host. They are retried; merges do not wait for them.',
    remedy:
      'Allow the account of the service to write comments, statuses and labels, or switch off those that you do not need.',
  },
  NO_REQUIRED_CHECKS: {
    severity: 'error',
    meaning: 'No required check is known, so every pull request fails.',
    remedy: 'Configure checks for the repository, or set requiredStatuses.',
  },
  CHECK_NEVER_REPORTED: {
    severity: 'warning',
    meaning: 'A required check was never reported for a test run.',
    remedy:
      'Compare the name with what the CI reports, and check that the CI tests the candidates of the queue.',
  },
  REPORTER_NEVER_REPORTED: {
    severity: 'warning',
    meaning: 'A required external check was never reported.',
    remedy:
      'Check that the worker runs, asks listExpectedChecks, and has a token with one of the named reporters.',
  },
  REPORTER_SILENT: {
    severity: 'warning',
    meaning: 'No reporter has picked up a check that a test run waits for.',
    remedy: 'Check that the worker runs, that it reaches the server, and that its token is valid.',
  },
  REPORTER_OF_SEVERAL_SILENT: {
    severity: 'warning',
    meaning: 'A check has several reporters, and one of them has reported none of the last test runs.',
    remedy:
      'Check that its worker runs and that its token is valid, or remove it from the reporters of the check.',
  },
  TEST_RUN_SLOW: {
    severity: 'warning',
    meaning:
      'A test run takes far longer than usual: twice as long as the slowest passed one on record, and over a minute.',
    remedy: 'Check the CI. If the tests hang, cancel them there, or start them again: `mq restart <number>`.',
  },
  NO_TIMEOUT: {
    severity: 'info',
    meaning: 'Test runs have no timeout: a check that never ends holds its slot for ever.',
    remedy: 'Set testingTimeoutMinutes to about three times the usual duration.',
  },
  TIMEOUT_SHORT: {
    severity: 'warning',
    meaning: 'The timeout is shorter than the slowest 5 % of passed test runs took.',
    remedy: 'Raise testingTimeoutMinutes: pull requests fail although their tests would pass.',
  },
  OPTIMISTIC_WITH_DEPTH: {
    severity: 'warning',
    meaning: 'In parallel mode, canOptimisticallyMerge and pendingFailureDepth both delay failures.',
    remedy: 'Set pendingFailureDepth to 0, or switch canOptimisticallyMerge off. One of them is enough.',
  },
  BISECTION_SLOTS_LOW: {
    severity: 'warning',
    meaning: 'Bisections have far fewer slots than test runs, so everything behind a failed batch waits.',
    remedy: 'Raise bisectionConcurrency, or set it to null to follow concurrency.',
  },
  BATCHES_NEVER_FULL: {
    severity: 'info',
    meaning: 'The wait for batches to fill has no effect, because one pull request already fills a batch.',
    remedy: 'Raise batchingMinSize, or set batchingMaxWaitTimeMinutes to 0.',
  },
  FREEZE_ENDED: {
    severity: 'info',
    meaning: 'freezeUntil is in the past and has no effect.',
    remedy: 'Set freezeUntil to null.',
  },
  CHECKS_NEAR_LIMIT: {
    severity: 'warning',
    meaning: 'The queue has seen nearly as many different required check names as it can record.',
    remedy:
      'Give checks stable names: a name that changes with each run cannot be compared. Or require fewer checks.',
  },
  TARGETS_NEAR_LIMIT: {
    severity: 'warning',
    meaning: 'The impacted targets in the queues of a repository take nearly as many bytes as they may.',
    remedy: 'Send shorter lists, or "ALL", or raise targetBytesPerRepository of the server.',
  },
} as const satisfies Readonly<Record<string, FindingKind>>;
export type QueueFindingCode = keyof typeof queueFindings;

/** The findings of a diagnosis about the tokens and webhooks that a token has created. */
export const tokenFindings = {
  WEBHOOKS_NEAR_LIMIT: {
    severity: 'warning',
    meaning: 'The token has nearly as many webhooks as it may have.',
    remedy: 'Delete those that are no longer used: `mq webhook list`, `mq webhook delete <id>`.',
  },
  TOKENS_NEAR_LIMIT: {
    severity: 'warning',
    meaning: 'The token has created nearly as many valid tokens as it may have.',
    remedy: 'Revoke those that are no longer used: `mq token list`, `mq token revoke <id>`.',
  },
} as const satisfies Readonly<Record<string, FindingKind>>;
export type TokenFindingCode = keyof typeof tokenFindings;

/** What a diagnosis can find about a webhook. */
export const webhookFindings = {
  WEBHOOK_STOPPED: {
    severity: 'error',
    meaning: 'The service has disabled a webhook: nothing is delivered to it.',
    remedy: 'Correct what the sentence names, then enable it: `mq webhook set <id> --enable`.',
  },
  WEBHOOK_FAILING: {
    severity: 'warning',
    meaning: 'Deliveries to a webhook fail. After 5 days without a success it is disabled.',
    remedy: 'Check the receiver; failed deliveries are retried.',
  },
} as const satisfies Readonly<Record<string, FindingKind>>;
export type WebhookFindingCode = keyof typeof webhookFindings;

export interface FindingKind {
  readonly severity: Severity;
  readonly meaning: string;
  readonly remedy: string;
}

/** A limit is near from this share on. */
const NEAR_SHARE = 0.9;
export const isNearLimit = (count: number, limit: number): boolean => count >= limit * NEAR_SHARE;

/** One finding of a diagnosis. */
export interface Finding {
  readonly code: string;
  readonly severity: Severity;
  /** What it is about: `owner/name branch` of a queue, or a part of the service. */
  readonly subject: string;
  /** What was found, with numbers. */
  readonly sentence: string;
  /** What to do. */
  readonly remedy: string;
  /** True if the service can do that by itself, when it is asked to. */
  readonly isRepairable?: boolean;
}

/** Errors first; findings of one severity stay in their order. */
export const worstFirst = (findings: readonly Finding[]): Finding[] =>
  findings.toSorted((one, other) => severities.indexOf(one.severity) - severities.indexOf(other.severity));
