import type { Land, Member, Queue, Sha, Step, TestRun } from '@mq/core';
import { doMeet } from '@mq/testkit';
import { attemptKey, type Book, type Change, type Check, isOver, type Mirror, madeOf } from './ledger.js';
import { impactedTargetsOf } from './line.js';
import type { Truth } from './truth.js';

/** I1, I2, I5, I7, I13: what lands has passed the current required checks as a whole, and together with everything it overlaps with. */
export const provenBeforeLanding =
  (truth: Truth): Check =>
  (change, book) =>
    change.commit.effects.flatMap((effect) => {
      if (effect.type !== 'land') return [];
      const { before, after } = change;
      const faults: string[] = [];
      if (before.queue.landing !== null && after.queue.landing?.effectId === before.queue.landing.effectId)
        faults.push(`The landing of test run ${effect.runId} is requested during another landing.`);
      for (const { pr } of effect.members) {
        const live = [...after.submissions.values()].find((one) => one.pr === pr && !isOver(one));
        if (live === undefined || live.state !== 'tests_passed')
          faults.push(`#${pr} lands while it is ${live?.state ?? 'unknown'}.`);
        else book.landingTargets.set(attemptKey(live), [impactedTargetsOf(after, live)]);
        faults.push(...new Proof(truth, book, change, effect).faultsOf(pr));
      }
      return faults;
    });

const requiredNames = ({
  settings,
  target,
}: Pick<Queue, 'settings' | 'target'>): readonly string[] | null => {
  if (settings.requiredStatuses !== null) return settings.requiredStatuses;
  return target.requiredChecks === null || target.requiredChecks.length === 0 ? null : target.requiredChecks;
};

/** Looks for a passed test run that proves a member of the landing. */
class Proof {
  readonly #after: Mirror;
  readonly #landing: ReadonlySet<number>;

  constructor(
    private readonly truth: Truth,
    private readonly book: Book,
    private readonly change: Change,
    private readonly effect: Land,
  ) {
    this.#after = change.after;
    this.#landing = new Set(effect.members.map(({ pr }) => pr));
  }

  faultsOf(pr: number): readonly string[] {
    const step = this.effect.candidate.steps.find((one) => one.pr === pr);
    if (step === undefined) return [`#${pr} lands but is not in the candidate.`];
    const none: readonly string[] = [`#${pr} lands as ${step.commit}, but no test run has tested it.`];
    let nearest = none;
    for (const run of this.book.runs.values()) {
      if (!this.#vouches(run, step)) continue;
      const faults = this.#flaws(run, pr);
      if (faults.length === 0) return [];
      if (nearest === none || faults.length < nearest.length) nearest = faults;
    }
    return nearest;
  }

  /** True if the pull request is in its batch, or in its stack with optimistic merging or in a bisection. */
  #vouches(run: TestRun, { pr, head }: Step): boolean {
    if (run.candidate === null || (run.purpose.kind !== 'test' && run.purpose.kind !== 'isolate'))
      return false;
    const isIt = (member: { readonly pr: number; readonly head: Sha }) =>
      member.pr === pr && member.head === head;
    const { canOptimisticallyMerge } = this.#after.queue.settings;
    return (
      run.batch.some(isIt) ||
      ((canOptimisticallyMerge || run.purpose.kind === 'isolate') && run.stack.some(isIt))
    );
  }

  #flaws(run: TestRun, pr: number): readonly string[] {
    const { candidate } = run;
    const last = candidate?.steps.at(-1);
    if (candidate === null || last === undefined) return [`Test run ${run.id} tested nothing.`];
    const names =
      requiredNames(this.#after.queue) ?? (run.requiredChecks.length > 0 ? run.requiredChecks : null);
    if (names === null) return [`Test run ${run.id} lands, but no required checks are known.`];
    const faults = names
      .filter((name) => !this.truth.passed(candidate.tree, name, this.change.now))
      .filter((name) => !this.#isSkippedForItself(run, pr, name))
      .map((name) => `${nameOf(run)} lands, but its tree never passed ${name}.`);
    const own = [...run.stack, ...run.batch];
    for (const member of own)
      if (!this.#landing.has(member.pr) && !this.#hasLanded(member.pr, member.head))
        faults.push(`${nameOf(run)} passed as a whole, but #${member.pr} does not land.`);
    const stepIndex = this.effect.candidate.steps.findIndex(({ pr }) => pr === last.pr);
    const lands = this.effect.candidate.steps[stepIndex];
    if (lands === undefined) return [...faults, `${nameOf(run)} passed, but is not what lands.`];
    if (lands.tree === candidate.tree) return faults;
    return [...faults, ...this.#besides(run, pr, stepIndex, lands)];
  }

  /** A skipped check passes for the batch of its own test run, but not for a check that the bisected batch failed. */
  #isSkippedForItself(run: TestRun, pr: number, name: string): boolean {
    if (!run.batch.some((member) => member.pr === pr)) return false;
    if (run.purpose.kind === 'isolate' && run.purpose.checks?.includes(name)) return false;
    const same = [...this.book.runs.values()].filter(
      ({ batch, stack }) => keysOf(batch) === keysOf(run.batch) && keysOf(stack) === keysOf(run.stack),
    );
    const commits = run.candidate?.steps.flatMap(({ commit, head }) => [commit, head]) ?? [];
    return this.truth.skipped(new Set(same.map(({ id }) => id)), commits, name);
  }

  #hasLanded(pr: number, head: Sha): boolean {
    return [...this.book.landed.values()].some((one) => one.pr === pr && one.head === head);
  }

  /** I13: what landed or lands between the tested base and this candidate does not overlap with it. */
  #besides(run: TestRun, proved: number, stepIndex: number, lands: Step): readonly string[] {
    const { truth, book } = this;
    const tested = run.candidate?.commit ?? run.base;
    if (this.#after.queue.settings.mode !== 'parallel')
      return [`${nameOf(run)} was tested as ${tested}, but ${lands.commit} would land.`];
    const original = madeOf(run, book);
    const between = truth.landedBetween(original.base, this.effect.onto);
    if (between === null)
      return [`${nameOf(run)} was tested on ${original.base}, but others moved the target.`];
    const base = book.runs.get(this.effect.runId)?.base ?? this.effect.onto;
    const testedPrs = new Set(original.members.map(({ pr }) => pr));
    const besides = [
      ...[...book.landed.values()].filter(({ runId }) => between.includes(runId)),
      ...this.effect.candidate.steps.slice(0, stepIndex).flatMap(({ pr, head, commit }, index, steps) => {
        const live = [...this.#after.submissions.values()].find((one) => one.pr === pr && !isOver(one));
        return live === undefined || !this.#landing.has(pr)
          ? []
          : [
              {
                pr,
                head,
                commit,
                below: steps[index - 1]?.commit ?? base,
                targets: [impactedTargetsOf(this.#after, live)],
              },
            ];
      }),
    ].filter(({ pr }) => !testedPrs.has(pr));
    const faults: string[] = [];
    // Members below it have their own test runs as proof.
    const all = [...run.stack, ...run.batch];
    const at = all.findIndex(({ pr }) => pr === proved);
    for (const member of all.slice(Math.min(at, run.stack.length))) {
      if (!this.#landing.has(member.pr)) continue;
      const targets = impactedTargetsOf(this.#after, member);
      // A pull request that overlaps and lands behind it was tested on top of it.
      const own = this.effect.candidate.steps.findIndex(({ pr }) => pr === member.pr);
      const behind = new Set(this.effect.candidate.steps.slice(own).map(({ pr }) => pr));
      for (const other of besides)
        if (!behind.has(other.pr) && other.targets.every((touched) => doMeet(targets, touched)))
          faults.push(`#${member.pr} lands, but was tested without #${other.pr}, which overlaps with it.`);
    }
    const allowed = new Set(besides.flatMap(({ below, commit }) => truth.difference(below, commit)));
    const odd = truth.difference(tested, lands.commit).filter((path) => !allowed.has(path));
    if (odd.length > 0) faults.push(`${nameOf(run)} lands with untested changes of ${odd.join(', ')}.`);
    return faults;
  }
}

const keysOf = (members: readonly Member[]): string =>
  members.map((member) => `${attemptKey(member)} ${member.head}`).join();

const nameOf = (run: TestRun): string =>
  `${run.batch.map((member) => attemptKey(member)).join(', ')} (${run.id})`;
