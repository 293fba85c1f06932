import type { SubmissionId } from '../model/ids.js';
import { type ImpactedTargets, targetsInForce } from '../model/impacted-targets.js';
import { type Ahead, Lanes } from '../model/lanes.js';
import type { Member } from '../model/run.js';
import { hasFailed, memberKey, remainingBatch } from '../model/run.js';
import { isUrgent, type Submission } from '../model/submission.js';
import type { Draft } from './draft.js';
import { line } from './line.js';

/** A trial holds fewer than this many undecided submissions below its batch. */
export const STACK_LIMIT = 100;
/** Those left out that a position names; more of them are left out as well. */
const WITHOUT_LIMIT = 100;
/** Those who wait are looked at up to here: who stands behind waits until those ahead have moved on. */
export const WINDOW_LIMIT = 2_000;

/**
 * Where a submission stands in line, and what it would be tested on now: those ahead of it in its lane that are expected to
 * land. It names the submission and does not hold its row, which changes more often than its place.
 */
export interface Position {
  readonly member: Member;
  readonly stack: readonly Member[];
  /** Those ahead that are not expected to land before it. */
  readonly without: readonly Member[];
  /** False where it is passed over: it holds nobody up, and nothing is built on it. */
  readonly isInPlay: boolean;
  /** False where it conflicts with one ahead, or is not ready any more. */
  readonly isFit: boolean;
  /** True where more is ahead of it than one trial may hold: then `stack` is empty and says nothing. */
  readonly isTooDeep: boolean;
}

/** Who cannot begin now takes nobody's room. */
const mayBegin = ({ now }: Draft, { retryAt }: Submission, { isInPlay }: Position): boolean =>
  isInPlay && (retryAt === null || retryAt <= now);

interface Seen {
  waiting: number;
  all: readonly Position[];
  byId: ReadonlyMap<SubmissionId, Position>;
}

/**
 * The line as it is, from its front: all that have begun, and at least so many of those who wait. Several lanes stand side
 * by side in it; in single mode there is one.
 */
export const positions = (draft: Draft, waiting = 0): readonly Position[] => seenOf(draft, waiting).all;

/** Where one stands; undefined where it stands behind so many who wait, or not in line at all. */
export const positionIn = (draft: Draft, id: SubmissionId, waiting = 0): Position | undefined =>
  seenOf(draft, waiting).byId.get(id);

const seenOf = (draft: Draft, waiting: number): Seen => {
  const seen = draft.derivedFromLine('positions', (): Seen => ({ waiting: -1, all: [], byId: new Map() }));
  const room = Math.min(waiting, WINDOW_LIMIT);
  if (seen.waiting >= room) return seen;
  const all = placeAll(draft, room);
  const byId = new Map(all.map((position) => [position.member.submissionId, position]));
  return Object.assign(seen, { waiting: room, all, byId });
};

const placeAll = (draft: Draft, waiting: number): readonly Position[] => {
  const lanes = new Lanes();
  const known: Position[] = [];
  let [room, seen] = [waiting, 0];
  for (const submission of line(draft)) {
    const waits = submission.place === null && !isUrgent(submission);
    if (waits && (room <= 0 || seen >= WINDOW_LIMIT)) break;
    const position = positionOf(draft, submission, lanes.join(targetsOf(draft, submission)), known);
    known.push(position);
    if (waits) seen += 1;
    if (waits && mayBegin(draft, submission, position)) room -= 1;
    if (position.isTooDeep && draft.queue.settings.mode === 'single') break;
  }
  return known;
};

/** What it counts as touching now. */
export const targetsOf = (draft: Draft, { pr, head }: Pick<Member, 'pr' | 'head'>): ImpactedTargets =>
  targetsInForce(draft.targets(pr), head, draft.queue.settings);

export const memberOf = (submission: Submission): Member => ({
  submissionId: submission.id,
  attempt: submission.attempt,
  pr: submission.pr,
  head: submission.head,
});

const positionOf = (
  draft: Draft,
  submission: Submission,
  ahead: Ahead,
  known: readonly Position[],
): Position => {
  const stack: Member[] = [];
  const without: Member[] = [];
  const awaited = awaitedBy(draft, submission);
  for (const place of placesOf(ahead)) {
    const before = known[place];
    if (before === undefined) continue;
    const isExpected = before.isInPlay || (awaited.has(before.member.submissionId) && before.isFit);
    if (isExpected) stack.push(before.member);
    else if (without.length < WITHOUT_LIMIT) without.push(before.member);
    if (stack.length >= STACK_LIMIT) break;
  }
  const isTooDeep = stack.length >= STACK_LIMIT;
  const isInPlay = !isTooDeep && canBeBuiltOn(draft, submission);
  const member = memberOf(submission);
  return { member, isFit: isFit(submission), stack: isTooDeep ? [] : stack, without, isInPlay, isTooDeep };
};

function* placesOf({ upTo, others }: Ahead): Generator<number> {
  for (let place = 0; place < upTo; place += 1) yield place;
  yield* others;
}

const isFit = ({ heldBy, asideSince }: Submission): boolean => heldBy === null && asideSince === null;

const canBeBuiltOn = (draft: Draft, submission: Submission): boolean =>
  isFit(submission) &&
  submission.state !== 'pending_failure' &&
  (submission.state === 'tests_passed' || !isIsolated(draft, submission));

/** True while the culprit of its batch is looked for and it has not been cleared. */
export const isIsolated = (draft: Draft, submission: Submission): boolean =>
  draft
    .derivedFromLine('isolated', () => {
      const isolated = new Set<string>();
      for (const run of draft.liveRuns())
        if (run.isolation !== null) for (const member of remainingBatch(run)) isolated.add(memberKey(member));
      return isolated;
    })
    .has(memberKey(memberOf(submission)));

/** The failed ones that this one was called to bear witness for: it is tested with them, whatever others are. */
const awaitedBy = (draft: Draft, submission: Submission): ReadonlySet<SubmissionId> => {
  const awaited = draft.derivedFromLine('awaited', () => {
    const failedOf = new Map<string, Set<SubmissionId>>();
    for (const run of draft.liveRuns())
      if (hasFailed(run) && run.isolation === null)
        for (const witness of run.witnesses)
          for (const { submissionId } of run.batch) {
            const key = memberKey(witness);
            failedOf.set(key, (failedOf.get(key) ?? new Set()).add(submissionId));
          }
    return failedOf;
  });
  return awaited.get(memberKey(memberOf(submission))) ?? nobody;
};

const nobody: ReadonlySet<SubmissionId> = new Set();
