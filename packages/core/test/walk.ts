import { createHash } from 'node:crypto';
import { anActor, aPullRequest, aQueue, BUILT_AT, inputIdOf, shaOf } from '@mq/testkit';
import { type Decision, decide } from '../src/decide/decide.js';
import { type Context, defaultPace } from '../src/decide/draft/context.js';
import { viewOf } from '../src/explain/explain.js';
import type { Check, Conclusion } from '../src/model/checks.js';
import type { BuildCandidate, Effect } from '../src/model/effect.js';
import type { HistoryRow } from '../src/model/history.js';
import type { EffectId, InputId, Instant, Sha, SubmissionId, TestRunId } from '../src/model/ids.js';
import type { TargetBook } from '../src/model/impacted-targets.js';
import type { Fact, Input } from '../src/model/input.js';
import type { CandidateOutcome, LandOutcome } from '../src/model/outcomes.js';
import type { PullRequest } from '../src/model/pull-request.js';
import type { TestRun } from '../src/model/run.js';
import { defaultSettings, type QueueSettings } from '../src/model/settings.js';
import { applyRows, emptyState, type MutableQueueState, type QueueState } from '../src/model/state.js';
import type { Submission } from '../src/model/submission.js';

type Outcomes = 'normally' | 'badly' | 'impossible';

/** A minimal queue and host: decides, keeps rows and effects, and answers effects. */
export class Walk {
  readonly state: MutableQueueState;
  readonly outbox = new Map<EffectId, { readonly effect: Effect; isLeased: boolean }>();
  readonly submissions = new Map<SubmissionId, Submission>();
  readonly runs = new Map<TestRunId, TestRun>();
  readonly targets = new Map<number, TargetBook>();
  readonly history: HistoryRow[] = [];
  readonly pulls = new Map<number, PullRequest>();
  readonly missing = new Set<number>();
  readonly facts: Fact[] = [];
  readonly checks = new Map<Sha, Check[]>();
  requiredChecks: readonly string[] | null = ['build'];
  now: Instant = BUILT_AT;
  tip: Sha = shaOf(1);
  lastWake: Instant | null = null;
  #inputs = 0;
  #seeds = 0;

  constructor(settings: Partial<QueueSettings> = {}) {
    this.state = emptyState(
      aQueue({ settings: { ...defaultSettings, ...settings } }),
      defaultPace.ageingMsPerPoint,
    );
  }

  pull(pr: number): PullRequest {
    const known = this.pulls.get(pr) ?? aPullRequest(pr);
    this.pulls.set(pr, known);
    return { ...known, readAt: this.now };
  }

  edit(pr: number, patch: Partial<PullRequest>): void {
    this.pulls.set(pr, { ...this.pull(pr), ...patch });
  }

  nextId(): InputId {
    this.#inputs += 1;
    return inputIdOf(this.#inputs);
  }

  asked() {
    return { id: this.nextId(), actor: anActor, digest: null };
  }

  context(): Context {
    this.#seeds += 1;
    return {
      now: this.now,
      seed: `${this.#seeds.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`,
      pace: defaultPace,
      recalled: { submissions: [...this.submissions.values()], targets: [...this.targets.values()] },
    };
  }

  /** The state, with the leases of effects that the store would report. */
  get stateAsTheStoreKnows(): QueueState {
    const leased = [...this.outbox.values()].filter(({ isLeased }) => isLeased);
    return { ...this.state, underWay: new Set(leased.map(({ effect }) => effect.id)) };
  }

  /** One decision and its commit. Decides again if a leased effect cannot be withdrawn. */
  decide(...inputs: readonly Input[]): Decision {
    for (;;) {
      const context = this.context();
      const decision = decide(this.state, inputs, context, viewOf);
      const held = decision.withdraw.filter((id) => this.outbox.get(id)?.isLeased !== false);
      for (const id of held) this.state.underWay.add(id);
      if (held.length > 0) continue;
      this.state.underWay.clear();
      this.#commit(decision);
      return decision;
    }
  }

  #commit(decision: Decision): void {
    const { writes, effects, withdraw, wakeAt } = decision;
    applyRows(this.state, writes);
    for (const row of writes.submissions) this.submissions.set(row.id, row);
    for (const row of writes.runs) this.runs.set(row.id, row);
    for (const row of writes.targets) this.targets.set(row.pr, row);
    this.history.push(...writes.history);
    for (const id of withdraw) this.outbox.delete(id);
    for (const effect of effects) this.outbox.set(effect.id, { effect, isLeased: false });
    this.lastWake = wakeAt;
  }

  /** The n-th waiting effect, modulo their number. */
  effectAt(n: number): Effect | undefined {
    const all = [...this.outbox.values()];
    return all.length === 0 ? undefined : all[n % all.length]?.effect;
  }

  lease(n: number): void {
    const effect = this.effectAt(n);
    const waiting = effect && this.outbox.get(effect.id);
    if (waiting !== undefined) waiting.isLeased = true;
  }

  /** Runs an effect and decides on its result. */
  perform(effect: Effect, how: Outcomes, conclusion: Conclusion): readonly Fact[] {
    this.outbox.delete(effect.id);
    const facts = this.#answer(effect, how, conclusion);
    this.facts.push(...facts);
    return facts;
  }

  #answer(effect: Effect, how: Outcomes, conclusion: Conclusion): readonly Fact[] {
    const answer = { id: this.nextId(), effectId: effect.id };
    if (how === 'impossible' && effect.type !== 'land')
      return [
        {
          ...answer,
          type: 'effect_failed',
          runId: 'runId' in effect ? effect.runId : null,
          message: 'the host cannot',
        },
      ];
    switch (effect.type) {
      case 'build_candidate':
        return [
          {
            ...answer,
            type: 'candidate_built',
            runId: effect.runId,
            outcome: this.#candidateOf(effect, how),
            known: [],
            pulls: [],
          },
        ];
      case 'start_checks':
        this.#report(effect.runId, effect.commit, effect.names, conclusion);
        return [{ ...answer, type: 'checks_started', runId: effect.runId, commit: effect.commit }];
      case 'cancel_checks':
      case 'drop_candidate':
        return [];
      case 'read_checks':
        return [
          {
            ...answer,
            type: 'checks_seen',
            seen: effect.runs.map((run) => ({ ...run, checks: this.checks.get(run.commit) ?? [] })),
          },
        ];
      case 'read_pull_requests':
        return [
          {
            ...answer,
            type: 'pull_requests_seen',
            pulls: effect.prs.filter((pr) => !this.missing.has(pr)).map((pr) => this.pull(pr)),
            missing: effect.prs.filter((pr) => this.missing.has(pr)),
          },
        ];
      case 'read_branch':
        return [
          {
            ...answer,
            type: 'branch_seen',
            target: {
              ...this.state.queue.target,
              head: this.tip,
              requiredChecks: this.requiredChecks,
              readAt: this.now,
            },
            rewound: how === 'badly',
          },
        ];
      case 'land':
        return [{ ...answer, type: 'land_finished', runId: effect.runId, outcome: this.#land(effect, how) }];
    }
  }

  #report(runId: TestRunId, commit: Sha, names: readonly string[], conclusion: Conclusion): void {
    const reported = names.map((name): Check => {
      const ended = { status: 'completed', conclusion, completedAt: this.now } as const;
      const running = { status: 'running', conclusion: null, completedAt: null } as const;
      return {
        id: `${name}-${this.checks.size}-${this.now}`,
        runId,
        name,
        source: 'ci',
        digest: null,
        ...(conclusion === 'unknown' ? running : ended),
        startedAt: this.now,
        url: null,
        summary: null,
      };
    });
    this.checks.set(commit, [...(this.checks.get(commit) ?? []), ...reported]);
  }

  #candidateOf(effect: BuildCandidate, how: Outcomes): CandidateOutcome {
    const last = effect.parts.at(-1);
    const below = effect.parts.at(-2);
    if (how === 'badly' && last !== undefined)
      return { kind: 'conflicted', pr: last.pr, with: below?.pr ?? 'target', paths: ['a'] };
    let commit = effect.base;
    const steps = effect.parts.map(({ pr, head, message }) => {
      commit = createHash('sha1').update(`${commit} ${head} ${message.title}`).digest('hex') as Sha;
      return { pr, head, headTree: `tree ${head}`, commit, tree: `tree ${commit}` };
    });
    const ref = `candidates/${effect.runId}`;
    return { kind: 'built', candidate: { ref, commit, tree: `tree ${commit}`, steps } };
  }

  #land(effect: Extract<Effect, { type: 'land' }>, how: Outcomes): LandOutcome {
    if (this.tip !== effect.onto) return { kind: 'base_moved', head: this.tip };
    const pulls = effect.members.map(({ pr }) => this.pull(pr)).filter((pull) => pull.state !== 'open');
    if (pulls.length > 0) return { kind: 'members_changed', pulls, missing: [] };
    if (how === 'badly') return { kind: 'candidate_gone' };
    if (how === 'impossible') return { kind: 'refused', class: 'policy', pr: null, message: 'no' };
    this.tip = effect.candidate.commit;
    for (const { pr } of effect.members)
      this.edit(pr, { state: 'merged', merged: { branch: 'main', commit: this.tip } });
    return { kind: 'landed', head: effect.candidate.commit, tree: effect.candidate.tree };
  }
}
