import type { Instant, Sha } from '../../../model/ids.js';
import type { LandFinished } from '../../../model/input.js';
import type { MovedOutcome } from '../../../model/outcomes.js';
import { type Landing, type LandingMember, noTrust, type Queue, stepsOf } from '../../../model/queue.js';
import { requiredChecksOf } from '../../../model/required-checks.js';
import { isByOwnChecks, remainingBatch, type TestRun } from '../../../model/run.js';
import { hasSucceeded } from '../../../model/run-evidence.js';
import { isLive, type Submission } from '../../../model/submission.js';
import type { Draft } from '../../draft/draft.js';
import { unstamped } from '../../draft/history-rows.js';
import { addReceipts } from '../../landing/receipts.js';
import { leaveMerged } from '../../moves/leave.js';
import { pauseFor } from '../../moves/pause.js';
import { askSoon } from '../../moves/polls.js';
import { updateRunsAfterLanding } from '../../verdicts/after-landing.js';
import { keepTrust, successesOf, trustBasesOf } from '../../verdicts/baseline-runs.js';
import { raiseRewindAlarm } from './branch.js';
import { updateChecks } from './checks.js';
import { handleNotLanded } from './not-landed.js';

/** Takes in the result of a landing. Until it arrives, nothing else lands and no read of the target counts. */
export const applyLandFinished = (draft: Draft, fact: LandFinished): void => {
  const { landing } = draft.queue;
  if (landing?.effectId !== fact.effectId) return;
  draft.changeQueue({ landing: null });
  askSoon(draft, 'branch');
  const { outcome, checksRead } = fact;
  for (const { runId, commit, checks } of checksRead?.seen ?? [])
    updateChecks(draft, runId, commit, checks, checksRead?.at ?? draft.now);
  if (outcome.kind === 'landed' || outcome.kind === 'partly_landed')
    settleLanding(draft, landing, outcome, checksRead?.at ?? null);
  else handleNotLanded(draft, landing, outcome, checksRead);
  if (fact.rewound === true && outcome.kind === 'base_moved')
    raiseRewindAlarm(draft, landing.onto, outcome.head);
};

/** Settles a landing from its own record, whatever has become of its runs and submissions meanwhile. */
const settleLanding = (
  draft: Draft,
  landing: Landing,
  outcome: MovedOutcome,
  checksReadAt: Instant | null,
): void => {
  // The new tip may end a conflict. Admitted pull requests are left out: their candidates show conflicts.
  if (draft.ordered('unready').some(waitsForMergeability)) askSoon(draft, 'pullRequests');
  const count = outcome.kind === 'landed' ? landing.members.length : outcome.count;
  const members = landing.members.slice(0, count);
  const tested = stepsOf(landing)[count - 1]?.tree;
  addReceipts(draft, landing, outcome, { count, checksReadAt });
  // If the host changed the tree, nothing was tested on it or beside it.
  const isAsTested = outcome.kind === 'landed' && outcome.tree === tested;
  if (isAsTested) updateRunsAfterLanding(draft, landing, members, outcome.head);
  const vouchers = vouchersOf(draft, members);
  const passes = passesOf(draft, vouchers, outcome.tree, isAsTested);
  const lastSuccesses = lastSuccessesOf(draft, vouchers);
  const detail = outcome.tree === tested ? null : 'the merged tree differs from the tested one';
  leaveLanded(draft, landing, members, { head: outcome.head, detail });
  for (const run of draft.openRuns())
    if (run.id === landing.runId || (run.batch.length > 0 && remainingBatch(run).length === 0))
      draft.closeRun(run, 'landed');
  const target = { ...draft.queue.target, head: outcome.head, readAt: draft.now };
  keepTrust(draft);
  const settled = { landsSingly: false, refusedLanding: null, movingBase: null } as const;
  draft.changeQueue({
    ...settled,
    lastLandedAt: draft.now,
    lastSuccesses,
    target,
    tipTrust: { ...noTrust(outcome.head), passes },
  });
  // Runs that passed on top of this commit before it became the tip prove it too.
  const passed = draft.openRuns().filter((run) => run.outcome === 'passed');
  if (isAsTested) for (const run of [...vouchers, ...passed]) trustBasesOf(draft, run);
  pauseUnlessLandedAsTested(draft, landing, outcome, tested);
};

const waitsForMergeability = ({ state, pull }: Submission): boolean =>
  state === 'not_ready' && pull.mergeability !== 'mergeable';

const leaveLanded = (
  draft: Draft,
  landing: Landing,
  members: readonly LandingMember[],
  { head, detail }: { readonly head: Sha; readonly detail: string | null },
): void => {
  const isDirect = isDirectLanding(draft, landing);
  const reason = isDirect ? 'MERGE_GRAPH_DIRECT_MERGE' : 'MERGE_GRAPH_MERGE';
  const steps = stepsOf(landing);
  for (const [index, member] of members.entries()) {
    const step = steps[index];
    const submission = draft.attemptOf(member);
    if (submission === undefined || !isLive(submission) || step === undefined) {
      const sentence = `#${member.pr} was merged with ${member.head} after it had left the queue.`;
      draft.record({ ...unstamped, type: 'alarm', code: 'LANDED_AFTER_LEAVING', sentence });
      continue;
    }
    const landedAs = { commit: step.commit, tree: step.tree, head, at: draft.now };
    const verifiedBy = isDirect ? null : member.verifiedBy;
    const because = { reason, detail, runId: member.verifiedBy } as const;
    leaveMerged(draft, submission, because, { landed: landedAs, verifiedBy });
  }
};

const vouchersOf = (draft: Draft, members: readonly LandingMember[]): readonly TestRun[] =>
  [...new Set(members.map(({ verifiedBy }) => verifiedBy))].flatMap((id) => draft.run(id) ?? []);

/**
 * For each required check, the last landed run in which it succeeded. If the required checks are unknown, those of
 * the landed runs count.
 */
const lastSuccessesOf = ({ queue }: Draft, vouchers: readonly TestRun[]): Queue['lastSuccesses'] => {
  const names = requiredChecksOf(queue)?.names ?? vouchers.flatMap(({ requiredChecks }) => requiredChecks);
  const entries = [...new Set(names)].flatMap((name) => {
    const last = vouchers.findLast((run) => hasSucceeded(run, name))?.id ?? queue.lastSuccesses[name];
    return last === undefined ? [] : [[name, last] as const];
  });
  return Object.fromEntries(entries);
};

/**
 * The checks that prove the new tip: those that succeeded for exactly this tree or, if everything landed as tested,
 * in each of the runs that the landing combines.
 */
const passesOf = (
  draft: Draft,
  vouchers: readonly TestRun[],
  tree: string,
  isAsTested: boolean,
): readonly string[] => {
  const successes = vouchers.map((run) => ({ run, names: successesOf(draft, run) }));
  const exact = successes.filter(({ run }) => run.candidate?.tree === tree).flatMap(({ names }) => names);
  const [first, ...others] = isAsTested ? successes : [];
  const common = first?.names.filter((name) => others.every(({ names }) => names.includes(name))) ?? [];
  return [...new Set([...exact, ...common])];
};

/**
 * True if the pull request's own checks had tested exactly the commit that landed, so that the queue tested nothing.
 */
const isDirectLanding = (draft: Draft, { members, candidate }: Landing): boolean => {
  const [only, ...others] = members;
  const run = only === undefined || others.length > 0 ? undefined : draft.run(only.verifiedBy);
  return run !== undefined && run.candidate?.commit === candidate.commit && isByOwnChecks(run);
};

const pauseUnlessLandedAsTested = (
  draft: Draft,
  landing: Landing,
  outcome: MovedOutcome,
  tested: string | undefined,
): void => {
  if (outcome.tree !== tested)
    pauseFor(
      draft,
      'TREE_MISMATCH',
      `The merged tree is ${outcome.tree}, but ${tested} was tested. See what the code host added, then set the queue running.`,
    );
  else if (outcome.kind === 'partly_landed')
    pauseFor(
      draft,
      'TREE_MISMATCH',
      `Only ${outcome.count} of ${landing.members.length} pull requests were merged: ${outcome.cause}`,
    );
};
