import { gateOf, mayTest } from '../../model/gates.js';
import type { Sha, SubmissionId, TestRunId } from '../../model/ids.js';
import { TIP_FRESH_MS } from '../../model/queue.js';
import { requiredChecksOf } from '../../model/required-checks.js';
import type { TestRun } from '../../model/run.js';
import { goesFirst, isUrgent, type Submission } from '../../model/submission.js';
import type { Draft } from '../draft/draft.js';
import { byLine, nextPlace } from '../line/line.js';
import { frontPositions, positions } from '../line/positions.js';
import { isBeingLanded } from '../moves/landing.js';
import { isTargetStill } from '../moves/moving-base.js';
import { beginRun, messageOf, type RunPlan } from '../moves/new-run.js';
import { type Batch, batches, isDirect, toMembers } from './batch.js';
import { doesBisectionHoldLine } from './bisection.js';
import { keepTogether } from './keep-together.js';
import { resumableRun, resumeRun } from './resume-run.js';
import { freeSlots, type Slots, slotsFor, slotsOf } from './slots.js';

/**
 * Starts tests from the front of the line while slots are free. Runs after the line is settled, so that every test has
 * the right base and stack. True if a pass counts again, so that it may land now.
 */
export const schedule = (draft: Draft): boolean => {
  const tip = testableTip(draft);
  const required = requiredChecksOf(draft.queue);
  if (tip === null || required === null || freeSlots(draft) <= 0) return false;
  const startable = batchesToStart(draft);
  takePlaces(draft, startable);
  const resumed = startable.map((batch) => start(draft, batch, tip, required.names));
  const hasPassed = resumed.some((run) => run?.outcome === 'passed');
  // An urgent batch may have overtaken others, so the rest is planned on the new line.
  return startable.some(hasUrgentMember) ? schedule(draft) || hasPassed : hasPassed;
};

/** The batches to start now, up to the first urgent one. All are picked before any row changes. */
const batchesToStart = (draft: Draft): readonly Batch[] => {
  const startable: Batch[] = [];
  const startedIds = new Set<SubmissionId>();
  let slots = slotsOf(draft);
  for (const batch of batches(draft)) {
    if (slots.free <= 0) break;
    const started = { ids: startedIds, count: startable.length };
    if (!mayStart(draft, batch, started) || !mayTakeSlot(slots, batch)) continue;
    // Batches behind an urgent one do not take a slot that it may need.
    if (slotsForBatch(slots, batch) <= 0) break;
    startable.push(batch);
    if (hasUrgentMember(batch)) break;
    for (const { id } of batch.members) startedIds.add(id);
    slots = { ...slots, free: slots.free - 1 };
  }
  return startable;
};

/**
 * Members of these batches that have no place yet take one in line order: a batch may reach past a pull request that is tested
 * apart from it.
 */
const takePlaces = (draft: Draft, startable: readonly Batch[]): void => {
  const waiting = startable.flatMap(({ members }) => members).filter(({ place }) => place === null);
  for (const one of waiting.toSorted(byLine(draft))) draft.change(one, { place: nextPlace(draft) });
};

const hasUrgentMember = ({ members }: Batch): boolean => members.some(isUrgent);

/** The tip of the target; null if it was not read recently, does not exist or keeps moving. */
export const testableTip = (draft: Draft): Sha | null =>
  isFresh(draft) && isTargetStill(draft) ? draft.queue.target.head : null;

/** The first batch that would be tested now; null if there is none. */
export const nextToStart = (draft: Draft): Batch | null => {
  const slots = slotsOf(draft);
  // Without a free slot only an urgent batch may start.
  const among = slots.free > 0 ? positions(draft) : frontPositions(draft);
  for (const batch of batches(draft, among))
    if (mayStart(draft, batch) && mayTakeSlot(slots, batch)) return batch;
  return null;
};

/**
 * True if a slot is free for this batch, or if it is urgent and may preempt one. A batch that can do neither must not
 * block other lanes.
 */
const mayTakeSlot = (slots: Slots, batch: Batch): boolean =>
  slotsForBatch(slots, batch) > 0 || hasUrgentMember(batch);

export const slotsForBatch = (slots: Slots, { position }: Batch): number =>
  slotsFor(slots, () => position.stack);

/** The target is not read while the queue is empty, so its tip and its required checks may be old. */
export const isFresh = (draft: Draft): boolean => {
  const { target, polls } = draft.queue;
  const { readAt } = target;
  if (polls.branch.isAwaited === true) return false;
  return readAt !== null && draft.now - readAt <= Math.max(TIP_FRESH_MS, 2 * draft.context.pace.pollBranchMs);
};

/**
 * True if the batch may begin and all that it is stacked on has begun. While the queue drains, only batches that have
 * begun before may be tested; while it is paused, none. While a bisection holds the line, only urgent batches may.
 */
const mayStart = (draft: Draft, { members, position }: Batch, started: Started = none): boolean =>
  (members.some(isUrgent) || !doesBisectionHoldLine(draft, started.count)) &&
  members.some((member) => mayTest(gateOf(draft.queue), draft, member)) &&
  position.stack.every(
    ({ submissionId }) => started.ids.has(submissionId) || draft.submission(submissionId)?.place != null,
  );

/** What starts in this decision: its pull requests, and the number of its test runs. */
interface Started {
  readonly ids: ReadonlySet<SubmissionId>;
  readonly count: number;
}

const none: Started = { ids: new Set(), count: 0 };

/** The test run that continues; null if one has begun. */
const start = (draft: Draft, batch: Batch, base: Sha, required: readonly string[]): TestRun | null => {
  const planned: RunPlan = {
    purpose: { kind: 'test' },
    batch: toMembers(batch),
    stack: batch.position.stack,
    without: batch.position.without,
    base,
    requiredChecks: required,
    isDirect: isDirect(draft, batch),
  };
  const resumable = resumableRun(draft, planned);
  const runId = draft.newId<TestRunId>();
  let [number, placeBefore]: [number | null, number] = [null, 0];
  for (const { id } of batch.members) {
    const submission = draft.submission(id);
    if (submission === undefined) continue;
    // If they go first together, their places give the order in which they are tested.
    const keptPlace = submission.place ?? 0;
    const place: number = keptPlace > placeBefore ? keptPlace : nextPlace(draft);
    placeBefore = place;
    number ??= batchNumberOf(draft, place);
    const updated: Submission = draft.change(submission, {
      ...(submission.state === 'testing' ? { reason: 'CAPACITY_AVAILABLE', reasonDetail: null } : {}),
      retryAt: null,
      place,
      batch: number,
      begunAt: submission.begunAt ?? draft.now,
      message: messageOf(draft, submission),
    });
    if (updated.state === 'pending' && resumable === null)
      draft.move(updated, 'testing', { reason: 'CAPACITY_AVAILABLE', runId });
  }
  if (hasUrgentMember(batch)) moveOthersBehind(draft, batch);
  if (resumable === null) beginRun(draft, runId, planned);
  else resumeRun(draft, resumable, planned);
  keepTogether(draft);
  return resumable?.run ?? null;
};

/** The batch number: the place of the first member, unless another batch has used it as its number. */
const batchNumberOf = (draft: Draft, place: number): number => {
  for (const one of draft.ordered('begun')) if (one.batch === place) return nextPlace(draft);
  return place;
};

/**
 * Places give the order of pull requests that have begun, also once an urgent one is not urgent any more. If an urgent
 * batch overtakes others, the others get new places behind it, in their order.
 */
const moveOthersBehind = (draft: Draft, { members }: Batch): void => {
  const begun = draft.ordered('begun').slice();
  const isOfBatch = ({ id }: Submission): boolean => members.some((member) => member.id === id);
  const last = Math.max(...begun.filter(isOfBatch).map(({ place }) => place ?? 0));
  const overtaken = begun.filter((one) => !goesFirst(one) && !isOfBatch(one) && !isBeingLanded(draft, one));
  if (overtaken.some(({ place }) => place !== null && place < last))
    for (const one of overtaken) draft.change(one, { place: nextPlace(draft) });
};
