import { judgeChecks } from '../model/checks.js';
import { mayBegin } from '../model/gates.js';
import { statusOf } from '../model/queue.js';
import { evidenceOf, type Run, remainingStack } from '../model/run.js';
import type { Submission } from '../model/submission.js';
import { dueAtOf } from './batch.js';
import type { Draft } from './draft.js';
import { sendBack } from './leave.js';
import { positionIn } from './positions.js';

/**
 * It was begun by itself because it might land directly, and it may not: where it would have waited for others otherwise, it
 * does. Not where its tests have passed already, nor where somebody is built on it. True where it waits.
 */
export const waitForOthers = (draft: Draft, run: Run): boolean => {
  const [submission] = draft.membersOf(run);
  if (submission === undefined || !mayBegin(statusOf(draft.queue))) return false;
  const waiting = { ...submission, begunAt: null, notDirectOn: run.base };
  if (submission.begunAt !== run.createdAt || !wouldWait(draft, waiting)) return false;
  if (hasPassed(draft, run) || isBuiltOn(draft, submission)) return false;
  draft.closeRun(run, 'superseded');
  const { begunAt, notDirectOn } = waiting;
  draft.change(sendBack(draft, submission, { reason: 'NOT_UP_TO_DATE', runId: run.id }), {
    begunAt,
    notDirectOn,
  });
  return true;
};

const wouldWait = (draft: Draft, waiting: Submission): boolean => {
  const position = positionIn(draft, waiting.id);
  if (position === undefined) return false;
  const dueAt = dueAtOf(draft, { members: [waiting], position, canGrow: true });
  return dueAt !== null && dueAt > draft.now;
};

const hasPassed = ({ queue }: Draft, run: Run): boolean =>
  judgeChecks(run.requiredChecks, run.known, evidenceOf(run, queue.target.digests)).outcome === 'passed';

const isBuiltOn = (draft: Draft, { id }: Submission): boolean =>
  draft.openRuns().some((run) => remainingStack(run).some(({ submissionId }) => submissionId === id));
