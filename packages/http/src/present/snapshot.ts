import {
  priorityName,
  type QueueSnapshot,
  type RepoRef,
  reasons,
  type SnapshotCheck,
  type SnapshotEnd,
  type SnapshotQueue,
  type SnapshotRun,
  type SnapshotSubmission,
} from '@mq/core';
import type { z } from 'zod';
import type * as schemas from '../schemas/snapshot.js';
import { presentEstimate } from './estimate.js';
import { presentQueue } from './queue.js';
import { presentWaiting } from './submission.js';
import { statusWordsOfChecks } from './testing-details.js';
import { isoTime, isoTimeOrNull } from './time.js';

type Shown = z.output<typeof schemas.queueSnapshot>;

export const presentSnapshot = (snapshot: QueueSnapshot, repo: RepoRef, isOverview: boolean): Shown => {
  const { version, since, queue, alarms, submissions, runs, ended } = snapshot;
  return {
    version,
    since,
    computedAt: isoTime(snapshot.computedAt),
    ...(queue === null ? {} : presentHead(queue, repo)),
    ...(alarms === null
      ? {}
      : { alarms: alarms.map(({ at, ...alarm }) => ({ ...alarm, timestamp: isoTime(at) })) }),
    ...(isOverview
      ? {}
      : {
          pullRequests: presentChange(submissions, presentRow),
          testRuns: presentChange(runs, presentRun),
          ended: presentEndedChange(ended),
        }),
  };
};

const presentHead = (
  { queue, requiredChecks, unreportedChecks: unreported, landing, ...counts }: SnapshotQueue,
  repo: RepoRef,
): Partial<Shown> => ({
  queue: presentQueue(queue, { repo, requiredChecks, unreported }),
  counts,
  targetSha: queue.target.head,
  landing:
    landing === null
      ? null
      : { prNumbers: [...landing.prs], testRunId: landing.runId, since: isoTime(landing.since) },
});

interface Change<Key, Row> {
  readonly rows: readonly Row[];
  readonly removed: readonly Key[];
  readonly order: readonly Key[] | null;
  readonly more: number;
}

const presentChange = <Key, Row, Presented>(
  { rows, removed, order, more }: Change<Key, Row>,
  present: (row: Row) => Presented,
) => ({
  rows: rows.map(present),
  removed: [...removed],
  ...(order === null ? {} : { order: [...order] }),
  more,
});

const presentEndedChange = (ended: QueueSnapshot['ended']): NonNullable<Shown['ended']> => {
  const { more: _none, ...change } = presentChange(ended, presentEnd);
  return change;
};

const presentRow = (row: SnapshotSubmission): z.output<typeof schemas.snapshotPullRequest> => ({
  prNumber: row.pr,
  prTitle: row.title,
  prAuthor: row.author,
  prUrl: row.url,
  prSha: row.head,
  attempt: row.attempt,
  state: row.state,
  stateChangedAt: isoTime(row.stateSince),
  submittedAt: isoTime(row.submittedAt),
  priorityValue: row.priority,
  priorityName: priorityName(row.priority),
  skipTheLine: row.isUrgent,
  noBatch: row.noBatch,
  position: row.position,
  lane: row.lane,
  testRunId: row.runId,
  ...(row.waiting === null
    ? {}
    : { waitingFor: { ...presentWaiting(row.waiting), remedy: row.waiting.remedy } }),
  ...(row.estimate === null ? {} : { estimatedTimeToMerge: presentEstimate(row.estimate) }),
});

const presentRun = (run: SnapshotRun): z.output<typeof schemas.snapshotTestRun> => ({
  testRunId: run.id,
  purpose: run.purpose,
  state: run.state,
  outcome: run.outcome,
  prNumbers: [...run.prs],
  testedOnTopOf: [...run.stack],
  baseSha: run.base,
  testBranch: run.ref,
  testBranchSha: run.commit,
  createdAt: isoTime(run.createdAt),
  testingSince: isoTimeOrNull(run.testingSince),
  deadlineAt: isoTimeOrNull(run.deadlineAt),
  endedAt: isoTimeOrNull(run.endedAt),
  bisects: run.bisects,
  requiredStatuses: [...run.requiredChecks],
  checks: run.checks.map(presentCheck),
  explanation: run.explanation,
});

const presentCheck = (check: SnapshotCheck): z.output<typeof schemas.snapshotCheck> => ({
  name: check.name,
  source: check.source,
  status: statusWordsOfChecks[check.status],
  conclusion: check.conclusion?.toUpperCase() ?? null,
  startedAt: isoTime(check.startedAt),
  completedAt: isoTimeOrNull(check.completedAt),
  summary: check.summary,
  hasLog: check.hasLog,
});

const presentEnd = (end: SnapshotEnd): z.output<typeof schemas.snapshotEnded> => ({
  prNumber: end.pr,
  prTitle: end.title,
  prAuthor: end.author,
  prUrl: end.url,
  prSha: end.head,
  state: end.state,
  submittedAt: isoTime(end.submittedAt),
  endedAt: isoTime(end.endedAt),
  reason:
    end.reason === null
      ? null
      : { code: end.reason, sentence: reasons[end.reason] ?? end.reason, detail: end.detail },
  landedCommit: end.state === 'merged' ? (end.landed?.commit ?? null) : null,
  failedTestRun: end.failedRunId,
});
