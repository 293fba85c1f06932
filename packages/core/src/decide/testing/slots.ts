import { activeConcurrency } from '../../model/adaptation.js';
import type { SubmissionId } from '../../model/ids.js';
import { type Member, type TestRun, takesSlot, usesBisectionSlot } from '../../model/run.js';
import type { Submission } from '../../model/submission.js';
import type { Draft } from '../draft/draft.js';
import { positionIn } from '../line/positions.js';
import { delayedUntil, isWithoutRun } from '../moves/retry.js';

/** The test runs of the line that hold a slot. */
export const runsInLine = (draft: Draft): readonly TestRun[] =>
  draft.memo('runs in line', () => draft.openRuns().filter(takesSlotInLine));

/** Slots that no test run of the line holds. */
export const freeSlots = (draft: Draft): number => activeConcurrency(draft.queue) - runsInLine(draft).length;

/** Free slots, some of them reserved. */
export interface Slots {
  readonly free: number;
  readonly reserved: readonly (readonly Submission[])[];
}

export const slotsOf = (draft: Draft): Slots => ({ free: freeSlots(draft), reserved: reservedSlots(draft) });

/** Free slots for a pull request with this stack: all but those reserved for batches in the stack. */
export const slotsFor = ({ free: freeCount, reserved }: Slots, stackOf: () => readonly Member[]): number => {
  if (freeCount <= 0 || reserved.length === 0) return freeCount;
  const below = new Set(stackOf().map(({ submissionId }) => submissionId));
  return freeCount - reserved.filter((batch) => batch.some(({ id }) => below.has(id))).length;
};

/**
 * Batches whose last test run was inconclusive. Each keeps its slot without a test run until its retry delay is over.
 */
export const reservedSlots = (draft: Draft): readonly (readonly Submission[])[] =>
  draft.memo('reserved slots', () => {
    const batches = new Map<number | SubmissionId, Submission[]>();
    for (const submission of draft.ordered('begun')) {
      if (!reservesSlot(draft, submission)) continue;
      const batch = submission.batch ?? submission.id;
      batches.set(batch, [...(batches.get(batch) ?? []), submission]);
    }
    return [...batches.values()];
  });

/** Holders of slots: the members of test runs in line, and of batches with a reserved slot as far as slots are free. */
export const slotHolders = (draft: Draft): readonly (readonly Submission[])[] => [
  ...runsInLine(draft).map((run) => draft.membersOf(run)),
  ...reservedSlots(draft).slice(0, Math.max(0, freeSlots(draft))),
];

/** True only for a pull request under test that waits for its retry and is not passed over. */
const reservesSlot = (draft: Draft, submission: Submission): boolean =>
  submission.state === 'testing' &&
  delayedUntil(draft, submission) !== null &&
  isWithoutRun(draft, submission) &&
  positionIn(draft, submission.id)?.mayBeTested === true;

const takesSlotInLine = (run: TestRun): boolean => takesSlot(run) && !usesBisectionSlot(run);

/** The test runs that hold a bisection slot: prefix runs and baseline runs. */
export const bisectionRuns = (draft: Draft): readonly TestRun[] =>
  draft.openRuns().filter((run) => takesSlot(run) && usesBisectionSlot(run));

/** The number of bisection slots. They are apart from the slots of the line. */
export const bisectionSlots = ({ queue }: Draft): number =>
  queue.settings.bisectionConcurrency ?? queue.settings.concurrency;

export const freeBisectionSlots = (draft: Draft): number =>
  bisectionSlots(draft) - bisectionRuns(draft).length;
