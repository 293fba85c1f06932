import { decide } from '../decide/decide.js';
import type { Pace } from '../decide/draft/context.js';
import { viewOf } from '../explain/explain.js';
import { type Check, isPass } from '../model/checks.js';
import type { Effect } from '../model/effect.js';
import type { EffectId, InputId, Instant, TestRunId } from '../model/ids.js';
import type { Fact } from '../model/input.js';
import type { Landing } from '../model/queue.js';
import { isSameMember, type TestRun } from '../model/run.js';
import {
  applyRows,
  copyOfState,
  type MutableQueueState,
  type QueueState,
  type Writes,
} from '../model/state.js';
import { Commits } from './commits.js';
import type { Durations } from './learn.js';
import { Passes } from './recorded-passes.js';

/**
 * A test run that has already taken longer than usual is expected to take as long again as it is overdue, and at least this
 * share of its usual duration: the longer it hangs, the less likely it ends soon.
 */
const OVERDUE_SHARE_MIN = 0.1;

interface Happening {
  readonly at: Instant;
  /** Null if it no longer matters at that time. */
  readonly toFact: () => Fact | null;
}

/**
 * Simulates everything around the queue: candidates build, checks pass after their usual duration unless they are known
 * to fail, landings succeed, and no people act. The real decisions run on a copy of the rows.
 */
export class World {
  readonly state: MutableQueueState;
  readonly pace: Pace;
  now: Instant;
  decisions = 0;
  readonly #durations: Durations;
  readonly #commits: Commits;
  readonly #passes: Passes;
  readonly #endsAt = new Map<TestRunId, Instant>();
  #happenings: Happening[] = [];
  #wakeAt: Instant | null;
  readonly #neverAt: Instant;

  constructor(state: QueueState, past: readonly TestRun[], now: Instant, pace: Pace, durations: Durations) {
    this.state = copyOfState(state);
    this.now = now;
    this.#neverAt = now + NEVER_MS;
    this.#durations = durations;
    this.pace = patient(pace);
    const runs = [...past, ...state.runs.values()];
    this.#commits = new Commits(runs);
    this.#passes = new Passes(runs);
    this.#wakeAt = now;
    this.#takeUp();
  }

  /** Decides at the next event and returns the changed rows. Null if nothing will happen any more. */
  next(): Writes | null {
    const nextAt = Math.min(
      this.#wakeAt ?? Number.POSITIVE_INFINITY,
      ...this.#happenings.map(({ at }) => at),
    );
    if (nextAt >= this.#neverAt) return null;
    this.now = Math.max(this.now, nextAt);
    const due = this.#happenings.filter(({ at }) => at <= this.now);
    this.#happenings = this.#happenings.filter(({ at }) => at > this.now);
    return this.#decide(due.flatMap(({ toFact }) => toFact() ?? []));
  }

  #decide(facts: readonly Fact[]): Writes {
    this.decisions += 1;
    const decision = decide(
      this.state,
      facts,
      {
        now: this.now,
        seed: `${this.decisions.toString(16).padStart(8, '0')}-f0ca-4000-8000-000000000000`,
        pace: this.pace,
        recalled: { submissions: [], targets: [] },
      },
      viewOf,
    );
    const { writes, effects, wakeAt } = decision;
    applyRows(this.state, writes);
    for (const { tree, check } of writes.verdicts) this.#passes.add(tree, check);
    this.#wakeAt = wakeAt;
    for (const effect of effects) this.#perform(effect);
    return writes;
  }

  /** Continues the effects that were in progress when the forecast began. */
  #takeUp(): void {
    const { landing, polls } = this.state.queue;
    for (const run of this.state.runs.values()) {
      if (run.building !== null) this.#build(run.id, run.building, run.createdAt);
      if (run.state === 'testing') this.#test(run);
    }
    if (landing !== null) this.#land(landing, landing.startedAt);
    if (polls.branch.asked !== null) this.#showBranch(polls.branch.asked);
    if (polls.checks.asked !== null) this.#show(polls.checks.asked);
    if (polls.pullRequests.asked !== null) this.#showMissing(polls.pullRequests.asked);
  }

  /**
   * Performs an effect. Reads show nothing new: the target has not moved, and missing pull requests are still missing.
   */
  #perform(effect: Effect): void {
    if (effect.type === 'build_candidate') this.#build(effect.runId, effect.id, this.now);
    else if (effect.type === 'read_branch') this.#showBranch(effect.id);
    else if (effect.type === 'read_checks') this.#show(effect.id);
    else if (effect.type === 'read_pull_requests') this.#showMissing(effect.id);
    else if (effect.type === 'land')
      this.#land({ effectId: effect.id, runId: effect.runId, candidate: effect.candidate }, this.now);
    else if (effect.type === 'start_checks') {
      const run = this.state.runs.get(effect.runId);
      if (run !== undefined) this.#test(run);
    }
  }

  #build(runId: TestRunId, effectId: EffectId, since: Instant): void {
    this.#at(since + this.#durations.buildingMs, () => {
      const run = this.state.runs.get(runId);
      if (run === undefined) return null;
      const candidate = this.#commits.candidate(run);
      const known = this.#passes.of(candidate.tree);
      const outcome = { kind: 'built', candidate } as const;
      return { id: answerId(effectId), type: 'candidate_built', effectId, runId, outcome, known, pulls: [] };
    });
  }

  #test({ id, purpose, testingSince }: TestRun): void {
    if (this.#endsAt.has(id) || purpose.kind === 'compose') return;
    const usualMs = this.#durations.testingMs[purpose.kind];
    const endsAt = (testingSince ?? this.now) + usualMs;
    const overdueMs = Math.max(this.now - endsAt, Math.ceil(usualMs * OVERDUE_SHARE_MIN));
    this.#endsAt.set(id, endsAt > this.now ? endsAt : this.now + overdueMs);
    this.#at(this.#endsAt.get(id) ?? endsAt, () => ({
      id: `${id}/ended` as InputId,
      type: 'noticed',
      what: 'checks',
    }));
  }

  #show(effectId: EffectId): void {
    this.#at(this.now, () => {
      const seen = [];
      for (const run of this.state.runs.values())
        if (run.state === 'testing' && run.candidate !== null)
          seen.push({ runId: run.id, commit: run.candidate.commit, checks: this.#checksOf(run) });
      return { id: answerId(effectId), type: 'checks_seen', effectId, seen };
    });
  }

  #showBranch(effectId: EffectId): void {
    if (this.state.queue.target.readAt === null) return;
    const id = answerId(effectId);
    this.#at(this.now, () => {
      const target = { ...this.state.queue.target, readAt: this.now };
      return { id, type: 'branch_seen', effectId, target, rewound: false };
    });
  }

  #showMissing(effectId: EffectId): void {
    const missing = this.state.indexes.missing.map(({ pr }) => pr);
    if (missing.length === 0) return;
    const id = answerId(effectId);
    this.#at(this.now, () => ({ id, type: 'pull_requests_seen', effectId, pulls: [], missing }));
  }

  /** The checks that a test run shows now. At its expected end all its checks end. */
  #checksOf(run: TestRun): readonly Check[] {
    const endsAt = this.#endsAt.get(run.id);
    if (endsAt === undefined) return run.checks;
    if (endsAt > this.now) return [...run.checks, ...begunBy(run)];
    const conclusion = this.#isKnownToFail(run) ? 'failure' : 'success';
    const ended = (check: Check): Check => ({
      ...check,
      status: 'completed',
      conclusion,
      completedAt: this.now,
    });
    const shown = run.checks.map((check) => (check.status === 'completed' ? check : ended(check)));
    const passing = new Set([...run.known, ...shown].filter(isPass).map(({ name }) => name));
    const missing = run.startedChecks.filter((name) => !passing.has(name));
    return [...shown, ...missing.map((name) => ended(aCheck(run.id, name, this.now)))];
  }

  /**
   * Whether a bisection test run includes the last pull request that may be the culprit: that one is assumed to be it.
   */
  #isKnownToFail({ purpose, batch }: TestRun): boolean {
    const failed = purpose.kind === 'isolate' ? this.state.runs.get(purpose.failed) : undefined;
    if (failed === undefined || failed.bisection === null) return false;
    const last = failed.batch[failed.bisection.failed - 1];
    return last !== undefined && isSameMember(last, batch.at(-1));
  }

  #land(
    { effectId, runId, candidate }: Pick<Landing, 'effectId' | 'runId' | 'candidate'>,
    since: Instant,
  ): void {
    const outcome = { kind: 'landed', head: candidate.commit, tree: candidate.tree } as const;
    this.#at(since + this.#durations.landingMs, () => ({
      id: answerId(effectId),
      type: 'land_finished',
      effectId,
      runId,
      outcome,
    }));
  }

  #at(at: Instant, toFact: Happening['toFact']): void {
    this.#happenings.push({ at: Math.max(at, this.now), toFact });
  }
}

const answerId = (effectId: EffectId): InputId => `${effectId}/forecast` as InputId;

/** The running checks of a CI that starts them at once. */
const begunBy = (run: TestRun): readonly Check[] => {
  const shown = new Set([...run.known, ...run.checks].map(({ name }) => name));
  const names = run.startedChecks.filter((name) => !shown.has(name));
  return names.map((name) => aCheck(run.id, name, run.testingSince ?? run.createdAt));
};

const aCheck = (runId: TestRunId, name: string, startedAt: Instant): Check => ({
  id: `forecast/${runId}/${name}`,
  runId,
  name,
  source: 'forecast',
  digest: null,
  status: 'running',
  conclusion: null,
  startedAt,
  completedAt: null,
  url: null,
  summary: null,
});

/** Events later than this never happen. Small enough to be shown as a time. */
const NEVER_MS = 100 * 365 * 24 * 3_600_000;

/** Polling is unnecessary in a simulation, since all changes are known. */
const patient = (pace: Pace): Pace => ({
  ...pace,
  pollBranchMs: NEVER_MS,
  pollPullRequestsMs: NEVER_MS,
  pollChecksMs: NEVER_MS,
  ciStartMs: NEVER_MS,
});
