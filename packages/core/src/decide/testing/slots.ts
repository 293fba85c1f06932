import type { SubmissionId } from '../../model/ids.js';
import { type Member, type TestRun, takesSlot, usesBisectionSlot } from '../../model/run.js';
import type { Submission } from '../../model/submission.js';
import type { Draft } from '../draft/draft.js';
import { positionIn } from '../line/positions.js';
import { holdsBackUntil, isWithoutRun } from '../moves/retry.js';

/** The runs of the line that hold a slot. */
export const runsInLine = (draft: Draft): readonly TestRun[] =>
  draft.derived('runs in line', () => draft.openRuns().filter(takesSlotInLine));

/** Slots that runs of the line have left. */
export const freeSlots = (draft: Draft): number =>
  draft.queue.settings.concurrency - runsInLine(draft).length;

/** The slots that no run of the line has, of which some are kept. */
export interface Slots {
  readonly free: number;
  readonly kept: readonly (readonly Submission[])[];
}

export const slotsOf = (draft: Draft): Slots => ({ free: freeSlots(draft), kept: keptSlots(draft) });

/** Slots that are left for one in line, who stands on these: those that are kept for batches among them are not. */
export const slotsFor = ({ free, kept }: Slots, stackOf: () => readonly Member[]): number => {
  if (free <= 0 || kept.length === 0) return free;
  const below = new Set(stackOf().map(({ submissionId }) => submissionId));
  return free - kept.filter((batch) => batch.some(({ id }) => below.has(id))).length;
};

/** The batches that keep their slot without a run: they came to no verdict, and hold back until they are tested again. */
export const keptSlots = (draft: Draft): readonly (readonly Submission[])[] =>
  draft.derived('kept slots', () => {
    const batches = new Map<number | SubmissionId, Submission[]>();
    for (const submission of draft.ordered('begun')) {
      if (!keepsSlot(draft, submission)) continue;
      const batch = submission.batch ?? submission.id;
      batches.set(batch, [...(batches.get(batch) ?? []), submission]);
    }
    return [...batches.values()];
  });

/** Those who have a slot, by runs of the line or until their next one: what is kept may have been taken meanwhile. */
export const slotHolders = (draft: Draft): readonly (readonly Submission[])[] => [
  ...runsInLine(draft).map((run) => draft.membersOf(run)),
  ...keptSlots(draft).slice(0, Math.max(0, freeSlots(draft))),
];

/** Of those who hold back, only who is under test has a slot; who is passed over has none. */
const keepsSlot = (draft: Draft, submission: Submission): boolean =>
  submission.state === 'testing' &&
  holdsBackUntil(draft, submission) !== null &&
  isWithoutRun(draft, submission) &&
  positionIn(draft, submission.id)?.isInPlay === true;

const takesSlotInLine = (run: TestRun): boolean => takesSlot(run) && !usesBisectionSlot(run);

/** The runs that look for a cause and hold a slot of those kept for that. */
export const bisectionRuns = (draft: Draft): readonly TestRun[] =>
  draft.openRuns().filter((run) => takesSlot(run) && usesBisectionSlot(run));

/** The slots that are kept for looking for causes. */
export const bisectionSlots = ({ queue }: Draft): number =>
  queue.settings.bisectionConcurrency ?? queue.settings.concurrency;

export const freeBisectionSlots = (draft: Draft): number =>
  bisectionSlots(draft) - bisectionRuns(draft).length;
