import type { SubmissionId } from '../model/ids.js';
import { type ImpactedTargets, targetsInForce } from '../model/impacted-targets.js';
import { type Ahead, Lanes, type Neighbours } from '../model/lanes.js';
import { hasFailed, type Member, memberKey, type Run, remainingBatch } from '../model/run.js';
import type { Submission } from '../model/submission.js';
import type { Draft } from './draft.js';
import { lineNow } from './line.js';

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

/** How far the line was looked at. */
interface Seen {
  /** How often anybody had been placed anew by then: what was seen before that is not there any more. */
  cuts: number;
  /** For so many of those who wait it was looked at. */
  waiting: number;
  /** How many have to be looked at to see so many of those who wait; all, where there are no more. */
  enough: number[];
}

/**
 * The line as it is, from its front: all that have begun, and then as many of those who wait as it takes to see so many who
 * can begin. Several lanes stand side by side in it; in single mode there is one.
 */
export const positions = (draft: Draft, waiting = 0): readonly Position[] => {
  const placed = placedOf(draft);
  const { enough } = seenOf(draft, placed, waiting);
  return placed.all.slice(0, enough[waiting]);
};

/** Where one stands; undefined where it stands behind those who are looked at, or not in line at all. */
export const positionIn = (draft: Draft, id: SubmissionId, waiting = 0): Position | undefined => {
  const placed = placedOf(draft);
  const { enough } = seenOf(draft, placed, waiting);
  const at = placed.placeOf(id);
  return at === undefined || at >= (enough[waiting] ?? placed.all.length) ? undefined : placed.all[at];
};

/** Kept beyond the decision, whatever changes: before anybody in it is believed, the line is gone through. */
const placedOf = (draft: Draft): Placed => draft.known.lasting('placed', () => new Placed());

const seenOf = (draft: Draft, placed: Placed, waiting: number): Seen => {
  const seen = draft.known.from('line', 'seen', (): Seen => ({ cuts: placed.cuts, waiting: -1, enough: [] }));
  if (seen.cuts !== placed.cuts) [seen.waiting, seen.enough] = [-1, []];
  if (seen.waiting < waiting) {
    seen.waiting = lookFurther(draft, placed, waiting, seen.enough);
    seen.cuts = placed.cuts;
  }
  return seen;
};

/**
 * Whoever stood there before, on the same ones, still does: only from the first other one on is anybody placed anew. For how
 * many of those who wait it was looked at.
 */
const lookFurther = (draft: Draft, placed: Placed, wanted: number, enough: number[]): number => {
  const { front, waiting, from } = lineNow(draft);
  const isSingle = draft.queue.settings.mode === 'single';
  const ties = tiesOf(draft);
  let [at, room, isOver] = [0, 0, false];
  for (const submission of front) {
    isOver = placed.put(draft, ties, at, submission).isTooDeep && isSingle;
    at += 1;
    if (isOver) break;
  }
  const end = Math.min(waiting.length, from + WINDOW_LIMIT);
  for (let next = from; !isOver; next += 1) {
    const submission = waiting[next];
    if (submission === undefined) break;
    enough[room] ??= at;
    if (room >= wanted) return wanted;
    if (next >= end) break;
    const position = placed.put(draft, ties, at, submission);
    at += 1;
    room += Number(takesRoom(submission, position));
    isOver = position.isTooDeep && isSingle;
  }
  placed.cut(at);
  return Number.POSITIVE_INFINITY;
};

/** What it counts as touching now. */
export const targetsOf = (draft: Draft, { pr, head }: Pick<Member, 'pr' | 'head'>): ImpactedTargets =>
  draft.queue.settings.mode === 'single'
    ? 'ALL'
    : targetsInForce(draft.targets(pr), head, draft.queue.settings);

export const memberOf = (submission: Submission): Member => ({
  submissionId: submission.id,
  attempt: submission.attempt,
  pr: submission.pr,
  head: submission.head,
});

/** What decides where one stands, besides who stands ahead of it. */
interface Standpoint {
  readonly member: Member;
  readonly targets: ImpactedTargets;
  readonly isFit: boolean;
  /** Whether it may be built on, if it does not stand too deep. */
  readonly isBuiltOn: boolean;
  /** The failed ones that it bears witness for. */
  readonly awaited: ReadonlySet<SubmissionId>;
}

/** Those that have been placed, from the front of the line on. Lanes are tied only by what is in play. */
class Placed {
  #all: Place[] = [];
  #inPlay: Place[] = [];
  #lanesInPlay = new Lanes();
  #everybody = new Everybody([]);
  readonly #places = new Map<SubmissionId, number>();
  #cuts = 0;

  get all(): readonly Position[] {
    return this.#all;
  }

  get cuts(): number {
    return this.#cuts;
  }

  placeOf(id: SubmissionId): number | undefined {
    return this.#places.get(id);
  }

  /** Lets go of all behind the first so many. What these are asked for later is not touched by who is put behind them now. */
  cut(count: number): void {
    if (count >= this.#all.length) return;
    for (const { member } of this.#all.slice(count)) this.#places.delete(member.submissionId);
    this.#all = this.#all.slice(0, count);
    this.#inPlay = this.#all.filter(({ isInPlay }) => isInPlay);
    this.#lanesInPlay = this.#lanesInPlay.cutTo(this.#inPlay.length);
    this.#everybody = new Everybody(this.#all);
    this.#cuts += 1;
  }

  /** Has one stand at this place, behind those before it: as it stood there, if nothing of it has changed. */
  put(draft: Draft, ties: Ties, at: number, submission: Submission): Position {
    const known = this.#all[at];
    if (known !== undefined && isUnchanged(draft, ties, known, submission)) return known;
    this.cut(at);
    return this.#append(draft, standpointOf(draft, ties, submission));
  }

  #append(draft: Draft, standpoint: Standpoint): Position {
    const [place, inPlay, lanes, everybody] = [
      this.#all.length,
      this.#inPlay,
      this.#lanesInPlay,
      this.#everybody,
    ];
    const { targets, awaited } = standpoint;
    const neighbours = lanes.next(targets);
    const below = awaited.size === 0 ? neighbours : this.#inPlayOrAwaited(draft, targets, awaited);
    const depth = isListed(below) ? below.length : lanes.countAheadOf(below);
    const position = new Place(
      standpoint,
      depth >= STACK_LIMIT,
      () => (isListed(below) ? below : positionsAt(inPlay, lanes.aheadOf(below))),
      () => everybody.leftOutAhead(place),
    );
    this.#all.push(position);
    everybody.put(position);
    this.#places.set(standpoint.member.submissionId, place);
    if (position.isInPlay) {
      inPlay.push(position);
      lanes.join(targets, neighbours);
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
    const tied = this.#all.filter(
      (one) => one.isInPlay || (awaited.has(one.member.submissionId) && one.isFit),
    );
    for (const one of tied) lanes.join(targetsOf(draft, one.member));
    return positionsAt(tied, lanes.aheadOf(lanes.next(targets)));
  }
}

const isListed = (below: Neighbours | readonly Position[]): below is readonly Position[] =>
  Array.isArray(below);

const standpointOf = (draft: Draft, ties: Ties, submission: Submission): Standpoint => ({
  member: memberOf(submission),
  targets: targetsOf(draft, submission),
  isFit: isFit(submission),
  isBuiltOn: isBuiltOn(ties, submission),
  awaited: awaitedBy(ties, submission),
});

const isUnchanged = (draft: Draft, ties: Ties, { standpoint }: Place, submission: Submission): boolean => {
  const { member, targets, awaited } = standpoint;
  return (
    member.submissionId === submission.id &&
    member.attempt === submission.attempt &&
    member.head === submission.head &&
    standpoint.isFit === isFit(submission) &&
    standpoint.isBuiltOn === isBuiltOn(ties, submission) &&
    targets === targetsOf(draft, submission) &&
    isSameSet(awaited, awaitedBy(ties, submission))
  );
};

const isSameSet = (one: ReadonlySet<SubmissionId>, other: ReadonlySet<SubmissionId>): boolean =>
  one.size === other.size && [...one].every((id) => other.has(id));

/** The lanes of all, in play or not. Seldom asked for, and tied only as far as they are asked for. */
class Everybody {
  readonly #all: Place[];
  readonly #neighbours: Neighbours[] = [];
  readonly #lanes = new Lanes();
  #firstOut = Number.POSITIVE_INFINITY;

  constructor(all: readonly Place[]) {
    this.#all = [];
    for (const place of all) this.put(place);
  }

  put(place: Place): void {
    if (!place.isInPlay) this.#firstOut = Math.min(this.#firstOut, this.#all.length);
    this.#all.push(place);
  }

  /** Those ahead of the one at this place, in lanes tied by everybody, who are not in play. */
  leftOutAhead(place: number): readonly Position[] {
    if (this.#firstOut >= place) return [];
    return positionsAt(this.#all, this.#aheadAt(place)).filter(({ isInPlay }) => !isInPlay);
  }

  #aheadAt(place: number): Ahead {
    for (const { standpoint } of this.#all.slice(this.#neighbours.length, place + 1)) {
      const neighbours = this.#lanes.next(standpoint.targets);
      this.#lanes.join(standpoint.targets, neighbours);
      this.#neighbours.push(neighbours);
    }
    const neighbours = this.#neighbours[place];
    return neighbours === undefined ? { upTo: 0, others: [] } : this.#lanes.aheadOf(neighbours);
  }
}

/** Most are asked only whether they are in play: whom one stands on is put together when it is first asked for. */
class Place implements Position {
  readonly standpoint: Standpoint;
  readonly isTooDeep: boolean;
  readonly isInPlay: boolean;
  readonly #below: () => readonly Position[];
  readonly #leftOut: () => readonly Position[];
  #stack: readonly Member[] | null = null;
  #without: readonly Member[] | null = null;

  constructor(
    standpoint: Standpoint,
    isTooDeep: boolean,
    below: () => readonly Position[],
    leftOut: () => readonly Position[],
  ) {
    this.standpoint = standpoint;
    this.isTooDeep = isTooDeep;
    this.isInPlay = standpoint.isBuiltOn && !isTooDeep;
    this.#below = below;
    this.#leftOut = leftOut;
  }

  get member(): Member {
    return this.standpoint.member;
  }

  get isFit(): boolean {
    return this.standpoint.isFit;
  }

  get stack(): readonly Member[] {
    this.#stack ??= this.isTooDeep ? [] : this.#below().map(({ member }) => member);
    return this.#stack;
  }

  get without(): readonly Member[] {
    this.#without ??= this.#leftOutOf(this.#below());
    return this.#without;
  }

  #leftOutOf(below: readonly Position[]): readonly Member[] {
    return this.#leftOut()
      .filter((one) => !below.includes(one))
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
  isBuiltOn(tiesOf(draft), submission);

const isBuiltOn = (ties: Ties, submission: Submission): boolean =>
  isFit(submission) &&
  submission.state !== 'pending_failure' &&
  (submission.state === 'tests_passed' || !isAmong(ties.isolated, submission));

/** True while the culprit of its batch is looked for and it has not been cleared. */
export const isIsolated = (draft: Draft, submission: Submission): boolean =>
  isAmong(tiesOf(draft).isolated, submission);

const isAmong = (keys: ReadonlySet<string>, submission: Submission): boolean =>
  keys.size > 0 && keys.has(memberKey(memberOf(submission)));

/** What failed runs have to do with where anybody stands. */
interface Ties {
  /** Those of batches that are looked into. */
  readonly isolated: ReadonlySet<string>;
  /** By who bears witness for them, those who failed. */
  readonly awaited: ReadonlyMap<string, ReadonlySet<SubmissionId>>;
}

const tiesOf = (draft: Draft): Ties =>
  draft.known.from('failures', 'ties', () => {
    const isolated = new Set<string>();
    const awaited = new Map<string, Set<SubmissionId>>();
    for (const run of draft.openRuns())
      if (run.isolation !== null) for (const member of remainingBatch(run)) isolated.add(memberKey(member));
      else if (hasFailed(run)) callWitnesses(awaited, run);
    return { isolated, awaited };
  });

const callWitnesses = (awaited: Map<string, Set<SubmissionId>>, { witnesses, batch }: Run): void => {
  for (const witness of witnesses) {
    const key = memberKey(witness);
    const failed = awaited.get(key) ?? new Set();
    awaited.set(key, failed);
    for (const { submissionId } of batch) failed.add(submissionId);
  }
};

/** The failed ones that this one was called to bear witness for: it is tested with them, whatever others are. */
const awaitedBy = ({ awaited }: Ties, submission: Submission): ReadonlySet<SubmissionId> =>
  (awaited.size === 0 ? undefined : awaited.get(memberKey(memberOf(submission)))) ?? nobody;

const nobody: ReadonlySet<SubmissionId> = new Set();
