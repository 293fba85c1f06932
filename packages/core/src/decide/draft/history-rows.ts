import { type Actor, theQueue } from '../../model/actor.js';
import { ciMsOf } from '../../model/ci-time.js';
import type { FailedOnTopOf } from '../../model/failed-on-top.js';
import { ENDED_CHECKS_LIMIT, type HistoryRow, type RunChanged } from '../../model/history.js';
import type { Instant, SubmissionId, TestRunId } from '../../model/ids.js';
import { type Command, pullRequestOf } from '../../model/input.js';
import type { Lack } from '../../model/readiness.js';
import type { ReasonCode } from '../../model/reasons.js';
import type { Restack } from '../../model/restack.js';
import type { Candidate, TestRun } from '../../model/run.js';
import { allFailedChecksOf, hasSucceeded } from '../../model/run-evidence.js';
import type { Submission } from '../../model/submission.js';

/** The number of a row in the history, its time, and the version of the settings then. */
interface RowStamp {
  sequence: number;
  at: Instant;
  settingsVersion: number;
}

/**
 * A row without its stamp. The fields of `unstamped` come first and are filled in at the end, so that all rows have one
 * shape.
 */
export type Unnumbered<Row = HistoryRow> = Row extends HistoryRow
  ? Omit<Row, keyof RowStamp> & RowStamp
  : never;

export const unstamped: RowStamp = { sequence: 0, at: 0, settingsVersion: 0 };

/** The history rows of one decision. */
export class NewRows {
  readonly #rows: Unnumbered[] = [];

  get count(): number {
    return this.#rows.length;
  }

  /** Inserts the row after the first `behind` rows. */
  add(row: Unnumbered, behind: number): void {
    if (behind === this.#rows.length) this.#rows.push(row);
    else this.#rows.splice(behind, 0, row);
  }

  /** Removes a row that turned out not to have happened. */
  remove(row: Unnumbered): void {
    const at = this.#rows.indexOf(row);
    if (at >= 0) this.#rows.splice(at, 1);
  }

  movesOf(id: SubmissionId): readonly Unnumbered[] {
    return this.#rows.flatMap((row) => (row.type === 'moved' && row.submissionId === id ? [row] : []));
  }

  /**
   * Numbers the rows, starting after this sequence number. The last row records how the order of the line has
   * changed.
   */
  numbered(before: number, order: Pick<HistoryRow, 'standings' | 'line'>): readonly HistoryRow[] {
    let sequence = before;
    for (const row of this.#rows) {
      sequence += 1;
      row.sequence = sequence;
    }
    const last = this.#rows.at(-1);
    if (last !== undefined) Object.assign(last, order);
    return this.#rows;
  }
}

/** Why a submission moves, and details for its history row. */
export interface Because {
  readonly reason: ReasonCode;
  readonly detail?: string | null;
  readonly actor?: Actor;
  readonly runId?: TestRunId | null;
  readonly flakes?: readonly string[];
  readonly restack?: Restack;
  readonly failedOnTopOf?: FailedOnTopOf;
}

/** Written field by field because it runs several times with each submit: adding fields to a spread is far slower. */
export const moveRow = (
  submission: Submission,
  before: Pick<Submission, 'state' | 'stateSince' | 'reason'> | undefined,
  because: Because,
  tested: Candidate | null = null,
): Unnumbered => ({
  sequence: 0,
  at: 0,
  settingsVersion: 0,
  type: 'moved',
  submissionId: submission.id,
  pr: submission.pr,
  attempt: submission.attempt,
  from: before?.state ?? null,
  to: submission.state,
  since: before?.stateSince ?? submission.stateSince,
  admittedAt: submission.admittedAt,
  reasonBefore: before?.reason ?? null,
  reason: because.reason,
  detail: because.detail ?? null,
  runId: because.runId ?? null,
  actor: because.actor ?? theQueue,
  title: submission.pull.title,
  author: submission.pull.author,
  priority: submission.priority.value,
  ...(tested === null ? {} : { tested: { ref: tested.ref, commit: tested.commit } }),
  ...(because.flakes === undefined || because.flakes.length === 0 ? {} : { flakes: because.flakes }),
  ...(because.restack === undefined ? {} : { restack: because.restack }),
  ...(because.failedOnTopOf === undefined ? {} : { failedOnTopOf: because.failedOnTopOf }),
});

/** The history row of a command. Written field by field for the same reason as `moveRow`. */
export const commandedRow = (command: Command): Unnumbered => ({
  sequence: 0,
  at: 0,
  settingsVersion: 0,
  type: 'commanded',
  actor: command.actor,
  command: command.type,
  inputId: command.id,
  pr: pullRequestOf(command),
});

/**
 * A history row about a test run. Each run has four; the row at the start of its tests also holds titles and authors
 * (`pulls`).
 */
export const runRow = (
  run: TestRun,
  change: RunChanged['change'],
  pulls: RunChanged['pulls'] = [],
): Unnumbered => ({
  sequence: 0,
  at: 0,
  settingsVersion: 0,
  type: 'run',
  runId: run.id,
  change,
  purpose: run.purpose.kind,
  prs: run.batch.map((member) => member.pr),
  attempts: run.batch.map((member) => member.attempt),
  ...(pulls.length === 0 ? {} : { pulls }),
  outcome: run.outcome,
  cause: run.closedBecause,
  testingSince: run.testingSince,
  isTested: run.startedChecks.length > 0,
  candidate: run.candidate === null ? null : { commit: run.candidate.commit, tree: run.candidate.tree },
  base: run.base,
  stack: run.stack.map((member) => member.pr),
  ref: run.candidate?.ref ?? null,
  ...(change === 'ended' || change === 'closed' ? { ciMs: ciMsOf(run) } : {}),
  ...(change === 'ended' ? endedChecksOf(run) : {}),
});

const endedChecksOf = (run: TestRun) => {
  const failed = allFailedChecksOf(run);
  const failedChecks = run.startedChecks.filter((name) => failed.includes(name)).slice(0, ENDED_CHECKS_LIMIT);
  const passedChecks = run.startedChecks
    .filter((name) => !failed.includes(name) && hasSucceeded(run, name))
    .slice(0, ENDED_CHECKS_LIMIT);
  return {
    ...(passedChecks.length === 0 ? {} : { passedChecks }),
    ...(failedChecks.length === 0 ? {} : { failedChecks }),
  };
};

/** Records what the submission lacks from now on; `lack` is null if it is ready again. */
export const readinessRow = (
  { id: submissionId, pr, attempt, pull, asideSince: since }: Submission,
  lack: Lack | null,
): Unnumbered => ({
  ...unstamped,
  type: 'aside',
  submissionId,
  pr,
  attempt,
  lack,
  detail: lack === 'mergeable' ? pull.mergeabilityReason : null,
  since,
});

export const putOffRow = (
  { id: submissionId, pr, attempt }: Submission,
  { reason, detail = null }: Because,
): Unnumbered => ({ ...unstamped, type: 'put_off', submissionId, pr, attempt, reason, detail });
