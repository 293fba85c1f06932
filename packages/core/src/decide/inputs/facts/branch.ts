import { keptIfSame } from '../../../model/equality.js';
import type { Sha } from '../../../model/ids.js';
import type { BranchSeen } from '../../../model/input.js';
import type { BranchRules, Target } from '../../../model/queue.js';
import type { Draft } from '../../draft/draft.js';
import { unstamped } from '../../draft/history-rows.js';
import { noteForeignMove } from '../../moves/moving-base.js';
import { askSoon, takeAnswer } from '../../moves/polls.js';
import { forgetPasses } from '../../verdicts/baseline-runs.js';

/** Takes in the position of the target, which is not read during a landing of this queue. */
export const applyBranchRead = (draft: Draft, fact: BranchSeen): void => {
  const isRereadDue = draft.queue.polls.branch.again;
  if (takeAnswer(draft, 'branch', fact.effectId) === null) return;
  if (!isRereadDue) draft.changeQueue({ isTipInDoubt: false });
  const { target } = draft.queue;
  const before = lastHead(draft);
  const readAt = fact.target.readAt === null ? null : Math.min(fact.target.readAt, draft.now);
  const requiredChecks = keptIfSame(target.requiredChecks, fact.target.requiredChecks);
  const digests = keptIfSame(target.digests, fact.target.digests);
  moveTarget(draft, { ...fact.target, requiredChecks, digests, readAt });
  forgetPasses(draft, target.digests);
  // While it was gone, the host may have shown all pull requests as not mergeable.
  if (!target.exists && fact.target.exists) askSoon(draft, 'pullRequests');
  if (before === null || before === fact.target.head) return;
  // The push may have merged one of the pull requests by hand.
  askSoon(draft, 'pullRequests');
  if (fact.rewound) raiseRewindAlarm(draft, before, fact.target.head);
};

/**
 * Takes in the checks that the target requires. Ignored if a later read is known, and during a landing, which was
 * decided on the earlier ones.
 */
export const applyRulesRead = (draft: Draft, rules: BranchRules): void => {
  const { target, landing } = draft.queue;
  if (landing !== null || rules.readAt < (target.readAt ?? 0)) return;
  const { requiredChecks: checksBefore, digests: digestsBefore } = target;
  const requiredChecks = keptIfSame(checksBefore, rules.requiredChecks);
  const digests = keptIfSame(digestsBefore, rules.digests);
  if (requiredChecks === checksBefore && digests === digestsBefore) return;
  draft.changeQueue({ target: { ...target, requiredChecks, digests } });
  forgetPasses(draft, digestsBefore);
};

/** The last known head of the target, also while the target does not exist: it may be restored. */
export const lastHead = ({ queue }: Draft): Sha | null => queue.target.head ?? queue.goneFrom;

/** Takes in a move of the target from outside the queue. */
export const moveTarget = (draft: Draft, target: Target): void => {
  const before = lastHead(draft);
  if (before !== null && target.head !== null && target.head !== before) noteForeignMove(draft);
  draft.changeQueue({ target, goneFrom: target.head === null ? before : null });
};

/** Raises an alarm: a push may have removed what was landed. */
export const raiseRewindAlarm = (draft: Draft, before: Sha, now: Sha | null): void =>
  draft.record({
    ...unstamped,
    type: 'alarm',
    code: 'TARGET_REWOUND',
    sentence: `${draft.queue.branch} no longer contains ${before}: it was moved back to ${now}.`,
  });
