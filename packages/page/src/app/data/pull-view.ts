import type { AnswerOf, Client, components } from '@mq/client';
import type { QueueRef, TestingDetails } from './queue-view.js';

export type Pull = AnswerOf<'getSubmittedPullRequest'>;
export type Receipt = components['schemas']['Receipt'];

export interface PullView {
  readonly pull: Pull;
  /** Its open test runs, or the last one; newest first. */
  readonly runs: readonly TestingDetails[];
  /** Newest first. */
  readonly receipts: readonly Receipt[];
}

const RECEIPTS_LIMIT = 20;
/** Test runs of earlier times that are read beside the present ones. */
const EARLIER_RUNS_LIMIT = 6;

export const loadPullView = async (
  client: Client,
  ref: QueueRef,
  pr: number,
  signal: AbortSignal,
): Promise<PullView> => {
  const named = { ...ref, pr: { number: pr } };
  const [pull, testing] = await Promise.all([
    client.getSubmittedPullRequest(
      { ...named, includeTimeline: true, includeEstimatedTimeToMerge: true },
      { signal },
    ),
    client.getMergeQueueTestingDetails(named, { signal }),
  ]);
  const [receipts, earlier] = await Promise.all([
    pull.state === 'merged'
      ? client.listReceipts({ ...named, take: RECEIPTS_LIMIT }, { signal }).then((page) => page.receipts)
      : [],
    earlierRuns(client, ref, pull, testing.runs, signal),
  ]);
  return {
    pull,
    runs: [...testing.runs, ...earlier].sort((one, other) => other.createdAt.localeCompare(one.createdAt)),
    receipts: [...receipts].reverse(),
  };
};

/** Those that its timeline names, newest first. One that is no longer kept is left out. */
const earlierRuns = async (
  client: Client,
  ref: QueueRef,
  { timeline = [], failedTestRun, verifiedByTestRun }: Pull,
  known: readonly TestingDetails[],
  signal: AbortSignal,
): Promise<readonly TestingDetails[]> => {
  const named = timeline.flatMap(({ testRun }) => (testRun === undefined ? [] : [testRun.testRunId]));
  const ids = new Set([failedTestRun, verifiedByTestRun, ...named].filter((id) => id !== null));
  for (const { testRunId } of known) ids.delete(testRunId);
  const answers = await Promise.allSettled(
    [...ids]
      .slice(0, EARLIER_RUNS_LIMIT)
      .map((testRunId) => client.getMergeQueueTestingDetails({ ...ref, testRunId }, { signal })),
  );
  signal.throwIfAborted();
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value.runs : []));
};
