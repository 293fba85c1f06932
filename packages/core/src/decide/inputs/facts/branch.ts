import type { Sha } from '../../../model/ids.js';
import type { BranchSeen } from '../../../model/input.js';
import type { Target } from '../../../model/queue.js';
import { keptIfSame } from '../../../model/same.js';
import type { Draft } from '../../draft/draft.js';
import { unplaced } from '../../draft/history-rows.js';
import { noteForeignMove } from '../../moves/moving-base.js';
import { answered, askSoon } from '../../moves/polls.js';
import { forgetPasses } from '../../verdicts/tip.js';

/** Where the target is. While a landing of ours is under way nothing is asked, so nothing of it is seen here. */
export const branchSeen = (draft: Draft, fact: BranchSeen): void => {
  const wasAskedBefore = draft.queue.polls.branch.again;
  if (answered(draft, 'branch', fact.effectId) === null) return;
  if (!wasAskedBefore) draft.changeQueue({ isTipInDoubt: false });
  const { target } = draft.queue;
  const before = lastHead(draft);
  const readAt = fact.target.readAt === null ? null : Math.min(fact.target.readAt, draft.now);
  const requiredChecks = keptIfSame(target.requiredChecks, fact.target.requiredChecks);
  const digests = keptIfSame(target.digests, fact.target.digests);
  moveTarget(draft, { ...fact.target, requiredChecks, digests, readAt });
  forgetPasses(draft, target.digests);
  // While it was gone, the host may have shown all of them as not mergeable.
  if (!target.exists && fact.target.exists) askSoon(draft, 'pullRequests');
  if (before === null || before === fact.target.head) return;
  // Whoever moved the target may have merged one of ours by hand.
  askSoon(draft, 'pullRequests');
  if (fact.rewound) rewound(draft, before, fact.target.head);
};

/** Where the target was last known to be: also of one that is not there at present, since it may be restored to what it was before. */
export const lastHead = ({ queue }: Draft): Sha | null => queue.target.head ?? queue.goneFrom;

/** Somebody else than the queue has moved it. */
export const moveTarget = (draft: Draft, target: Target): void => {
  const before = lastHead(draft);
  if (before !== null && target.head !== null && target.head !== before) noteForeignMove(draft);
  draft.changeQueue({ target, goneFrom: target.head === null ? before : null });
};

/** What was landed before may be gone from it. */
export const rewound = (draft: Draft, before: Sha, now: Sha | null): void =>
  draft.record({
    ...unplaced,
    type: 'alarm',
    code: 'TARGET_REWOUND',
    sentence: `${draft.queue.branch} no longer contains ${before}: it was moved back to ${now}.`,
  });
