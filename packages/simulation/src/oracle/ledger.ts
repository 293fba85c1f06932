import type {
  Commit,
  HistoryRow,
  Instant,
  Member,
  Queue,
  QueueId,
  Run,
  RunId,
  Submission,
  SubmissionId,
  Version,
} from '@mq/core';

/** The rows of one queue as they were committed: written down by the oracle itself, from the outside. */
export interface Mirror {
  readonly queue: Queue;
  readonly version: Version;
  /** The newest attempt of each pull request, ended ones included. */
  readonly submissions: ReadonlyMap<SubmissionId, Submission>;
  /** Runs that have not been let go of. */
  readonly runs: ReadonlyMap<RunId, Run>;
}

/** One commit that went through. */
export interface Change {
  readonly commit: Commit;
  readonly before: Mirror;
  readonly after: Mirror;
  readonly now: Instant;
}

export interface Violation {
  readonly checker: string;
  readonly sentence: string;
}

export type Check = (change: Change, book: Book) => readonly string[];

export interface LandedMember {
  readonly key: string;
  readonly pr: number;
  readonly runId: RunId;
}

/** What the oracle remembers of a queue beyond its rows. */
export class Book {
  readonly history: HistoryRow[] = [];
  /** Every run that there ever was, as it was last written. */
  readonly runs = new Map<RunId, Run>();
  /** Attempts whose cancellation is durable. */
  readonly cancelled = new Set<string>();
  /** What the queue brought to the target, as the host saw it. */
  readonly landed = new Map<string, LandedMember>();
  readonly commands = new Set<string>();
  /** The settings by which each landing was decided. */
  readonly landingSettings = new Map<string, number>();
  /** The landing that was told to be under way when the queue was paused; null while it runs or where there was none. */
  toldUnderWay: RunId | null = null;

  constructor(
    readonly id: QueueId,
    public mirror: Mirror,
  ) {}

  apply(commit: Commit, version: Version): Mirror {
    const submissions = new Map(this.mirror.submissions);
    const runs = new Map(this.mirror.runs);
    for (const row of commit.writes.submissions) submissions.set(row.id, row);
    for (const run of commit.writes.runs) {
      this.runs.set(run.id, run);
      if (run.closedAt === null) runs.set(run.id, run);
      else runs.delete(run.id);
    }
    return { queue: commit.writes.queue ?? this.mirror.queue, version, submissions, runs };
  }
}

export const attemptKey = (row: { readonly pr: number; readonly attempt: number }): string =>
  `#${row.pr} attempt ${row.attempt}`;

const ended: ReadonlySet<string> = new Set(['merged', 'failed', 'cancelled']);

export const isOver = (submission: Pick<Submission, 'state'>): boolean => ended.has(submission.state);

export const runsOf = (mirror: Mirror, submission: Submission): readonly Run[] =>
  [...mirror.runs.values()].filter((run) => run.batch.some((member) => isOf(member, submission)));

export const isOf = (member: Member, submission: Submission): boolean =>
  member.submissionId === submission.id && member.attempt === submission.attempt;
