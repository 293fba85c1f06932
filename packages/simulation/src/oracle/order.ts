import type { Pace, Queue, Submission, TestRun } from '@mq/core';
import { activeConcurrency } from '@mq/core';
import { doMeet } from '@mq/testkit';
import { attemptKey, type Change, type Check, isHeld, isOf, type Mirror, runsOf } from './ledger.js';
import {
  aheadOf,
  goingFirst,
  isBefore,
  isFrozenFor,
  isInPlay,
  isIsolated,
  isOpen,
  isUrgent,
  keyInLine,
  lineOf,
  targetsOf,
} from './line.js';

type Line = Pick<Pace, 'ageingMsPerPoint'>;

const createdRuns = ({ commit, after }: Change): readonly TestRun[] =>
  commit.writes.history.flatMap((row) => {
    const run = row.type === 'run' && row.change === 'created' ? after.runs.get(row.runId) : undefined;
    return run === undefined ? [] : [run];
  });

const memberIn = (mirror: Mirror, run: TestRun, index: number): Submission | undefined => {
  const member = run.batch[index];
  const submission = member === undefined ? undefined : mirror.submissions.get(member.submissionId);
  return member !== undefined && submission !== undefined && isOf(member, submission)
    ? submission
    : undefined;
};

/**
 * I11: the first in line of those that may start is started; a batch counts by its first member. A pull request whose free slots
 * are reserved for batches below it may be overtaken by one that is not on top of these.
 */
export const startsInOrder =
  (pace: Line): Check =>
  (change) => {
    const { before, after } = change;
    const tests = createdRuns(change).filter(({ purpose }) => purpose.kind === 'test');
    const taken = slotsTaken(after).length;
    const started = tests.flatMap((run, index) => {
      const first = memberIn(after, run, 0);
      if (first === undefined) return [];
      const had = before.submissions.get(first.id);
      const keptPlace = had?.attempt === first.attempt && had.place !== null;
      const free = activeConcurrency(after.queue) - taken + (tests.length - index);
      return keptPlace ? [] : [{ one: { ...first, place: null }, free }];
    });
    if (started.length === 0) return [];
    const waiting = [...after.submissions.values()].filter((one) => mayStart(after, one, pace));
    const first = goingFirst(after);
    const keyOf = (one: Submission) => keyInLine(after, one, pace, first);
    return started.flatMap(({ one, free }) =>
      waiting
        .filter((other) => isBefore(keyOf(other), keyOf(one)))
        .filter((other) => isUrgent(other) || slotsReservedBelow(after, other, pace) < free)
        .map(
          (other) => `${attemptKey(one)} starts before ${attemptKey(other)}, which is ahead of it in line.`,
        ),
    );
  };

/** Test runs that hold a slot of the main pool. */
const slotsTaken = ({ runs }: Mirror): readonly TestRun[] =>
  [...runs.values()].filter(({ purpose, state }) => purpose.kind === 'test' && state !== 'ended');

/** Number of slots reserved for batches below a submission that wait for a retry after an inconclusive test run. */
const slotsReservedBelow = (after: Mirror, submission: Submission, pace: Line): number => {
  const waitingBelow = stackOf(after, submission, pace).filter(
    (one) =>
      one.state === 'testing' &&
      one.retryAt !== null &&
      one.retryAt > after.queue.decidedAt &&
      runsOf(after, one).length === 0,
  );
  return new Set(waitingBelow.map(({ batch, id }) => batch ?? id)).size;
};

/** What it would be tested on: a witness stands on the pending failures that wait for its test, too. */
const stackOf = (mirror: Mirror, submission: Submission, pace: Line): readonly Submission[] =>
  aheadOf(mirror, submission, pace, (one) => isInPlay(mirror, one) || isWitness(mirror, submission, one));

/** True if only a free slot is missing: all ahead in its lane have started, and it does not wait for a batch. */
const mayStart = (after: Mirror, submission: Submission, pace: Line): boolean =>
  submission.state === 'pending' &&
  !isFrozenFor(after.queue, submission) &&
  submission.heldBy === null &&
  submission.asideSince === null &&
  submission.fault?.isAside !== true &&
  !isIsolated(after, submission) &&
  (submission.retryAt === null || submission.retryAt <= after.queue.decidedAt) &&
  runsOf(after, submission).length === 0 &&
  !mayWaitForOthers(after, submission) &&
  stackOf(after, submission, pace).every((one) => one.place !== null);

/** I11: an urgent pull request that finds all slots taken preempts a test run that is not urgent and not below it. */
export const urgentPreempts =
  (pace: Pick<Pace, 'ageingMsPerPoint' | 'pollBranchMs'>): Check =>
  (change) => {
    const { after } = change;
    const { queue } = after;
    const taken = slotsTaken(after);
    if (!isOpen(queue) || isHeld(queue) || !isRead(queue, pace) || taken.length < activeConcurrency(queue))
      return [];
    const first = lineOf(after, pace).find((one) => isUrgent(one) && mayStart(after, one, pace));
    if (first === undefined) return [];
    const below = new Set(stackOf(after, first, pace).map(({ id }): string => id));
    const stays = (run: TestRun) =>
      run.batch.some(({ submissionId }) => {
        const member = after.submissions.get(submissionId);
        return below.has(submissionId) || (member !== undefined && isUrgent(member));
      });
    const victim = taken.find((run) => !stays(run));
    return victim === undefined
      ? []
      : [`${attemptKey(first)} is urgent, but waits for test run ${victim.id}, which is not.`];
  };

const isRead = ({ target, polls, decidedAt }: Queue, { pollBranchMs }: Pick<Pace, 'pollBranchMs'>): boolean =>
  polls.branch.isAwaited !== true &&
  target.head !== null &&
  target.readAt !== null &&
  decidedAt - target.readAt <= Math.max(60_000, 2 * pollBranchMs);

const mayWaitForOthers = ({ queue }: Mirror, submission: Submission): boolean => {
  const { batch, batchingMaxWaitTimeMinutes } = queue.settings;
  const since = submission.admittedAt ?? submission.submittedAt;
  return (
    batch &&
    !isUrgent(submission) &&
    submission.begunAt === null &&
    queue.decidedAt < since + batchingMaxWaitTimeMinutes * 60_000
  );
};

/** I11: a test run is built on all pull requests ahead in its lane that are expected to land, and on no others. */
export const builtOnItsLane =
  (pace: Line): Check =>
  (change) =>
    createdRuns(change).flatMap((run) => {
      const { after } = change;
      const first = run.purpose.kind === 'test' ? memberIn(after, run, 0) : undefined;
      if (first === undefined) return [];
      const mates = new Set(run.batch.map(({ submissionId }) => submissionId));
      const tied = aheadOf(after, first, pace, (one) => isInPlay(after, one));
      const ahead = aheadOf(after, first, pace, () => true);
      const faults: string[] = [];
      for (const one of tied)
        if (!mates.has(one.id) && !run.stack.some((member) => isOf(member, one)))
          faults.push(`${attemptKey(first)} is tested without ${attemptKey(one)}, which is ahead of it.`);
      for (const member of run.stack) {
        const one = ahead.find((other) => isOf(member, other));
        if (one === undefined)
          faults.push(`${attemptKey(first)} is tested on top of #${member.pr}, which is not ahead of it.`);
        else if (!isInPlay(after, one) && !isWitness(after, first, one))
          faults.push(`${attemptKey(first)} is tested on top of ${attemptKey(one)}, which is skipped.`);
      }
      return faults;
    });

/** True if the submission is a witness of a pending failure: only witnesses are tested on top of it. */
const isWitness = (mirror: Mirror, submission: Submission, suspect: Submission): boolean =>
  suspect.state === 'pending_failure' &&
  suspect.heldBy === null &&
  suspect.asideSince === null &&
  suspect.fault?.isAside !== true &&
  [...mirror.runs.values()].some(
    (run) =>
      run.bisection === null &&
      run.batch.some((member) => isOf(member, suspect)) &&
      run.witnesses.some((member) => isOf(member, submission)),
  );

/** I11: no landing overtakes an overlapping pull request that is ahead in line and not skipped. */
export const landsInOrder =
  (pace: Line): Check =>
  ({ commit, before, after }) =>
    commit.effects.flatMap((effect) => {
      if (effect.type !== 'land') return [];
      const landing = new Set(effect.members.map(({ pr }) => pr));
      const passed: Submission[] = [];
      const faults: string[] = [];
      for (const one of lineOf({ ...after, queue: { ...after.queue, landing: null } }, pace)) {
        if (!landing.has(one.pr)) {
          if (isInPlay(after, one)) passed.push(one);
          continue;
        }
        const targets = targetsOf(after, one);
        for (const ahead of passed)
          if (doMeet(targetsOf(after, ahead), targets) && !isTestedBehind(before, after, ahead, one))
            faults.push(
              `${attemptKey(one)} lands before ${attemptKey(ahead)}, which is ahead of it and overlaps.`,
            );
      }
      return faults;
    });

/** True if it was skipped when the landing was decided, and is tested on top of it since. */
const isTestedBehind = (
  before: Mirror,
  after: Mirror,
  submission: Submission,
  landing: Submission,
): boolean => {
  const then = before.submissions.get(submission.id);
  return (
    then !== undefined &&
    !isInPlay(before, then) &&
    runsOf(after, submission).some(({ stack }) => stack.some((member) => isOf(member, landing)))
  );
};
