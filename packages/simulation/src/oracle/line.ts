import type { ImpactedTargets, Member, Pace, Queue, Submission, SubmissionId, TestRun } from '@mq/core';
import { countedTargets, doMeet } from '@mq/testkit';
import { isOf, isOver, type Mirror, runsOf } from './ledger.js';

// The oracle computes order and lanes itself; it does not trust those of the engine.

export const isUrgent = (submission: Submission): boolean =>
  submission.skipTheLine || submission.priority.value === 0;

/** True if the queue lets new test runs start, except for a freeze. */
export const isOpen = ({ wanted, nextMode }: Pick<Queue, 'wanted' | 'nextMode'>): boolean =>
  wanted === 'running' && nextMode === null;

/** True during a freeze, at the time of the decision. */
export const isFrozen = ({
  settings: { freezeUntil },
  decidedAt,
}: Pick<Queue, 'settings' | 'decidedAt'>): boolean => freezeUntil !== null && freezeUntil > decidedAt;

/** True if a freeze keeps this pull request from starting and landing. */
export const isFrozenFor = (queue: Pick<Queue, 'settings' | 'decidedAt'>, submission: Submission): boolean =>
  isFrozen(queue) && !(queue.settings.freezeAllowsUrgent && isUrgent(submission));

/** The impacted targets that count for a pull request. */
export const impactedTargetsOf = (
  mirror: Mirror,
  { pr, head }: Pick<Member, 'pr' | 'head'>,
): ImpactedTargets => countedTargets(mirror.targets.get(pr), head, mirror.queue.settings);

/** The targets by which a pull request is placed in lanes. */
export const targetsOf = (mirror: Mirror, member: Pick<Member, 'pr' | 'head'>): ImpactedTargets =>
  isOneLane(mirror.queue.settings) ? 'ALL' : impactedTargetsOf(mirror, member);

/** In single mode, and with at most two slots for all batches. */
const isOneLane = ({ mode, batch, concurrency }: Queue['settings']): boolean =>
  mode === 'single' || (batch && concurrency <= 2);

/**
 * Urgent pull requests, and those that are under test in a batch or bisection with an urgent one and have only such ones below
 * them: they go first together.
 */
export const goingFirst = (mirror: Mirror): ReadonlySet<SubmissionId> => {
  const rowOf = (member: Member): Submission | undefined => {
    const row = mirror.submissions.get(member.submissionId);
    return row !== undefined && isOf(member, row) ? row : undefined;
  };
  const rows = [...mirror.submissions.values()];
  const urgent = rows.filter(isUrgent);
  if (isFrozen(mirror.queue) && mirror.queue.settings.freezeAllowsUrgent)
    return new Set(urgent.map(({ id }) => id));
  const isStill = (row: Submission): boolean => isStillWithOneOf(mirror, urgent, row);
  const first = new Set([...urgent, ...rows.filter(isStill)].map(({ id }) => id));
  const isSettled = (member: Member): boolean =>
    rowOf(member) !== undefined &&
    (first.has(member.submissionId) ||
      mirror.queue.landing?.members.some((one) => one.submissionId === member.submissionId) === true);
  const led = [...mirror.runs.values()].filter(
    (run) =>
      (run.purpose.kind === 'test' || run.purpose.kind === 'isolate') &&
      run.bisection === null &&
      restOf(run).some((member) => isUrgentRow(rowOf(member))),
  );
  for (let sizeBefore = -1; sizeBefore !== first.size; ) {
    sizeBefore = first.size;
    for (const run of led)
      if (run.stack.filter(({ pr }) => !run.landed.includes(pr)).every(isSettled))
        for (const member of restOf(run)) if (rowOf(member) !== undefined) first.add(member.submissionId);
  }
  return first;
};

/** Without an open test run of its own it keeps going first as long as a member of its batch is urgent. */
const isStillWithOneOf = (mirror: Mirror, urgent: readonly Submission[], row: Submission): boolean =>
  row.goesWithUrgent &&
  row.state !== 'pending' &&
  urgent.some((one) => !isOver(one) && one.batch !== null && one.batch === row.batch) &&
  runsOf(mirror, row).every(({ purpose }) => purpose.kind === 'compose');

const isUrgentRow = (row: Submission | undefined): boolean => row !== undefined && isUrgent(row);

/**
 * The sort key in line: first members of the current landing, then urgent ones and those tested with them, then started
 * before waiting ones by place, then by arrival plus the aging of the priority.
 */
export const keyInLine = (
  mirror: Mirror,
  submission: Submission,
  { ageingMsPerPoint }: Pick<Pace, 'ageingMsPerPoint'>,
  first: ReadonlySet<SubmissionId>,
): readonly number[] => {
  const isBegun = submission.place !== null;
  const { queue } = mirror;
  const landing = queue.landing?.members.findIndex((member) => isOf(member, submission)) ?? -1;
  const isFirst = isBegun
    ? first.has(submission.id)
    : isUrgent(submission) && isOpen(queue) && !isFrozenFor(queue, submission);
  const arrival = submission.admittedAt ?? submission.submittedAt;
  return [
    landing < 0 ? Number.MAX_SAFE_INTEGER : landing,
    isFirst ? 0 : 1,
    isBegun ? 0 : 1,
    submission.place ?? 0,
    isUrgent(submission) ? 0 : 1,
    arrival + submission.priority.value * ageingMsPerPoint,
    arrival,
    submission.admittedRank ?? submission.submittedRank,
    submission.pr,
  ];
};

export const isBefore = (one: readonly number[], other: readonly number[]): boolean => {
  for (const [index, value] of one.entries()) {
    const against = other[index] ?? 0;
    if (value !== against) return value < against;
  }
  return false;
};

/** The members of its batch that have not landed. */
const restOf = ({ batch, landed }: TestRun): readonly Member[] =>
  batch.filter(({ pr }) => !landed.includes(pr));

/** True while its batch is bisected. */
export const isIsolated = (mirror: Mirror, submission: Submission): boolean =>
  [...mirror.runs.values()].some(
    (run) => run.bisection !== null && restOf(run).some((member) => isOf(member, submission)),
  );

/** False if it is skipped: others are neither built on it nor wait for it. */
export const isInPlay = (mirror: Mirror, submission: Submission): boolean =>
  !isOver(submission) &&
  submission.state !== 'not_ready' &&
  submission.state !== 'pending_failure' &&
  !isBeingConfirmed(mirror, submission) &&
  submission.heldBy === null &&
  submission.asideSince === null &&
  submission.fault?.isAside !== true &&
  (submission.state === 'tests_passed' || !isIsolated(mirror, submission));

/** Tested once more after a failure. With optimistic merging others are built on it, since they may clear it. */
const isBeingConfirmed = ({ queue }: Mirror, { state, suspectedBy }: Submission): boolean =>
  suspectedBy !== null && state !== 'tests_passed' && !queue.settings.canOptimisticallyMerge;

/** All submissions in line, from the front. */
export const lineOf = (mirror: Mirror, pace: Pick<Pace, 'ageingMsPerPoint'>): readonly Submission[] => {
  const first = goingFirst(mirror);
  return [...mirror.submissions.values()]
    .filter((one) => !isOver(one) && one.state !== 'not_ready')
    .map((submission) => ({ submission, key: keyInLine(mirror, submission, pace, first) }))
    .sort((one, other) => (isBefore(one.key, other.key) ? -1 : 1))
    .map(({ submission }) => submission);
};

/** Without optimistic merging and batches, candidates hold direct dependencies only. */
const holdsOnlyDirect = ({ queue }: Mirror): boolean =>
  queue.settings.mode === 'parallel' && !queue.settings.canOptimisticallyMerge && !queue.settings.batch;

/**
 * The submissions ahead that it is tested on: those that overlap with it and, if candidates hold whole stacks, those
 * that overlap with one of these. `doesTie` filters them.
 */
export const aheadOf = (
  mirror: Mirror,
  submission: Submission,
  pace: Pick<Pace, 'ageingMsPerPoint'>,
  doesTie: (one: Submission) => boolean,
): readonly Submission[] => {
  const line = lineOf(mirror, pace).filter((one) => one.id === submission.id || doesTie(one));
  const ahead = line.slice(
    0,
    line.findIndex(({ id }) => id === submission.id),
  );
  const aheadInLane: Submission[] = [];
  const touched = [targetsOf(mirror, submission)];
  for (const one of ahead.reverse()) {
    const targets = targetsOf(mirror, one);
    if (!touched.some((other) => doMeet(targets, other))) continue;
    if (!holdsOnlyDirect(mirror)) touched.push(targets);
    aheadInLane.unshift(one);
  }
  return aheadInLane;
};
