/** Upper bounds of the histogram buckets, in seconds. */
export const bucketSeconds = [60, 300, 600, 900, 1800, 3600, 5400, 7200] as const;

/** The window of the series with `1h` in their names. */
export const WINDOW_MS = 3_600_000;

interface Family {
  readonly type: 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
}

const common = ['repo', 'branch', 'queue_type'] as const;

/** All metrics with help texts and labels. `1h` series are sliding windows, so `rate()` of them is meaningless. */
export const catalogue = {
  mq_depth_current: { type: 'gauge', help: 'PRs currently in the queue', labels: common },
  mq_awaiting_mergeability: {
    type: 'gauge',
    help: 'Number of PRs currently awaiting mergeability',
    labels: common,
  },
  mq_testing_slots_active: { type: 'gauge', help: 'PRs currently in TESTING state', labels: common },
  mq_pr_conclusions_1h_total: {
    type: 'gauge',
    help: 'PRs exiting the queue in last hour',
    labels: [...common, 'conclusion'],
  },
  mq_pr_restarts_1h_total: { type: 'gauge', help: 'PR restarts in last hour', labels: common },
  mq_pr_wait_duration_1h_seconds: {
    type: 'histogram',
    help: 'Time PRs waited before testing, in last hour',
    labels: common,
  },
  mq_pr_test_duration_1h_seconds: {
    type: 'histogram',
    help: 'Time PRs spent testing, in last hour',
    labels: common,
  },
  mq_pr_time_in_queue_1h_seconds: {
    type: 'histogram',
    help: 'Time from entering to leaving the queue, in last hour',
    labels: [...common, 'conclusion'],
  },
  mq_pr_state_duration_1h_seconds: {
    type: 'histogram',
    help: 'Time PRs spent in each state, in last hour',
    labels: [...common, 'state'],
  },
} as const satisfies Record<string, Family>;

export type MetricName = keyof typeof catalogue;
