import { attemptKey, type Check } from './ledger.js';

/**
 * Between the move of the target and the end of the landing the host shows the members as merged. The queue must ignore that:
 * no member goes on hold or back into line for it.
 */
export const ownLandingIsIgnored: Check = ({ commit, before, after }, book) => {
  const landing = new Set(before.queue.landing?.members.map(attemptKey));
  return commit.writes.history.flatMap((row) => {
    if (row.type !== 'aside' && row.type !== 'moved') return [];
    const key = attemptKey(row);
    // A lagging host may still show it open, with an old reason for a hold; that does not show the landing.
    if (after.submissions.get(row.submissionId)?.pull.state !== 'merged') return [];
    if (!landing.has(key) || !book.landed.has(key) || book.landedBefore.has(key)) return [];
    if (row.type === 'aside' && row.lack !== null)
      return [`${key} goes on hold (${row.lack}) during its own landing.`];
    return row.type === 'moved' && row.to === 'pending'
      ? [`${key} is requeued (${row.reason}) during its own landing.`]
      : [];
  });
};
