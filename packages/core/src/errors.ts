import type { Fault, Refusal, RefusalCode } from './model/input.js';

/** What a caller may be told, with what to do about it. `caller`: the request has to change. `operator`: the service has. */
export const errorCodes = {
  INVALID_REQUEST: {
    audience: 'caller',
    remedy: 'Correct the fields that are listed and send the request again.',
  },
  INVALID_SETTINGS: {
    audience: 'caller',
    remedy: 'Correct the settings that are listed; nothing was changed.',
  },
  UNKNOWN_HOST: {
    audience: 'caller',
    remedy: 'Use the name of a code host that this service is configured for.',
  },
  REPOSITORY_NOT_FOUND: {
    audience: 'caller',
    remedy: 'Check the owner and the name, and that the code host can serve it.',
  },
  BRANCH_NOT_FOUND: {
    audience: 'caller',
    remedy: 'Create the branch at the code host, or correct its name.',
  },
  QUEUE_NOT_FOUND: {
    audience: 'caller',
    remedy: 'Create the queue with createQueue, or correct repository and branch.',
  },
  QUEUE_EXISTS: { audience: 'caller', remedy: 'Use updateQueue to change the queue that is there.' },
  QUEUE_NOT_EMPTY: {
    audience: 'caller',
    remedy:
      'Cancel them, or let the queue empty itself: updateQueue with state "draining" and cancelPending true, wait until it is empty, then delete it.',
  },
  PULL_REQUEST_NOT_FOUND: {
    audience: 'caller',
    remedy: 'Check the number and the repository.',
  },
  PULL_REQUEST_CLOSED: { audience: 'caller', remedy: 'Reopen the pull request, then submit it.' },
  PULL_REQUEST_MERGED: { audience: 'caller', remedy: 'Nothing is left to do: it is merged already.' },
  PULL_REQUEST_UNREADABLE: {
    audience: 'caller',
    remedy: 'Push a head that the code host can read, then submit it. Nothing was stored.',
  },
  STALE_HEAD: {
    audience: 'caller',
    remedy: 'Read the pull request again and submit the head that you mean.',
  },
  NOT_SUBMITTED: { audience: 'caller', remedy: 'Submit the pull request to this queue first.' },
  NOT_ACTIVE: {
    audience: 'caller',
    remedy: 'It has left the queue. Submit it again to open a new attempt.',
  },
  ALREADY_MERGED: { audience: 'caller', remedy: 'It is too late: the pull request is merged.' },
  NO_RUN_TO_RESTART: {
    audience: 'caller',
    remedy:
      'Tests can be restarted from when they begin until they have passed; what has left the queue is tested again when it is submitted again.',
  },
  LANDING_UNDER_WAY: {
    audience: 'caller',
    remedy: 'Ask for its state in a moment: its landing is being settled.',
  },
  RUN_NOT_FOUND: { audience: 'caller', remedy: 'Check testRunId; it must name a run of this queue.' },
  CHECK_NOT_REPORTABLE: {
    audience: 'caller',
    remedy:
      'Nothing was changed. Report a check whose source is `external` in the configuration, as one of its reporters.',
  },
  TEST_RUN_CLOSED: {
    audience: 'caller',
    remedy: 'Stop testing it: nothing was changed, and no report counts any more.',
  },
  REPORT_REFUSED: {
    audience: 'caller',
    remedy: 'Nothing was changed. Name the test run and the commit as listExpectedChecks answers them.',
  },
  CURSOR_INVALID: {
    audience: 'caller',
    remedy: 'Use the nextCursor of the page before, unchanged, or none.',
  },
  RIGHTS_EXCEEDED: {
    audience: 'caller',
    remedy:
      'Ask for less, or with a token that may do more; whoami says what this one may do. Nothing was done.',
  },
  TOKEN_NOT_FOUND: {
    audience: 'caller',
    remedy: 'Use an id that listTokens answers with this token. Nothing was done.',
  },
  TOKEN_NOT_ACTIVE: {
    audience: 'caller',
    remedy: 'Replace a token that is valid, or make a new one. Nothing was done.',
  },
  TOKENS_FULL: {
    audience: 'caller',
    remedy: 'Revoke some that are not needed any more, then make the new one.',
  },
  IDEMPOTENCY_KEY_REUSED: { audience: 'caller', remedy: 'Use a new Idempotency-Key for another request.' },
  COMMAND_BROKEN: {
    audience: 'operator',
    remedy: 'Nothing was changed. This is a fault of the queue; please report it with the words above.',
  },
  HOST_UNREACHABLE: {
    audience: 'operator',
    remedy: 'Nothing was stored. Try again when the code host answers.',
  },
  STORE_UNREACHABLE: {
    audience: 'operator',
    remedy:
      'Whether anything was done is not known. Try again in a moment; with the same Idempotency-Key nothing is done twice.',
  },
  TOKENS_UNREADABLE: {
    audience: 'operator',
    remedy: 'Nothing was done. Try again in a moment.',
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

/** A request that was refused; nothing was stored. `message` says what is wrong and what to do. */
export class MergeQueueError extends Error {
  override readonly name = 'MergeQueueError';
  /** The pull requests that stand in the way, and how many there are; null where none do. */
  readonly prs: Refusal['prs'] | null;
  constructor(
    readonly code: ErrorCode,
    /** What is wrong with this very request. */
    readonly detail: string,
    readonly faults: readonly Fault[] = [],
    options: MergeQueueErrorOptions = {},
  ) {
    super(`${detail} ${errorCodes[code].remedy}`, options);
    this.prs = options.prs ?? null;
  }
}
