import type { AnswerOf, Client } from '@mq/client';
import type { QueueRef, QueueView, Run } from './queue-view.js';

type Answer = AnswerOf<'getQueueAt'>;

/** A queue as it was at a moment. */
export interface MomentView {
  readonly at: string;
  /** Before it nothing is known any more. */
  readonly earliestAt: string;
  readonly state: Answer['state'];
  readonly pulls: Answer['pullRequests'];
  readonly more: number;
  readonly graph: Pick<QueueView, 'runs' | 'targetSha'>;
}

export const loadMoment = async (
  client: Client,
  ref: QueueRef,
  at: number,
  signal: AbortSignal,
): Promise<MomentView> => {
  const answer = await client.getQueueAt({ ...ref, at: new Date(at).toISOString() }, { signal });
  const runs = answer.testRuns.map(pastRun);
  return {
    at: answer.at,
    earliestAt: answer.earliestAt,
    state: answer.state,
    pulls: answer.pullRequests,
    more: answer.morePullRequests,
    graph: { runs, targetSha: runs[0]?.baseSha ?? null },
  };
};

/** The history does not keep the checks of a test run that was open. */
const pastRun = (run: Answer['testRuns'][number]): Run => ({
  ...run,
  testedOnTopOf: run.testedOnTopOf ?? [],
  baseSha: run.baseSha ?? '',
  testBranch: null,
  deadlineAt: null,
  endedAt: null,
  bisects: null,
  requiredStatuses: [],
  checks: [],
  explanation: '',
});
