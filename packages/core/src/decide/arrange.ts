import { mayStart } from '../model/gates.js';
import type { SubmissionId } from '../model/ids.js';
import { statusOf } from '../model/queue.js';
import type { ReasonCode } from '../model/reasons.js';
import { type CloseCause, isSameMember, type Member, memberKey, type Run } from '../model/run.js';
import type { Draft } from './draft.js';
import { holdBackLanding } from './landing.js';
import { sendBack } from './leave.js';
import { lineOf } from './line.js';
import { type Position, positions } from './positions.js';

/** Who stands behind whom. A run that no longer says what would land is let go of, and its batch waits again. */
export const arrange = (draft: Draft): void => {
  // Whoever is sent back changes the line for those behind: it is gone through again until everybody stands.
  for (let before = -1; before !== draft.revision; ) {
    before = draft.revision;
    releaseHeld(draft);
    for (const position of positions(draft)) keepTrue(draft, position);
  }
};

/** A conflict with a submission ahead lasts only as long as that one is undecided. */
const releaseHeld = (draft: Draft): void => {
  const ahead = new Set<SubmissionId>();
  for (const submission of lineOf(draft)) {
    if (submission.heldBy !== null && !ahead.has(submission.heldBy))
      draft.change(submission, { heldBy: null });
    ahead.add(submission.id);
  }
};

const keepTrue = (draft: Draft, { submission, stack, isInPlay }: Position): void => {
  if (submission.state === 'pending_failure' || submission.state === 'pending') return;
  let because: ReasonCode | null = null;
  for (const run of draft.runsOf(submission)) {
    const flaw = isInPlay ? flawOf(draft, run, stack) : 'READINESS_LOST';
    if (flaw === null) continue;
    if (draft.queue.landing?.runId === run.id && !holdBackLanding(draft)) continue;
    draft.closeRun(run, closeCause(flaw));
    because = flaw;
  }
  if (draft.runsOf(submission).length > 0) return;
  const isToBeRepeated = because === null && submission.retryAt !== null && isInPlay;
  if (isToBeRepeated) return;
  const reason = because ?? (isInPlay ? 'RUN_NOT_BUILT' : 'READINESS_LOST');
  sendBack(draft, submission, { reason }, finishesOnly(draft));
};

/** What was begun is brought to its end while the queue drains: who has to be built again keeps its place for that. */
const finishesOnly = (draft: Draft): boolean => {
  const status = statusOf(draft.queue);
  return !mayStart(status, false) && mayStart(status, true);
};

/** Why a run would no longer land what it tests; null while it would. */
export const flawOf = (draft: Draft, run: Run, stack: readonly Member[]): ReasonCode | null => {
  if (run.onto !== draft.queue.target.head) return 'MANUAL_PUSH_TO_TARGET_BRANCH';
  if (run.method !== draft.queue.settings.mergeMethod) return 'MERGE_METHOD_CHANGED';
  const rest = run.stack.slice(run.landedCount);
  const expected = new Set(stack.map(memberKey));
  const gone = rest.find((member) => !expected.has(memberKey(member)));
  if (gone !== undefined) return whatBecameOf(draft, gone);
  const isSameOrder =
    rest.length === stack.length && rest.every((member, i) => isSameMember(member, stack[i]));
  return isSameOrder ? null : 'PREREQUISITE_MERGE_ITEM_PENDING';
};

const whatBecameOf = (draft: Draft, member: Member): ReasonCode => {
  const submission = draft.submission(member.submissionId);
  if (submission === undefined || submission.attempt !== member.attempt)
    return 'PREREQUISITE_MERGE_ITEM_CANCELLED';
  switch (submission.state) {
    case 'failed':
    case 'pending_failure':
      return 'PREREQUISITE_MERGE_ITEM_FAILED';
    case 'merged':
      return 'PREREQUISITE_MERGE_ITEM_MANUALLY_MERGED';
    case 'cancelled':
      return 'PREREQUISITE_MERGE_ITEM_CANCELLED';
    default:
      return 'PREREQUISITE_MERGE_ITEM_PENDING';
  }
};

const closeCause = (flaw: ReasonCode): CloseCause =>
  flaw === 'MANUAL_PUSH_TO_TARGET_BRANCH' ? 'target_moved' : 'superseded';
