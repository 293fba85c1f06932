import type { SubmissionId } from '../model/ids.js';
import { type ImpactedTargets, targetsInForce } from '../model/impacted-targets.js';
import { type Ahead, Lanes } from '../model/lanes.js';
import type { Member } from '../model/run.js';
import { hasFailed, memberKey, remainingBatch } from '../model/run.js';
import type { QueueSettings } from '../model/settings.js';
import type { Submission } from '../model/submission.js';
import type { Draft } from './draft.js';
import { line } from './line.js';

/** A trial holds fewer than this many undecided submissions below its batch. */
export const STACK_LIMIT = 100;
/** Those left out that a position names; more of them are left out as well. */
const WITHOUT_LIMIT = 100;
/** Those who wait are looked at up to here: who stands behind waits until those ahead have moved on. */
export const WINDOW_LIMIT = 2_000;
/** The same with those who are passed over. */
const POSITIONS_LIMIT = 2 * WINDOW_LIMIT;
/** In lanes whoever may begin can stand behind many who may not. */
const PARALLEL_WINDOW = 100;

/** One submission in line and what it would be tested on now: those ahead of it in its lane that are expected to land. */
export interface Position {
  readonly submission: Submission;
  readonly stack: readonly Member[];
  /** Those ahead that are not expected to land before it. */
  readonly without: readonly Member[];
  /** False where it is passed over: it holds nobody up, and nothing is built on it. */
  readonly isInPlay: boolean;
  /** True where more is ahead of it than one trial may hold: then `stack` is empty and says nothing. */
  readonly isTooDeep: boolean;
}

/** The line as it is, from its front. Several lanes stand side by side in it; in single mode there is one. */
export const positions = (draft: Draft): readonly Position[] =>
  draft.derivedFromLine('positions', () => {
    const lanes = new Lanes();
    const known: Position[] = [];
    let room = windowOf(draft.queue.settings);
    for (const submission of line(draft)) {
      if (submission.place === null && (room <= 0 || known.length >= POSITIONS_LIMIT)) break;
      const position = positionOf(draft, submission, lanes.join(targetsOf(draft, submission)), known);
      known.push(position);
      // Whoever is passed over takes nobody's place in the window: however many they are, they hold nobody up.
      if (submission.place === null && position.isInPlay) room -= 1;
      if (position.isTooDeep && draft.queue.settings.mode === 'single') break;
    }
    return known;
  });

/** How many of those who wait are looked at: more than could begin at once, and all that could bear witness. */
const windowOf = (settings: QueueSettings): number => {
  const { concurrency, batch, batchingMinSize, pendingFailureDepth, mode } = settings;
  const atOnce = concurrency * (batch ? batchingMinSize : 1);
  const window = 2 * atOnce + pendingFailureDepth + 1;
  return Math.min(WINDOW_LIMIT, mode === 'parallel' ? Math.max(window, PARALLEL_WINDOW) : window);
};

export const positionIn = (draft: Draft, id: SubmissionId): Position | undefined =>
  draft
    .derivedFromLine(
      'position by id',
      () => new Map(positions(draft).map((position) => [position.submission.id, position])),
    )
    .get(id);

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
    const isExpected = before.isInPlay || (awaited.has(before.submission.id) && isFit(before.submission));
    if (isExpected) stack.push(memberOf(before.submission));
    else if (without.length < WITHOUT_LIMIT) without.push(memberOf(before.submission));
    if (stack.length >= STACK_LIMIT) break;
  }
  const isTooDeep = stack.length >= STACK_LIMIT;
  const isInPlay = !isTooDeep && canBeBuiltOn(draft, submission);
  return { submission, stack: isTooDeep ? [] : stack, without, isInPlay, isTooDeep };
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
