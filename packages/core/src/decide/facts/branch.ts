import type { Sha } from '../../model/ids.js';
import type { BranchSeen } from '../../model/input.js';
import { keptIfSame } from '../../model/same.js';
import type { Draft } from '../draft.js';
import { answered, askSoon } from '../polls.js';

/** Where the target is. While a landing of ours is under way nothing is asked, so nothing of it is seen here. */
export const branchSeen = (draft: Draft, fact: BranchSeen): void => {
  const wasAskedBefore = draft.queue.polls.branch.again;
  if (answered(draft, 'branch', fact.effectId) === null) return;
  if (!wasAskedBefore) draft.changeQueue({ isTipInDoubt: false });
  const before = draft.queue.target;
  const readAt = fact.target.readAt === null ? null : Math.min(fact.target.readAt, draft.now);
  const requiredChecks = keptIfSame(before.requiredChecks, fact.target.requiredChecks);
  const digests = keptIfSame(before.digests, fact.target.digests);
  draft.changeQueue({ target: { ...fact.target, requiredChecks, digests, readAt } });
  if (before.head === null || before.head === fact.target.head) return;
  // Whoever moved the target may have merged one of ours by hand.
  askSoon(draft, 'pullRequests');
  if (fact.rewound) rewound(draft, before.head, fact.target.head);
};

/** What was landed before may be gone from it. */
export const rewound = (draft: Draft, before: Sha, now: Sha | null): void =>
  draft.record({
    type: 'alarm',
    code: 'TARGET_REWOUND',
    sentence: `${draft.queue.branch} no longer contains ${before}: it was moved back to ${now}.`,
  });
