import type { Outcome } from './checks.js';
import type { HistoryRow, Moved, RecordedLine, RecordedStanding, RunChanged } from './history.js';
import type { Instant, Sha, TestRunId } from './ids.js';
import { compareInLine } from './order.js';
import type { WantedStatus } from './queue.js';
import type { ReasonCode } from './reasons.js';
import type { Purpose } from './run.js';
import { moves, type SubmissionState } from './submission.js';

/** A pull request in the queue at a past moment. */
export interface PastSubmission {
  readonly pr: number;
  readonly attempt: number;
  readonly title: string;
  readonly author: string;
  readonly state: SubmissionState;
  readonly since: Instant;
  readonly reason: ReasonCode | null;
  /** Its rank in the order of getQueue, from 1; null if it was not admitted. */
  readonly position: number | null;
  /** Its newest open test run; null if it had none. */
  readonly runId: TestRunId | null;
}

/** A test run that was open at a past moment. */
export interface PastRun {
  readonly id: TestRunId;
  readonly purpose: Purpose['kind'];
  readonly state: 'building' | 'testing' | 'ended';
  readonly outcome: Outcome | null;
  readonly prs: readonly number[];
  readonly stack: readonly number[];
  readonly base: Sha;
  readonly commit: Sha | null;
  readonly createdAt: Instant;
  readonly testingSince: Instant | null;
}

/** A whole queue at a past moment, as recorded in its history. */
export interface QueueAt {
  readonly at: Instant;
  /** The earliest moment that can be answered. */
  readonly earliestAt: Instant;
  /** The state that was in force, without a change of modes; null if the history does not go back to it. */
  readonly wanted: WantedStatus | null;
  /** In the order of getQueue, then those that are not ready; at most `SNAPSHOT_SUBMISSIONS_LIMIT`, and how many more. */
  readonly submissions: readonly PastSubmission[];
  readonly moreSubmissions: number;
  /** In order of creation, at most `SNAPSHOT_RUNS_LIMIT`, and how many more. */
  readonly runs: readonly PastRun[];
  readonly moreRuns: number;
}

interface Member {
  readonly move: Moved;
  /** Null if the history begins after it joined the line: it is ordered by its arrival. */
  readonly standing: RecordedStanding | null;
}

const isEnded = (state: SubmissionState): boolean => moves[state].length === 0;

/** Folds the history of one queue, oldest row first, into what was live after the last row. */
export class PastQueue {
  wanted: WantedStatus | null = null;
  readonly #moves = new Map<number, Moved>();
  readonly #movedPrs = new Set<number>();
  readonly #standings = new Map<number, RecordedStanding>();
  readonly #runs = new Map<TestRunId, PastRun>();
  #line: RecordedLine = { landing: [], isUrgentFirst: true };

  apply(row: HistoryRow): void {
    if (row.type === 'moved') this.#applyMove(row);
    if (row.type === 'run') this.#applyRun(row);
    if (row.type === 'configured') this.wanted = row.wanted ?? this.wanted;
    if (row.type === 'alarm' && row.pauses === true) this.wanted = 'paused';
    for (const standing of row.standings ?? []) this.#standings.set(standing.pr, standing);
    this.#line = row.line ?? this.#line;
  }

  /**
   * Takes the state of a pull request from a row after the moment, if it had not moved since the beginning of the
   * history. Its place and its test run stay unknown.
   */
  applyLater(row: HistoryRow): void {
    if (row.type !== 'moved' || this.#movedPrs.has(row.pr)) return;
    this.#movedPrs.add(row.pr);
    if (row.from === null || isEnded(row.from)) return;
    this.#moves.set(row.pr, { ...row, to: row.from, at: row.since, reason: row.reasonBefore });
  }

  #applyMove(row: Moved): void {
    this.#movedPrs.add(row.pr);
    if (row.from === null || isEnded(row.to)) this.#standings.delete(row.pr);
    if (isEnded(row.to)) this.#moves.delete(row.pr);
    else this.#moves.set(row.pr, row);
  }

  #applyRun(row: RunChanged): void {
    if (row.change === 'closed') this.#runs.delete(row.runId);
    else this.#runs.set(row.runId, runAfter(row, this.#runs.get(row.runId)));
  }

  /** In the order of getQueue, then those that are not ready. */
  submissions(ageingMsPerPoint: number): readonly PastSubmission[] {
    const live = [...this.#moves.values()].map((move) => ({
      move,
      standing: this.#standings.get(move.pr) ?? null,
    }));
    const notReady = live
      .filter(({ move }) => move.to === 'not_ready')
      .sort((one, other) => one.move.since - other.move.since || one.move.pr - other.move.pr);
    const admitted = this.#ordered(
      live.filter(({ move }) => move.to !== 'not_ready'),
      ageingMsPerPoint,
    );
    const runs = this.#newestRuns();
    return [
      ...admitted.map((member, rank) => presented(member, rank + 1, runs)),
      ...notReady.map((member) => presented(member, null, runs)),
    ];
  }

  runs(): readonly PastRun[] {
    return [...this.#runs.values()];
  }

  /** The order of the line as in getQueue, with waiting pull requests at the end. */
  #ordered(admitted: readonly Member[], ageingMsPerPoint: number): readonly Member[] {
    const { landing, isUrgentFirst } = this.#line;
    const rankOf = ({ move, standing }: Member): number => {
      const index = landing.indexOf(move.pr);
      if (index >= 0) return index - landing.length;
      if (standing?.isFirst !== true) return standing?.place == null ? 3 : 1;
      return standing.place === null && !isUrgentFirst ? 2 : 0;
    };
    const isPending = ({ move }: Member): number => Number(move.to === 'pending');
    return admitted.toSorted(
      (one, other) =>
        isPending(one) - isPending(other) ||
        rankOf(one) - rankOf(other) ||
        compareInLine(standingOf(one), standingOf(other), ageingMsPerPoint),
    );
  }

  #newestRuns(): ReadonlyMap<number, TestRunId> {
    const newest = new Map<number, TestRunId>();
    for (const { id, prs, purpose } of this.#runs.values())
      if (purpose !== 'compose') for (const pr of prs) newest.set(pr, id);
    return newest;
  }
}

const runAfter = (row: RunChanged, before: PastRun | undefined): PastRun => ({
  id: row.runId,
  purpose: row.purpose,
  state: row.change === 'testing' || row.change === 'ended' ? row.change : 'building',
  outcome: row.outcome,
  prs: row.prs,
  stack: row.stack,
  base: row.base,
  commit: row.candidate?.commit ?? null,
  createdAt: before?.createdAt ?? row.at,
  testingSince: row.testingSince,
});

const presented = (
  { move }: Member,
  position: number | null,
  runs: ReadonlyMap<number, TestRunId>,
): PastSubmission => ({
  pr: move.pr,
  attempt: move.attempt,
  title: move.title,
  author: move.author,
  state: move.to,
  since: move.at,
  reason: move.reason,
  position,
  runId: runs.get(move.pr) ?? null,
});

const standingOf = ({ move, standing }: Member) => ({
  id: move.submissionId,
  attempt: move.attempt,
  pr: move.pr,
  place: standing?.place ?? null,
  priority: { value: standing?.priority ?? move.priority, named: true },
  skipTheLine: false,
  goesWithUrgent: standing?.isFirst === true,
  admittedAt: move.admittedAt,
  admittedRank: standing?.admittedRank ?? null,
  submittedAt: move.admittedAt ?? move.at,
  submittedRank: 0,
});
