import type { Moved } from '../model/history.js';
import type { Queue } from '../model/queue.js';
import type { ReasonCode } from '../model/reasons.js';
import { isAdmitted, liveStates, type Submission, terminalStates } from '../model/submission.js';
import type { MetricName } from './catalogue.js';

export type Labels = Readonly<Record<string, string>>;

/** One value of a gauge, or all observations of a histogram in the window. */
export interface Sample {
  readonly name: MetricName;
  readonly labels: Labels;
  readonly values: readonly number[];
}

export interface Measured {
  readonly queue: Queue;
  readonly submissions: readonly Submission[];
  /** State changes in the window. */
  readonly moves: readonly Moved[];
}

/** The metrics of one queue, computed only from its live rows and history, so that every replica answers the same. */
export const measure = (measured: Measured): readonly Sample[] =>
  (['main', 'bisection'] as const).flatMap((queueType) => {
    const { repo, branch } = measured.queue;
    const labels = { repo: `${repo.owner}/${repo.name}`, branch, queue_type: queueType };
    const isOfType = (reason: ReasonCode | null): boolean =>
      (queueType === 'bisection') === (reason !== null && ofBisection.has(reason));
    const submissions = measured.submissions.filter(({ reason }) => isOfType(reason));
    const moves = measured.moves.filter(({ reasonBefore }) => isOfType(reasonBefore));
    return samplesOf({ ...measured, submissions, moves }, labels);
  });

/** The reasons for which a submission counts to the bisection queue. All others count to the main queue. */
const ofBisection: ReadonlySet<ReasonCode> = new Set([
  'BISECTION_REQUIRED',
  'BISECTION_TEST_STARTED',
  'BISECTION_TEST_RUN_PASSED',
]);

const samplesOf = ({ submissions, moves }: Measured, labels: Labels): readonly Sample[] => [
  gauge('mq_depth_current', labels, submissions.filter(isAdmitted).length),
  gauge('mq_awaiting_mergeability', labels, countState(submissions, 'not_ready')),
  gauge('mq_testing_slots_active', labels, countState(submissions, 'testing')),
  ...terminalStates.map((conclusion) =>
    gauge(
      'mq_pr_conclusions_1h_total',
      { ...labels, conclusion },
      moves.filter((move) => move.to === conclusion).length,
    ),
  ),
  gauge(
    'mq_pr_restarts_1h_total',
    labels,
    moves.filter((move) => move.from === 'testing' && move.to === 'pending').length,
  ),
  histogram(
    'mq_pr_wait_duration_1h_seconds',
    labels,
    moves.filter((move) => move.from === 'pending' && move.to === 'testing').map(secondsInState),
  ),
  histogram(
    'mq_pr_test_duration_1h_seconds',
    labels,
    moves.filter((move) => move.from === 'testing').map(secondsInState),
  ),
  ...terminalStates.map((conclusion) =>
    histogram('mq_pr_time_in_queue_1h_seconds', { ...labels, conclusion }, timesInQueue(moves, conclusion)),
  ),
  ...liveStates.map((state) =>
    histogram(
      'mq_pr_state_duration_1h_seconds',
      { ...labels, state },
      moves.filter((move) => move.from === state).map(secondsInState),
    ),
  ),
];

const gauge = (name: MetricName, labels: Labels, value: number): Sample => ({
  name,
  labels,
  values: [value],
});

const histogram = (name: MetricName, labels: Labels, values: readonly number[]): Sample => ({
  name,
  labels,
  values,
});

const countState = (submissions: readonly Submission[], state: Submission['state']): number =>
  submissions.filter((submission) => submission.state === state).length;

const secondsInState = (move: Moved): number => (move.at - move.since) / 1000;

const timesInQueue = (moves: readonly Moved[], conclusion: string): readonly number[] =>
  moves.flatMap((move) =>
    move.to === conclusion && move.admittedAt !== null ? [(move.at - move.admittedAt) / 1000] : [],
  );
