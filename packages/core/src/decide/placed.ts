import type { SubmissionId } from '../model/ids.js';
import type { ImpactedTargets } from '../model/impacted-targets.js';
import { type Ahead, Lanes, type Neighbours } from '../model/lanes.js';
import type { Member } from '../model/run.js';
import type { Submission } from '../model/submission.js';
import type { Draft } from './draft.js';
import { isUnchanged, type Standpoint, standpointOf, type Ties } from './standpoint.js';

/** A trial holds fewer than this many undecided submissions below its batch. */
export const STACK_LIMIT = 100;
/** Those left out that a position names; more of them are left out as well. */
const WITHOUT_LIMIT = 100;
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

/** Those that have been placed, from the front of the line on. Lanes are tied only by what is in play. */
export class Placed {
  #all: Place[] = [];
  #inPlay: Place[] = [];
  #lanesInPlay = new Lanes();
  #everybody = new Everybody([]);
  readonly #places = new Map<SubmissionId, number>();
  #cuts = 0;

  get all(): readonly Position[] {
    return this.#all;
  }

  /** How often any of them were let go of: so long as it is the same, those who were placed before are still there. */
  get cuts(): number {
    return this.#cuts;
  }

  placeOf(id: SubmissionId): number | undefined {
    return this.#places.get(id);
  }

  /** Has one stand at this place, behind those before it: as it stood there, if nothing of it has changed. */
  put(draft: Draft, ties: Ties, at: number, submission: Submission): Position {
    const known = this.#all[at];
    if (known !== undefined && isUnchanged(draft, ties, known.standpoint, submission)) return known;
    this.#cut(at);
    return this.#append(standpointOf(draft, ties, submission));
  }

  /** Lets go of all behind the first so many. What these are asked for later is not touched by who is put behind them now. */
  #cut(count: number): void {
    if (count >= this.#all.length) return;
    for (const { member } of this.#all.slice(count)) this.#places.delete(member.submissionId);
    this.#all = this.#all.slice(0, count);
    this.#inPlay = this.#all.filter(({ isInPlay }) => isInPlay);
    this.#lanesInPlay = this.#lanesInPlay.cutTo(this.#inPlay.length);
    this.#everybody = new Everybody(this.#all);
    this.#cuts += 1;
  }

  #append(standpoint: Standpoint): Position {
    const [place, inPlay, lanes, everybody] = [
      this.#all.length,
      this.#inPlay,
      this.#lanesInPlay,
      this.#everybody,
    ];
    const { targets, awaited } = standpoint;
    const neighbours = lanes.next(targets);
    const below = awaited.size === 0 ? neighbours : this.#inPlayOrAwaited(targets, awaited);
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
  #inPlayOrAwaited(targets: ImpactedTargets, awaited: ReadonlySet<SubmissionId>): readonly Position[] {
    const lanes = new Lanes();
    const tied = this.#all.filter(
      (one) => one.isInPlay || (awaited.has(one.member.submissionId) && one.isFit),
    );
    for (const { standpoint } of tied) lanes.join(standpoint.targets);
    return positionsAt(tied, lanes.aheadOf(lanes.next(targets)));
  }
}

const isListed = (below: Neighbours | readonly Position[]): below is readonly Position[] =>
  Array.isArray(below);

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
