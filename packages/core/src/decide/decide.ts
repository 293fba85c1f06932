import type { Effect } from '../model/effect.js';
import type { EffectId, InputId, Instant } from '../model/ids.js';
import type { Answer, Command, CommandResult, Input } from '../model/input.js';
import type { QueueState, Writes } from '../model/state.js';
import type { Submission } from '../model/submission.js';
import type { SubmissionView } from '../model/view.js';
import type { Context } from './draft/context.js';
import { Draft } from './draft/draft.js';
import { arrange } from './entry/arrange.js';
import { depart } from './entry/depart.js';
import { drain } from './entry/drain.js';
import { expire } from './entry/expire.js';
import { switchMode } from './entry/switch-mode.js';
import { applyCommand, applyFact, isCommand } from './inputs/apply.js';
import { ask } from './inputs/ask.js';
import type { AppliedCommand } from './inputs/commands/results.js';
import { dropUnderstood, isUnderstood, keepForNewerReplica, scheduleReread } from './inputs/newer-facts.js';
import { land } from './landing/land.js';
import { admit } from './moves/admit.js';
import { recordCreation } from './moves/record-creation.js';
import { noteClockJump } from './moves/standstill.js';
import { failWithoutChecks } from './testing/fail-without-checks.js';
import { keepTogether } from './testing/keep-together.js';
import { preempt } from './testing/preempt.js';
import { schedule } from './testing/schedule.js';
import { startPrefixRuns } from './testing/start-prefix-runs.js';
import { startBaselineRuns } from './verdicts/baseline-runs.js';
import { bisect } from './verdicts/bisect.js';
import { blame } from './verdicts/blame.js';
import { conclude } from './verdicts/conclude.js';
import { judge } from './verdicts/judge.js';
import { probeInfrastructure } from './verdicts/probe.js';

/** Builds the view of a submission for an answer, as it is at the end of the decision. */
export type ToView = (draft: Draft, submission: Submission) => SubmissionView;

/** What to write, request from the host and answer. None of it has happened yet. */
export interface Decision {
  readonly writes: Writes;
  readonly effects: readonly Effect[];
  /** Effects of earlier decisions that are no longer wanted. The engine removes those that have not started. */
  readonly withdraw: readonly EffectId[];
  readonly answers: readonly Answer[];
  /** Decide again at this time at the latest, even if nothing arrives; null for never. */
  readonly wakeAt: Instant | null;
}

/**
 * The merge queue. Takes all rows of one queue and what has arrived, and returns what should be true next; it trusts no
 * earlier plan. Each rule is one named step, and their order is the policy. Pure: the same arguments give the same
 * decision, and no argument is changed. Throws only on a bug. Facts in `notUnderstood` that this release understands
 * have to be among the inputs.
 */
export const decide = (
  state: QueueState,
  inputs: readonly Input[],
  context: Context,
  toView: ToView,
): Decision => {
  const draft = new Draft(state, context);
  const commands = new Map<InputId, { command: Command; applied: AppliedCommand }>();

  recordCreation(draft); // records the creation of a new queue
  noteClockJump(draft);
  dropUnderstood(draft);
  for (const input of inputs) {
    if (isCommand(input))
      commands.set(input.id, { command: input, applied: applyCommand(draft, input) }); // what clients asked for
    else if (isUnderstood(input))
      applyFact(draft, input); // what hosts have shown
    else keepForNewerReplica(draft, input); // from a newer release
  }
  applyRules(draft);
  ask(draft); // requests the reads that are due
  scheduleReread(draft); // a newer replica may understand what this one does not

  const finished = draft.finish();
  const answers = [...commands.values()].map((one) => ({
    inputId: one.command.id,
    digest: one.command.digest,
    result: resultOf(draft, one.applied, toView),
  }));
  return { answers, ...finished };
};

/**
 * Applies the rules until nothing changes; only then may something land. Landing comes before new tests, because what
 * is being landed stands first in line, and tests depend on the order. Baseline runs come before prefix runs of failed
 * batches, with which they share slots: no pull request is failed before the base is known to be green.
 */
const applyRules = (draft: Draft): void => {
  // Besides these rounds, each pull request may leave once.
  const limit = ROUNDS_LIMIT + draft.liveCount;
  untilQuiet(limit, () => {
    untilQuiet(limit, () => {
      inTurns(draft, lineRules, limit, () => inTurns(draft, verdictRules, limit));
      return changes(draft, land); // moves the target to the next candidate
    });
    const hasPass = schedule(draft); // starts the next test runs
    return changes(draft, applySlotRules) || hasPass;
  });
  startBaselineRuns(draft); // tests the bare base where a failure depends on it
  probeInfrastructure(draft); // tests the bare base where CI fails for everyone
  startPrefixRuns(draft); // tests the next prefixes of failed batches
};

type Rule = (draft: Draft) => void;

/** From cause to effect, so that a verdict counts also for a pull request that leaves in the same decision. */
const verdictRules: readonly Rule[] = [
  expire, //   deadlines that have passed
  conclude, // the outcome of each test run
  judge, //    what an outcome means for the pull requests in it
  blame, //    which pull request caused a failure
  bisect, //   which member of a failed batch is the culprit
];

/**
 * Runs only on settled verdicts: a failure may turn out not to be the pull request's own, and until then the tests
 * stacked on it must not be cancelled. `depart` and `admit` come before `arrange`, which compares every test run with
 * the pull requests in line.
 */
const lineRules: readonly Rule[] = [
  depart, //       pull requests that changed since they were submitted leave
  drain, //        a draining queue cancels what has not begun
  admit, //        pull requests that are ready enter the line
  keepTogether, // the batch of an urgent pull request goes first with it
  arrange, //      closes test runs that no longer match the line
  switchMode, //   enters the requested mode once that is safe
];

/**
 * Applies the rules in turn until none of them changes anything, because a change by one may concern another. `before`
 * runs ahead of each round.
 */
const inTurns = (draft: Draft, rules: readonly Rule[], limit: number, before: Rule = noRule): void => {
  let unchanged = 0;
  for (let round = 0; round < limit; round += 1) {
    if (changes(draft, before)) unchanged = 0;
    for (const rule of rules) {
      unchanged = changes(draft, rule) ? 0 : unchanged + 1;
      if (unchanged >= rules.length) return;
    }
  }
  throw new Error(`The rules still change rows after ${limit} rounds.`);
};

const noRule: Rule = () => {};

/** Rules that depend on which slots are taken. If one of them makes a pull request leave, all rules run again. */
const applySlotRules = (draft: Draft): void => {
  failWithoutChecks(draft); // fails a pull request that no check would test
  preempt(draft); //           takes a slot for an urgent pull request
};

/** Max rounds of rules in one decision. Each round moves a pull request on, and none moves for ever. */
const ROUNDS_LIMIT = 1_000;

const untilQuiet = (limit: number, hasChanged: () => boolean): void => {
  for (let rounds = 0; rounds < limit; rounds += 1) if (!hasChanged()) return;
  throw new Error(`The rules still change rows after ${limit} rounds.`);
};

const changes = (draft: Draft, rule: Rule): boolean => {
  const before = draft.changes;
  rule(draft);
  return draft.changes !== before;
};

/** Answers a command with its result at the end of the decision. */
const resultOf = (draft: Draft, applied: AppliedCommand, toView: ToView): CommandResult => {
  if (!applied.ok) return applied;
  const submission = applied.pr === null ? undefined : draft.lastSubmission(applied.pr);
  return {
    ok: true,
    queue: draft.queue,
    submission: submission === undefined ? null : toView(draft, submission),
    targets: applied.targets,
  };
};
