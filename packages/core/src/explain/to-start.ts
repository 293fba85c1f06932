import { dueAtOf, type Gathering, gather } from '../decide/batch.js';
import type { Draft } from '../decide/draft.js';
import { isAhead, lineOf, placeInLine } from '../decide/line.js';
import { positionIn, STACK_LIMIT, WINDOW_LIMIT } from '../decide/positions.js';
import { holdsBackUntil } from '../decide/retry.js';
import { isFresh } from '../decide/schedule.js';
import { freeSlots, keptSlots, runsInLine, slotsFor, slotsOf } from '../decide/slots.js';
import type { Instant, SubmissionId } from '../model/ids.js';
import { priorityClasses } from '../model/priority.js';
import type { MachineryTrouble } from '../model/queue.js';
import { requiredChecksOf } from '../model/required-checks.js';
import type { Member } from '../model/run.js';
import { isAdmitted, isUrgent, type Submission } from '../model/submission.js';
import { decided, nextAsked, startGate } from './gates.js';
import { behind } from './lane.js';
import { endsWith, type Step, type Told, tell } from './told.js';
import { awaitedByBatch } from './under-test.js';
import { be, durationOf, holdersOf, prOf, prsOf, quoted, timeOf } from './words.js';

/** Why no run tests it: the queue stands, it holds back, its batch is not due, no slot is free, or those ahead come first. */
export const toStart = (draft: Draft, submission: Submission): Step => {
  const gate = startGate(draft, submission);
  if (gate !== null) return gate;
  const until = holdsBackUntil(draft, submission);
  if (until !== null) return endsWith(holdingBack(draft, submission, until));
  const { exists, head } = draft.queue.target;
  if (!exists || head === null || !isFresh(draft)) return endsWith(unreadTarget(draft));
  const step = toHaveItsTurn(draft, submission);
  if (requiredChecksOf(draft.queue) !== null) return step;
  const { pr } = submission;
  return { ...step, causes: [tell('required_checks', { it: prOf(pr) }, { pr }), ...step.causes] };
};

const toHaveItsTurn = (draft: Draft, submission: Submission): Step => {
  const filled = filling(draft, submission);
  const hasSlot = slotsLeft(draft, submission) > 0;
  if (filled === null) return hasSlot ? withSlots(draft, submission) : withoutSlot(draft, submission);
  const step = hasSlot ? behindThoseNotBegun(draft, submission) : withoutSlot(draft, submission);
  return step === null ? endsWith(filled) : { ...step, causes: [filled, ...step.causes] };
};

/** What its own batch keeps while it holds back is kept for it too. */
const slotsLeft = (draft: Draft, { id, batch }: Submission): number =>
  slotsFor(slotsOf(draft), () => {
    const { stack } = positionIn(draft, id, WINDOW_LIMIT) ?? { stack: [] };
    const isMate = (one: Member) => draft.submission(one.submissionId)?.batch === batch;
    return batch === null ? stack : stack.filter((one) => !isMate(one));
  });

const IF_FREE = ', if a test slot is free then';

const holdingBack = (draft: Draft, submission: Submission, untilAt: number): Told => {
  const { pr, retries, reason, reasonDetail } = submission;
  const { machineryTrouble } = draft.queue;
  const [it, until, about] = [prOf(pr), timeOf(untilAt), { pr, untilAt }];
  const words = quoted(reasonDetail, 'nothing more is known of it');
  const slot = slotsLeft(draft, submission) > 0 ? '' : IF_FREE;
  if (machineryTrouble !== null && isHitBy(machineryTrouble, pr)) {
    const last = prsOf(machineryTrouble.prs.map((one) => ({ pr: one })));
    return tell('machinery', { it, words, until, slot, last, rounds: machineryTrouble.rounds + 1 }, about);
  }
  if (reason === 'RUN_NOT_BUILT') return tell('rebuild', { it, words, until, slot }, about);
  const budget = draft.context.pace.retryLimit;
  return tell('retry', { it, words, until, slot, budget, used: Math.min(retries, budget) }, about);
};

/** Whoever it has hit since it hits one after another, not only the last. */
const isHitBy = ({ rounds, prs, earlier }: MachineryTrouble, pr: number): boolean =>
  rounds > 0 && (prs.includes(pr) || earlier.includes(pr));

const unreadTarget = (draft: Draft): Told => {
  const { branch, target } = draft.queue;
  const age = durationOf(draft.now - (target.readAt ?? draft.now));
  if (!target.exists) return tell('target_branch', { branch, age, deadline: '' });
  const isKnown = target.head !== null && target.readAt !== null;
  const read = isKnown ? `was read ${age} ago` : 'has not been read yet';
  return tell('target_unread', { branch, read, next: nextAsked(draft, 'branch') });
};

/** Those with whom one would be tested now. */
interface Gathered extends Gathering {
  /** When it waits no longer for others to join. */
  readonly dueAt: Instant;
  readonly isDue: boolean;
  /** Batches that are due and stand before it, and those that take a slot before it does once it is due. */
  readonly dueBefore: number;
  readonly dueEarlier: number;
}

/** Undefined where it is tested alone: then it waits for nobody to join. */
const gatheringOf = (draft: Draft, { id, batch }: Submission): Gathered | undefined =>
  draft.queue.settings.batch || batch !== null ? gatherings(draft).get(id) : undefined;

const gatherings = (draft: Draft): ReadonlyMap<SubmissionId, Gathered> =>
  draft.known.derived('gathering by member', () => {
    const byMember = new Map<SubmissionId, Gathered>();
    const dated = gather(draft).map((gathering) => {
      const dueAt = dueAtOf(draft, gathering) ?? draft.now;
      return { ...gathering, dueAt, isDue: dueAt <= draft.now };
    });
    const inTime = dated.toSorted((one, other) => one.dueAt - other.dueAt);
    const earlier = new Map(inTime.map((gathering, index) => [gathering, index]));
    let dueBefore = 0;
    for (const gathering of dated) {
      const known = { ...gathering, dueBefore, dueEarlier: earlier.get(gathering) ?? 0 };
      for (const { id } of gathering.members) byMember.set(id, known);
      dueBefore += Number(gathering.isDue);
    }
    return byMember;
  });

/** Null where its batch is due, or it is tested alone. */
const filling = (draft: Draft, submission: Submission): Told | null => {
  const { pr } = submission;
  const gathering = gatheringOf(draft, submission);
  if (gathering === undefined || gathering.isDue) return null;
  const { members, dueAt } = gathering;
  const condition = conditionOf(draft, submission, gathering);
  const values = {
    it: prOf(pr),
    count: members.length,
    size: draft.queue.settings.batchingMinSize,
    members: prsOf(members),
    until: timeOf(dueAt),
    slot: condition ?? '',
    alone: beginsAlone(draft, submission, gathering)
      ? `; noBatch has ${prOf(pr)} tested by itself at once`
      : '',
  };
  return tell('batch', values, { pr, untilAt: condition === null ? dueAt : null });
};

/** True where a slot is free for it, and another for those of its batch whom it would stand behind. */
const beginsAlone = (draft: Draft, submission: Submission, { members }: Gathered): boolean =>
  slotsLeft(draft, submission) > Number(members[0]?.id !== submission.id) &&
  notBegunAhead(draft, submission).length === 0;

/** What has to be so besides for a batch to be begun when it is due; null where nothing has. */
const conditionOf = (
  draft: Draft,
  submission: Submission,
  { dueAt, dueEarlier }: Gathered,
): string | null => {
  const isLater = (one: Submission) => (gatheringOf(draft, one)?.dueAt ?? Number.POSITIVE_INFINITY) > dueAt;
  const later = notBegunAhead(draft, submission).find(isLater);
  if (later !== undefined) return `, once ${prOf(later.pr)} has begun`;
  return slotsLeft(draft, submission) > dueEarlier ? null : IF_FREE;
};

/** Those ahead of it in its lane, but for those with whom it is tested. */
const aheadOf = (draft: Draft, submission: Submission): readonly Submission[] => {
  const { stack } = positionIn(draft, submission.id, WINDOW_LIMIT) ?? { stack: [] };
  const mates = gatheringOf(draft, submission)?.members ?? [];
  if (mates.length < 2) return submissionsOf(draft, stack);
  const own = new Set(mates.map(({ id }) => id));
  return submissionsOf(
    draft,
    stack.filter(({ submissionId }) => !own.has(submissionId)),
  );
};

/** With slots to spare only those ahead hold it up. */
const withSlots = (draft: Draft, submission: Submission): Step => {
  const tooFar = beyond(draft, submission);
  if (tooFar !== null) return { causes: [tooFar], because: undecided(draft), otherwise: [] };
  return behindThoseNotBegun(draft, submission) ?? endsWith(decided(submission));
};

const notBegunAhead = (draft: Draft, submission: Submission): readonly Submission[] =>
  aheadOf(draft, submission).filter(({ place }) => place === null);

const behindThoseNotBegun = (draft: Draft, submission: Submission): Step | null => {
  const [first] = notBegunAhead(draft, submission);
  if (first === undefined) return null;
  const told = behind(draft, submission, [first]);
  return { causes: [told], because: [first], otherwise: [decided(submission)] };
};

const withoutSlot = (draft: Draft, submission: Submission): Step => {
  const { taken, holders, inOldest } = slotsTaken(draft);
  const { concurrency } = draft.queue.settings;
  const rank = draft.rank('waiting', submission);
  const turn = tell('turn', {
    it: prOf(submission.pr),
    used: taken,
    slots: concurrency,
    are: be(taken),
    holders,
    before: overfullPhrase(taken - concurrency) + beforePhrase(draft, submission, rank),
    sooner: soonerPhrase(draft, submission, rank),
  });
  const inSlot = inOldest ?? [decided(submission)];
  if (rank > TOLD_LANE_LIMIT) return endsWith(turn, ...beyondWindow(draft, submission, rank), ...inSlot);
  const tooFar = beyond(draft, submission);
  if (tooFar !== null) return { causes: [turn, tooFar], because: undecided(draft), otherwise: inSlot };
  const ahead = aheadOf(draft, submission);
  const first = ahead.find((one) => one.state !== 'tests_passed');
  const urgent = stoppedFor(draft, submission, ahead);
  if (urgent !== undefined) {
    const values = { it: prOf(submission.pr), urgent: prOf(urgent.pr) };
    return {
      causes: [turn, tell('interrupted', values, { pr: urgent.pr })],
      because: [urgent],
      otherwise: inSlot,
    };
  }
  if (first === undefined) return endsWith(turn, ...inSlot);
  return { causes: [turn, behind(draft, submission, ahead)], because: [first], otherwise: inSlot };
};

/** Who holds the slots, by runs or until the next one, and what the oldest of them waits for; null without one. */
const slotsTaken = (draft: Draft): { taken: number; holders: string; inOldest: readonly Told[] | null } =>
  draft.known.derived('slots taken', () => {
    const runs = runsInLine(draft);
    const kept = keptSlots(draft).slice(0, Math.max(0, freeSlots(draft)));
    const oldest = runs.toSorted((one, other) => one.createdAt - other.createdAt)[0];
    const [first] = kept.flat();
    const inKept = first?.retryAt == null ? null : [holdingBack(draft, first, first.retryAt)];
    const inOldest = oldest === undefined ? inKept : awaitedByBatch(draft, oldest);
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
  // One that an earlier release has stopped does not name it.
  const isNamed = (one: Submission) => isUrgent(one) && (reasonDetail ?? prOf(one.pr)) === prOf(one.pr);
  return ahead.find(isNamed) ?? inSlots.find(isNamed);
};

/** Where fewer slots are wanted than are taken, the first that end free none. */
const overfullPhrase = (tooMany: number): string =>
  tooMany <= 0 ? '' : `${tooMany + 1} of them have to end before one is free, and `;

/** What brings it forward: what has it go past somebody who waits before it, or take the slot of one who is tested. */
const soonerPhrase = (draft: Draft, submission: Submission, rank: number): string => {
  const { concurrency } = draft.queue.settings;
  const raised = { ...submission, priority: { value: priorityClasses.urgent + 1, named: true } };
  const urgent = { ...submission, skipTheLine: true };
  const isHelped = submission.place === null && !isUrgent(submission);
  const ways = [
    `a higher concurrency (now ${concurrency})`,
    ...(isHelped && goesPast(draft, submission, raised, rank) ? ['a higher priority'] : []),
    ...(canInterrupt(draft, submission) || goesPast(draft, submission, urgent, rank) ? ['skipTheLine'] : []),
  ];
  const [last = '', ...others] = ways.toReversed();
  return others.length === 0 ? `${last} brings` : `${others.toReversed().join(', ')} or ${last} brings`;
};

const canInterrupt = (draft: Draft, submission: Submission): boolean =>
  !isUrgent(submission) && runsInLine(draft).some((run) => !draft.membersOf(run).some(isUrgent));

/** True where it would stand before somebody who is offered a slot before it now, if it were like this. */
const goesPast = (draft: Draft, submission: Submission, changed: Submission, rank: number): boolean => {
  const { again, urgent, passedOver } = waitingOf(draft);
  const isPassed = (one: Submission): boolean =>
    one.id !== submission.id && isAhead(draft, one, submission) && !isAhead(draft, one, changed);
  const mates = gatheringOf(draft, submission)?.members ?? [];
  const others = [...again, ...urgent].flatMap(({ members }) => members);
  if (others.some((one) => isPassed(one) && !mates.some(({ id }) => id === one.id))) return true;
  if (submission.place !== null) return false;
  const passedIdly = [...mates, ...passedOver].filter(isPassed).length;
  return rank - draft.rank('waiting', changed) > passedIdly;
};

/** How many others will be offered a slot before it. */
const beforePhrase = (draft: Draft, submission: Submission, rank: number): string => {
  if (draft.queue.settings.batch) return beforeBatch(draft, submission);
  const before = waitingBefore(draft, submission, rank);
  if (before === 0) return 'the next one that is free is for it';
  return `${before} ${before === 1 ? 'waits' : 'wait'} ahead of it for the next one that is free`;
};

/** Where batches are made, they are counted, and those that are not due are gone past. */
const beforeBatch = (draft: Draft, submission: Submission): string => {
  const own = gatheringOf(draft, submission);
  if (own === undefined) return 'many wait ahead of it for the next one that is free';
  const { dueBefore, isDue } = own;
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

const waitingOf = (draft: Draft) =>
  draft.known.derived('who waits', () => {
    const gathered = gather(draft, 0);
    const aside = [...draft.ordered('held'), ...draft.ordered('unready')];
    const passedOver = aside.filter((one) => isAdmitted(one) && one.place === null);
    // They hold back, and an urgent one has taken their slot: the next one is for them.
    const kept = keptSlots(draft).slice(Math.max(0, freeSlots(draft)));
    const slotless = kept.map((members) => ({ members }));
    return {
      slotless,
      again: [...gathered.filter(({ members }) => members.some(({ place }) => place !== null)), ...slotless],
      urgent: gathered.filter(({ members }) => members.every((one) => one.place === null && isUrgent(one))),
      passedOver: [...new Map(passedOver.map((one) => [one.id, one])).values()],
    };
  });

/** Whoever waits behind so many for a slot is not told what holds them up among each other: that will have changed by then. */
const TOLD_LANE_LIMIT = 100;

/** Further back than the queue looks, or with more ahead of it than one test may hold. */
const beyond = (draft: Draft, submission: Submission): Told | null => {
  const position = positionIn(draft, submission.id, WINDOW_LIMIT);
  if (position !== undefined && !position.isTooDeep) return null;
  const { pr } = submission;
  const rank = draft.rank('waiting', submission);
  const [window] = position === undefined ? beyondWindow(draft, submission, rank) : [];
  return window ?? tell('stack_limit', { it: prOf(pr), limit: STACK_LIMIT }, { pr });
};

const beyondWindow = (draft: Draft, submission: Submission, rank: number): readonly Told[] => {
  if (submission.place !== null || rank < WINDOW_LIMIT) return [];
  const { pr } = submission;
  const place = placeInLine(draft, submission) + 1;
  return [tell('window', { it: prOf(pr), place, limit: WINDOW_LIMIT }, { pr })];
};

/** The first in line of whom it is not known yet whether it lands: whoever stands far back waits for him too. */
const undecided = (draft: Draft): readonly Submission[] =>
  draft.known.derived('first undecided', () => {
    const first = lineOf(draft).find((one) => one.state !== 'tests_passed');
    return first === undefined ? [] : [first];
  });

const submissionsOf = (draft: Draft, members: readonly Member[]): readonly Submission[] =>
  members.flatMap(({ submissionId }) => draft.submission(submissionId) ?? []);
