import { commitMessage } from '../model/commit-message.js';
import { mayTest } from '../model/gates.js';
import type { RunId, Sha } from '../model/ids.js';
import { statusOf, TIP_FRESH_MS } from '../model/queue.js';
import { requiredChecksOf } from '../model/required-checks.js';
import { isOfIsolationPool, type Run, takesSlot } from '../model/run.js';
import { isUrgent, type Submission } from '../model/submission.js';
import { type Batch, batches, isDirect, lookaheadsOf, toMembers } from './batch.js';
import type { Draft } from './draft.js';
import { leave, sendBack } from './leave.js';
import { beginRun } from './new-run.js';

/**
 * What to test next: from the front of the line on, as long as slots are free. Nothing starts before everybody stands in
 * the right place; where somebody has to leave instead, the others' places have to be seen to first.
 */
export const schedule = (draft: Draft): 'done' | 'somebody_left' => {
  const { head } = draft.queue.target;
  if (head === null || !isFresh(draft)) return 'done';
  for (const lookahead of lookaheadsOf(draft, freeSlots(draft)))
    if (beginAmong(draft, lookahead, head) === 'somebody_left') return 'somebody_left';
    else if (freeSlots(draft) <= 0) return 'done';
  return 'done';
};

const beginAmong = (draft: Draft, lookahead: number, head: Sha): 'done' | 'somebody_left' => {
  for (const batch of batches(draft, lookahead)) {
    const [first] = batch.members;
    if (first === undefined || !mayStart(draft, batch)) continue;
    const isFull = freeSlots(draft) <= 0;
    if (isFull && !batch.members.some(isUrgent)) return 'done';
    const required = requiredChecksOf(draft.queue);
    if (required === null) {
      leave(draft, first, 'failed', { reason: 'START_TEST_RUN_NO_REQUIRED_STATUSES' });
      return 'somebody_left';
    }
    if (isFull) return interrupt(draft, batch) ? 'somebody_left' : 'done';
    start(draft, batch, head, required.names);
  }
  return 'done';
};

/** After a time in which nobody was in the queue, nobody has looked where the target is. */
export const isFresh = (draft: Draft): boolean => {
  const { readAt } = draft.queue.target;
  return readAt !== null && draft.now - readAt <= Math.max(TIP_FRESH_MS, 2 * draft.context.pace.pollBranchMs);
};

/** Slots that runs of the line have left. */
export const freeSlots = (draft: Draft): number =>
  draft.queue.settings.concurrency - draft.liveRuns().filter(takesSlotInLine).length;

export const takesSlotInLine = (run: Run): boolean => takesSlot(run) && !isOfIsolationPool(run);

/**
 * Only on what has been begun itself. A test that was begun is brought to its end also while the queue drains; nothing at
 * all starts while it is paused.
 */
const mayStart = (draft: Draft, { members, position }: Batch): boolean =>
  members.some((member) => mayTest(statusOf(draft.queue), member)) &&
  position.stack.every(({ submissionId }) => draft.submission(submissionId)?.place != null);

const start = (draft: Draft, batch: Batch, base: Sha, required: readonly string[]): void => {
  const runId = draft.newId<RunId>();
  const method = draft.queue.settings.mergeMethod;
  let number: number | null = null;
  for (const submission of batch.members) {
    const place: number = submission.place ?? nextPlace(draft);
    number ??= place;
    const placed: Submission = draft.change(submission, {
      retryAt: null,
      place,
      batch: number,
      begunAt: submission.begunAt ?? draft.now,
      message: submission.message ?? commitMessage(submission.pull, method),
    });
    if (placed.state === 'pending') draft.move(placed, 'testing', { reason: 'CAPACITY_AVAILABLE', runId });
  }
  beginRun(draft, runId, {
    purpose: { kind: 'test' },
    batch: toMembers(batch),
    stack: batch.position.stack,
    without: batch.position.without,
    base,
    requiredChecks: required,
    isDirect: isDirect(draft, batch),
  });
};

const nextPlace = (draft: Draft): number => {
  const lastPlace = draft.queue.lastPlace + 1;
  draft.changeQueue({ lastPlace });
  return lastPlace;
};

/** An urgent one that finds no slot takes that of the last in line; nothing else stops a healthy run. */
const interrupt = (draft: Draft, batch: Batch): boolean => {
  const below = new Set(batch.position.stack.map(({ pr }) => pr));
  let last: { readonly run: Run; readonly place: number } | null = null;
  for (const run of draft.liveRuns()) {
    const members = draft.membersOf(run);
    if (!takesSlotInLine(run) || members.some((one) => isUrgent(one) || below.has(one.pr))) continue;
    const place = Math.max(...members.map((one) => one.place ?? 0));
    if (last === null || place > last.place) last = { run, place };
  }
  if (last === null) return false;
  draft.closeRun(last.run, 'interrupted');
  for (const submission of draft.membersOf(last.run))
    sendBack(draft, submission, { reason: 'SKIP_THE_LINE_INTERRUPTED' }, 'place');
  return true;
};
