import {
  type Commit,
  type HistoryRow,
  type ImpactedTargets,
  type Instant,
  isOpenRun,
  type LandRequest,
  type Member,
  type Queue,
  type QueueId,
  type Sha,
  type Check as ShownCheck,
  type Submission,
  type SubmissionId,
  type TargetBook,
  type TestRun,
  type TestRunId,
  type Version,
} from '@mq/core';

/** The rows of one queue as they were committed: written down by the oracle itself, from the outside. */
export interface Mirror {
  readonly queue: Queue;
  readonly version: Version;
  /** The newest attempt of each pull request, ended ones included. */
  readonly submissions: ReadonlyMap<SubmissionId, Submission>;
  /** Runs that have not been let go of. */
  readonly runs: ReadonlyMap<TestRunId, TestRun>;
  /** Uploads of impacted targets, by pull request. */
  readonly targets: ReadonlyMap<number, TargetBook>;
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

export interface Pass {
  readonly at: Instant;
  readonly digest: string | null;
  /** Whether the same tree was ever seen to fail it since. */
  readonly isRefuted: boolean;
}

export interface LandedMember {
  readonly key: string;
  readonly pr: number;
  readonly head: Sha;
  /** What it became on the target, and on what. */
  readonly commit: Sha;
  readonly below: Sha;
  readonly runId: TestRunId;
  /**
   * What it counted as touching when its landing was settled: until then somebody may tell it anew. Two where that was
   * told in the very commit, before or after.
   */
  readonly targets: readonly ImpactedTargets[];
}

/** One whose own tests have failed, and that has not ended. */
export interface Failing {
  readonly member: Member;
  /** How many that were submitted later have landed since its tests failed first. */
  readonly overtaken: number;
}

/** What the oracle remembers of a queue beyond its rows. */
export class Book {
  readonly history: HistoryRow[] = [];
  /** What has passed, by its tree and the name of the check. */
  readonly passes = new Map<string, Pass>();
  /** When the same was begun, by its content: the latest times. */
  readonly begun = new Map<string, readonly Instant[]>();
  /** Every run that there ever was, as it was last written. */
  readonly runs = new Map<TestRunId, TestRun>();
  /** Attempts whose own tests have failed, and that have not ended. */
  readonly failing = new Map<string, Failing>();
  /** Attempts whose cancellation is durable. */
  readonly cancelled = new Set<string>();
  /** What the queue brought to the target, as the host saw it. */
  readonly landed = new Map<string, LandedMember>();
  /** Tips that the host made out of others: not what it was asked to land. */
  readonly rewritten = new Set<Sha>();
  readonly commands = new Set<string>();
  /** By what each landing was decided. */
  readonly landingSettings = new Map<string, number>();
  readonly landingTargets = new Map<string, readonly ImpactedTargets[]>();
  /** The landing that was told to be under way when the queue was paused; null while it runs or where there was none. */
  toldUnderWay: TestRunId | null = null;
  /** Times in which the queue held, as its host never answered; `until` is null while that lasts. */
  readonly holds: { readonly from: Instant; until: Instant | null }[] = [];
  /** Runs that the store has lost. */
  readonly lost = new Set<TestRunId>();
  /**
   * What was landed before the store lost commits, or by a wish that it has lost: it may know nothing of that but what the
   * host shows.
   */
  readonly landedBefore = new Set<string>();
  /** By the run whose candidate is landed: when that was last asked for, and the runs whose passes it rests on. */
  readonly landingsAsked = new Map<
    TestRunId,
    { readonly at: Instant; readonly proofs: readonly TestRunId[] }
  >();
  /** The runs of which a landing was ever wished for. */
  readonly wished = new Set<TestRunId>();
  /** Those of which the store has lost the commit that wished for it. */
  readonly #lostLandings = new Set<TestRunId>();

  constructor(
    readonly id: QueueId,
    public mirror: Mirror,
  ) {}

  /** What is known from before the store lost commits, and is not of the store. */
  remember(old: Book): void {
    for (const id of old.#lostLandings) this.#lostLandings.add(id);
    for (const id of old.wished) if (!this.wished.has(id)) this.#lostLandings.add(id);
    this.toldUnderWay = old.toldUnderWay;
    for (const id of old.lost) this.lost.add(id);
    for (const [id, run] of old.runs) {
      if (this.runs.has(id)) continue;
      this.runs.set(id, run);
      this.lost.add(id);
    }
    const told = new Set(
      this.history.flatMap((row) => (row.type === 'moved' && row.to === 'merged' ? [attemptKey(row)] : [])),
    );
    for (const key of old.landedBefore) this.landedBefore.add(key);
    for (const [key, landed] of old.landed) {
      this.landed.set(key, landed);
      if (!told.has(key)) this.landedBefore.add(key);
    }
    for (const tip of old.rewritten) this.rewritten.add(tip);
    for (const [id, settings] of old.landingSettings) this.landingSettings.set(id, settings);
    for (const [key, targets] of old.landingTargets) this.landingTargets.set(key, targets);
  }

  /** In whichever attempt: it may be in an earlier one again. */
  wasLandedBefore(pr: number): boolean {
    return [...this.landedBefore].some((key) => this.landed.get(key)?.pr === pr);
  }

  /** Whether the store knows of no such landing, since it has lost the commit that wished for it. */
  isLostLanding(runId: TestRunId): boolean {
    return this.#lostLandings.has(runId) && this.mirror.queue.landing?.runId !== runId;
  }

  /** The run that is landed: by what was asked for where the store knows of no such landing, and maybe of no candidate. */
  landing({ runId, candidate }: LandRequest): TestRun | undefined {
    const run = this.runs.get(runId);
    return run !== undefined && this.isLostLanding(runId) ? { ...run, candidate } : run;
  }

  apply(commit: Commit, version: Version): Mirror {
    const submissions = new Map(this.mirror.submissions);
    const runs = new Map(this.mirror.runs);
    for (const row of commit.writes.submissions) submissions.set(row.id, row);
    for (const run of commit.writes.runs) {
      this.runs.set(run.id, run);
      if (isOpenRun(run)) runs.set(run.id, run);
      else runs.delete(run.id);
    }
    this.#notePasses(commit);
    const targets = new Map(this.mirror.targets);
    for (const book of commit.writes.targets) targets.set(book.pr, book);
    return { queue: commit.writes.queue ?? this.mirror.queue, version, submissions, runs, targets };
  }

  noteHold(queue: Queue): void {
    const open = this.holds.find(({ until }) => until === null);
    const { hostTrouble, decidedAt } = queue;
    const isHeld =
      hostTrouble !== null &&
      [hostTrouble, ...(hostTrouble.later ?? [])].some(({ reach }) => reach !== undefined);
    if (isHeld && open === undefined) this.holds.push({ from: decidedAt, until: null });
    if (!isHeld && open !== undefined) open.until = decidedAt;
  }

  /** A deadline stands still while the queue holds. */
  movedDeadline(since: Instant, deadline: Instant): Instant {
    let at = deadline;
    for (const { from, until } of this.holds) {
      const ms = (until ?? Number.POSITIVE_INFINITY) - Math.max(from, since);
      if (ms > 0 && from < at) at += ms;
    }
    return at;
  }

  #notePasses({ writes }: Commit): void {
    const at = (writes.queue ?? this.mirror.queue).decidedAt;
    for (const { tree, check } of writes.verdicts) {
      if (check.conclusion !== 'success') continue;
      const key = `${tree} ${check.name}`;
      if (!this.passes.has(key)) this.passes.set(key, { at, digest: check.digest, isRefuted: false });
    }
    for (const { candidate, checks } of writes.runs)
      for (const check of checks) {
        const key = `${candidate?.tree} ${check.name}`;
        const pass = this.passes.get(key);
        const isRefuted = check.conclusion === null ? isRerun(check, checks) : check.conclusion !== 'success';
        if (pass !== undefined && isRefuted) this.passes.set(key, { ...pass, isRefuted });
      }
  }
}

/** True of a check without an end that had succeeded for the same test run before. */
const isRerun = (check: ShownCheck, shown: readonly ShownCheck[]): boolean =>
  shown.some(
    ({ name, source, runId, startedAt, conclusion }) =>
      name === check.name &&
      source === check.source &&
      runId === check.runId &&
      startedAt < check.startedAt &&
      conclusion === 'success',
  );

export const attemptKey = (row: { readonly pr: number; readonly attempt: number }): string =>
  `#${row.pr} attempt ${row.attempt}`;

const ended: ReadonlySet<string> = new Set(['merged', 'failed', 'cancelled']);

export const isOver = (submission: Pick<Submission, 'state'>): boolean => ended.has(submission.state);

export const runsOf = (mirror: Mirror, submission: Submission): readonly TestRun[] =>
  [...mirror.runs.values()].filter((run) => run.batch.some((member) => isOf(member, submission)));

/** What a candidate was made of: a part of a failed batch holds, below its own, what of that batch has landed by then. */
export const madeOf = (
  run: TestRun,
  book: Book,
): { readonly base: Sha; readonly members: readonly Member[] } => {
  const own = [...run.stack, ...run.batch];
  const whole = run.purpose.kind === 'isolate' ? book.runs.get(run.purpose.failed) : undefined;
  if (whole === undefined) return { base: run.base, members: own };
  const first = whole.batch.findIndex(({ pr }) => pr === own[0]?.pr);
  return { base: whole.base, members: [...whole.stack, ...whole.batch.slice(0, Math.max(first, 0)), ...own] };
};

export const isOf = (member: Member, submission: Submission): boolean =>
  member.submissionId === submission.id && member.attempt === submission.attempt;
