import type { Draft } from '../decide/draft/draft.js';
import { isAhead } from '../decide/line/line.js';
import { frontPositions } from '../decide/line/positions.js';
import { gather } from '../decide/testing/batch.js';
import { freeSlots, reservedSlots, runsInLine, slotHolders } from '../decide/testing/slots.js';
import { activeConcurrency } from '../model/adaptation.js';
import { type Standing, standingOf } from '../model/order.js';
import { priorityClasses } from '../model/priority.js';
import { isAdmitted, isUrgent, type Submission } from '../model/submission.js';
import { type Explained, endsWith, explained, type Step } from './explained.js';
import { aboutToDecide } from './gates.js';
import { type Gathered, gatheringOf } from './gathering.js';
import { holdingBack } from './holding-back.js';
import { waitBehindLane } from './lane.js';
import { aheadOf, beyondStackLimit, TOLD_LANE_LIMIT, undecided } from './reach.js';
import { waitForTestRunOfBatch } from './under-test.js';
import { be, holdersOf, prOf } from './words.js';

export const withoutSlot = (draft: Draft, submission: Submission): Step => {
  const { taken, holders, inOldest } = slotsTaken(draft);
  const slots = activeConcurrency(draft.queue);
  const rank = draft.rank('waiting', submission);
  const ahead = rank > TOLD_LANE_LIMIT ? [] : aheadOf(draft, submission);
  const turn = explained('turn', {
    it: prOf(submission.pr),
    used: taken,
    slots: slotsPhrase(draft),
    are: be(taken),
    holders,
    before: overfullPhrase(taken - slots) + beforePhrase(draft, submission, rank),
    sooner: soonerPhrase(draft, submission, rank),
    once: oncePhrase(draft, ahead),
  });
  const inSlot = inOldest ?? [aboutToDecide(submission)];
  if (rank > TOLD_LANE_LIMIT) return endsWith(turn, ...inSlot);
  const tooFar = beyondStackLimit(draft, submission);
  if (tooFar !== null) return { causes: [turn, tooFar], because: undecided(draft), otherwise: inSlot };
  const first = ahead.find((one) => one.state !== 'tests_passed');
  const urgent = stoppedFor(draft, submission, ahead);
  if (urgent !== undefined) {
    const values = { it: prOf(submission.pr), urgent: prOf(urgent.pr) };
    return {
      causes: [turn, explained('interrupted', values, { pr: urgent.pr })],
      because: [urgent],
      otherwise: inSlot,
    };
  }
  if (first === undefined) return endsWith(turn, ...inSlot);
  return { causes: [turn, waitBehindLane(draft, submission, ahead)], because: [first], otherwise: inSlot };
};

const slotsPhrase = ({ queue }: Draft): string => {
  const { autoConcurrency, concurrency } = queue.settings;
  const slots = activeConcurrency(queue);
  return autoConcurrency ? `${slots} (autoConcurrency, at most ${concurrency})` : String(slots);
};

/** Who holds the slots, by runs or until the next one, and what the oldest of them waits for; null without one. */
const slotsTaken = (
  draft: Draft,
): { taken: number; holders: string; inOldest: readonly Explained[] | null } =>
  draft.memo('slots taken', () => {
    const runs = runsInLine(draft);
    const kept = reservedSlots(draft).slice(0, Math.max(0, freeSlots(draft)));
    const oldest = runs.toSorted((one, other) => one.createdAt - other.createdAt)[0];
    const [first] = kept.flat();
    const inKept = first?.retryAt == null ? null : [holdingBack(draft, first, first.retryAt)];
    const inOldest = oldest === undefined ? inKept : waitForTestRunOfBatch(draft, oldest);
    const holders = holdersOf([...runs, ...kept.map((batch) => ({ batch }))]);
    return { taken: runs.length + kept.length, holders, inOldest };
  });

/** The urgent one because of whom its tests were stopped: ahead of it, or in another lane with a slot. */
const stoppedFor = (
  draft: Draft,
  { reason, reasonDetail }: Submission,
  ahead: readonly Submission[],
): Submission | undefined => {
  if (reason !== 'SKIP_THE_LINE_INTERRUPTED') return undefined;
  const inSlots = runsInLine(draft).flatMap((run) => draft.membersOf(run));
  const isNamed = (one: Submission) => isUrgent(one) && reasonDetail === prOf(one.pr);
  return ahead.find(isNamed) ?? inSlots.find(isNamed);
};

/** Where fewer slots are wanted than are taken, the first that end free none. */
const overfullPhrase = (tooMany: number): string =>
  tooMany <= 0 ? '' : `${tooMany + 1} of them have to end before one is free, and `;

/** Whoever stands ahead of it in its lane and gathers a batch: with a free slot too, it has to wait until that one has begun. */
const oncePhrase = (draft: Draft, ahead: readonly Submission[]): string => {
  const first = ahead.find((one) => one.place === null && gatheringOf(draft, one)?.isDue === false);
  return first === undefined ? '' : ` and ${prOf(first.pr)} has begun, whose batch is not due yet`;
};

/** What brings it forward: what has it go past somebody who waits before it, or take the slot of one who is tested. */
const soonerPhrase = (draft: Draft, submission: Submission, rank: number): string => {
  const { concurrency } = draft.queue.settings;
  const isHelped = submission.place === null && !isUrgent(submission);
  const isByPriority = isHelped && goesPast(draft, submission, nextToUrgent, rank);
  const isBySkipping = canInterrupt(draft, submission) || goesPast(draft, submission, urgently, rank);
  const isAdapted = activeConcurrency(draft.queue) < concurrency;
  const more = isAdapted ? 'each merge (one more slot)' : `a higher concurrency (now ${concurrency})`;
  if (isByPriority && isBySkipping) return `${more}, a higher priority or skipTheLine brings`;
  if (isByPriority) return `${more} or a higher priority brings`;
  return isBySkipping ? `${more} or skipTheLine brings` : `${more} brings`;
};

const nextToUrgent = { priority: { value: priorityClasses.urgent + 1, named: true } };
const urgently = { skipTheLine: true };

const canInterrupt = (draft: Draft, submission: Submission): boolean =>
  !isUrgent(submission) &&
  draft.memo('a slot of nobody urgent', () => slotHolders(draft).some((members) => !members.some(isUrgent)));

/** True where it would stand before somebody who is offered a slot before it now, if it were like this. */
const goesPast = (draft: Draft, submission: Submission, change: Partial<Standing>, rank: number): boolean => {
  const { offeredFirst, passedOver } = waitingOf(draft);
  const changed = Object.assign(standingOf(submission), change);
  const isPassed = (one: Submission): boolean =>
    one.id !== submission.id && isAhead(draft, one, submission) && !isAhead(draft, one, changed);
  const mates = gatheringOf(draft, submission)?.members ?? nobody;
  if (offeredFirst.some((one) => isPassed(one) && !mates.some(({ id }) => id === one.id))) return true;
  if (submission.place !== null) return false;
  const passedIdly = mates.filter(isPassed).length + passedOver.filter(isPassed).length;
  if (rank <= passedIdly) return false;
  // Whoever goes past this one goes past all who wait: mostly nothing has to be searched for.
  const first = draft.ordered('waiting')[0];
  return (first !== undefined && isPassed(first)) || rank - draft.rank('waiting', changed) > passedIdly;
};

/** How many others will be offered a slot before it. */
const beforePhrase = (draft: Draft, submission: Submission, rank: number): string => {
  const own = draft.queue.settings.batch ? gatheringOf(draft, submission) : undefined;
  if (own !== undefined) return beforeBatch(draft, submission, own);
  const before = waitingBefore(draft, submission, rank);
  if (before > 0)
    return `${before} ${before === 1 ? 'waits' : 'wait'} ahead of it for the next one that is free`;
  const isInReach = beyondStackLimit(draft, submission) === null;
  return `the next one that is free is for it${isInReach ? '' : ' once some of those ahead of it are decided'}`;
};

/** Where batches are made, they are counted, and those that are not due are gone past. */
const beforeBatch = (draft: Draft, submission: Submission, { dueBefore, isDue }: Gathered): string => {
  const before = dueBefore + waitingOf(draft).slotless.filter(isBefore(draft, submission)).length;
  if (before > 0)
    return `${before} ${before === 1 ? 'batch waits' : 'batches wait'} ahead of it for the next one that is free`;
  return `the next one that is free is for it${isDue ? '' : ' once its batch is due'}`;
};

/** Those ahead of it in line, without those who are passed over: urgent ones, those who wait for another test, and the others. */
const waitingBefore = (draft: Draft, submission: Submission, rank: number): number => {
  const { again, urgent, passedOver } = waitingOf(draft);
  const others =
    submission.place === null
      ? rank - passedOver.filter((one) => isAhead(draft, one, submission)).length
      : urgent.filter(isBefore(draft, submission)).length;
  return again.filter(isBefore(draft, submission)).length + others;
};

const isBefore =
  (draft: Draft, submission: Submission) =>
  ({ members }: { readonly members: readonly Submission[] }): boolean =>
    members.every(({ id }) => id !== submission.id) && members.some((one) => isAhead(draft, one, submission));

const nobody: readonly Submission[] = [];

const waitingOf = (draft: Draft) =>
  draft.memo('who waits', () => {
    const gathered = gather(draft, frontPositions(draft));
    const aside = [...draft.ordered('held'), ...draft.ordered('unready')];
    const passedOver = aside.filter((one) => isAdmitted(one) && one.place === null);
    // They hold back, and an urgent one has taken their slot: the next one is for them.
    const kept = reservedSlots(draft).slice(Math.max(0, freeSlots(draft)));
    const slotless = kept.map((members) => ({ members }));
    const again = [
      ...gathered.filter(({ members }) => members.some(({ place }) => place !== null)),
      ...slotless,
    ];
    const urgent = gathered.filter(({ members }) =>
      members.every((one) => one.place === null && isUrgent(one)),
    );
    return {
      slotless,
      again,
      urgent,
      /** All of both. */
      offeredFirst: [...again, ...urgent].flatMap(({ members }) => members),
      passedOver: [...new Map(passedOver.map((one) => [one.id, one])).values()],
    };
  });
