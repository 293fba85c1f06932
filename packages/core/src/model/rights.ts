/** What a token may be allowed to do, each by itself: none includes another. */
export const scopes = [
  'read',
  'submit',
  'cancel',
  'targets',
  'queue:write',
  'queue:delete',
  'force',
  'skip',
  'checks',
  'metrics',
  'webhooks',
  'tokens',
  'admin',
] as const;
export type Scope = (typeof scopes)[number];

/** The purpose of each scope, in the words of the documentation. */
export const scopeMeanings: Readonly<Record<Scope, string>> = {
  read: 'Reads queues, pull requests, test runs, receipts and logs of checks.',
  submit: 'Submits pull requests and restarts their tests.',
  cancel: 'Removes pull requests from a queue.',
  targets: 'Sets the impacted targets of pull requests.',
  'queue:write': 'Creates and updates queues, pauses and drains them.',
  'queue:delete': 'Deletes empty queues.',
  force: 'Submits with `forceEnqueued`, which skips the mergeability that the host shows.',
  skip: 'Submits with `skipTheLine`, or with a priority above the default.',
  checks: 'Lists the checks that external reporters are to run, and reports their results.',
  metrics: 'Reads the metrics.',
  webhooks: 'Manages outgoing webhooks.',
  tokens: 'Creates tokens within its own rights, and lists and revokes the tokens that it created.',
  admin: 'Manages hosts, reads diagnoses, and makes tokens for other persons and reporters.',
};
