import { dueAtOf, type Gathering, gather } from '../decide/batch.js';
import type { Draft } from '../decide/draft.js';
import { isAhead, lineOf, placeInLine } from '../decide/line.js';
import { positionIn, STACK_LIMIT, WINDOW_LIMIT } from '../decide/positions.js';
import { isFresh } from '../decide/schedule.js';
import { freeSlots, keptSlots, runsInLine, slotsFor } from '../decide/slots.js';
import type { SubmissionId } from '../model/ids.js';
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
  if (submission.retryAt !== null && submission.retryAt > draft.now)
    return endsWith(holdingBack(draft, submission, submission.retryAt));
  const { exists, head } = draft.queue.target;
  if (!exists || head === null || !isFresh(draft)) return endsWith(unreadTarget(draft));
  const gathering = gatheringOf(draft, submission.id);
  const dueAt = gathering === undefined ? null : dueAtOf(draft, gathering);
  if (gathering !== undefined && dueAt !== null && dueAt > draft.now)
    return endsWith(filling(draft, submission, gathering, dueAt));
  return slotsFor(draft, submission) > 0 ? withSlots(draft, submission) : withoutSlot(draft, submission);
};

const holdingBack = (draft: Draft, submission: Submission, untilAt: number): Told => {
  const { pr, retries, reasonDetail } = submission;
  const { machineryTrouble } = draft.queue;
  const about = { pr, untilAt };
  const [it, until] = [prOf(pr), timeOf(untilAt)];
  const words = quoted(reasonDetail, 'nothing more is known of it');
  const slot = slotsFor(draft, submission) > 0 ? '' : ', if a test slot is free then';
  if (machineryTrouble !== null && machineryTrouble.rounds > 0 && machineryTrouble.prs.includes(pr)) {
    const last = prsOf(machineryTrouble.prs.map((one) => ({ pr: one })));
    return tell('machinery', { it, words, until, last, rounds: machineryTrouble.rounds + 1 }, about);
  }
  const budget = draft.context.pace.retryLimit;
  return tell('retry', { it, words, until, slot, budget, used: Math.min(retries, budget) }, about);
};

const unreadTarget = (draft: Draft): Told => {
  const { branch, target } = draft.queue;
  const age = durationOf(draft.now - (target.readAt ?? draft.now));
  if (!target.exists) return tell('target_branch', { branch, age, deadline: '' });
  const isKnown = target.head !== null && target.readAt !== null;
  const read = isKnown ? `was read ${age} ago` : 'has not been read yet';
  return tell('target_unread', { branch, read, next: nextAsked(draft, 'branch') });
};

/** Undefined where everybody is tested alone: then nobody waits for others to join. */
const gatheringOf = (draft: Draft, id: SubmissionId): Gathering | undefined => {
  if (!draft.queue.settings.batch) return undefined;
  return draft.known
    .derived(
      'gathering by member',
      () => new Map(gather(draft).flatMap((one) => one.members.map((member) => [member.id, one]))),
    )
    .get(id);
};

const filling = (draft: Draft, { pr }: Submission, { members }: Gathering, untilAt: number): Told =>
  tell(
    'batch',
    {
      it: prOf(pr),
      count: members.length,
      size: draft.queue.settings.batchingMinSize,
      members: prsOf(members),
      until: timeOf(untilAt),
    },
    { pr, untilAt },
  );

/** With slots to spare only those ahead hold it up. */
const withSlots = (draft: Draft, submission: Submission): Step => {
  const tooFar = beyond(draft, submission);
  if (tooFar !== null) return { causes: [tooFar], because: undecided(draft), otherwise: [] };
  const position = positionIn(draft, submission.id, WINDOW_LIMIT);
  const own = new Set(gatheringOf(draft, submission.id)?.members.map(({ id }) => id));
  const notBegun = (position?.stack ?? [])
    .filter(({ submissionId }) => !own.has(submissionId))
    .flatMap(({ submissionId }) => draft.submission(submissionId) ?? [])
    .find(({ place }) => place === null);
  if (notBegun === undefined || position === undefined) return endsWith(decided(submission));
  const told = behind(draft, submission, [notBegun]);
  return { causes: [told], because: [notBegun], otherwise: [decided(submission)] };
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
    before: beforePhrase(draft, submission, rank),
  });
  const inSlot = inOldest ?? [decided(submission)];
  if (rank > TOLD_LANE_LIMIT) return endsWith(turn, ...beyondWindow(draft, submission, rank), ...inSlot);
  const tooFar = beyond(draft, submission);
  if (tooFar !== null) return { causes: [turn, tooFar], because: undecided(draft), otherwise: inSlot };
  const ahead = submissionsOf(draft, positionIn(draft, submission.id, WINDOW_LIMIT)?.stack ?? []);
  const first = ahead.find((one) => one.state !== 'tests_passed');
  const urgent = ahead.find(isUrgent);
  const wasStopped = submission.reason === 'SKIP_THE_LINE_INTERRUPTED' && urgent !== undefined;
  if (wasStopped) {
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

/** How many others will be offered a slot before it. */
const beforePhrase = (draft: Draft, submission: Submission, rank: number): string => {
  const before = waitingBefore(draft, submission, rank);
  if (before === 0) return 'the next one that is free is for it';
  return `${before} ${before === 1 ? 'waits' : 'wait'} ahead of it for the next one that is free`;
};

/** Those ahead of it in line, without those who are passed over: urgent ones, those who wait for another test, and the others. */
const waitingBefore = (draft: Draft, submission: Submission, rank: number): number => {
  const { again, urgent, passedOver } = waitingOf(draft);
  const ahead = (others: readonly Submission[]) => others.filter((one) => isAhead(draft, one, submission));
  const others = submission.place === null ? rank - ahead(passedOver).length : ahead(urgent).length;
  return ahead(again).length + others;
};

const waitingOf = (draft: Draft) =>
  draft.known.derived('who waits', () => {
    const gathered = gather(draft, 0).flatMap(({ members }) => members);
    const aside = [...draft.ordered('held'), ...draft.ordered('unready')];
    const passedOver = aside.filter((one) => isAdmitted(one) && one.place === null);
    return {
      again: gathered.filter(({ place }) => place !== null),
      urgent: gathered.filter((one) => one.place === null && isUrgent(one)),
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
