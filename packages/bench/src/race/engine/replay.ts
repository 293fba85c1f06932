import {
  type Check,
  type Effect,
  type EffectId,
  type Fact,
  type Input,
  isLive,
  type QueueSettings,
  type Submission,
  type TestRunId,
} from '@mq/core';
import { anActor, BUILT_AT, inputIdOf } from '@mq/testkit';
import { Agenda } from '../../world/agenda.js';
import { Replica } from '../../world/replica.js';
import type { Cause, Ledger } from '../ledger.js';
import type { Verdicts } from '../verdicts.js';
import { type Arrival, truthOf, type Workload } from '../workload.js';
import { Ci } from './ci.js';
import { Repository } from './repository.js';

const MINUTE_MS = 60_000;
/** A queue that paused itself is resumed by a person after this time. */
const OPERATOR_MS = 10 * MINUTE_MS;
/** A race is called off this long after the last arrival or the last decided pull request. */
const PATIENCE_MS = 24 * 60 * MINUTE_MS;
const FORGET_EVERY = 500;

export interface ReplayOptions {
  readonly settings: Partial<QueueSettings>;
  /** Called after each decision, with the virtual time in minutes. */
  readonly onDecision?: (minute: number) => void;
  /** Called for each decided pull request. */
  readonly onEnd?: (submission: Submission, minute: number) => void;
}

/**
 * Replays a load with the rules of the engine in virtual time. The host answers at once; a test takes as long as the
 * slowest pull request of its batch.
 */
export const replay = (load: Workload, ledger: Ledger, verdicts: Verdicts, options: ReplayOptions): void =>
  new Replay(load, ledger, verdicts, options).run();

class Replay {
  readonly #load: Workload;
  readonly #ledger: Ledger;
  readonly #options: ReplayOptions;
  readonly #replica: Replica;
  readonly #repository: Repository;
  readonly #ci: Ci;
  readonly #agenda = new Agenda<() => Input | null>();
  readonly #withdrawn = new Set<EffectId>();
  readonly #truth: readonly boolean[];
  /** Pull requests that have been tested. */
  readonly #tested = new Set<number>();
  /** Recorded passes by tree, as in a store. */
  readonly #known = new Map<string, readonly Check[]>();
  #now = BUILT_AT;
  #wakeAt = Number.POSITIVE_INFINITY;
  #lastProgressAt = BUILT_AT;
  #inputs = 0;
  #decisions = 0;
  #isResumeDue = false;

  constructor(load: Workload, ledger: Ledger, verdicts: Verdicts, options: ReplayOptions) {
    this.#load = load;
    this.#ledger = ledger;
    this.#options = options;
    this.#replica = new Replica({
      ...{ mode: 'parallel', concurrency: load.W, bisectionConcurrency: load.W },
      ...{ requiredStatuses: ['build'], ...options.settings },
    });
    this.#truth = truthOf(load);
    this.#repository = new Repository(verdicts);
    this.#ci = new Ci(load.W, {
      begins: ({ runId, content }) => {
        ledger.runs += 1;
        this.#countCause(runId);
        return verdicts.passes(content);
      },
      stops: (tookMs) => {
        ledger.ciMinutes += tookMs / MINUTE_MS;
      },
      at: (time, then) =>
        this.#agenda.put(time, () =>
          then() ? { id: this.#nextId(), type: 'noticed', what: 'checks' } : null,
        ),
    });
  }

  run(): void {
    for (const arrival of this.#load.prs) this.#arrive(arrival);
    const lastArrivalAt = timeOf(this.#load.prs.at(-1)?.arr ?? 0);
    while (this.#ledger.undecided > 0) {
      const next = Math.min(this.#agenda.nextAt, this.#wakeAt);
      if (next > Math.max(lastArrivalAt, this.#lastProgressAt) + PATIENCE_MS) return;
      this.#step(next);
    }
  }

  #step(at: number): void {
    this.#now = Math.max(this.#now, at);
    const inputs: Input[] = [];
    while (this.#agenda.nextAt <= this.#now) {
      const input = this.#agenda.take()?.() ?? null;
      if (input !== null) inputs.push(input);
    }
    if (inputs.length > 0 || this.#wakeAt <= this.#now) this.#decide(inputs);
  }

  #decide(inputs: readonly Input[]): void {
    const { writes, effects, withdraw, answers, wakeAt } = this.#replica.decide(inputs, this.#now);
    for (const { result } of answers) if (!result.ok) throw new Error(result.refusal.detail);
    this.#wakeAt = wakeAt ?? Number.POSITIVE_INFINITY;
    for (const { tree, check } of writes.verdicts) {
      const others = this.#known.get(tree)?.filter(({ name }) => name !== check.name) ?? [];
      this.#known.set(tree, [...others, check]);
    }
    for (const id of withdraw) this.#withdrawn.add(id);
    for (const effect of effects) this.#agenda.put(this.#now, () => this.#carryOut(effect));
    for (const submission of writes.submissions) if (!isLive(submission)) this.#end(submission);
    this.#resumeLater();
    this.#decisions += 1;
    if (this.#decisions % FORGET_EVERY === 0) this.#forget();
    this.#options.onDecision?.(this.#minute);
  }

  get #minute(): number {
    return (this.#now - BUILT_AT) / MINUTE_MS;
  }

  #end(submission: Submission): void {
    const { pr, state } = submission;
    this.#lastProgressAt = this.#now;
    if (state === 'merged') this.#ledger.land(pr - 1, this.#minute);
    else this.#ledger.reject(pr - 1, this.#minute);
    this.#options.onEnd?.(submission, this.#minute);
  }

  #resumeLater(): void {
    if (this.#isResumeDue || this.#replica.state.queue.wanted === 'running') return;
    this.#isResumeDue = true;
    this.#ledger.pauses += 1;
    this.#agenda.put(this.#now + OPERATOR_MS, () => {
      this.#isResumeDue = false;
      return { ...this.#asked(), ...RESUME };
    });
  }

  #forget(): void {
    const { runs, queue } = this.#replica.state;
    const tips = queue.groundTrust.map(({ head }) => head);
    this.#ci.forget(this.#repository.forget(runs.values(), tips));
  }

  #carryOut(effect: Effect): Fact | null {
    if (this.#withdrawn.delete(effect.id)) return null;
    const answer = { id: this.#nextId(), effectId: effect.id };
    switch (effect.type) {
      case 'build_candidate': {
        const outcome = this.#repository.build(effect);
        const known = outcome.kind === 'built' ? (this.#known.get(outcome.candidate.tree) ?? []) : [];
        return { ...answer, type: 'candidate_built', runId: effect.runId, outcome, known, pulls: [] };
      }
      case 'start_checks': {
        const { runId, commit, names } = effect;
        const content = this.#repository.contentOf(commit);
        this.#ci.start({ runId, commit, names, content, durationMs: this.#durationMs(runId) }, this.#now);
        return { ...answer, type: 'checks_started', runId, commit };
      }
      case 'cancel_checks':
        this.#ci.cancel(effect.runId, effect.commit, this.#now);
        return null;
      case 'drop_candidate':
        return null;
      case 'read_checks': {
        const seen = effect.runs.map((run) => ({ ...run, checks: this.#ci.checksOf(run.commit) }));
        return { ...answer, type: 'checks_seen', seen };
      }
      case 'read_pull_requests': {
        const pulls = effect.prs.map((pr) => this.#repository.pull(pr, this.#now));
        return { ...answer, type: 'pull_requests_seen', pulls, missing: [] };
      }
      case 'read_branch': {
        const shown = { head: this.#repository.tip, requiredChecks: ['build'], readAt: this.#now };
        const target = { ...this.#replica.state.queue.target, ...shown };
        return { ...answer, type: 'branch_seen', target, rewound: false };
      }
      case 'land': {
        const outcome = this.#repository.land(effect, this.#now);
        return { ...answer, type: 'land_finished', runId: effect.runId, outcome };
      }
    }
  }

  #durationMs(runId: TestRunId): number {
    const run = this.#replica.state.runs.get(runId);
    const batch = run?.batch ?? [];
    // A bisection tests the first pull requests of a batch; those that have passed are in the stack.
    const tested = run?.purpose.kind === 'isolate' ? [...run.stack, ...batch] : batch;
    const minutes = tested.map(({ pr }) => this.#load.prs[pr - 1]?.dur ?? 0);
    return Math.round((minutes.length === 0 ? this.#load.tipDur : Math.max(...minutes)) * MINUTE_MS);
  }

  #countCause(runId: TestRunId): void {
    const cause = this.#causeOf(runId);
    const { runsByCause } = this.#ledger;
    runsByCause[cause] = (runsByCause[cause] ?? 0) + 1;
    for (const { pr } of this.#replica.state.runs.get(runId)?.batch ?? []) this.#tested.add(pr);
  }

  #causeOf(runId: TestRunId): Cause {
    const { runs, submissions } = this.#replica.state;
    const run = runs.get(runId);
    if (run?.purpose.kind === 'control') return 'baseline';
    if (run?.purpose.kind === 'isolate') return 'bisection';
    const suspect = run?.batch
      .map(({ submissionId }) => submissions.get(submissionId))
      .find((submission) => submission !== undefined && submission.suspectedBy !== null);
    if (suspect !== undefined) {
      const { pr, suspicions = 1 } = suspect;
      if (suspicions !== 1) return suspicions === 0 ? 'incomplete stack' : 'confirmed again';
      return this.#truth[pr - 1] === true ? 'innocent confirmed' : 'culprit confirmed';
    }
    return run?.batch.every(({ pr }) => this.#tested.has(pr)) === true ? 'again' : 'first';
  }

  #arrive({ i, arr, tg }: Arrival): void {
    const pr = i + 1;
    const at = timeOf(arr);
    const targets = tg === 'ALL' ? tg : tg.map((target) => `//${target}`).sort();
    this.#agenda.put(at, () => {
      const { head } = this.#repository.pull(pr, this.#now);
      return { ...this.#asked(), type: 'set_impacted_targets', pr, head, targets, source: 'trusted' };
    });
    this.#agenda.put(at, () => {
      const pull = this.#repository.pull(pr, this.#now);
      return { ...this.#asked(), type: 'submit', pull, expectedHead: null };
    });
  }

  #asked() {
    return { id: this.#nextId(), actor: anActor, digest: null };
  }

  #nextId() {
    this.#inputs += 1;
    return inputIdOf(this.#inputs);
  }
}

const timeOf = (minute: number): number => BUILT_AT + Math.round(minute * MINUTE_MS);

const RESUME = {
  type: 'configure',
  settings: {},
  wanted: 'running',
  stateReason: null,
  cancelPending: null,
  requiredStatusesSource: null,
  allowNoRequiredStatuses: false,
} as const;
