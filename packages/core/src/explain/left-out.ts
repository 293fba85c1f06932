import type { Draft } from '../decide/draft/draft.js';
import { isBisected } from '../decide/line/placement-input.js';
import type { Member, TestRun } from '../model/run.js';
import { isAdmitted, type Submission } from '../model/submission.js';
import { type HoldCode, holdCodeOf } from './hold-code.js';
import { prsOf } from './phrases.js';

/**
 * Pull requests ahead that a test run leaves out although they are undecided, with the reason, as part of a sentence; empty if
 * there is none.
 */
export const leftOutOf = (draft: Draft, { without }: Pick<TestRun, 'without'>): string => {
  const byReason = new Map<string, Member[]>();
  for (const member of without) {
    const submission = draft.attemptOf(member);
    if (submission === undefined || !isAdmitted(submission)) continue;
    const reason = reasonOf(draft, submission);
    byReason.set(reason, [...(byReason.get(reason) ?? []), member]);
  }
  const parts = [...byReason].map(([reason, members]) => ` without ${prsOf(members)} (${reason})`);
  return parts.join(' and');
};

/** Why a pull request cannot be tested before one ahead of it is decided, as part of a sentence. */
const heldReasons = {
  conflict_ahead: 'conflicts with one ahead of it',
  change_ahead: 'its change is already in one ahead of it',
  not_computable_ahead: 'cannot be merged on top of one ahead of it',
} as const satisfies Record<HoldCode, string>;

const reasonOf = (draft: Draft, submission: Submission): string => {
  if (submission.state === 'pending_failure') return 'failed, and not settled';
  if (submission.suspectedBy !== null) return 'failed, and tested once more';
  if (isBisected(draft, submission)) return 'in a failed batch whose culprit is searched for';
  if (submission.heldBy !== null) return heldReasons[holdCodeOf(submission)];
  if (submission.asideSince !== null) return 'not ready';
  return 'not expected to merge first';
};
