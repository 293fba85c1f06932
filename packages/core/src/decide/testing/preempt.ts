import { requiredChecksOf } from '../../model/required-checks.js';
import type { TestRun } from '../../model/run.js';
import { isUrgent } from '../../model/submission.js';
import type { Draft } from '../draft/draft.js';
import { requeue } from '../moves/leave.js';
import { nextToStart, slotsForBatch, testableTip } from './schedule.js';
import { runsInLine, slotsOf } from './slots.js';

/** Who gives up a slot: where an urgent one has found none, the last in line. Nothing else stops a healthy run. */
export const preempt = (draft: Draft): void => {
  if (testableTip(draft) === null || requiredChecksOf(draft.queue) === null) return;
  const slots = slotsOf(draft);
  if (slots.free > slots.kept.length || !isAnybodyUrgent(draft)) return;
  const next = nextToStart(draft);
  const urgent = next?.members.find(isUrgent);
  if (next === null || urgent === undefined || slotsForBatch(slots, next) > 0) return;
  const last = lastInLine(draft);
  if (last === null) return;
  const because = { reason: 'SKIP_THE_LINE_INTERRUPTED', detail: `#${urgent.pr}` } as const;
  draft.closeRun(last, 'interrupted');
  for (const submission of draft.membersOf(last)) requeue(draft, submission, because, 'batch');
};

/** In both orders urgent ones come first. */
const isAnybodyUrgent = (draft: Draft): boolean =>
  (['begun', 'waiting'] as const).some((name) => {
    const [first] = draft.ordered(name);
    return first !== undefined && isUrgent(first);
  });

/** The run whose members stand last, besides those of urgent ones: only these, and what is landing, stand ahead of an urgent one. */
const lastInLine = (draft: Draft): TestRun | null => {
  let last: { readonly run: TestRun; readonly place: number } | null = null;
  for (const run of runsInLine(draft)) {
    const members = draft.membersOf(run);
    if (members.some(isUrgent)) continue;
    const place = Math.max(...members.map((one) => one.place ?? 0));
    if (last === null || place > last.place) last = { run, place };
  }
  return last?.run ?? null;
};
