import { type HistoryItem, type Moved, storiesOf } from '@mq/core';
import type { z } from 'zod';
import type { foundPullRequest } from '../schemas/pull-request.js';
import type { timelineEntry } from '../schemas/timeline.js';
import { presentActor } from './queue.js';
import { isoTime, isoTimeOrNull } from './time.js';

export type TimelineEntry = z.output<typeof timelineEntry>;

/** The timeline entries of a pull request's history rows, in the given order. Rows without an entry are left out. */
export const presentTimeline = (rows: readonly HistoryItem[]): TimelineEntry[] =>
  rows.flatMap((row) => presentRow(row) ?? []);

const presentRow = (row: HistoryItem): TimelineEntry | null => {
  const timestamp = isoTime(row.at);
  switch (row.type) {
    case 'moved':
      return { timestamp, attempt: row.attempt, state: row.to, ...presentMove(row) };
    case 'aside':
      return { timestamp, attempt: row.attempt, aside: { lack: row.lack, detail: row.detail } };
    case 'put_off':
      return { timestamp, attempt: row.attempt, putOff: whyOf(row) };
    case 'run':
      return {
        timestamp,
        testRun: {
          testRunId: row.runId,
          change: row.change,
          sha: row.candidate?.commit ?? null,
          outcome: row.outcome,
          closedBecause: row.cause,
          testedPullRequests: row.prs.map((prNumber) => ({ prNumber })),
        },
      };
    case 'commanded':
      return { timestamp, command: { name: row.command, actor: presentActor(row.actor) } };
    case 'configured':
    case 'alarm':
    case 'adapted':
      return null;
  }
};

const whyOf = ({ reason, detail }: Pick<Moved, 'reason' | 'detail'>) => ({
  reason,
  detail,
});

/** The entry for a change of state, with an object named after the new state that holds its details. */
const presentMove = (row: Moved): Partial<TimelineEntry> => {
  const why = whyOf(row);
  const byRun = { ...why, testRunId: row.runId };
  const actor = presentActor(row.actor);
  switch (row.to) {
    case 'not_ready':
      return { notReady: { ...why, actor } };
    case 'pending':
      return { pending: byRun };
    case 'testing':
      return { testing: byRun };
    case 'tests_passed':
      return { testsPassed: byRun };
    case 'pending_failure':
      return { pendingFailure: byRun };
    case 'failed':
      return { failure: byRun };
    case 'cancelled':
      return { cancellation: { ...why, actor } };
    case 'merged':
      return { merged: { ...byRun, actor } };
  }
};

/** A summary of each attempt in these rows, newest first. */
export const presentAttempts = (
  rows: readonly HistoryItem[],
  pr: number,
): NonNullable<z.output<typeof foundPullRequest>['attempts']> =>
  storiesOf(rows, pr).map(({ attempt, state, startedAt, endedAt, sentence, remedy, spentMs, events }) => ({
    attempt,
    state,
    startedAt: isoTime(startedAt),
    endedAt: isoTimeOrNull(endedAt),
    sentence,
    ...(remedy === null ? {} : { remedy }),
    spentMs,
    story: events.map((event) => ({
      timestamp: isoTime(event.at),
      state: event.state,
      reason: event.reason,
      testRunId: event.runId,
      sentence: event.sentence,
    })),
  }));
