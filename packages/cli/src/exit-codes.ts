/** How a command ended, as its exit code. */
export const exitCodes = {
  done: 0,
  failed: 1,
  wrongUse: 2,
  notFound: 3,
  noRight: 4,
  unreachable: 5,
  pullRequestFailed: 10,
  pullRequestCancelled: 11,
  timeOver: 12,
  differs: 13,
  warningsFound: 14,
  errorsFound: 15,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** What each of them means, for the reference. */
export const exitCodeSentences: Readonly<Record<keyof typeof exitCodes, string>> = {
  done: 'Done. `wait` and `watch`: the pull request was merged, or is in a state that was waited for.',
  failed: 'The command failed; `receipts verify`: a receipt is wrong.',
  wrongUse: 'The command line is not valid, or the configuration cannot be used.',
  notFound: 'There is no such queue, pull request, repository, branch, token or log.',
  noRight: 'No token for the server, a token that is not valid, or one without the scope or the repository.',
  unreachable: 'The server cannot be reached, or is too busy.',
  pullRequestFailed: '`wait` and `watch`: the pull request failed.',
  pullRequestCancelled: '`wait` and `watch`: the pull request was cancelled.',
  timeOver: '`wait`: the time of `--timeout` has passed, and the pull request is still in the queue.',
  differs: '`queue apply --dry-run`: something would be changed.',
  warningsFound: '`doctor`: warnings, and no errors.',
  errorsFound: '`doctor`: errors.',
  interrupted: 'Interrupted by Ctrl-C. That changes nothing in the queue.',
};
