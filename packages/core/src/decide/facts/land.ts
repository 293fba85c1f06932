import type { LandFinished } from '../../model/input.js';
import type { LandOutcome } from '../../model/outcomes.js';
import type { Landing } from '../../model/queue.js';
import { isSameMember } from '../../model/run.js';
import type { Draft } from '../draft.js';
import { leave } from '../leave.js';
import { pauseFor } from '../pause.js';
import { askSoon } from '../polls.js';
import { giveReceipts } from '../receipts.js';
import { notLanded } from './not-landed.js';

/** A landing came to its end. Nothing else lands, and nothing of the target is believed, before this. */
export const landFinished = (draft: Draft, fact: LandFinished): void => {
  const { landing } = draft.queue;
  if (landing?.effectId !== fact.effectId) return;
  draft.changeQueue({ landing: null });
  askSoon(draft, 'branch');
  askSoon(draft, 'pullRequests');
  const { outcome } = fact;
  if (outcome.kind === 'landed' || outcome.kind === 'partly_landed') landed(draft, landing, outcome);
  else notLanded(draft, landing, outcome);
};

type Landed = Extract<LandOutcome, { kind: 'landed' | 'partly_landed' }>;

/** What was moved is settled from the landing itself: it is true whatever has become of run and submissions. */
const landed = (draft: Draft, landing: Landing, outcome: Landed): void => {
  const count = outcome.kind === 'landed' ? landing.members.length : outcome.count;
  const steps = landing.trial.steps.slice(landing.trial.steps.length - landing.members.length);
  followUp(draft, landing, count, outcome);
  giveReceipts(draft, landing, outcome, count);
  for (const [index, member] of landing.members.slice(0, count).entries()) {
    const step = steps[index];
    const submission = draft.liveSubmission(member.pr);
    if (
      submission?.id !== member.submissionId ||
      submission.attempt !== member.attempt ||
      step === undefined
    ) {
      const sentence = `#${member.pr} was landed with ${member.head}, but had left the queue.`;
      draft.record({ type: 'alarm', code: 'LANDED_AFTER_LEAVING', sentence });
      continue;
    }
    const merged = leave(draft, submission, 'merged', { reason: 'MERGE_GRAPH_MERGE', runId: landing.runId });
    draft.change(merged, {
      landed: { commit: step.commit, tree: step.tree, head: outcome.head, at: draft.now },
      verifiedBy: landing.runId,
    });
  }
  const target = { ...draft.queue.target, head: outcome.head, readAt: draft.now };
  draft.changeQueue({ landsSingly: false, target });
  compareTrees(draft, landing, outcome, steps[count - 1]?.tree);
};

const compareTrees = (draft: Draft, landing: Landing, outcome: Landed, tested: string | undefined): void => {
  if (outcome.tree !== tested)
    pauseFor(draft, 'TREE_MISMATCH', `The tree ${outcome.tree} was landed where ${tested} was tested.`);
  else if (outcome.kind === 'partly_landed')
    pauseFor(
      draft,
      'TREE_MISMATCH',
      `Only ${outcome.count} of ${landing.members.length} were landed: ${outcome.cause}`,
    );
};

/** Runs that were built on what has landed now stand on the new tip, and need not be built again. */
const followUp = (draft: Draft, landing: Landing, count: number, outcome: Landed): void => {
  const members = landing.members.slice(0, count);
  for (const other of draft.liveRuns()) {
    if (other.id === landing.runId || other.onto !== landing.onto) continue;
    const below = other.stack.slice(other.landedCount, other.landedCount + count);
    const isOnTop = below.length === count && below.every((one, index) => isSameMember(one, members[index]));
    if (!isOnTop) continue;
    const landedCount = other.landedCount + count;
    const step = other.trial?.steps[landedCount - 1];
    if (step === undefined || step.commit === outcome.head)
      draft.changeRun(other, { landedCount, onto: outcome.head });
  }
};
