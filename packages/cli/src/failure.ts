import { isPassing, MqError } from '@mq/client';
import { type ExitCode, exitCodes } from './exit-codes.js';

/** A failure that the user can read: what is wrong, and the command that helps. */
export class CliError extends Error {
  override readonly name = 'CliError';
  constructor(
    readonly code: string,
    message: string,
    readonly exitCode: ExitCode,
    /** What to do; null if the message says it. */
    readonly remedy: string | null = null,
    options: ErrorOptions = {},
  ) {
    super(message, options);
  }
}

/** What a failed command prints with `--json`. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly remedy: string | null;
  /** The HTTP status; null if the server was not asked or did not answer. */
  readonly status: number | null;
  readonly requestId: string | null;
}

export interface Failed {
  readonly failure: Failure;
  readonly exitCode: ExitCode;
}

/** Remedies for the error codes of the server that a terminal user can meet. */
const remedies: Readonly<Record<string, string>> = {
  UNAUTHORIZED:
    'The token is not valid or has expired. Log in with another one: `mq login <address>`. If MQ_TOKEN is set, correct it.',
  SCOPE_MISSING:
    '`mq whoami` lists the scopes of your token. Ask an administrator for a token that has it, then run `mq login`.',
  REPOSITORY_NOT_ALLOWED: '`mq whoami` lists the repositories of your token.',
  RIGHTS_EXCEEDED: 'Ask for fewer rights; `mq whoami` lists those of your token.',
  QUEUE_NOT_FOUND: '`mq queue list` lists the queues of this repository; `mq queue create` creates one.',
  QUEUE_EXISTS: '`mq queue set` changes it, `mq queue get` shows it.',
  QUEUE_NOT_EMPTY: '`mq queue drain --cancel-pending` empties it; then delete it.',
  NOT_SUBMITTED:
    '`mq submit <number>` puts it into the queue, `mq status` lists those in it. For a pull request of another repository or queue: --repo, --branch.',
  PULL_REQUEST_NOT_FOUND: 'Give its number, or another repository with --repo.',
  NO_RUN_TO_RESTART:
    'Tests can be restarted while they run and until they have passed. `mq why` says what it waits for.',
  TOKEN_NOT_FOUND: '`mq token list` lists those that your token has made.',
  WEBHOOK_DISABLED: '`mq webhook set <id> --enable` enables it.',
  WEBHOOK_NOT_FOUND: '`mq webhook list` lists those that your token may manage.',
  REPOSITORY_NOT_FOUND: 'Name the repository as the server knows it, with --repo <host>/<owner>/<name>.',
  UNKNOWN_HOST: 'Name the repository as the server knows it, with --repo <host>/<owner>/<name>.',
  BRANCH_NOT_FOUND: 'Name the target branch with --branch.',
  NOT_ACTIVE: '`mq why` says how it ended; `mq submit` puts it into the queue again.',
  STALE_HEAD: 'Push, then submit it again.',
  FORCE_NOT_SUPPORTED: 'Submit it without --force.',
  SETTINGS_CHANGED: 'Another change came first: run the command again and look at the difference.',
  UNREACHABLE:
    'Is the server running? `mq server list` shows the saved addresses. If MQ_URL is set, check it.',
  TIMED_OUT: 'Try again; `mq server list` shows the saved addresses.',
  UNEXPECTED_ANSWER: 'Check the address: `mq server list`.',
  INVALID_REQUEST:
    'Run the command with --help to see what it takes. `mq queue get` shows each setting with a valid value.',
  RATE_LIMITED: 'Wait a moment, then try again.',
};

const exitCodeOf = (error: MqError): ExitCode => {
  if (error.status === 401 || error.status === 403) return exitCodes.noRight;
  if (error.status === 404) return exitCodes.notFound;
  if (error.code === 'TIMED_OUT' || isPassing(error)) return exitCodes.unreachable;
  return exitCodes.failed;
};

/** An error that no command expects: a file that cannot be read, git that cannot be started, or a fault of mq. */
const unexpected = (error: unknown, isDebugging: boolean): Failed => {
  const message = error instanceof Error ? error.message : String(error);
  const where =
    isDebugging && error instanceof Error ? (error.stack ?? null) : 'Set MQ_DEBUG=1 to see the stack trace.';
  const failure = { code: 'UNEXPECTED', message, remedy: where, status: null, requestId: null };
  return { failure, exitCode: exitCodes.failed };
};

/** What needs a scope: the server's name for it, and what the user typed. */
const scoped: readonly (readonly [RegExp, string])[] = [
  [/^\/\S+(?= needs a token )/, 'This command'],
  [/^forceEnqueued(?= needs a token )/, '--force'],
  [/^skipTheLine(?= needs a token )/, '--skip-the-line'],
];

/** What is wrong, without the server's remedy, which names API operations. */
const factOf = ({ code, message, problem }: MqError): string => {
  if (code === 'SCOPE_MISSING')
    return scoped.reduce((text, [name, here]) => text.replace(name, here), message);
  return problem?.remedy === undefined ? message : message.replace(` ${problem.remedy}`, () => '');
};

/** What a thrown error means to a user. */
export const failedBy = (error: unknown, isDebugging: boolean): Failed => {
  if (error instanceof CliError) {
    const { code, message, remedy, exitCode } = error;
    return { failure: { code, message, remedy, status: null, requestId: null }, exitCode };
  }
  if (!(error instanceof MqError)) return unexpected(error, isDebugging);
  const { code, status, requestId } = error;
  const remedy = remedies[code] ?? null;
  const message = remedy === null ? error.message : factOf(error);
  return {
    failure: { code, message, remedy, status, requestId },
    exitCode: exitCodeOf(error),
  };
};
