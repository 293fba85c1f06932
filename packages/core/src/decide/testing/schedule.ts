import { gateOf, mayTest } from '../../model/gates.js';
import type { Sha, SubmissionId, TestRunId } from '../../model/ids.js';
import { TIP_FRESH_MS } from '../../model/queue.js';
import { requiredChecksOf } from '../../model/required-checks.js';
import { goesFirst, isUrgent, type Submission } from '../../model/submission.js';
import type { Draft } from '../draft/draft.js';
import { nextPlace } from '../line/line.js';
import { frontPositions, positions } from '../line/positions.js';
import { isBeingLanded } from '../moves/landing.js';
import { isStill } from '../moves/moving-base.js';
import { beginRun, messageOf, type Planned } from '../moves/new-run.js';
import { type Batch, batches, isDirect, toMembers } from './batch.js';
import { keepTogether } from './keep-together.js';
import { cancelledInVain, resumeRun } from './resume-run.js';
import { freeSlots, type Slots, slotsFor, slotsOf } from './slots.js';

/**
 * What to test next: from the front of the line on, as long as slots are free. Nothing starts before everybody stands in
 * the right place.
 */
export const schedule = (draft: Draft): void => {
  const tip = testableTip(draft);
  const required = requiredChecksOf(draft.queue);
  if (tip === null || required === null || freeSlots(draft) <= 0) return;
  const next = toStart(draft);
  for (const batch of next) start(draft, batch, tip, required.names);
  // An urgent batch may have overtaken others: the rest is planned on the line as it stands now.
  if (next.some(isLedByUrgent)) schedule(draft);
};

/** Those that are to start now, up to the first urgent batch: the line is gone through before anything in it changes. */
const toStart = (draft: Draft): readonly Batch[] => {
  const next: Batch[] = [];
  const started = new Set<SubmissionId>();
  let slots = slotsOf(draft);
  for (const batch of batches(draft)) {
    if (slots.free <= 0) break;
    if (!mayStart(draft, batch, started) || !hasTurn(slots, batch)) continue;
    // Nobody behind an urgent one takes a slot that it may need.
    if (slotsForBatch(slots, batch) <= 0) break;
    next.push(batch);
    if (isLedByUrgent(batch)) break;
    for (const { id } of batch.members) started.add(id);
    slots = { ...slots, free: slots.free - 1 };
  }
  return next;
};

const isLedByUrgent = ({ members }: Batch): boolean => members.some(isUrgent);

/** Where the target was a short while ago; null where that is not known, it is not there, or it keeps moving. */
export const testableTip = (draft: Draft): Sha | null =>
  isFresh(draft) && isStill(draft) ? draft.queue.target.head : null;

/** The first who would be tested now. */
export const nextToStart = (draft: Draft): Batch | null => {
  const slots = slotsOf(draft);
  // Without a free slot only an urgent one may start.
  const among = slots.free > 0 ? positions(draft) : frontPositions(draft);
  for (const batch of batches(draft, among))
    if (mayStart(draft, batch) && hasTurn(slots, batch)) return batch;
  return null;
};

/** With a slot that is left for it, or as an urgent one with that of another. Who has neither keeps none from other lanes. */
const hasTurn = (slots: Slots, batch: Batch): boolean =>
  slotsForBatch(slots, batch) > 0 || isLedByUrgent(batch);

export const slotsForBatch = (slots: Slots, { position }: Batch): number =>
  slotsFor(slots, () => position.stack);

/** After a time in which nobody was in the queue, nobody has looked where the target is. */
export const isFresh = (draft: Draft): boolean => {
  const { readAt } = draft.queue.target;
  return readAt !== null && draft.now - readAt <= Math.max(TIP_FRESH_MS, 2 * draft.context.pace.pollBranchMs);
};

/**
 * Only on what has been begun itself. A test that was begun is brought to its end also while the queue drains; nothing at
 * all starts while it is paused.
 */
const mayStart = (
  draft: Draft,
  { members, position }: Batch,
  started: ReadonlySet<SubmissionId> = nothing,
): boolean =>
  members.some((member) => mayTest(gateOf(draft.queue), draft, member)) &&
  position.stack.every(
    ({ submissionId }) => started.has(submissionId) || draft.submission(submissionId)?.place != null,
  );

const nothing: ReadonlySet<SubmissionId> = new Set();

const start = (draft: Draft, batch: Batch, base: Sha, required: readonly string[]): void => {
  const planned: Planned = {
    purpose: { kind: 'test' },
    batch: toMembers(batch),
    stack: batch.position.stack,
    without: batch.position.without,
    base,
    requiredChecks: required,
    isDirect: isDirect(draft, batch),
  };
  const again = cancelledInVain(draft, planned);
  const runId = draft.newId<TestRunId>();
  let [number, before]: [number | null, number] = [null, 0];
  for (const { id } of batch.members) {
    const submission = draft.submission(id);
    if (submission === undefined) continue;
    // Together they may go first: their places tell the order in which they are tested.
    const kept = submission.place ?? 0;
    const place: number = kept > before ? kept : nextPlace(draft);
    before = place;
    number ??= numberOf(draft, place);
    const placed: Submission = draft.change(submission, {
      ...(submission.state === 'testing' ? { reason: 'CAPACITY_AVAILABLE', reasonDetail: null } : {}),
      retryAt: null,
      place,
      batch: number,
      begunAt: submission.begunAt ?? draft.now,
      message: messageOf(draft, submission),
    });
    if (placed.state === 'pending' && again === null)
      draft.move(placed, 'testing', { reason: 'CAPACITY_AVAILABLE', runId });
  }
  if (isLedByUrgent(batch)) putBehind(draft, batch);
  if (again === null) beginRun(draft, runId, planned);
  else resumeRun(draft, again, planned);
  keepTogether(draft);
};

/** The place of its first, unless that has been the number of a batch before: who is left of that stays one of its own. */
const numberOf = (draft: Draft, place: number): number => {
  for (const one of draft.ordered('begun')) if (one.batch === place) return nextPlace(draft);
  return place;
};

/**
 * Places tell the order of those who have begun, also when an urgent one is not urgent any more: where its batch overtakes
 * somebody, all whom it stands before get places behind it, in their order.
 */
const putBehind = (draft: Draft, { members }: Batch): void => {
  const begun = draft.ordered('begun').slice();
  const isOfBatch = ({ id }: Submission): boolean => members.some((member) => member.id === id);
  const last = Math.max(...begun.filter(isOfBatch).map(({ place }) => place ?? 0));
  const others = begun.filter((one) => !goesFirst(one) && !isOfBatch(one) && !isBeingLanded(draft, one));
  if (others.some(({ place }) => place !== null && place < last))
    for (const other of others) draft.change(other, { place: nextPlace(draft) });
};
