import { type Actor, theQueue } from '../../model/actor.js';
import type { HistoryRow, RunChanged } from '../../model/history.js';
import type { Instant, SubmissionId, TestRunId } from '../../model/ids.js';
import { type Command, pullRequestOf } from '../../model/input.js';
import type { Lack } from '../../model/readiness.js';
import type { ReasonCode } from '../../model/reasons.js';
import type { TestRun } from '../../model/run.js';
import type { Submission } from '../../model/submission.js';

/** Where and when a row comes into the history. */
interface Place {
  sequence: number;
  at: Instant;
  settingsVersion: number;
}

/** A row before it has its place in the history: it is made with the fields of `unplaced` in front, and given it in the end. */
export type Unnumbered<Row = HistoryRow> = Row extends HistoryRow ? Omit<Row, keyof Place> & Place : never;

export const unplaced: Place = { sequence: 0, at: 0, settingsVersion: 0 };

/** What one decision adds to the history. */
export class NewRows {
  readonly #rows: Unnumbered[] = [];

  get count(): number {
    return this.#rows.length;
  }

  /** Right behind the first so many of them. */
  add(row: Unnumbered, behind: number): void {
    if (behind === this.#rows.length) this.#rows.push(row);
    else this.#rows.splice(behind, 0, row);
  }

  /** What was found not to have happened after all. */
  remove(row: Unnumbered): void {
    const at = this.#rows.indexOf(row);
    if (at >= 0) this.#rows.splice(at, 1);
  }

  movesOf(id: SubmissionId): readonly Unnumbered[] {
    return this.#rows.flatMap((row) => (row.type === 'moved' && row.submissionId === id ? [row] : []));
  }

  /** With their numbers: those that come after this one. */
  numbered(before: number): readonly HistoryRow[] {
    let sequence = before;
    for (const row of this.#rows) {
      sequence += 1;
      row.sequence = sequence;
    }
    return this.#rows;
  }
}

/** Why a submission moves, and what goes with it. */
export interface Because {
  readonly reason: ReasonCode;
  readonly detail?: string | null;
  readonly actor?: Actor;
  readonly runId?: TestRunId | null;
}

/** Field by field, as it comes by several times with each submit: what is added behind a spread takes far longer. */
export const moveRow = (
  submission: Submission,
  left: Pick<Submission, 'state' | 'stateSince' | 'reason'> | undefined,
  because: Because,
): Unnumbered => ({
  sequence: 0,
  at: 0,
  settingsVersion: 0,
  type: 'moved',
  submissionId: submission.id,
  pr: submission.pr,
  attempt: submission.attempt,
  from: left?.state ?? null,
  to: submission.state,
  since: left?.stateSince ?? submission.stateSince,
  admittedAt: submission.admittedAt,
  reasonBefore: left?.reason ?? null,
  reason: because.reason,
  detail: because.detail ?? null,
  runId: because.runId ?? null,
  actor: because.actor ?? theQueue,
  title: submission.pull.title,
  author: submission.pull.author,
  priority: submission.priority.value,
});

/** Of what somebody asked for; field by field, for the same reason. */
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

/** Likewise: each run has four of them. */
export const runRow = (run: TestRun, change: RunChanged['change']): Unnumbered => ({
  sequence: 0,
  at: 0,
  settingsVersion: 0,
  type: 'run',
  runId: run.id,
  change,
  purpose: run.purpose.kind,
  prs: run.batch.map((member) => member.pr),
  attempts: run.batch.map((member) => member.attempt),
  outcome: run.outcome,
  cause: run.closedBecause,
  testingSince: run.testingSince,
  isTested: run.startedChecks.length > 0,
  candidate: run.candidate === null ? null : { commit: run.candidate.commit, tree: run.candidate.tree },
  base: run.base,
  stack: run.stack.map((member) => member.pr),
  ref: run.candidate?.ref ?? null,
});

/** It lacks something from now on, or nothing any more. */
export const asideRow = (
  { id: submissionId, pr, attempt, pull, asideSince: since }: Submission,
  lack: Lack | null,
): Unnumbered => ({
  ...unplaced,
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
): Unnumbered => ({ ...unplaced, type: 'put_off', submissionId, pr, attempt, reason, detail });
