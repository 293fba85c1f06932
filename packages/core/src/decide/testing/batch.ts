import { activeBatchSize } from '../../model/adaptation.js';
import { frozenUntil, mayTest } from '../../model/gates.js';
import type { Instant, SubmissionId } from '../../model/ids.js';
import { doOverlap, isOneLane, targetsInForce } from '../../model/impacted-targets.js';
import { statusOf } from '../../model/queue.js';
import type { Member } from '../../model/run.js';
import { isUrgent, type Submission } from '../../model/submission.js';
import type { Draft } from '../draft/draft.js';
import { memberOf } from '../line/placement-input.js';
import { type Position, positions } from '../line/positions.js';
import { delayedUntil, isWithoutRun } from '../moves/retry.js';

/** The pull requests that would be tested together now, and the position of the first of them. */
export interface Batch {
  readonly members: readonly Submission[];
  readonly position: Position;
}

export interface Gathering extends Batch {
  readonly members: Submission[];
  /** False once a pull request stands behind it that cannot join. */
  canGrow: boolean;
}

/**
 * Batches that are due to be tested, from the front of the line: neighbours of one lane, in order, up to a full batch.
 * A batch that is not full waits until its time is up, unless it cannot grow or a member has been under test before.
 * Lazy: it reads the line only as far as the caller iterates, and no row may change meanwhile.
 */
export function* batches(draft: Draft, among: Iterable<Position> = positions(draft)): Generator<Batch> {
  for (const gathering of gatherings(draft, among)) if (isDue(draft, gathering)) yield gathering;
}

/** All batches that wait for their tests among these positions, due or not. */
export const gather = (draft: Draft, among: Iterable<Position> = positions(draft)): readonly Gathering[] => [
  ...gatherings(draft, among),
];

/** Yields each batch that waits for its tests as soon as no further pull request can join it. */
function* gatherings(draft: Draft, among: Iterable<Position>): Generator<Gathering> {
  const open: Gathering[] = [];
  // Keyed by the last member: a pull request that joins has to stand directly on it.
  const byLast = new Map<SubmissionId, Gathering>();
  for (const position of among) {
    const submission = draft.submission(position.member.submissionId);
    if (!position.mayBeTested || submission === undefined || !isReadyToTest(draft, submission)) continue;
    const started = joinOrBegin(draft, byLast, position, submission);
    if (started !== null) open.push(started);
    while (open[0] !== undefined && isComplete(draft, open[0])) yield* open.splice(0, 1);
  }
  yield* open;
}

/**
 * Adds a pull request to the batch right ahead of it. Returns the batch that it begins instead, or null if it joined.
 */
const joinOrBegin = (
  draft: Draft,
  byLast: Map<SubmissionId, Gathering>,
  position: Position,
  submission: Submission,
): Gathering | null => {
  const started: Gathering = { members: [submission], position, canGrow: true };
  if (!mayBeOneOfMany(draft, submission)) return started;
  const below = position.stack.at(-1);
  const ahead = below === undefined ? undefined : byLast.get(below.submissionId);
  byLast.set(submission.id, started);
  if (ahead === undefined || !isRightBehind(position.stack, ahead)) return started;
  if (!mayJoin(draft, ahead, submission)) {
    ahead.canGrow = false;
    return started;
  }
  const last = ahead.members.at(-1);
  // A pull request that stands on this member stands on only a part of the batch.
  if (last !== undefined) byLast.delete(last.id);
  ahead.members.push(submission);
  byLast.set(submission.id, ahead);
  return null;
};

/** True if no pull request further back can join the batch. */
const isComplete = (draft: Draft, { members, canGrow }: Gathering): boolean => {
  const [first] = members;
  if (first === undefined || !mayBeOneOfMany(draft, first)) return true;
  if (!canGrow && isOneLane(draft.queue.settings)) return true;
  return first.batch === null
    ? members.length >= activeBatchSize(draft.queue) || mustBeTestedAlone(draft, first)
    : first.noBatch;
};

/** True if the stack is exactly the batch and what the batch is tested on. */
const isRightBehind = (stack: readonly Member[], { members, position }: Batch): boolean => {
  if (stack.length !== position.stack.length + members.length) return false;
  const below = new Set(stack.map(({ submissionId }) => submissionId));
  return position.stack.every(({ submissionId }) => below.has(submissionId));
};

const mayBeOneOfMany = (draft: Draft, { batch }: Submission): boolean =>
  draft.queue.settings.batch || batch !== null;

const isReadyToTest = (draft: Draft, submission: Submission): boolean => {
  if (!isWithoutRun(draft, submission)) return false;
  const until = delayedUntil(draft, submission);
  if (until !== null) draft.wakeAt(until);
  return until === null;
};

/**
 * Pull requests that were tested together are tested together again, and no others join them, unless one of them has
 * been set to be tested alone since. While the queue only finishes what has begun, new pull requests do not join
 * either.
 */
const mayJoin = (draft: Draft, { members }: Gathering, submission: Submission): boolean => {
  const [first] = members;
  if (first === undefined || first.batch !== submission.batch) return false;
  // A freeze lets urgent pull requests through. One of them is not tested with others, which could not land with it.
  if (frozenUntil(draft, first) !== frozenUntil(draft, submission)) return false;
  if (submission.batch !== null) return !first.noBatch && !submission.noBatch;
  // While nothing new may begin, a pull request that has not begun does not join one that has.
  const isMixed = (first.place === null) !== (submission.place === null);
  const waiting = first.place === null ? first : submission;
  if (isMixed && !mayTest(statusOf(draft.queue), draft, waiting)) return false;
  const { batch } = draft.queue.settings;
  return (
    batch &&
    members.length < activeBatchSize(draft.queue) &&
    !mustBeTestedAlone(draft, first) &&
    !mustBeTestedAlone(draft, submission)
  );
};

/** True if the pull request asks for it, a batching rule matches its targets, or its batch was inconclusive before. */
const mustBeTestedAlone = (draft: Draft, submission: Submission): boolean => {
  if (submission.noBatch || submission.alone) return true;
  const { batchingRules } = draft.queue.settings;
  if (batchingRules.length === 0) return false;
  const targets = targetsInForce(draft.targets(submission.pr), submission.head, draft.queue.settings);
  return targets !== 'ALL' && batchingRules.some((rule) => matches(targets, rule.targetPattern));
};

const matches = (targets: readonly string[], pattern: string): boolean =>
  pattern.endsWith('*')
    ? targets.some((target) => target.startsWith(pattern.slice(0, -1)))
    : doOverlap(targets, [pattern]);

/**
 * A single pull request with nothing ahead: if it is up to date with the target, its own checks have tested what would
 * land.
 */
export const isDirect = ({ queue }: Draft, { members, position }: Batch): boolean =>
  queue.settings.directMergeMode === 'always' &&
  members.length === 1 &&
  position.stack.length === 0 &&
  position.without.length === 0;

const isDue = (draft: Draft, gathering: Gathering): boolean => {
  const dueAt = dueAtOf(draft, gathering);
  if (dueAt === null || dueAt <= draft.now) return true;
  draft.wakeAt(dueAt);
  return false;
};

/** When a batch that can still grow is due; null if it does not wait for more members. */
export const dueAtOf = (draft: Draft, gathering: Gathering): Instant | null => {
  const { members, canGrow } = gathering;
  const { batch, batchingMaxWaitTimeMinutes } = draft.queue.settings;
  const [first] = members;
  if (first === undefined || !batch || !canGrow || members.length >= activeBatchSize(draft.queue))
    return null;
  // Whether it is up to date shows only in its candidate. If it is not, it is tested as a batch of one.
  if (mustBeTestedAlone(draft, first) || isDirect(draft, gathering)) return null;
  if (members.some((member) => member.begunAt !== null || isUrgent(member))) return null;
  const since = Math.min(...members.map((member) => member.admittedAt ?? member.submittedAt));
  return since + batchingMaxWaitTimeMinutes * 60_000;
};

export const toMembers = ({ members }: Batch): readonly Member[] => members.map(memberOf);
