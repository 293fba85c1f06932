// Made by `npm run generate` from docs/reference/openapi.json; do not edit it by hand.

/** Each operation that takes a JSON object and answers one; one that writes takes an idempotency key. */
export const operationTable = {
  /** Submit a pull request to the queue for testing and merging. Needs the scope `submit`. */
  submitPullRequest: { writes: true },
  /** Remove a pull request from the queue. Needs the scope `cancel`. */
  cancelPullRequest: { writes: true },
  /** Re-run tests on a pull request currently in the queue. Needs the scope `submit`. */
  restartTestsOnPullRequest: { writes: true },
  /** Get a pull request that was submitted to the queue, by its number or its head branch. Needs the scope `read`. */
  getSubmittedPullRequest: { writes: false },
  /** Get several pull requests that were submitted to the queue. Needs the scope `read`. */
  getSubmittedPullRequests: { writes: false },
  /** Wait until a pull request is merged, has failed or was cancelled, or is in another state. Needs the scope `read`. */
  waitForPullRequest: { writes: false },
  /** Get what happened to a pull request, also in a queue that was deleted. Needs the scope `read`. For a queue with `publicRead` it needs no token. */
  getPullRequestTimeline: { writes: false },
  /** List the pull requests of the queue, by state and time, newest first. Needs the scope `read`. */
  listPullRequests: { writes: false },
  /** Set the impacted targets of a pull request, for one head of it. Needs the scope `targets`. Where the service can see builds of the code host, a build of a fork needs no token: its list counts as that of a fork. */
  setImpactedTargets: { writes: true },
  /** Create a new merge queue for a branch. Needs the scope `queue:write`. */
  createQueue: { writes: true },
  /** Update the configuration of a queue and its state. Omitted settings stay as they are. Needs the scope `queue:write`. */
  updateQueue: { writes: true },
  /** Delete an empty merge queue. Deleting one that does not exist is not an error. Needs the scope `queue:delete`. */
  deleteQueue: { writes: true },
  /** Get a merge queue with all pull requests in it. Needs the scope `read`. */
  getQueue: { writes: false },
  /** Get what the page of a queue shows, or what has changed in it since the last answer. Needs the scope `read`. For a queue with `publicRead` it needs no token. */
  getQueueSnapshot: { writes: false },
  /** Get what a queue did over time: landings, time in queue, CI time, failures of checks. Needs the scope `read`. For a queue with `publicRead` it needs no token. */
  getQueueStatistics: { writes: false },
  /** Get the whole queue as it was at a past moment. Needs the scope `read`. For a queue with `publicRead` it needs no token. */
  getQueueAt: { writes: false },
  /** List what happened to the queue itself: settings, states, alarms. Newest first. Needs the scope `read`. */
  listQueueChanges: { writes: false },
  /** List merge queues, of one repository or of all that the token may name. Needs the scope `read`. */
  listQueues: { writes: false },
  /** Preview what a command would do now, without carrying it out. Needs the scope `read`. */
  preview: { writes: false },
  /** Get details of test runs: of one, of those of a pull request, or of all that are open. Needs the scope `read`. */
  getMergeQueueTestingDetails: { writes: false },
  /** List ended test runs, newest first, one entry per pull request and run. Needs the scope `read`. */
  listMergeQueueTestingResults: { writes: false },
  /** List the checks that your CI is to run, or wait until there is one. Needs the scope `checks`. */
  listExpectedChecks: { writes: false },
  /** Report how a check of a test run goes, or how it ended. Needs the scope `checks`. */
  reportCheck: { writes: true },
  /** List the receipts of the landings of a queue, in the order of their chain. Needs the scope `read`. */
  listReceipts: { writes: false },
  /** Get what the token of this request may do, and until when. Needs a valid token. */
  whoami: { writes: false },
  /** Create a token with at most the rights of the token of this request. Needs the scope `tokens`. */
  createToken: { writes: true },
  /** Replace a token by a new one; the old one stays valid for an overlap. Needs the scope `tokens`. */
  rotateToken: { writes: true },
  /** List the tokens that the token of this request made, itself or through them, newest first. Needs the scope `tokens`. */
  listTokens: { writes: false },
  /** Revoke a token that your token created, together with all tokens that it created. Needs the scope `tokens`. */
  revokeToken: { writes: true },
  /** Create a webhook: what happens from now on is posted to its address, signed. Needs the scope `webhooks`. */
  createWebhook: { writes: true },
  /** List the webhooks that the token of this request made, itself or through others, newest first. Needs the scope `webhooks`. */
  listWebhooks: { writes: false },
  /** Change a webhook, end or begin its deliveries, or make a new secret. Needs the scope `webhooks`. */
  updateWebhook: { writes: true },
  /** Delete a webhook with its deliveries. Deleting one that does not exist is not an error. Needs the scope `webhooks`. */
  deleteWebhook: { writes: true },
  /** Have an event of the type `webhook.test` delivered. Needs the scope `webhooks`. */
  testWebhook: { writes: true },
  /** List what was delivered to a webhook, or is to be, newest first. Needs the scope `webhooks`. */
  listDeliveries: { writes: false },
  /** Send deliveries again: some by id, or all of a range, at most 1000 per request. Needs the scope `webhooks`. */
  replayDeliveries: { writes: false },
  /** Find present and coming problems of the service and its queues. Needs a valid token. */
  diagnose: { writes: false },
} as const;
