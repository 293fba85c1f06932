import {
  aCandidate,
  aCheck,
  aMember,
  anActor,
  aPullRequest,
  aQueue,
  aRun,
  aSubmission,
  BUILT_AT,
  effectIdOf,
  inputIdOf,
  runIdOf,
  shaOf,
  submissionIdOf,
} from '@mq/testkit';
import { type Decision, decide } from '../src/decide/decide.js';
import { type Context, defaultPace } from '../src/decide/draft/context.js';
import { Draft } from '../src/decide/draft/draft.js';
import { explain, viewOf } from '../src/explain/explain.js';
import type { Check } from '../src/model/checks.js';
import type { Effect } from '../src/model/effect.js';
import type { EffectId, InputId, Instant } from '../src/model/ids.js';
import type { ImpactedTargets, TargetBook } from '../src/model/impacted-targets.js';
import type { CommandResult, Configure, Input, Refusal, Submit } from '../src/model/input.js';
import type { Poll } from '../src/model/polls.js';
import type { Landing, Queue, Target } from '../src/model/queue.js';
import { requiredChecksOf } from '../src/model/required-checks.js';
import { type Bisection, type CloseCause, remainingMembers, type TestRun } from '../src/model/run.js';
import { defaultSettings, type QueueSettings } from '../src/model/settings.js';
import { applyRows, emptyState, type MutableQueueState } from '../src/model/state.js';
import type { Submission } from '../src/model/submission.js';
import type { WaitCode } from '../src/model/waits.js';

// Helpers for rule tests: a state, inputs, and the result of one decision.

/** When rule tests decide: an hour after the rows were built. */
export const NOW: Instant = BUILT_AT + 3_600_000;
export const SEED = '0000000f-0000-4000-8000-000000000000';
/** The tip of the target in `aQueue`. */
export const TIP = shaOf(1);
export const OTHER_TIP = shaOf(2);

const quiet: Poll = { asked: null, upTo: null, askedAt: BUILT_AT, again: false, dueAt: NOW + 3_600_000 };

/** A target that was just read. */
export const aTarget = (override: Partial<Target> = {}): Target => ({
  ...aQueue().target,
  readAt: NOW,
  ...override,
});

/** The landing of a run, under way as effect 1. */
export const aLanding = (run: TestRun, override: Partial<Landing> = {}): Landing => ({
  effectId: effectIdOf(1),
  runId: run.id,
  onto: TIP,
  terms: { settingsVersion: 1, mergeMethod: 'squash', required: requiredChecksOf(aQueue()), digests: {} },
  startedAt: NOW,
  ...{
    members: remainingMembers(run).map((member) => ({ ...member, verifiedBy: run.id })),
    candidate: run.candidate ?? aCandidate(),
  },
  ...override,
});

/** A queue that has read its target and asks the host nothing for the next hour. */
export const aQuietQueue = (settings: Partial<QueueSettings> = {}, override: Partial<Queue> = {}): Queue =>
  aQueue({
    settings: { ...defaultSettings, ...settings },
    polls: { branch: quiet, pullRequests: quiet, checks: quiet },
    lastPlace: 10_000,
    target: aTarget(),
    decidedAt: NOW,
    ...override,
  });

/** A queue in which two pull requests are witnesses of a failure. */
export const aWitnessedQueue = (
  settings: Partial<QueueSettings> = {},
  override: Partial<Queue> = {},
): Queue => aQuietQueue({ concurrency: 3, pendingFailureDepth: 2, ...settings }, override);

/** A submission under test, at the place of its number. */
export const aTestedSubmission = (pr = 1, override: Partial<Submission> = {}): Submission =>
  aSubmission(pr, {
    state: 'testing',
    reason: 'CAPACITY_AVAILABLE',
    place: pr,
    message: { title: `Change ${pr} (#${pr})`, body: '' },
    ...override,
  });

/** A test run of the last of these pull requests on top of the others. */
export const aRunOn = (prs: readonly number[], override: Partial<TestRun> = {}): TestRun => {
  const members = prs.map((pr) => ({
    submissionId: submissionIdOf(pr),
    attempt: 1,
    pr,
    head: aPullRequest(pr).head,
  }));
  return aRun(prs.at(-1) ?? 0, {
    stack: members.slice(0, -1),
    batch: members.slice(-1),
    candidate: aCandidate(prs),
    createdAt: NOW - 60_000,
    testingSince: NOW - 60_000,
    deadlineAt: NOW + 3_600_000,
    ...override,
  });
};

/** A test run of these pull requests together, on top of others. */
export const aBatchRun = (
  batch: readonly number[],
  stack: readonly number[] = [],
  override: Partial<TestRun> = {},
): TestRun =>
  aRunOn([...stack, ...batch], {
    id: runIdOf(batch[0] ?? 0),
    batch: batch.map((pr) => aMember(pr)),
    stack: stack.map((pr) => aMember(pr)),
    ...override,
  });

/** A baseline run for one check. */
export const aControl = (override: Partial<TestRun> = {}): TestRun =>
  aRunOn([], {
    id: runIdOf(50),
    purpose: { kind: 'control', isFresh: false },
    batch: [],
    requiredChecks: ['build'],
    ...override,
  });

/** The state of a bisection. */
export const aBisection = (override: Partial<Bisection> = {}): Bisection => ({
  base: aRunOn([1]).base,
  passed: 0,
  failed: 2,
  failedBy: aRunOn([1]).id,
  parts: 0,
  retries: 0,
  retryAt: null,
  ...override,
});

/** A check of the queue's own that has ended. */
export const anEndedCheck = (
  conclusion: NonNullable<Check['conclusion']>,
  override: Partial<Check> = {},
): Check =>
  aCheck({ id: conclusion, conclusion, startedAt: NOW - 30_000, completedAt: NOW - 1_000, ...override });

/** Overrides for a failed test run. */
export const failedBy = (check: Check = anEndedCheck('failure')): Partial<TestRun> => ({
  state: 'ended',
  outcome: 'failed',
  decidedBy: check,
  checks: [check],
  endedAt: NOW - 1_000,
});

/** Overrides for a passed test run. */
export const passedBy = (check: Check = anEndedCheck('success')): Partial<TestRun> => ({
  state: 'ended',
  outcome: 'passed',
  checks: [check],
  endedAt: NOW - 1_000,
});

/** The targets uploaded for a pull request at its submitted head. */
export const touching = (pr: number, targets: ImpactedTargets): TargetBook => ({
  pr,
  sets: [{ head: aPullRequest(pr).head, targets, source: 'trusted', at: BUILT_AT }],
});

/** A submission whose tests passed, and its test run. */
export const aPassed = (prs: readonly number[], override: Partial<TestRun> = {}): [Submission, TestRun] => [
  aTestedSubmission(prs.at(-1) ?? 0, { state: 'tests_passed' }),
  aRunOn(prs, {
    state: 'ended',
    outcome: 'passed',
    endedAt: NOW - 1_000,
    checks: [
      {
        id: `check-of-${prs.join('-')}`,
        runId: null,
        name: 'build',
        source: 'ci',
        digest: null,
        status: 'completed',
        conclusion: 'success',
        startedAt: NOW - 30_000,
        completedAt: NOW - 1_000,
        url: null,
        summary: null,
      },
    ],
    ...override,
  }),
];

export interface Given {
  readonly queue?: Queue;
  readonly submissions?: readonly Submission[];
  readonly runs?: readonly TestRun[];
  readonly targets?: readonly TargetBook[];
  readonly underWay?: readonly EffectId[];
}

export const aState = ({ queue = aQuietQueue(), ...given }: Given = {}): MutableQueueState => {
  const state = emptyState(queue, defaultPace.ageingMsPerPoint);
  applyRows(state, {
    queue: null,
    submissions: given.submissions ?? [],
    runs: given.runs ?? [],
    targets: given.targets ?? [],
  });
  for (const effect of given.underWay ?? []) state.underWay.add(effect);
  return state;
};

export const aContext = (override: Partial<Context> = {}): Context => ({
  now: NOW,
  seed: SEED,
  pace: defaultPace,
  recalled: { submissions: [], targets: [] },
  ...override,
});

export const aDraft = (given: Given = {}, context: Partial<Context> = {}): Draft =>
  new Draft(aState(given), aContext(context));

type OfType<Type extends Effect['type']> = Extract<Effect, { type: Type }>;

/** The result of one decision. */
export class Outcome {
  constructor(
    readonly decision: Decision,
    private readonly before: MutableQueueState,
  ) {}

  get queue(): Queue {
    return this.decision.writes.queue ?? this.before.queue;
  }

  /** The submission after the decision, ended or not. */
  pr(pr: number): Submission {
    const written = this.decision.writes.submissions.find((submission) => submission.pr === pr);
    const found = written ?? [...this.before.submissions.values()].find((one) => one.pr === pr);
    if (found === undefined) throw new Error(`#${pr} is nowhere`);
    return found;
  }

  /** The open test runs after the decision, each as the numbers that it tests, e.g. `1+2`. */
  get open(): readonly string[] {
    const runs = new Map([...this.before.runs].map(([id, run]) => [id, run]));
    for (const run of this.decision.writes.runs) runs.set(run.id, run);
    return [...runs.values()].filter((run) => run.closedAt === null).map(contentOf);
  }

  run(ordinal: number): TestRun {
    const id = runIdOf(ordinal);
    const found = this.decision.writes.runs.find((run) => run.id === id) ?? this.before.runs.get(id);
    if (found === undefined) throw new Error(`there is no run ${ordinal}`);
    return found;
  }

  /** The wait code of a live pull request after the decision; null if it has ended. */
  waits(pr: number): WaitCode | null {
    const after = structuredClone(this.before);
    applyRows(after, this.decision.writes);
    return explain(new Draft(after, aContext()), this.pr(pr))?.code ?? null;
  }

  closed(ordinal: number): CloseCause | null {
    return this.run(ordinal).closedBecause;
  }

  effects<Type extends Effect['type']>(type: Type): readonly OfType<Type>[] {
    return this.decision.effects.filter((effect): effect is OfType<Type> => effect.type === type);
  }

  /** The moves of a pull request, e.g. `pending>testing CAPACITY_AVAILABLE`. */
  moves(pr: number): readonly string[] {
    return this.decision.writes.history.flatMap((row) =>
      row.type === 'moved' && row.pr === pr ? [`${row.from}>${row.to} ${row.reason}`] : [],
    );
  }

  get alarms(): readonly string[] {
    return this.decision.writes.history.flatMap((row) => (row.type === 'alarm' ? [row.code] : []));
  }

  get result(): CommandResult {
    const [answer] = this.decision.answers;
    if (answer === undefined) throw new Error('nothing was answered');
    return answer.result;
  }

  get refusal(): Refusal['code'] | null {
    return this.result.ok ? null : this.result.refusal.code;
  }
}

const contentOf = (run: TestRun): string => [...run.stack, ...run.batch].map((member) => member.pr).join('+');

export const decided = (
  given: Given,
  inputs: readonly Input[] = [],
  context: Partial<Context> = {},
): Outcome => {
  const state = aState(given);
  return new Outcome(decide(state, inputs, aContext(context), viewOf), state);
};

let inputs = 0;

/** Fields of every command. */
export const asked = () => {
  inputs += 1;
  return { id: inputIdOf(inputs), actor: anActor, digest: null };
};

export const configureOf = (override: Partial<Configure>): Configure => ({
  ...asked(),
  type: 'configure',
  settings: {},
  wanted: null,
  stateReason: null,
  cancelPending: null,
  requiredStatusesSource: null,
  allowNoRequiredStatuses: false,
  ...override,
});

export const submitOf = (pr: number, override: Partial<Submit> = {}): Submit => ({
  ...asked(),
  type: 'submit',
  pull: aPullRequest(pr, { readAt: NOW }),
  rules: { requiredChecks: aQueue().target.requiredChecks, digests: {}, readAt: NOW },
  expectedHead: null,
  ...override,
});

/** Fields of every fact of the host, for the n-th effect. */
export const answerTo = (effect = 1): { readonly id: InputId; readonly effectId: EffectId } => ({
  id: inputIdOf(0xf000 + effect),
  effectId: effectIdOf(effect),
});
