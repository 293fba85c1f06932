import { attemptKey, type Check } from './ledger.js';

/**
 * While the target has moved and the landing is not settled, the host shows what has landed as merged. That is the queue's
 * own doing: nothing that landed is set aside or put back into line for it.
 */
export const ownLandingIsNoNews: Check = ({ commit, before, after }, book) => {
  const landing = new Set(before.queue.landing?.members.map(attemptKey));
  return commit.writes.history.flatMap((row) => {
    if (row.type !== 'aside' && row.type !== 'moved') return [];
    const key = attemptKey(row);
    // A host that lags may show it open still, and withheld for a reason that is over: that is no view of the landing.
    if (after.submissions.get(row.submissionId)?.pull.state !== 'merged') return [];
    if (!landing.has(key) || !book.landed.has(key) || book.landedBefore.has(key)) return [];
    if (row.type === 'aside' && row.lack !== null)
      return [`${key} is set aside (${row.lack}) while its own landing is under way.`];
    return row.type === 'moved' && row.to === 'pending'
      ? [`${key} is put back into line (${row.reason}) while its own landing is under way.`]
      : [];
  });
};
