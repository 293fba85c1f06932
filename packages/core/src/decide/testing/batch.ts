import { frozenUntil, mayTest } from '../../model/gates.js';
import type { Instant, SubmissionId } from '../../model/ids.js';
import { doOverlap } from '../../model/impacted-targets.js';
import { statusOf } from '../../model/queue.js';
import type { Member } from '../../model/run.js';
import { isUrgent, type Submission } from '../../model/submission.js';
import type { Draft } from '../draft/draft.js';
import { type Position, positions } from '../line/positions.js';
import { memberOf, targetsOf } from '../line/standpoint.js';
import { holdsBackUntil, isWithoutRun } from '../moves/retry.js';

/** Those who would be tested together now, and where the first of them stands. */
export interface Batch {
  readonly members: readonly Submission[];
  readonly position: Position;
}

export interface Gathering extends Batch {
  readonly members: Submission[];
  /** False once somebody stands behind it who cannot join. */
  canGrow: boolean;
}

/**
 * Who is tested together: neighbours of one lane, in order, as many as make a full batch. One that is not full waits for
 * more until its time is up, unless it cannot grow or one of it has been under test before. From the front of the line, as far
 * as the caller goes through them; no row may change meanwhile.
 */
export function* batches(draft: Draft, among: Iterable<Position> = positions(draft)): Generator<Batch> {
  for (const gathering of gatherings(draft, among)) if (isDue(draft, gathering)) yield gathering;
}

/** All who wait to be tested together, due or not, among these. */
export const gather = (draft: Draft, among: Iterable<Position> = positions(draft)): readonly Gathering[] => [
  ...gatherings(draft, among),
];

/** The same one after another, each as soon as nobody can join it any more. */
function* gatherings(draft: Draft, among: Iterable<Position>): Generator<Gathering> {
  const open: Gathering[] = [];
  // By its last member, on whom whoever joins it has to stand.
  const byLast = new Map<SubmissionId, Gathering>();
  for (const position of among) {
    const submission = draft.submission(position.member.submissionId);
    if (!position.isInPlay || submission === undefined || !isWaiting(draft, submission)) continue;
    const begun = joinOrBegin(draft, byLast, position, submission);
    if (begun !== null) open.push(begun);
    while (open[0] !== undefined && isComplete(draft, open[0])) yield* open.splice(0, 1);
  }
  yield* open;
}

/** Has one join those right ahead of it; the gathering that it begins where it may not. */
const joinOrBegin = (
  draft: Draft,
  byLast: Map<SubmissionId, Gathering>,
  position: Position,
  submission: Submission,
): Gathering | null => {
  const begun: Gathering = { members: [submission], position, canGrow: true };
  if (!mayBeOneOfMany(draft, submission)) return begun;
  const below = position.stack.at(-1);
  const ahead = below === undefined ? undefined : byLast.get(below.submissionId);
  byLast.set(submission.id, begun);
  if (ahead === undefined || !isRightBehind(position.stack, ahead)) return begun;
  if (!mayJoin(draft, ahead, submission)) {
    ahead.canGrow = false;
    return begun;
  }
  const last = ahead.members.at(-1);
  // Whoever stands on that one only stands on a part of the batch.
  if (last !== undefined) byLast.delete(last.id);
  ahead.members.push(submission);
  byLast.set(submission.id, ahead);
  return null;
};

/** True where nobody further back can join it. */
const isComplete = (draft: Draft, { members, canGrow }: Gathering): boolean => {
  const [first] = members;
  if (first === undefined || !mayBeOneOfMany(draft, first)) return true;
  const { batchingMinSize, mode } = draft.queue.settings;
  if (!canGrow && mode === 'single') return true;
  return first.batch === null
    ? members.length >= batchingMinSize || isTestedAlone(draft, first)
    : first.noBatch;
};

/** True of one that stands on the last of them where it stands on nothing but them and what they are tested on. */
const isRightBehind = (stack: readonly Member[], { members, position }: Batch): boolean => {
  if (stack.length !== position.stack.length + members.length) return false;
  const below = new Set(stack.map(({ submissionId }) => submissionId));
  return position.stack.every(({ submissionId }) => below.has(submissionId));
};

const mayBeOneOfMany = (draft: Draft, { batch }: Submission): boolean =>
  draft.queue.settings.batch || batch !== null;

const isWaiting = (draft: Draft, submission: Submission): boolean => {
  if (!isWithoutRun(draft, submission)) return false;
  const until = holdsBackUntil(draft, submission);
  if (until !== null) draft.wakeAt(until);
  return until === null;
};

/**
 * What was tested together is tested together again, but for who wants to be alone since, and nobody joins it; nor what is new
 * while only what was begun is finished.
 */
const mayJoin = (draft: Draft, { members }: Gathering, submission: Submission): boolean => {
  const [first] = members;
  if (first === undefined || first.batch !== submission.batch) return false;
  // An urgent one that a freeze lets through is not tested with others, which could not land with it.
  if (frozenUntil(draft, first) !== frozenUntil(draft, submission)) return false;
  if (submission.batch !== null) return !first.noBatch && !submission.noBatch;
  // While nothing new may begin, what was begun is not joined by one that was not.
  const isMixed = (first.place === null) !== (submission.place === null);
  const waiting = first.place === null ? first : submission;
  if (isMixed && !mayTest(statusOf(draft.queue), draft, waiting)) return false;
  const { batch, batchingMinSize } = draft.queue.settings;
  return (
    batch &&
    members.length < batchingMinSize &&
    !isTestedAlone(draft, first) &&
    !isTestedAlone(draft, submission)
  );
};

/** By its own wish, by a rule of the queue about what it touches, or because its batch came to nothing before. */
const isTestedAlone = (draft: Draft, submission: Submission): boolean => {
  if (submission.noBatch || submission.alone) return true;
  const { batchingRules, mode } = draft.queue.settings;
  if (batchingRules.length === 0 || mode === 'single') return false;
  const targets = targetsOf(draft, submission);
  return targets !== 'ALL' && batchingRules.some((rule) => matches(targets, rule.targetPattern));
};

const matches = (targets: readonly string[], pattern: string): boolean =>
  pattern.endsWith('*')
    ? targets.some((target) => target.startsWith(pattern.slice(0, -1)))
    : doOverlap(targets, [pattern]);

/** Nobody is before it and it is alone: if it is up to date, its own checks have tested what would be landed. */
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

/** When a batch that may still grow waits no longer; null where it waits for nobody. */
export const dueAtOf = (draft: Draft, gathering: Gathering): Instant | null => {
  const { members, canGrow } = gathering;
  const { batch, batchingMinSize, batchingMaxWaitTimeMinutes } = draft.queue.settings;
  const [first] = members;
  if (first === undefined || !batch || !canGrow || members.length >= batchingMinSize) return null;
  // Whether it is up to date shows only once its candidate is built: if it is not, it is tested as a batch of one.
  if (isTestedAlone(draft, first) || isDirect(draft, gathering)) return null;
  if (members.some((member) => member.begunAt !== null || isUrgent(member))) return null;
  const since = Math.min(...members.map((member) => member.admittedAt ?? member.submittedAt));
  return since + batchingMaxWaitTimeMinutes * 60_000;
};

export const toMembers = ({ members }: Batch): readonly Member[] => members.map(memberOf);
