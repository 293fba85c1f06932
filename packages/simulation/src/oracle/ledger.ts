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

/** The rows of one queue as committed, recorded by the oracle itself. */
export interface Mirror {
  readonly queue: Queue;
  readonly version: Version;
  /** The newest attempt of each pull request, including ended ones. */
  readonly submissions: ReadonlyMap<SubmissionId, Submission>;
  /** Open test runs. */
  readonly runs: ReadonlyMap<TestRunId, TestRun>;
  /** Impacted targets, by pull request. */
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
  /** Whether the same tree has failed the check since. */
  readonly isRefuted: boolean;
}

export interface LandedMember {
  readonly key: string;
  readonly pr: number;
  readonly head: Sha;
  /** Its commit on the target; `below` is the commit below it. */
  readonly commit: Sha;
  readonly below: Sha;
  readonly runId: TestRunId;
  /**
   * Its impacted targets when its landing was settled; they may change until then. Two entries, before and after, for the
   * commit that settles it.
   */
  readonly targets: readonly ImpactedTargets[];
}

/** A live attempt whose own test run has failed. */
export interface Failing {
  readonly member: Member;
  /** How many pull requests that were submitted later have landed since the first failure. */
  readonly overtaken: number;
}

/** What the oracle records about a queue besides its rows. */
export class Book {
  readonly history: HistoryRow[] = [];
  /** Passes by tree and name of the check. */
  readonly passes = new Map<string, Pass>();
  /** The latest times at which a test run of the same content was created. */
  readonly begun = new Map<string, readonly Instant[]>();
  /** Every test run as last written. */
  readonly runs = new Map<TestRunId, TestRun>();
  /** Live attempts whose own test runs have failed. */
  readonly failing = new Map<string, Failing>();
  /** Attempts whose cancellation was committed. */
  readonly cancelled = new Set<string>();
  /** Attempts that the queue landed, as the host recorded it. */
  readonly landed = new Map<string, LandedMember>();
  /** Tips that the host created instead of the requested commit. */
  readonly rewritten = new Set<Sha>();
  readonly commands = new Set<string>();
  /** The version of the settings by which each landing was decided. */
  readonly landingSettings = new Map<string, number>();
  readonly landingTargets = new Map<string, readonly ImpactedTargets[]>();
  /** The landing that was in progress when the queue was paused; null while it runs, or if there was none. */
  landingAtPause: TestRunId | null = null;
  /** Periods in which the queue was on hold because of its host; `until` is null while one lasts. */
  readonly holds: { readonly from: Instant; until: Instant | null }[] = [];
  /** Test runs that the store has lost. */
  readonly lost = new Set<TestRunId>();
  /**
   * Attempts that landed before the store lost commits, or by an effect that it has lost: the engine can learn of them only
   * from the host.
   */
  readonly landedBefore = new Set<string>();
  /** By test run: when its landing was last requested, the test runs whose passes it relies on, and the checks required then. */
  readonly landingsAsked = new Map<
    TestRunId,
    {
      readonly at: Instant;
      readonly proofs: readonly TestRunId[];
      readonly required: readonly string[] | null;
    }
  >();
  /** Test runs whose landing was ever requested. */
  readonly requestedLandings = new Set<TestRunId>();
  /** Test runs whose landing was requested by a commit that the store has lost. */
  readonly #lostLandings = new Set<TestRunId>();

  constructor(
    readonly id: QueueId,
    public mirror: Mirror,
  ) {}

  /** Takes over what the old record knows from the host, after the store lost commits. */
  remember(old: Book): void {
    for (const id of old.#lostLandings) this.#lostLandings.add(id);
    for (const id of old.requestedLandings) if (!this.requestedLandings.has(id)) this.#lostLandings.add(id);
    this.landingAtPause = old.landingAtPause;
    for (const id of old.lost) this.lost.add(id);
    for (const [id, run] of old.runs) {
      if (this.runs.has(id)) continue;
      this.runs.set(id, run);
      this.lost.add(id);
    }
    const merged = new Set(
      this.history.flatMap((row) => (row.type === 'moved' && row.to === 'merged' ? [attemptKey(row)] : [])),
    );
    for (const key of old.landedBefore) this.landedBefore.add(key);
    for (const [key, landed] of old.landed) {
      this.landed.set(key, landed);
      if (!merged.has(key)) this.landedBefore.add(key);
    }
    for (const tip of old.rewritten) this.rewritten.add(tip);
    for (const [id, settings] of old.landingSettings) this.landingSettings.set(id, settings);
    for (const [key, targets] of old.landingTargets) this.landingTargets.set(key, targets);
  }

  /** Whether any attempt of the pull request landed before: the store may be back at an earlier one. */
  wasLandedBefore(pr: number): boolean {
    return [...this.landedBefore].some((key) => this.landed.get(key)?.pr === pr);
  }

  /** Whether the store has lost the commit that requested this landing. */
  isLostLanding(runId: TestRunId): boolean {
    return this.#lostLandings.has(runId) && this.mirror.queue.landing?.runId !== runId;
  }

  /** The test run that lands. If the store has lost the landing, its candidate is taken from the request. */
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
    const { decidedAt } = queue;
    if (isHeld(queue) && open === undefined) this.holds.push({ from: decidedAt, until: null });
    if (!isHeld(queue) && open !== undefined) open.until = decidedAt;
  }

  /** The deadline, extended by the time in which the queue was on hold. */
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

/** True for a running check that has succeeded before in the same test run. */
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

/** What a candidate consists of. In a bisection this includes the members of the failed batch that are below its own. */
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

/** True while the queue holds because of its code host. */
export const isHeld = ({ hostTrouble }: Pick<Queue, 'hostTrouble'>): boolean =>
  hostTrouble !== null &&
  [hostTrouble, ...(hostTrouble.later ?? [])].some(({ reach }) => reach !== undefined);
