/** Upper bounds of the buckets, in seconds. */
const callSeconds = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60] as const;
const queueSeconds = [60, 300, 600, 900, 1800, 3600, 5400, 7200, 14_400, 28_800] as const;

interface Family {
  readonly type: 'counter' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
  readonly buckets?: readonly number[];
}

const queue = ['repo', 'branch'] as const;

/**
 * All counters of `GET /metrics`. They begin at 0 with the process and only rise; each event is counted by the replica that
 * committed it, so the sum over replicas counts it once.
 */
export const counterCatalogue = {
  mq_pull_requests_submitted_total: {
    type: 'counter',
    help: 'Attempts of pull requests that were submitted',
    labels: queue,
  },
  mq_pull_requests_concluded_total: {
    type: 'counter',
    help: 'Attempts of pull requests that ended, by conclusion (merged, failed, cancelled) and reason',
    labels: [...queue, 'conclusion', 'reason'],
  },
  mq_time_in_queue_seconds: {
    type: 'histogram',
    help: 'Time from joining the line to the end, by conclusion',
    labels: [...queue, 'conclusion'],
    buckets: queueSeconds,
  },
  mq_restarts_total: {
    type: 'counter',
    help: 'Pull requests that went back to waiting after their tests had started, by reason',
    labels: [...queue, 'reason'],
  },
  mq_culprits_total: {
    type: 'counter',
    help: 'Pull requests that failed because of their own tests, by reason',
    labels: [...queue, 'reason'],
  },
  mq_test_runs_started_total: {
    type: 'counter',
    help: 'Test runs whose checks were started, by purpose (test, isolate: bisection, control: baseline run)',
    labels: [...queue, 'purpose'],
  },
  mq_test_runs_reused_total: {
    type: 'counter',
    help: 'Test runs that passed without a check of their own, because the same tree had passed before',
    labels: queue,
  },
  mq_test_runs_ended_total: {
    type: 'counter',
    help: 'Test runs that ended, by purpose and outcome',
    labels: [...queue, 'purpose', 'outcome'],
  },
  mq_test_runs_cancelled_total: {
    type: 'counter',
    help: 'Test runs that were closed before their end, by purpose and cause',
    labels: [...queue, 'purpose', 'cause'],
  },
  mq_infrastructure_failures_total: {
    type: 'counter',
    help: 'Test runs that ended because of the CI: with an infrastructure failure, or cancelled there',
    labels: queue,
  },
  mq_ci_seconds_total: {
    type: 'counter',
    help: 'Time of checks, summed over checks, by use and by the cause that closed their test run. wasted: a pass that nothing was merged by, or no verdict',
    labels: [...queue, 'purpose', 'use', 'cause'],
  },
  mq_landings_total: {
    type: 'counter',
    help: 'Landings by kind: single, batch, bisection, lanes (passes of several lanes combined), optimistic (by the pass of a later test run)',
    labels: [...queue, 'kind'],
  },
  mq_alarms_total: {
    type: 'counter',
    help: 'Alarms for the operator, by code',
    labels: [...queue, 'code'],
  },
  mq_commands_total: {
    type: 'counter',
    help: 'Commands that were applied, by name',
    labels: [...queue, 'command'],
  },
  mq_commits_total: {
    type: 'counter',
    help: 'Decisions written to the store, by outcome; error: the store did not answer, and whether it was written is read afterwards',
    labels: ['outcome'],
  },
  mq_commit_seconds: {
    type: 'histogram',
    help: 'Time that the store takes to write a decision',
    labels: ['outcome'],
    buckets: callSeconds,
  },
  mq_host_calls_total: {
    type: 'counter',
    help: 'Calls of a code host, by operation and outcome (ok, refused, error)',
    labels: ['host', 'operation', 'outcome'],
  },
  mq_host_call_seconds: {
    type: 'histogram',
    help: 'Time that a call of a code host takes',
    labels: ['host', 'operation'],
    buckets: callSeconds,
  },
  mq_webhook_tries_total: {
    type: 'counter',
    help: 'Tries to deliver an event to a webhook, by what became of it (delivered, retried, given_up)',
    labels: ['outcome'],
  },
} as const satisfies Readonly<Record<string, Family>>;

export type CounterName = keyof typeof counterCatalogue;
