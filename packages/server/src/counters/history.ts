import { type HistoryItem, isUntestedPass, isUsedRun, terminalStates } from '@mq/core';
import type { CounterName } from './catalogue.js';

/** One increment: of a counter by `value`, or an observation of a histogram. The labels of the queue are added. */
export interface Count {
  readonly name: CounterName;
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

type Row<Type extends HistoryItem['type']> = Extract<HistoryItem, { type: Type }>;

/** The increments for a row of the history. */
export const countsOf = (row: HistoryItem): readonly Count[] => {
  switch (row.type) {
    case 'moved':
      return moveCounts(row);
    case 'run':
      return runCounts(row);
    case 'alarm':
      return [one('mq_alarms_total', { code: row.code })];
    case 'commanded':
      return [one('mq_commands_total', { command: row.command })];
    case 'aside':
    case 'put_off':
    case 'configured':
    case 'adapted':
      return [];
  }
};

const one = (name: CounterName, labels: Readonly<Record<string, string>> = {}): Count => ({
  name,
  labels,
  value: 1,
});

const conclusions: ReadonlySet<string> = new Set(terminalStates);
const afterStart: ReadonlySet<string> = new Set(['testing', 'tests_passed', 'pending_failure']);
/** Failures of the tests themselves, rather than of the CI, the code host or the merge. */
const culpritReasons: ReadonlySet<string> = new Set([
  'TEST_RUN_REQUIRED_STATUS_FAILED',
  'TEST_RUN_TIMEOUT',
  'TEST_RUN_FAILED_BY_OPTIMIZATION',
]);

const moveCounts = ({ from, to, reason, at, admittedAt }: Row<'moved'>): readonly Count[] => {
  const counts: Count[] = from === null ? [one('mq_pull_requests_submitted_total')] : [];
  const why = { reason: reason ?? 'none' };
  if (to === 'pending' && from !== null && afterStart.has(from)) counts.push(one('mq_restarts_total', why));
  if (!conclusions.has(to)) return counts;
  counts.push(one('mq_pull_requests_concluded_total', { conclusion: to, ...why }));
  if (admittedAt !== null)
    counts.push({
      name: 'mq_time_in_queue_seconds',
      labels: { conclusion: to },
      value: secondsOf(at - admittedAt),
    });
  if (to === 'failed' && culpritReasons.has(why.reason)) counts.push(one('mq_culprits_total', why));
  return counts;
};

const runCounts = (row: Row<'run'>): readonly Count[] => {
  const { change, purpose } = row;
  if (change === 'created') return [];
  if (change === 'closed') return closeCounts(row);
  if (purpose === 'compose') return [];
  if (change === 'testing') return row.isTested ? [one('mq_test_runs_started_total', { purpose })] : [];
  return endCounts(row);
};

const endCounts = (row: Row<'run'>): readonly Count[] => [
  one('mq_test_runs_ended_total', { purpose: row.purpose, outcome: row.outcome ?? 'none' }),
  ...(isUntestedPass(row) ? [one('mq_test_runs_reused_total')] : []),
  ...(row.outcome === 'infrastructure' || row.outcome === 'cancelled'
    ? [one('mq_infrastructure_failures_total')]
    : []),
];

const closeCounts = (row: Row<'run'>): readonly Count[] => {
  const { purpose, outcome, ciMs = 0 } = row;
  const cause = row.cause ?? 'none';
  const kind = landingKind(row);
  const isCancelled = outcome === null && purpose !== 'compose';
  return [
    ...(isCancelled ? [one('mq_test_runs_cancelled_total', { purpose, cause })] : []),
    ...(kind === null ? [] : [one('mq_landings_total', { kind })]),
    ...(ciMs > 0
      ? [
          {
            name: 'mq_ci_seconds_total',
            labels: { purpose, use: isUsedRun(row) ? 'used' : 'wasted', cause },
            value: secondsOf(ciMs),
          } as const,
        ]
      : []),
  ];
};

const landingKind = ({ cause, purpose, prs }: Row<'run'>): string | null => {
  if (cause === 'vouched_for') return 'optimistic';
  if (cause !== 'landed') return null;
  if (purpose === 'compose') return 'lanes';
  if (purpose === 'isolate') return 'bisection';
  return prs.length > 1 ? 'batch' : 'single';
};

const secondsOf = (ms: number): number => Math.max(0, ms) / 1000;
