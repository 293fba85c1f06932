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
import type { Taken } from './inputs/commands/results.js';
import { dropUnderstood, isUnderstood, keepForNewerReplica, scheduleReread } from './inputs/newer-facts.js';
import { land } from './landing/land.js';
import { admit } from './moves/admit.js';
import { begin } from './moves/begin.js';
import { noteClockJump } from './moves/standstill.js';
import { failWithoutChecks } from './testing/fail-without-checks.js';
import { keepTogether } from './testing/keep-together.js';
import { preempt } from './testing/preempt.js';
import { schedule } from './testing/schedule.js';
import { startPrefixRuns } from './testing/test-parts.js';
import { bisect } from './verdicts/bisect.js';
import { blame } from './verdicts/blame.js';
import { conclude } from './verdicts/conclude.js';
import { judge } from './verdicts/judge.js';
import { probeInfrastructure } from './verdicts/probe.js';
import { startBaselineRuns } from './verdicts/tip.js';

/** How an answer shows a submission: as it stands when everything is decided. */
export type Tell = (draft: Draft, submission: Submission) => SubmissionView;

/** What is to be written, wished and answered. Nothing of it has happened yet. */
export interface Decision {
  readonly writes: Writes;
  readonly effects: readonly Effect[];
  /** Earlier wishes that are taken back. */
  readonly withdraw: readonly EffectId[];
  readonly answers: readonly Answer[];
  /** Decide again no later than this, even if nothing arrives. */
  readonly wakeAt: Instant | null;
}

/**
 * The merge queue. Looks at everything there is, takes in what arrived, and says what should be true next; it trusts no
 * earlier plan. Every rule is one named step, and their order is the policy. Pure: the same arguments give the same
 * decision, and nothing that was given is changed. Throws only where a rule is broken.
 * What the queue keeps in `notUnderstood` and is understood has to be among the inputs.
 */
export const decide = (
  state: QueueState,
  inputs: readonly Input[],
  context: Context,
  tell: Tell,
): Decision => {
  const draft = new Draft(state, context);
  const taken = new Map<InputId, { command: Command; taken: Taken }>();

  begin(draft); // what the history begins with
  noteClockJump(draft);
  dropUnderstood(draft);
  for (const input of inputs) {
    if (isCommand(input))
      taken.set(input.id, { command: input, taken: applyCommand(draft, input) }); // what was asked
    else if (isUnderstood(input))
      applyFact(draft, input); // what happened
    else keepForNewerReplica(draft, input); // what a newer release knows of
  }
  applyRules(draft);
  ask(draft); // what the host has to be asked again
  scheduleReread(draft); // whether somebody else understands what this release does not

  const finished = draft.finish();
  const answers = [...taken.values()].map((one) => ({
    inputId: one.command.id,
    digest: one.command.digest,
    result: resultOf(draft, one.taken, tell),
  }));
  return { answers, ...finished };
};

/**
 * Applies the rules until none has anything to change: only then is it safe to land. Landing comes before any test is begun,
 * since what is being landed stands first in line, and tests assume who stands where. The target itself is tested before parts
 * of failed batches, which share its slots: nobody is blamed before it is known to be sound.
 */
const applyRules = (draft: Draft): void => {
  // Beside the rounds, each of those in the queue may be let go once.
  const limit = ROUNDS_LIMIT + draft.liveCount;
  untilQuiet(limit, () => {
    untilQuiet(limit, () => {
      inTurns(draft, line, limit, () => inTurns(draft, verdicts, limit));
      return changes(draft, land); // what may land now
    });
    schedule(draft); // what to test next
    return changes(draft, letSomebodyGo);
  });
  startBaselineRuns(draft); // whether the target itself is sound
  probeInfrastructure(draft); // whether tests come to verdicts at all
  startPrefixRuns(draft); //  what to test next of failed batches
};

type Rule = (draft: Draft) => void;

/** From cause to effect, so that a verdict counts also for one who leaves at the same time. */
const verdicts: readonly Rule[] = [
  expire, //   what took too long
  conclude, // what the checks of a run amount to
  judge, //    what that means for those who were tested
  blame, //    whose fault a failure is
  bisect, //  which of a failed batch is to blame
];

/**
 * Goes by verdicts that have come to rest: a failure may turn out to be nobody's, and until it does, what is tested on top of it
 * would be let go of in vain. `depart` and `admit` come before `arrange`, which compares every run with those who are there.
 */
const line: readonly Rule[] = [
  depart, //       who is no longer what was submitted
  drain, //        what a draining queue does not wait for
  admit, //        who may enter the line
  keepTogether, // who goes first with an urgent one
  arrange, //      who stands behind whom, and which runs are still true
  switchMode, //   whether another mode may be entered
];

/**
 * Asks the rules in turn until each has had nothing to change since the last change: what one of them changes another may have to
 * see. Ahead of each round comes what they go by.
 */
const inTurns = (draft: Draft, rules: readonly Rule[], limit: number, before: Rule = nothing): void => {
  let quiet = 0;
  for (let round = 0; round < limit; round += 1) {
    if (changes(draft, before)) quiet = 0;
    for (const rule of rules) {
      quiet = changes(draft, rule) ? 0 : quiet + 1;
      if (quiet >= rules.length) return;
    }
  }
  throw new Error(`the rules did not come to rest within ${limit} rounds`);
};

const nothing: Rule = () => {};

/** What shows only once slots are given. Where somebody is let go by it, the rules say what that means for the others. */
const letSomebodyGo = (draft: Draft): void => {
  failWithoutChecks(draft); // who would be tested, and by no check
  preempt(draft); //           who gives up a slot for an urgent one
};

/** Rounds of rules in one decision: each moves somebody on, and nobody moves for ever. */
const ROUNDS_LIMIT = 1_000;

const untilQuiet = (limit: number, hasChanged: () => boolean): void => {
  for (let rounds = 0; rounds < limit; rounds += 1) if (!hasChanged()) return;
  throw new Error(`the rules did not come to rest within ${limit} rounds`);
};

const changes = (draft: Draft, rule: Rule): boolean => {
  const before = draft.changes;
  rule(draft);
  return draft.changes !== before;
};

/** The answer to a command shows what the whole decision made of it. */
const resultOf = (draft: Draft, taken: Taken, tell: Tell): CommandResult => {
  if (!taken.ok) return taken;
  const submission = taken.pr === null ? undefined : draft.lastSubmission(taken.pr);
  return {
    ok: true,
    queue: draft.queue,
    submission: submission === undefined ? null : tell(draft, submission),
    targets: taken.targets,
  };
};
