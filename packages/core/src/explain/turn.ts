import type { Draft } from '../decide/draft/draft.js';
import { isAhead } from '../decide/line/line.js';
import { frontPositions } from '../decide/line/positions.js';
import { gather } from '../decide/testing/batch.js';
import { freeSlots, reservedSlots, runsInLine, slotHolders } from '../decide/testing/slots.js';
import { activeConcurrency } from '../model/adaptation.js';
import { type OrderFields, orderFieldsOf } from '../model/order.js';
import { priorityClasses } from '../model/priority.js';
import { isAdmitted, isUrgent, type Submission } from '../model/submission.js';
import { aheadOf, beyondStackLimit, EXPLAINED_LANE_LIMIT, firstUndecided } from './ahead.js';
import { type ChainStep, causeOf, type ExplainedCause, endOfChain } from './chain-step.js';
import { aboutToDecide } from './gates.js';
import { type Gathered, gatheringOf } from './gathering.js';
import { waitForRetry } from './holding-back.js';
import { waitBehindLane } from './lane.js';
import { be, holdersOf, prOf } from './phrases.js';
import { waitForTestRunOfBatch } from './under-test.js';

export const withoutSlot = (draft: Draft, submission: Submission): ChainStep => {
  const { taken, holders, inOldest } = slotsTaken(draft);
  const slots = activeConcurrency(draft.queue);
  const rank = draft.rank('waiting', submission);
  const ahead = rank > EXPLAINED_LANE_LIMIT ? [] : aheadOf(draft, submission);
  const turn = causeOf('turn', {
    it: prOf(submission.pr),
    used: taken,
    slots: slotsPhrase(draft),
    holders,
    before: overfullPhrase(taken - slots) + beforePhrase(draft, submission, rank),
    sooner: soonerPhrase(draft, submission, rank),
    once: oncePhrase(draft, ahead),
  });
  const inSlot = inOldest ?? [aboutToDecide(submission)];
  if (rank > EXPLAINED_LANE_LIMIT) return endOfChain(turn, ...inSlot);
  const tooFar = beyondStackLimit(draft, submission);
  if (tooFar !== null) return { causes: [turn, tooFar], waitsOf: firstUndecided(draft), fallback: inSlot };
  const first = ahead.find((one) => one.state !== 'tests_passed');
  const urgent = stoppedFor(draft, submission, ahead);
  if (urgent !== undefined) {
    const values = { it: prOf(submission.pr), urgent: prOf(urgent.pr) };
    return {
      causes: [turn, causeOf('interrupted', values, { pr: urgent.pr })],
      waitsOf: [urgent],
      fallback: inSlot,
    };
  }
  if (first === undefined) return endOfChain(turn, ...inSlot);
  return { causes: [turn, waitBehindLane(draft, submission, ahead)], waitsOf: [first], fallback: inSlot };
};

const slotsPhrase = ({ queue }: Draft): string => {
  const { autoConcurrency, concurrency } = queue.settings;
  const slots = activeConcurrency(queue);
  return autoConcurrency ? `${slots} (autoConcurrency, at most ${concurrency})` : String(slots);
};

/**
 * The taken slots: their number, their holders (test runs, or batches between two tries), and what the oldest waits for
 * (null without one).
 */
const slotsTaken = (
  draft: Draft,
): { taken: number; holders: string; inOldest: readonly ExplainedCause[] | null } =>
  draft.memo('slots taken', () => {
    const runs = runsInLine(draft);
    const reserved = reservedSlots(draft).slice(0, Math.max(0, freeSlots(draft)));
    const oldest = runs.toSorted((one, other) => one.createdAt - other.createdAt)[0];
    const [first] = reserved.flat();
    const inKept = first?.retryAt == null ? null : [waitForRetry(draft, first, first.retryAt)];
    const inOldest = oldest === undefined ? inKept : waitForTestRunOfBatch(draft, oldest);
    const holders = holdersOf([...runs, ...reserved.map((batch) => ({ batch }))]);
    return { taken: runs.length + reserved.length, holders, inOldest };
  });

/** The urgent pull request that preempted its tests: ahead of it, or in another lane with a slot. */
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

/** More slots are taken than `concurrency` allows: the first that end free none. */
const overfullPhrase = (tooMany: number): string =>
  tooMany <= 0 ? '' : `${tooMany + 1} of them have to end before one is free, and `;

/** Names a pull request ahead of it in its lane whose batch is not due: it has to start first, even with a free slot. */
const oncePhrase = (draft: Draft, ahead: readonly Submission[]): string => {
  const first = ahead.find((one) => one.place === null && gatheringOf(draft, one)?.isDue === false);
  return first === undefined ? '' : ` and ${prOf(first.pr)}, whose batch is not due yet, has started`;
};

/** What would start it sooner: a change that lets it overtake a waiting pull request or preempt one under test. */
const soonerPhrase = (draft: Draft, submission: Submission, rank: number): string => {
  const { concurrency } = draft.queue.settings;
  const isHelped = submission.place === null && !isUrgent(submission);
  const isByPriority = isHelped && wouldOvertake(draft, submission, nextToUrgent, rank);
  const isBySkipping = canInterrupt(draft, submission) || wouldOvertake(draft, submission, urgently, rank);
  const isAdapted = activeConcurrency(draft.queue) < concurrency;
  const raises = [
    ...(isAdapted ? [] : [`concurrency (now ${concurrency})`]),
    ...(isByPriority ? ['its priority'] : []),
  ];
  const ways = [
    ...(raises.length === 0 ? [] : [`raise ${raises.join(' or ')}`]),
    ...(isBySkipping ? ['set skipTheLine'] : []),
  ];
  const sooner = ways.join(raises.length > 1 ? ', or ' : ' or ');
  return `${isAdapted ? '; each merge adds a slot' : ''}${sooner === '' ? '' : `. To start it sooner, ${sooner}`}`;
};

const nextToUrgent = { priority: { value: priorityClasses.urgent + 1, named: true } };
const urgently = { skipTheLine: true };

const canInterrupt = (draft: Draft, submission: Submission): boolean =>
  !isUrgent(submission) &&
  draft.memo('a slot without an urgent holder', () =>
    slotHolders(draft).some((members) => !members.some(isUrgent)),
  );

/** True if it would overtake a pull request that is offered a slot before it now, with this change. */
const wouldOvertake = (
  draft: Draft,
  submission: Submission,
  change: Partial<OrderFields>,
  rank: number,
): boolean => {
  const { offeredFirst, passedOver } = waitingOf(draft);
  const changed = Object.assign(orderFieldsOf(submission), change);
  const isPassed = (one: Submission): boolean =>
    one.id !== submission.id && isAhead(draft, one, submission) && !isAhead(draft, one, changed);
  const mates = gatheringOf(draft, submission)?.members ?? NONE;
  if (offeredFirst.some((one) => isPassed(one) && !mates.some(({ id }) => id === one.id))) return true;
  if (submission.place !== null) return false;
  const passedIdly = mates.filter(isPassed).length + passedOver.filter(isPassed).length;
  if (rank <= passedIdly) return false;
  // The usual case, without a search: it would overtake the first, and so all.
  const first = draft.ordered('waiting')[0];
  return (first !== undefined && isPassed(first)) || rank - draft.rank('waiting', changed) > passedIdly;
};

/** The number of others that are offered a slot before it, as part of a sentence. */
const beforePhrase = (draft: Draft, submission: Submission, rank: number): string => {
  const own = draft.queue.settings.batch ? gatheringOf(draft, submission) : undefined;
  if (own !== undefined) return beforeBatch(draft, submission, own);
  const before = waitingBefore(draft, submission, rank);
  if (before > 0) return `${before} ${be(before)} ahead of it`;
  const isInReach = beyondStackLimit(draft, submission) === null;
  return `it is next${isInReach ? '' : ' once some of those ahead of it are decided'}`;
};

/** Counts batches. Batches that are not due are overtaken. */
const beforeBatch = (draft: Draft, submission: Submission, { dueBefore, isDue }: Gathered): string => {
  const before = dueBefore + waitingOf(draft).slotless.filter(isBefore(draft, submission)).length;
  if (before > 0) return `${before} ${before === 1 ? 'batch is' : 'batches are'} ahead of it`;
  return `it is next${isDue ? '' : ' once its batch is due'}`;
};

/** The number of pull requests that are offered a slot before it; those that are on hold or held by a conflict are left out. */
const waitingBefore = (draft: Draft, submission: Submission, rank: number): number => {
  const { again, urgent, passedOver } = waitingOf(draft);
  const othersAhead =
    submission.place === null
      ? rank - passedOver.filter((one) => isAhead(draft, one, submission)).length
      : urgent.filter(isBefore(draft, submission)).length;
  return again.filter(isBefore(draft, submission)).length + othersAhead;
};

const isBefore =
  (draft: Draft, submission: Submission) =>
  ({ members }: { readonly members: readonly Submission[] }): boolean =>
    members.every(({ id }) => id !== submission.id) && members.some((one) => isAhead(draft, one, submission));

const NONE: readonly Submission[] = [];

const waitingOf = (draft: Draft) =>
  draft.memo('waiting', () => {
    const gathered = gather(draft, frontPositions(draft));
    const aside = [...draft.ordered('held'), ...draft.ordered('unready')];
    const passedOver = aside.filter((one) => isAdmitted(one) && one.place === null);
    // An urgent pull request took their slot between two tries: the next free one is theirs.
    const reserved = reservedSlots(draft).slice(Math.max(0, freeSlots(draft)));
    const slotless = reserved.map((members) => ({ members }));
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
      /** The members of `again` and `urgent`. */
      offeredFirst: [...again, ...urgent].flatMap(({ members }) => members),
      passedOver: [...new Map(passedOver.map((one) => [one.id, one])).values()],
    };
  });
