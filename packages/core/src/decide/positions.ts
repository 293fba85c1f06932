import type { SubmissionId } from '../model/ids.js';
import { type ImpactedTargets, targetsInForce } from '../model/impacted-targets.js';
import { type Ahead, Lanes, type Neighbours } from '../model/lanes.js';
import { isAtFront } from '../model/news.js';
import type { Member } from '../model/run.js';
import { hasFailed, memberKey, remainingBatch } from '../model/run.js';
import type { Submission } from '../model/submission.js';
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

/** Who cannot begin, or holds back, takes nobody's room. */
const takesRoom = ({ retryAt }: Submission, { isInPlay }: Position): boolean => isInPlay && retryAt === null;

/** The front of the line, as far as it was looked at. */
interface Seen {
  readonly placed: Placed;
  readonly byId: Map<SubmissionId, number>;
  /** For so many of those who wait it was looked at. */
  waiting: number;
  /** How many have to be looked at to see so many of those who wait; all, where there are no more. */
  readonly enough: number[];
}

/**
 * The line as it is, from its front: all that have begun, and then as many of those who wait as it takes to see so many who
 * can begin. Several lanes stand side by side in it; in single mode there is one.
 */
export const positions = (draft: Draft, waiting = 0): readonly Position[] => {
  const { placed, enough } = seenOf(draft, waiting);
  return placed.all.slice(0, enough[waiting]);
};

/** Where one stands; undefined where it stands behind those who are looked at, or not in line at all. */
export const positionIn = (draft: Draft, id: SubmissionId, waiting = 0): Position | undefined => {
  const { placed, byId, enough } = seenOf(draft, waiting);
  const at = byId.get(id);
  return at === undefined || at >= (enough[waiting] ?? placed.all.length) ? undefined : placed.all[at];
};

const seenOf = (draft: Draft, waiting: number): Seen => {
  const seen = draft.known.from('line', 'positions', (): Seen => {
    const front = draft.known.from('front', 'front', () => placeFront(draft));
    return { placed: front.goOn(), byId: new Map(), waiting: -1, enough: [] };
  });
  if (seen.waiting < waiting) lookFurther(draft, seen, waiting);
  return seen;
};

const placeFront = (draft: Draft): Placed => {
  const placed = new Placed();
  const isSingle = draft.queue.settings.mode === 'single';
  for (const submission of line(draft)) {
    if (!isAtFront(submission)) break;
    const { isTooDeep } = placed.put(draft, submission);
    if (isTooDeep && isSingle) break;
  }
  return placed;
};

/** Goes on where it was left: who stands in front stands there as long as the line is the same. */
const lookFurther = (draft: Draft, seen: Seen, wanted: number): void => {
  const { placed, byId, enough } = seen;
  const isSingle = draft.queue.settings.mode === 'single';
  seen.waiting = wanted;
  let [at, waiting, room] = [0, 0, 0];
  for (const submission of line(draft)) {
    const isWaiting = !isAtFront(submission);
    if (isWaiting) {
      enough[room] ??= at;
      if (room >= wanted) return;
      waiting += 1;
      if (waiting > WINDOW_LIMIT) break;
    }
    const position = placed.all[at] ?? placed.put(draft, submission);
    byId.set(submission.id, at);
    at += 1;
    if (isWaiting) room += Number(takesRoom(submission, position));
    if (position.isTooDeep && isSingle) break;
  }
  seen.waiting = Number.POSITIVE_INFINITY;
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

/** Those that have been placed, from the front of the line on. Lanes are tied only by what is in play. */
class Placed {
  readonly all: Position[] = [];
  #everybody = new Everybody();
  readonly #inPlay: Position[] = [];
  #lanesInPlay = new Lanes();

  /** The same, to be gone on with. Nobody is put here from now on. */
  goOn(): Placed {
    const placed = new Placed();
    placed.all.push(...this.all);
    placed.#inPlay.push(...this.#inPlay);
    placed.#lanesInPlay = this.#lanesInPlay.goOn();
    placed.#everybody = this.#everybody.copy();
    return placed;
  }

  put(draft: Draft, submission: Submission): Position {
    const place = this.all.length;
    const targets = targetsOf(draft, submission);
    this.#everybody.join(targets);
    const neighbours = this.#lanesInPlay.next(targets);
    const awaited = awaitedBy(draft, submission);
    const below = awaited.size === 0 ? neighbours : this.#inPlayOrAwaited(draft, targets, awaited);
    const depth = isListed(below) ? below.length : this.#lanesInPlay.countAheadOf(below);
    const isTooDeep = depth >= STACK_LIMIT;
    const position: Position = new Place(
      {
        member: memberOf(submission),
        isFit: isFit(submission),
        isInPlay: !isTooDeep && canBeBuiltOn(draft, submission),
        isTooDeep,
      },
      () => (isListed(below) ? below : positionsAt(this.#inPlay, this.#lanesInPlay.aheadOf(below))),
      () => positionsAt(this.all, this.#everybody.aheadAt(place)),
    );
    this.all.push(position);
    if (position.isInPlay) {
      this.#inPlay.push(position);
      this.#lanesInPlay.join(targets, neighbours);
    }
    return position;
  }

  /** Those of its lane who are in play, as for everybody, and the failed ones that it bears witness for. */
  #inPlayOrAwaited(
    draft: Draft,
    targets: ImpactedTargets,
    awaited: ReadonlySet<SubmissionId>,
  ): readonly Position[] {
    const lanes = new Lanes();
    const tied = this.all.filter(
      (one) => one.isInPlay || (awaited.has(one.member.submissionId) && one.isFit),
    );
    for (const one of tied) lanes.join(targetsOf(draft, one.member));
    return positionsAt(tied, lanes.aheadOf(lanes.next(targets)));
  }
}

/** The lanes of all, in play or not. Seldom asked for, and tied only as far as they are asked for. */
class Everybody {
  readonly #targets: ImpactedTargets[] = [];
  readonly #neighbours: Neighbours[] = [];
  readonly #lanes = new Lanes();

  join(targets: ImpactedTargets): void {
    this.#targets.push(targets);
  }

  copy(): Everybody {
    const copy = new Everybody();
    copy.#targets.push(...this.#targets);
    return copy;
  }

  aheadAt(place: number): Ahead {
    for (const targets of this.#targets.slice(this.#neighbours.length, place + 1)) {
      const neighbours = this.#lanes.next(targets);
      this.#lanes.join(targets, neighbours);
      this.#neighbours.push(neighbours);
    }
    const neighbours = this.#neighbours[place];
    return neighbours === undefined ? { upTo: 0, others: [] } : this.#lanes.aheadOf(neighbours);
  }
}

const isListed = (below: Neighbours | readonly Position[]): below is readonly Position[] =>
  Array.isArray(below);

/** Most are asked only whether they are in play: whom one stands on is put together when it is first asked for. */
class Place implements Position {
  readonly member: Member;
  readonly isInPlay: boolean;
  readonly isFit: boolean;
  readonly isTooDeep: boolean;
  readonly #below: () => readonly Position[];
  readonly #ahead: () => readonly Position[];
  #stack: readonly Member[] | null = null;
  #without: readonly Member[] | null = null;

  constructor(
    known: Pick<Position, 'member' | 'isInPlay' | 'isFit' | 'isTooDeep'>,
    below: () => readonly Position[],
    ahead: () => readonly Position[],
  ) {
    this.member = known.member;
    this.isInPlay = known.isInPlay;
    this.isFit = known.isFit;
    this.isTooDeep = known.isTooDeep;
    this.#below = below;
    this.#ahead = ahead;
  }

  get stack(): readonly Member[] {
    this.#stack ??= this.isTooDeep ? [] : this.#below().map(({ member }) => member);
    return this.#stack;
  }

  get without(): readonly Member[] {
    this.#without ??= this.#leftOut();
    return this.#without;
  }

  #leftOut(): readonly Member[] {
    const stacked = new Set(this.#below());
    return this.#ahead()
      .filter((one) => !stacked.has(one) && !one.isInPlay)
      .slice(0, WITHOUT_LIMIT)
      .map(({ member }) => member);
  }
}

const positionsAt = (positions: readonly Position[], { upTo, others }: Ahead): readonly Position[] => {
  const found = positions.slice(0, upTo);
  for (const place of others) {
    const position = positions[place];
    if (position !== undefined) found.push(position);
  }
  return found;
};

const isFit = ({ heldBy, asideSince }: Submission): boolean => heldBy === null && asideSince === null;

/** True of one in line that is expected to land, if it does not stand too deep. */
export const canBeBuiltOn = (draft: Draft, submission: Submission): boolean =>
  isFit(submission) &&
  submission.state !== 'pending_failure' &&
  (submission.state === 'tests_passed' || !isIsolated(draft, submission));

/** True while the culprit of its batch is looked for and it has not been cleared. */
export const isIsolated = (draft: Draft, submission: Submission): boolean => {
  const isolated = draft.known.from('failures', 'isolated', () => {
    const keys = new Set<string>();
    for (const run of draft.openRuns())
      if (run.isolation !== null) for (const member of remainingBatch(run)) keys.add(memberKey(member));
    return keys;
  });
  return isolated.size > 0 && isolated.has(memberKey(memberOf(submission)));
};

/** The failed ones that this one was called to bear witness for: it is tested with them, whatever others are. */
const awaitedBy = (draft: Draft, submission: Submission): ReadonlySet<SubmissionId> => {
  const awaited = draft.known.from('failures', 'awaited', () => {
    const failedOf = new Map<string, Set<SubmissionId>>();
    for (const run of draft.openRuns())
      if (hasFailed(run) && run.isolation === null)
        for (const witness of run.witnesses)
          for (const { submissionId } of run.batch) {
            const key = memberKey(witness);
            failedOf.set(key, (failedOf.get(key) ?? new Set()).add(submissionId));
          }
    return failedOf;
  });
  if (awaited.size === 0) return nobody;
  return awaited.get(memberKey(memberOf(submission))) ?? nobody;
};

const nobody: ReadonlySet<SubmissionId> = new Set();
