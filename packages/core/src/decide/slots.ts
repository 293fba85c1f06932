import { isOfIsolationPool, type Run, takesSlot } from '../model/run.js';
import type { Draft } from './draft.js';

/** The runs of the line that hold a slot. */
export const runsInLine = (draft: Draft): readonly Run[] => draft.openRuns().filter(takesSlotInLine);

/** Slots that runs of the line have left. */
export const freeSlots = (draft: Draft): number =>
  draft.queue.settings.concurrency - runsInLine(draft).length;

const takesSlotInLine = (run: Run): boolean => takesSlot(run) && !isOfIsolationPool(run);

/** The runs that look for a cause and hold a slot of those kept for that. */
export const runsThatIsolate = (draft: Draft): readonly Run[] =>
  draft.openRuns().filter((run) => takesSlot(run) && isOfIsolationPool(run));

/** The slots that are kept for looking for causes. */
export const slotsToIsolate = ({ queue }: Draft): number =>
  queue.settings.bisectionConcurrency ?? queue.settings.concurrency;

export const freeToIsolate = (draft: Draft): number => slotsToIsolate(draft) - runsThatIsolate(draft).length;
