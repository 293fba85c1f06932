import type { Instant, MergeMethod, Sha, TestRunId } from '@mq/core';
import type { FakeCheck, FakeRepository } from '@mq/testkit';

const passing: ReadonlySet<string> = new Set(['success', 'neutral', 'skipped']);
export const failing: ReadonlySet<string> = new Set(['failure', 'action_required', 'timed_out']);

export const isPassing = (check: FakeCheck): boolean =>
  check.status === 'completed' && check.conclusion !== null && passing.has(check.conclusion);

/** Actions of people on a pull request, and faults of the host on it. */
export type Interference =
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

/** The real state of the world, independent of the queue: content, tips, checks, and actions of people. */
export class Truth {
  constructor(
    readonly repository: FakeRepository,
    readonly branch: string,
    /** Classes of the refusals of the host to land or to build. */
    readonly refusals = new Set<string>(),
    readonly interferences = new Map<number, Set<Interference>>(),
    /** `staleMs`: maximum age of what the host shows. */
    readonly times = { isStoreClockSet: false, staleMs: 0 },
    /** When the host answered a landing with "wait", or did not land without a refusal, by pull request, oldest first. */
    readonly waits = new Map<number, readonly Instant[]>(),
    /** When an answer of the host first and last lacked a requested pull request. */
    readonly absences = new Map<number, { readonly from: Instant; readonly to: Instant }>(),
  ) {}

  get isStoreClockSet(): boolean {
    return this.times.isStoreClockSet;
  }

  get staleMs(): number {
    return this.times.staleMs;
  }

  /** The same world for another branch. */
  on(branch: string): Truth {
    return branch === this.branch
      ? this
      : new Truth(
          this.repository,
          branch,
          this.refusals,
          this.interferences,
          this.times,
          this.waits,
          this.absences,
        );
  }

  did(pr: number, interference: Interference): void {
    this.interferences.set(pr, (this.interferences.get(pr) ?? new Set()).add(interference));
  }

  was(pr: number, interference: Interference): boolean {
    return this.interferences.get(pr)?.has(interference) ?? false;
  }

  askedToWait(pr: number, at: Instant): void {
    this.waits.set(pr, [...(this.waits.get(pr) ?? []), at]);
  }

  leftOut(pr: number, at: Instant): void {
    this.absences.set(pr, { from: this.absences.get(pr)?.from ?? at, to: at });
  }

  /** The longest time for which the host may have been seen without it. */
  absentMs(pr: number): number {
    const absence = this.absences.get(pr);
    return absence === undefined ? 0 : absence.to - absence.from + this.staleMs;
  }

  /** Whether it was read again after it was first missing. Repeated stale answers are not recorded, so they count as a read. */
  wasLookedForAgain(pr: number): boolean {
    const absence = this.absences.get(pr);
    return absence !== undefined && (absence.to > absence.from || this.staleMs > 0);
  }

  treeOf(commit: Sha): string {
    return this.repository.git.get(commit).tree;
  }

  /** The successes of the check on this commit, for any test run. */
  successesOn(commit: Sha, name: string): readonly FakeCheck[] {
    return this.#checks().filter(
      (check) => check.commit === commit && check.name === name && check.conclusion === 'success',
    );
  }

  /** True if the check succeeded on this tree, for any test run. A skipped check does not count. */
  passed(tree: string, name: string, until: Instant): boolean {
    return this.#checks().some(
      (check) =>
        check.name === name &&
        check.conclusion === 'success' &&
        (check.completedAt ?? Number.POSITIVE_INFINITY) <= until &&
        this.treeOf(check.commit) === tree,
    );
  }

  /** True if the check passed or was skipped in one of these test runs, or on one of these commits outside of test runs. */
  skipped(runIds: ReadonlySet<TestRunId>, commits: readonly Sha[], name: string): boolean {
    return this.#checks().some(
      (check) =>
        check.name === name &&
        isPassing(check) &&
        (check.runId === null ? commits.includes(check.commit) : runIds.has(check.runId)),
    );
  }

  /** True if the check ever failed on one of these commits, for any test run. */
  hasFailed(commits: readonly Sha[], name: string): boolean {
    return this.#checks().some(
      (check) => check.name === name && failing.has(check.conclusion ?? '') && commits.includes(check.commit),
    );
  }

  /** True if the check was rerun on one of these commits after a success, and has not passed again. */
  isRerun(commits: readonly Sha[], name: string): boolean {
    const shown = this.#checks().filter((check) => check.name === name && commits.includes(check.commit));
    return shown.some(
      (check) =>
        !isPassing(check) &&
        shown.some(
          (one) =>
            one.runId === check.runId && one.conclusion === 'success' && one.startedAt < check.startedAt,
        ),
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

  /** The test run that last moved the target to this tip; null if others did. */
  landedAs(tip: Sha): TestRunId | null {
    const moves = this.repository.moves.filter(({ branch, to }) => branch === this.branch && to === tip);
    return moves.findLast(({ runId }) => runId !== null)?.runId ?? null;
  }

  /** The test runs whose landings moved the target from one tip to another; null if others moved it too. */
  landedBetween(from: Sha, to: Sha): readonly TestRunId[] | null {
    // A branch that was moved and moved back counts as unmoved.
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

  /** True if the head could not be merged into some tip that the target had. */
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
