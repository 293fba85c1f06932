import { requiredChecksOf } from '../../model/required-checks.js';
import type { TestRun } from '../../model/run.js';
import { isUrgent } from '../../model/submission.js';
import type { Draft } from '../draft/draft.js';
import { requeue } from '../moves/leave.js';
import { nextToStart, slotsForBatch, testableTip } from './schedule.js';
import { runsInLine, slotsOf } from './slots.js';

/**
 * Takes the slot of the last test run in line if an urgent pull request has no slot. No other rule stops a healthy test
 * run.
 */
export const preempt = (draft: Draft): void => {
  if (testableTip(draft) === null || requiredChecksOf(draft.queue) === null) return;
  const slots = slotsOf(draft);
  if (slots.free > slots.reserved.length || !isAnyUrgent(draft)) return;
  const next = nextToStart(draft);
  const urgent = next?.members.find(isUrgent);
  if (next === null || urgent === undefined || slotsForBatch(slots, next) > 0) return;
  const lastRun = lastInLine(draft);
  if (lastRun === null) return;
  const because = { reason: 'SKIP_THE_LINE_INTERRUPTED', detail: `#${urgent.pr}` } as const;
  draft.closeRun(lastRun, 'interrupted');
  for (const submission of draft.membersOf(lastRun)) requeue(draft, submission, because, 'batch');
};

/** Urgent pull requests come first in both orders, so it is enough to look at the first. */
const isAnyUrgent = (draft: Draft): boolean =>
  (['begun', 'waiting'] as const).some((name) => {
    const [first] = draft.ordered(name);
    return first !== undefined && isUrgent(first);
  });

/**
 * The test run whose members stand last in line; null if all have urgent members. Those are never preempted.
 */
const lastInLine = (draft: Draft): TestRun | null => {
  let lastRun: { readonly run: TestRun; readonly place: number } | null = null;
  for (const run of runsInLine(draft)) {
    const members = draft.membersOf(run);
    if (members.some(isUrgent)) continue;
    const place = Math.max(...members.map((one) => one.place ?? 0));
    if (lastRun === null || place > lastRun.place) lastRun = { run, place };
  }
  return lastRun?.run ?? null;
};
