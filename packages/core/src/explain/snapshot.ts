import type { Draft } from '../decide/draft/draft.js';
import { targetsOf } from '../decide/line/placement-input.js';
import { baselineRuns } from '../decide/verdicts/baseline-runs.js';
import { activeBatchSize, activeConcurrency } from '../model/adaptation.js';
import type { Check } from '../model/checks.js';
import type { SubmissionId } from '../model/ids.js';
import { requiredChecksOf, unreportedChecks } from '../model/required-checks.js';
import { remainingStack, type TestRun, takesSlot, usesBisectionSlot } from '../model/run.js';
import {
  SNAPSHOT_CHECKS_LIMIT,
  SNAPSHOT_RUNS_LIMIT,
  SNAPSHOT_SUBMISSIONS_LIMIT,
  type SnapshotCheck,
  type SnapshotQueue,
  type SnapshotRun,
  type SnapshotSubmission,
} from '../model/snapshot.js';
import { isUrgent, priorityInForce, type Submission } from '../model/submission.js';
import { queueOrder, viewOf } from './explain.js';
import { explainRun } from './run-story.js';
import { neverShown } from './under-test.js';

/** Rows up to their limits, with the number of those that were left out. */
export interface Limited<Row> {
  readonly rows: readonly Row[];
  readonly more: number;
}

/** What the page of a queue shows of its live rows. Estimates are null. */
export interface Picture {
  readonly queue: SnapshotQueue;
  readonly submissions: Limited<SnapshotSubmission>;
  readonly runs: Limited<SnapshotRun>;
}

export const pictureOf = (draft: Draft): Picture => {
  const { enqueued, notReady } = queueOrder(draft);
  const lanes = lanesOf(draft, enqueued);
  const submissions = limited([...enqueued, ...notReady], SNAPSHOT_SUBMISSIONS_LIMIT, (one, rank) =>
    submissionOf(draft, one, rank < enqueued.length ? rank + 1 : null, lanes.get(one.id) ?? null),
  );
  const inLine = enqueued.flatMap((submission) => draft.runsOf(submission));
  const runs = [...new Set([...inLine, ...baselineRuns(draft)])];
  return {
    queue: headOf(draft, enqueued, notReady.length),
    submissions,
    runs: limited(runs, SNAPSHOT_RUNS_LIMIT, (run) => runOf(draft, run)),
  };
};

const limited = <One, Row>(
  all: readonly One[],
  limit: number,
  rowOf: (one: One, rank: number) => Row,
): Limited<Row> => ({ rows: all.slice(0, limit).map(rowOf), more: Math.max(0, all.length - limit) });

const headOf = (draft: Draft, enqueued: readonly Submission[], notReady: number): SnapshotQueue => {
  const { queue } = draft;
  const busy = draft.openRuns().filter(takesSlot);
  const bisecting = busy.filter(usesBisectionSlot).length;
  const never = draft.openRuns().flatMap((run) => neverShown(draft, run));
  const { landing } = queue;
  return {
    queue,
    requiredChecks: requiredChecksOf(queue),
    unreportedChecks: [...new Set([...unreportedChecks(queue), ...never])],
    enqueued: enqueued.length,
    begun: enqueued.filter(({ state }) => state !== 'pending').length,
    notReady,
    slotsInUse: busy.length - bisecting,
    bisectionSlotsInUse: bisecting,
    landing:
      landing === null
        ? null
        : { prs: landing.members.map(({ pr }) => pr), runId: landing.runId, since: landing.startedAt },
  };
};

/** What is shown of the queue: its row has fields besides, which change with every read of the host. */
export const shownOfQueue = ({ queue, ...counted }: SnapshotQueue): object => ({
  ...counted,
  settings: queue.settings,
  settingsVersion: queue.settingsVersion,
  state: [queue.wanted, queue.statusReason, queue.askedFor, queue.nextMode, queue.cancelsPending],
  active: [activeConcurrency(queue), activeBatchSize(queue)],
  tip: queue.target.head,
});

const submissionOf = (
  draft: Draft,
  submission: Submission,
  position: number | null,
  lane: number | null,
): SnapshotSubmission => {
  const { runId, waiting } = viewOf(draft, submission);
  const { pull } = submission;
  return {
    pr: submission.pr,
    title: pull.title,
    author: pull.author,
    url: pull.url,
    head: submission.head,
    attempt: submission.attempt,
    state: submission.state,
    stateSince: submission.stateSince,
    submittedAt: submission.submittedAt,
    priority: priorityInForce(submission).value,
    isUrgent: isUrgent(submission),
    noBatch: submission.noBatch,
    position,
    lane,
    runId,
    waiting: waiting === null ? null : withoutCauses(waiting),
    estimate: null,
  };
};

const withoutCauses = ({
  causes,
  ...waiting
}: NonNullable<ReturnType<typeof viewOf>['waiting']>): SnapshotSubmission['waiting'] => waiting;

const runOf = (draft: Draft, run: TestRun): SnapshotRun => ({
  id: run.id,
  purpose: run.purpose.kind,
  state: run.state,
  outcome: run.outcome,
  prs: run.batch.map(({ pr }) => pr),
  stack: remainingStack(run).map(({ pr }) => pr),
  base: run.base,
  commit: run.candidate?.commit ?? null,
  ref: run.candidate?.ref ?? null,
  createdAt: run.createdAt,
  testingSince: run.testingSince,
  deadlineAt: run.deadlineAt,
  endedAt: run.endedAt,
  bisects: run.purpose.kind === 'isolate' ? run.purpose.failed : null,
  requiredChecks: run.requiredChecks,
  checks: run.checks.slice(0, SNAPSHOT_CHECKS_LIMIT).map(checkOf),
  explanation: explainRun(draft, run),
});

const checkOf = (check: Check): SnapshotCheck => ({
  name: check.name,
  source: check.source,
  status: check.status,
  conclusion: check.conclusion,
  startedAt: check.startedAt,
  completedAt: check.completedAt,
  summary: check.summary,
  hasLog: check.url !== null,
});

/** Maps each submission to the first pull request of its lane. */
const lanesOf = (draft: Draft, line: readonly Submission[]): ReadonlyMap<SubmissionId, number> => {
  const targets = line.map((submission) => targetsOf(draft, submission));
  const heads = targets.includes('ALL') ? line.map(() => 0) : headsOf(targets as (readonly string[])[]);
  return new Map(line.map(({ id }, rank) => [id, line[heads[rank] ?? rank]?.pr ?? 0]));
};

/** The first rank that each is connected with: a union of sets, joined at each target. */
const headsOf = (targets: readonly (readonly string[])[]): readonly number[] => {
  const heads = targets.map((_targets, rank) => rank);
  const headOf = (rank: number): number => {
    const next = heads[rank] ?? rank;
    if (next === rank) return rank;
    const head = headOf(next);
    heads[rank] = head;
    return head;
  };
  const holders = new Map<string, number>();
  for (const [rank, touched] of targets.entries())
    for (const target of touched) {
      const [one, other] = [headOf(holders.get(target) ?? rank), headOf(rank)];
      heads[Math.max(one, other)] = Math.min(one, other);
      holders.set(target, rank);
    }
  return heads.map((_head, rank) => headOf(rank));
};
