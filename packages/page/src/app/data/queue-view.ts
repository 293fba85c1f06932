import type { AnswerOf, Client, components } from '@mq/client';

/**
 * The one place that knows how a queue is read. Views use the types below, so that another operation behind them changes
 * this file alone.
 */
export type TestingDetails = components['schemas']['TestingDetails'];
export type EnqueuedPullRequest = components['schemas']['EnqueuedPullRequest'];
export type Queue = AnswerOf<'listQueues'>['queues'][number];
export type State = EnqueuedPullRequest['state'];

export interface QueueRef {
  readonly repo: { readonly host: string; readonly owner: string; readonly name: string };
  readonly targetBranch: string;
}

export type Row = Pick<
  EnqueuedPullRequest,
  | 'prNumber'
  | 'prTitle'
  | 'prAuthor'
  | 'state'
  | 'stateChangedAt'
  | 'priorityName'
  | 'skipTheLine'
  | 'waitingFor'
> & {
  /** From 1; null if it is not admitted. */
  readonly position: number | null;
  /** Absent behind the first ones of the line. */
  readonly estimatedTimeToMerge?: components['schemas']['EstimatedTimeToMerge'] | undefined;
};

/** An open test run. */
export type Run = Pick<
  TestingDetails,
  'testRunId' | 'purpose' | 'outcome' | 'baseSha' | 'createdAt' | 'testingSince' | 'requiredStatuses'
> & {
  /** Empty for a baseline run. */
  readonly prNumbers: readonly number[];
  readonly testedOnTopOf: readonly number[];
  readonly checks: readonly { readonly status: string; readonly conclusion?: string | null | undefined }[];
};

export interface QueueView {
  readonly queue: Queue;
  /** The line, then what is not ready. */
  readonly rows: readonly Row[];
  readonly runs: readonly Run[];
}

/** The most that one request answers. */
const ESTIMATED_LIMIT = 50;

export const loadQueueView = async (
  client: Client,
  ref: QueueRef,
  signal: AbortSignal,
): Promise<QueueView> => {
  const [queue, testing] = await Promise.all([
    client.getQueue(ref, { signal }),
    client.getMergeQueueTestingDetails(ref, { signal }),
  ]);
  const { enqueuedPullRequests, notReadyPullRequests } = queue;
  const prs = enqueuedPullRequests.slice(0, ESTIMATED_LIMIT).map(({ prNumber }) => ({ number: prNumber }));
  const { pullRequests } =
    prs.length === 0
      ? { pullRequests: [] }
      : await client.getSubmittedPullRequests({ ...ref, prs, includeEstimatedTimeToMerge: true }, { signal });
  const estimates = new Map(pullRequests.map((one) => [one.prNumber, one.estimatedTimeToMerge]));
  return {
    queue,
    rows: [
      ...enqueuedPullRequests.map((pull, index) => ({
        ...pull,
        position: index + 1,
        estimatedTimeToMerge: estimates.get(pull.prNumber),
      })),
      ...notReadyPullRequests.map((pull) => ({ ...pull, position: null })),
    ],
    runs: testing.runs.filter(({ closedBecause }) => closedBecause === null).map(runOf),
  };
};

const runOf = (run: TestingDetails): Run => ({
  ...run,
  prNumbers: run.testedPullRequests.map(({ prNumber }) => prNumber),
  testedOnTopOf: run.dependentPrs,
  checks: run.checkSuites.flatMap(({ checkRuns }) => checkRuns),
});
