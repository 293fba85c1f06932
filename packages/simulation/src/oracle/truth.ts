import type { Instant, MergeMethod, Sha, TestRunId } from '@mq/core';
import type { FakeCheck, FakeRepository } from '@mq/testkit';

const passing: ReadonlySet<string> = new Set(['success', 'neutral', 'skipped']);
export const failing: ReadonlySet<string> = new Set(['failure', 'action_required', 'timed_out']);

export const isPassing = (check: FakeCheck): boolean =>
  check.status === 'completed' && check.conclusion !== null && passing.has(check.conclusion);

/** What people did to a pull request at some time, as the world saw them do it. */
export type Deed =
  | 'closed'
  | 'drafted'
  | 'retargeted'
  | 'pushed'
  | 'deleted'
  | 'merged by hand'
  | 'unmergeable'
  | 'refused'
  | 'faulty'
  | 'faulty on another';

/** The world as it is, past the queue: content, tips, what CI said, and what people did. */
export class Truth {
  constructor(
    readonly repository: FakeRepository,
    readonly branch: string,
    /** How the host refused to land or to build, by its class. */
    readonly refusals = new Set<string>(),
    readonly deeds = new Map<number, Set<Deed>>(),
    /** `staleMs`: for so long the host may show what was true before. */
    readonly times = { isStoreClockSet: false, staleMs: 0 },
    /** When the host answered the landing of a pull request with "wait", oldest first. */
    readonly waits = new Map<number, readonly Instant[]>(),
    /** When an answer of the host first and last had nothing of a pull request that was asked for. */
    readonly absences = new Map<number, { readonly from: Instant; readonly to: Instant }>(),
  ) {}

  get isStoreClockSet(): boolean {
    return this.times.isStoreClockSet;
  }

  get staleMs(): number {
    return this.times.staleMs;
  }

  /** The same world, seen from another branch. */
  on(branch: string): Truth {
    return branch === this.branch
      ? this
      : new Truth(this.repository, branch, this.refusals, this.deeds, this.times, this.waits, this.absences);
  }

  did(pr: number, deed: Deed): void {
    this.deeds.set(pr, (this.deeds.get(pr) ?? new Set()).add(deed));
  }

  was(pr: number, deed: Deed): boolean {
    return this.deeds.get(pr)?.has(deed) ?? false;
  }

  askedToWait(pr: number, at: Instant): void {
    this.waits.set(pr, [...(this.waits.get(pr) ?? []), at]);
  }

  leftOut(pr: number, at: Instant): void {
    this.absences.set(pr, { from: this.absences.get(pr)?.from ?? at, to: at });
  }

  /** For how long the host may have been seen not to have it. */
  absentMs(pr: number): number {
    const absence = this.absences.get(pr);
    return absence === undefined ? 0 : absence.to - absence.from + this.staleMs;
  }

  /** An answer that is given once more is not seen here. */
  wasLookedForAgain(pr: number): boolean {
    const absence = this.absences.get(pr);
    return absence !== undefined && (absence.to > absence.from || this.staleMs > 0);
  }

  treeOf(commit: Sha): string {
    return this.repository.git.get(commit).tree;
  }

  /** True where the check succeeded on this very tree, for whichever run. What was skipped is no evidence. */
  passed(tree: string, name: string, until: Instant): boolean {
    return this.#checks().some(
      (check) =>
        check.name === name &&
        check.conclusion === 'success' &&
        (check.completedAt ?? Number.POSITIVE_INFINITY) <= until &&
        this.treeOf(check.commit) === tree,
    );
  }

  /** True where the check was skipped for one of these runs, or on one of these commits for no run in particular. */
  skipped(runIds: ReadonlySet<TestRunId>, commits: readonly Sha[], name: string): boolean {
    return this.#checks().some(
      (check) =>
        check.name === name &&
        isPassing(check) &&
        (check.runId === null ? commits.includes(check.commit) : runIds.has(check.runId)),
    );
  }

  /** True where CI has ever failed one of these commits for the check, for whichever run. */
  hasFailed(commits: readonly Sha[], name: string): boolean {
    return this.#checks().some(
      (check) => check.name === name && failing.has(check.conclusion ?? '') && commits.includes(check.commit),
    );
  }

  ofRun(runId: TestRunId): readonly FakeCheck[] {
    return this.#checks().filter((check) => check.runId === runId);
  }

  /** Every tip that the target ever had, in order. */
  tips(): readonly Sha[] {
    return this.repository.moves.flatMap(({ branch, to }) =>
      branch === this.branch && to !== null ? [to] : [],
    );
  }

  /** The run that the target was last moved to this tip for, wherever it was put since; null where it was somebody else. */
  landedAs(tip: Sha): TestRunId | null {
    const moves = this.repository.moves.filter(({ branch, to }) => branch === this.branch && to === tip);
    return moves.findLast(({ runId }) => runId !== null)?.runId ?? null;
  }

  /** The runs whose landings took the target from one tip to another; null where others had a hand in it. */
  landedBetween(from: Sha, to: Sha): readonly TestRunId[] | null {
    // A branch that was moved away and put back where it was has not moved.
    let path: { readonly tip: Sha; readonly runId: TestRunId | null }[] = [];
    for (const { branch, to: tip, runId } of this.repository.moves) {
      if (branch !== this.branch || tip === null) continue;
      const before = path.findIndex((one) => one.tip === tip);
      path = before < 0 ? [...path, { tip, runId }] : path.slice(0, before + 1);
      const begin = path.findIndex((one) => one.tip === from);
      const runs = path.slice(begin + 1).map((one) => one.runId);
      if (tip === to && begin >= 0 && runs.every((run) => run !== null)) return runs;
    }
    return null;
  }

  difference(one: Sha, other: Sha): readonly string[] {
    const { git } = this.repository;
    const [left, right] = [git.get(one).files, git.get(other).files];
    return Object.keys({ ...left, ...right }).filter((path) => left[path] !== right[path]);
  }

  isOnTarget(commit: Sha): boolean {
    const { git, branches } = this.repository;
    const tip = branches.get(this.branch);
    return tip !== undefined && git.isAncestor(commit, tip);
  }

  wasOnTarget(commit: Sha): boolean {
    const { git } = this.repository;
    return this.tips().some((tip) => git.isAncestor(commit, tip));
  }

  /** True where a head could not be put on some tip that the target had, or brings nothing to it. */
  everConflicted(head: Sha): boolean {
    return this.tips().some((tip) => this.repository.git.merge(tip, head).kind !== 'merged');
  }

  everContained(head: Sha, method: MergeMethod): boolean {
    const { git } = this.repository;
    return this.tips().some((tip) => {
      if (git.isAncestor(head, tip)) return true;
      const merged = git.merge(tip, head);
      if (merged.kind !== 'merged') return method === 'rebase';
      return JSON.stringify(merged.files) === JSON.stringify(git.get(tip).files);
    });
  }

  #checks(): readonly FakeCheck[] {
    return this.repository.ci.checks();
  }
}
