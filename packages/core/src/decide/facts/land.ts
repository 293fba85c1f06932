import { theQueue } from '../../model/actor.js';
import type { LandFinished } from '../../model/input.js';
import type { HostRefusal, LandOutcome } from '../../model/outcomes.js';
import type { Member, Run } from '../../model/run.js';
import { memberKey, remainingMembers } from '../../model/run.js';
import type { Draft } from '../draft.js';
import { leave, sendBack } from '../leave.js';
import { askSoon, disregard } from '../polls.js';
import { retryLater, stopFor } from '../retry.js';
import { pullRequestMissing, pullRequestSeen } from './pull-requests.js';

/** A landing came to its end. Nothing else lands, and nothing of the target is believed, before this. */
export const landFinished = (draft: Draft, fact: LandFinished): void => {
  const { landing } = draft.queue;
  const run = draft.run(fact.runId);
  if (landing?.effectId !== fact.effectId || run === undefined) return;
  draft.changeQueue({ landing: null });
  askSoon(draft, 'branch');
  askSoon(draft, 'pullRequests');
  if (fact.outcome.kind === 'landed' || fact.outcome.kind === 'partly_landed')
    landed(draft, run, fact.outcome);
  else notLanded(draft, run, fact.outcome);
};

type MembersChanged = Extract<LandOutcome, { kind: 'members_changed' }>;
type Landed = Extract<LandOutcome, { kind: 'landed' | 'partly_landed' }>;

const landed = (draft: Draft, run: Run, outcome: Landed): void => {
  const all = remainingMembers(run);
  const members = outcome.kind === 'landed' ? all : all.slice(0, outcome.count);
  const lastStep = run.trial?.steps[run.landedCount + members.length - 1];
  followUp(draft, run, members, outcome);
  for (const [index, member] of members.entries()) {
    const step = run.trial?.steps[run.landedCount + index];
    const submission = draft.submission(member.submissionId);
    if (submission === undefined || submission.attempt !== member.attempt || step === undefined) continue;
    const merged = leave(draft, submission, 'merged', { reason: 'MERGE_GRAPH_MERGE', runId: run.id });
    draft.change(merged, {
      landed: { commit: step.commit, tree: step.tree, head: outcome.head, at: draft.now },
      verifiedBy: run.id,
    });
  }
  draft.changeQueue({
    landsSingly: false,
    target: { ...draft.queue.target, head: outcome.head, readAt: draft.now },
  });
  if (lastStep !== undefined && outcome.tree !== lastStep.tree)
    raiseMismatch(draft, `The tree ${outcome.tree} was landed where ${lastStep.tree} was tested.`);
  else if (outcome.kind === 'partly_landed')
    raiseMismatch(draft, `Only ${outcome.count} of ${all.length} were landed: ${outcome.cause}`);
};

/** Runs that were built on what has landed now stand on the new tip, and need not be built again. */
const followUp = (draft: Draft, run: Run, members: readonly Member[], outcome: Landed): void => {
  for (const other of draft.liveRuns()) {
    if (other.id === run.id || other.onto !== draft.queue.target.head) continue;
    const below = other.stack.slice(other.landedCount, other.landedCount + members.length);
    const isOnTop = below.length === members.length && below.every((one, i) => isSameMember(one, members[i]));
    if (!isOnTop) continue;
    const landedCount = other.landedCount + members.length;
    const step = other.trial?.steps[landedCount - 1];
    if (step === undefined || step.commit === outcome.head)
      draft.changeRun(other, { landedCount, onto: outcome.head });
  }
};

const isSameMember = (one: Member, other: Member | undefined): boolean =>
  other !== undefined && memberKey(one) === memberKey(other);

const raiseMismatch = (draft: Draft, sentence: string): void => {
  draft.changeQueue({
    wanted: 'paused',
    statusReason: { code: 'TREE_MISMATCH', sentence, actor: theQueue, at: draft.now },
  });
  draft.record({ type: 'alarm', code: 'TREE_MISMATCH', sentence });
};

/** The trial is gone with the refusal: whoever is still in the queue is built again, and passes are used again. */
const notLanded = (draft: Draft, run: Run, outcome: Exclude<LandOutcome, Landed>): void => {
  draft.closeRun(run, 'not_landed');
  disregard(draft, 'pullRequests');
  switch (outcome.kind) {
    case 'base_moved':
      draft.changeQueue({
        target: { ...draft.queue.target, head: outcome.head, exists: outcome.head !== null },
      });
      break;
    case 'members_changed':
      membersChanged(draft, run, outcome);
      break;
    case 'trial_gone':
      break;
    case 'refused':
      landingRefused(draft, run, outcome);
  }
  for (const { pr } of run.batch) {
    const submission = draft.liveSubmission(pr);
    if (submission?.state === 'tests_passed')
      sendBack(draft, submission, sentBackBecause(outcome), outcome.kind !== 'base_moved');
  }
};

/** Where nothing that is known here has changed, trying again at once would come to the same. */
const membersChanged = (draft: Draft, run: Run, { pulls, missing }: MembersChanged): void => {
  const news = pulls.filter((pull) => pullRequestSeen(draft, pull));
  for (const pr of missing) pullRequestMissing(draft, pr);
  if (news.length === 0) retryLater(draft, run, 'The code host shows it changed, and then again unchanged.');
};

const sentBackBecause = (outcome: Exclude<LandOutcome, Landed>) => ({
  reason: sentBackReason[outcome.kind],
  detail: outcome.kind === 'refused' ? outcome.message : null,
});

const sentBackReason = {
  base_moved: 'MANUAL_PUSH_TO_TARGET_BRANCH',
  members_changed: 'PREREQUISITE_MERGE_ITEM_CANCELLED',
  trial_gone: 'TRIAL_GONE',
  refused: 'HOST_NOT_READY',
} as const;

const landingRefused = (draft: Draft, run: Run, refusal: HostRefusal): void => {
  if (refusal.class === 'setting') return stopFor(draft, refusal.message);
  if (refusal.class === 'wait') return retryLater(draft, run, refusal.message);
  const members = remainingMembers(run);
  const blamed = refusal.pr === null ? run.batch : members.filter((member) => member.pr === refusal.pr);
  if (refusal.pr === null && members.length > run.batch.length) {
    draft.changeQueue({ landsSingly: true });
    return;
  }
  for (const { pr } of blamed) {
    const submission = draft.liveSubmission(pr);
    if (submission !== undefined)
      leave(draft, submission, 'failed', {
        reason: 'GITHUB_API_MERGE_PR_FAILED',
        detail: refusal.message,
        runId: run.id,
      });
  }
};
