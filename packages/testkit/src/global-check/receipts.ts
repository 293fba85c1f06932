import { type ChainFaultCode, verifyReceipts } from '@mq/core';
import { attemptKey, movedRows } from './attempts.js';
import type { Evidence } from './evidence.js';

/** Checks that every landing has one receipt, that the chain is valid, and that receipts name what is on the target. */
export const receiptFaults = (evidence: Evidence): readonly string[] => {
  const { receipts, queue, host, history } = evidence;
  const byAttempt = new Map(receipts.map((receipt) => [attemptKey(receipt), receipt]));
  const excused = excusedBy(evidence);
  const faults = verifyReceipts(receipts, { heads: [queue.receipts] })
    .faults.filter(({ code }) => !excused.has(code))
    .map(({ sentence }) => sentence);
  if (queue.receipts.count !== receipts.length)
    faults.push(`The queue counts ${queue.receipts.count} receipts and has ${receipts.length}.`);
  for (const row of movedRows(evidence)) {
    if (isByLanding(row.reason) && !byAttempt.has(attemptKey(row)))
      faults.push(`${attemptKey(row)} landed without a receipt.`);
  }
  for (const [key, { pr, attempt, landed, number }] of byAttempt) {
    const tree = host.treeOnTarget(landed.commit as Parameters<typeof host.treeOnTarget>[0]);
    if (tree !== landed.tree)
      faults.push(`Receipt ${number} of ${key} names a tree that is not on the target.`);
    const isSettled = history.some(
      (row) => row.type === 'moved' && row.to === 'merged' && row.pr === pr && row.attempt === attempt,
    );
    const hadLeft = history.some((row) => row.type === 'alarm' && row.code === 'LANDED_AFTER_LEAVING');
    if (!isSettled && !hadLeft) faults.push(`Receipt ${number} is of ${key}, which was not merged.`);
  }
  return faults;
};

const isByLanding = (reason: string | null): boolean =>
  reason === 'MERGE_GRAPH_MERGE' || reason === 'MERGE_GRAPH_DIRECT_MERGE';

/** Not faults of the queue: a target that was moved back, and a host that landed another commit and raised an alarm. */
const excusedBy = ({ history }: Evidence): ReadonlySet<ChainFaultCode> => {
  const hasAlarm = history.some((row) => row.type === 'alarm' && row.code === 'TREE_MISMATCH');
  return new Set([
    'BRANCH_MOVED_BACK',
    ...(hasAlarm ? (['TREE_NOT_AS_BUILT', 'TRIAL_NOT_LANDED'] as const) : []),
  ]);
};
