import type { Fault, Refusal, RefusalCode } from './model/input.js';

/** The error codes, each with what to do about it. `caller`: the request must change. `operator`: the service must. */
export const errorCodes = {
  INVALID_REQUEST: {
    audience: 'caller',
    remedy: 'Correct the fields that are listed and send the request again.',
  },
  INVALID_SETTINGS: {
    audience: 'caller',
    remedy: 'Correct the settings that are listed.',
  },
  UNKNOWN_HOST: {
    audience: 'caller',
    remedy: 'Use the name of a code host that this service is configured for.',
  },
  REPOSITORY_NOT_FOUND: {
    audience: 'caller',
    remedy: 'Check owner and name, and that the code host can serve the repository.',
  },
  BRANCH_NOT_FOUND: {
    audience: 'caller',
    remedy: 'Create the branch at the code host, or correct its name.',
  },
  QUEUE_NOT_FOUND: {
    audience: 'caller',
    remedy: 'Create the queue with createQueue, or correct the repository and the branch.',
  },
  QUEUE_EXISTS: { audience: 'caller', remedy: 'Use updateQueue to change the existing queue.' },
  QUEUE_NOT_EMPTY: {
    audience: 'caller',
    remedy:
      'Cancel its pull requests, or drain it: call updateQueue with state "draining" and cancelPending true, wait until it is empty, then delete it.',
  },
  PULL_REQUEST_NOT_FOUND: {
    audience: 'caller',
    remedy: 'Check the number and the repository.',
  },
  PULL_REQUEST_CLOSED: { audience: 'caller', remedy: 'Reopen the pull request, then submit it.' },
  PULL_REQUEST_MERGED: { audience: 'caller', remedy: 'Nothing to do: it is already merged.' },
  PULL_REQUEST_UNREADABLE: {
    audience: 'caller',
    remedy: 'Push a new head commit that the code host can read, then submit it.',
  },
  SETTINGS_CHANGED: {
    audience: 'caller',
    remedy: 'The queue was changed since you read it. Read it again, and update it with its current ETag.',
  },
  FORCE_NOT_SUPPORTED: {
    audience: 'caller',
    remedy: 'Submit it without forceEnqueued; it waits until the code host shows it as mergeable.',
  },
  STALE_HEAD: {
    audience: 'caller',
    remedy: 'Read the pull request again and submit its current head.',
  },
  HISTORY_GONE: {
    audience: 'caller',
    remedy: 'Ask for the time that the message names, or for a later one. Earlier history has been removed.',
  },
  NOT_SUBMITTED: { audience: 'caller', remedy: 'Submit the pull request to this queue first.' },
  NOT_ACTIVE: {
    audience: 'caller',
    remedy: 'It is no longer in the queue. Submit it again to start a new attempt.',
  },
  ALREADY_MERGED: { audience: 'caller', remedy: 'Nothing to do: the pull request is already merged.' },
  NO_RUN_TO_RESTART: {
    audience: 'caller',
    remedy:
      'Tests can be restarted while they run and until they have passed. If the pull request has left the queue, submit it again.',
  },
  LANDING_UNDER_WAY: {
    audience: 'caller',
    remedy: 'Its merge is in progress. Read its state again in a moment.',
  },
  TARGETS_FULL: {
    audience: 'caller',
    remedy:
      'Send "ALL", which always fits, or fewer and shorter targets. Room is freed when pull requests with long lists leave the queue.',
  },
  RUN_NOT_FOUND: {
    audience: 'caller',
    remedy: 'Check testRunId; it must be the id of a test run of this queue.',
  },
  CHECK_NOT_REPORTABLE: {
    audience: 'caller',
    remedy: 'Report a check whose source is `external` in the configuration, as one of its reporters.',
  },
  TEST_RUN_CLOSED: {
    audience: 'caller',
    remedy: 'Stop testing it: reports for this test run no longer count.',
  },
  REPORT_REFUSED: {
    audience: 'caller',
    remedy: 'Send the test run and the commit exactly as listExpectedChecks returns them.',
  },
  CURSOR_INVALID: {
    audience: 'caller',
    remedy: 'Send the nextCursor of the previous page unchanged, or omit the cursor.',
  },
  RIGHTS_EXCEEDED: {
    audience: 'caller',
    remedy: 'Request fewer rights, or use a token that has more; `whoami` lists the rights of this one.',
  },
  TOKEN_NOT_FOUND: {
    audience: 'caller',
    remedy: 'Use an id that listTokens returns for this token.',
  },
  TOKEN_NOT_ACTIVE: {
    audience: 'caller',
    remedy: 'Replace a valid token, or create a new one.',
  },
  TOKENS_FULL: {
    audience: 'caller',
    remedy: 'Revoke tokens that are no longer used, then create the new one.',
  },
  WEBHOOK_NOT_FOUND: {
    audience: 'caller',
    remedy:
      'Check webhookId against listWebhooks. Use the token that created the webhook, or the token that created that token.',
  },
  WEBHOOK_DISABLED: {
    audience: 'caller',
    remedy: 'Enable it with updateWebhook, then try again.',
  },
  WEBHOOKS_FULL: {
    audience: 'caller',
    remedy: 'Delete webhooks that are no longer used.',
  },
  IDEMPOTENCY_KEY_REUSED: { audience: 'caller', remedy: 'Use a new Idempotency-Key for another request.' },
  COMMAND_BROKEN: {
    audience: 'operator',
    remedy: 'Nothing was changed. This is a bug in the queue; please report it with this message.',
  },
  HOST_UNREACHABLE: {
    audience: 'operator',
    remedy: 'Nothing was changed. Try again when the code host answers.',
  },
  STORE_UNREACHABLE: {
    audience: 'operator',
    remedy:
      'It is unknown whether the request was carried out. Try again in a moment; with the same Idempotency-Key it is not carried out twice.',
  },
  TOKENS_UNREADABLE: {
    audience: 'operator',
    remedy: 'Nothing was changed. Try again in a moment.',
  },
  CLOSED: { audience: 'operator', remedy: 'The engine is stopping. Try again when it has started.' },
} as const satisfies Record<string, { audience: 'caller' | 'operator'; remedy: string }> &
  Record<RefusalCode, unknown>;

export type ErrorCode = keyof typeof errorCodes;

export type { Fault } from './model/input.js';

export const closedError = (): MergeQueueError =>
  new MergeQueueError('CLOSED', 'The merge queue was closed.');

export interface MergeQueueErrorOptions extends ErrorOptions {
  readonly prs?: Refusal['prs'];
}

/** A refused request; nothing was stored. `message` says what is wrong and what to do. */
export class MergeQueueError extends Error {
  override readonly name = 'MergeQueueError';
  /** The pull requests that prevent the request, and their number; null if there are none. */
  readonly prs: Refusal['prs'] | null;
  constructor(
    readonly code: ErrorCode,
    /** What is wrong with this request. */
    readonly detail: string,
    readonly faults: readonly Fault[] = [],
    options: MergeQueueErrorOptions = {},
  ) {
    super(`${detail} ${errorCodes[code].remedy}`, options);
    this.prs = options.prs ?? null;
  }
}
