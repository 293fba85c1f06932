import type { SubmissionId } from '../../model/ids.js';
import { doOverlap, type ImpactedTargets, isOneLane } from '../../model/impacted-targets.js';
import { Lanes, type Neighbours } from '../../model/lanes.js';
import { Overlaps } from '../../model/overlaps.js';
import type { Member } from '../../model/run.js';
import { goesFirst, isAdmitted, type Submission } from '../../model/submission.js';
import type { Draft } from '../draft/draft.js';
import { lineOf } from './line.js';
import {
  aheadInLane,
  failedRunsOf,
  holdsOnlyDirect,
  type PlacementInput,
  placementInputOf,
} from './placement-input.js';

/** A stack holds fewer than this many pull requests. */
export const STACK_LIMIT = 100;
/** Max pull requests that `without` names. The candidate leaves out any others too. */
const WITHOUT_LIMIT = 100;

/**
 * Where a submission stands. Its stack is what it would be tested on now: the pull requests ahead that it depends on
 * and that are expected to land.
 */
export interface Position {
  readonly member: Member;
  readonly stack: readonly Member[];
  /** Pull requests ahead that are not expected to land before it. */
  readonly without: readonly Member[];
  /** False if it is passed over: it blocks nothing, and nothing is stacked on it. */
  readonly isInPlay: boolean;
  /** True if it may be tested: it is in play, or tested once more to confirm its failure, with nothing stacked on it. */
  readonly mayBeTested: boolean;
  /** False if it conflicts with a pull request ahead, or is not ready any more. */
  readonly isFit: boolean;
  /** True if more is ahead of it than one candidate may hold. Then `stack` is empty and means nothing. */
  readonly isTooDeep: boolean;
}

/**
 * The positions from the front of the line, lanes interleaved. In single mode it ends with the first that is too deep.
 * Throws if a row changes during the iteration.
 */
export const positions = (draft: Draft): Iterable<Position> => lineIn(draft);

/** The front of the line: the positions of urgent pull requests and of those whose tests have begun. */
export function* frontPositions(draft: Draft): Generator<Position> {
  for (const position of positions(draft)) {
    if (isBehindFront(draft.submission(position.member.submissionId))) return;
    yield position;
  }
}

const isBehindFront = (submission: Submission | undefined): boolean =>
  submission !== undefined && submission.place === null && !goesFirst(submission);

/** The position of one submission; undefined if it is not in line. O(n) in the number of those ahead. */
export const positionIn = (draft: Draft, id: SubmissionId): Position | undefined => {
  const submission = draft.submission(id);
  return submission !== undefined && isAdmitted(submission) ? lineIn(draft).find(id) : undefined;
};

const lineIn = (draft: Draft): PositionLine =>
  draft.memo('positions', () => new PositionLine(draft, placeAll(draft)));

/** Positions, computed as far as they were asked for. Valid until a row changes. */
class PositionLine implements Iterable<Position> {
  readonly #placed: Position[] = [];
  readonly #byId = new Map<SubmissionId, Position>();
  readonly #changes: number;

  constructor(
    private readonly draft: Draft,
    private readonly remaining: Iterator<Position>,
  ) {
    this.#changes = draft.changes;
  }

  *[Symbol.iterator](): Generator<Position> {
    for (let index = 0; ; index += 1) {
      const position = this.#at(index);
      if (position === undefined) return;
      yield position;
    }
  }

  find(id: SubmissionId): Position | undefined {
    while (!this.#byId.has(id)) if (this.#at(this.#placed.length) === undefined) return undefined;
    return this.#byId.get(id);
  }

  #at(index: number): Position | undefined {
    if (this.draft.changes !== this.#changes)
      throw new Error('A row was changed during an iteration over the line.');
    if (index < this.#placed.length) return this.#placed[index];
    const next = this.remaining.next();
    if (next.done === true) return undefined;
    this.#placed.push(next.value);
    this.#byId.set(next.value.member.submissionId, next.value);
    return next.value;
  }
}

/** Yields all positions in line order. Only pull requests in play carry a stack and connect lanes. */
function* placeAll(draft: Draft): Generator<Position> {
  const isSingle = isOneLane(draft.queue.settings);
  const failedRuns = failedRunsOf(draft);
  const isDirect = holdsOnlyDirect(draft);
  const ahead = { all: [] as Placed[], inPlay: [] as Placed[], lanes: new Lanes() };
  const overlaps = new Overlaps();
  const select = isDirect ? overlapping : aheadInLane;
  const belowOf = ({ targets }: PlacementInput): Neighbours | readonly Placed[] =>
    isDirect ? overlaps.of(targets).flatMap((rank) => ahead.inPlay[rank] ?? []) : ahead.lanes.next(targets);
  for (const submission of lineOf(draft)) {
    const input = placementInputOf(draft, failedRuns, submission);
    const { targets, failedBelow } = input;
    const below =
      failedBelow.size === 0 ? belowOf(input) : select(stackableOrFailed(ahead.all, input), targets);
    const position = new Placed(input, below, { ...ahead, select });
    ahead.all.push(position);
    if (position.isInPlay) {
      ahead.inPlay.push(position);
      if (isDirect) overlaps.join(targets);
      else ahead.lanes.join(targets);
    }
    yield position;
    if (isSingle && position.isTooDeep) return;
  }
}

/** The pull requests in play. For a witness, also the failed ones that wait for its test. */
const stackableOrFailed = (all: readonly Placed[], { failedBelow }: PlacementInput): readonly Placed[] =>
  all.filter((one) => one.isInPlay || (failedBelow.has(one.member.submissionId) && one.isFit));

/** Which of those ahead are below it in its candidate, by its targets. */
type Select = (ahead: readonly Placed[], targets: ImpactedTargets) => readonly Placed[];

const overlapping: Select = (ahead, targets) => ahead.filter((one) => doOverlap(one.targets, targets));

const isListed = (below: Neighbours | readonly Placed[]): below is readonly Placed[] => Array.isArray(below);

/** All positions so far. Grows only. */
interface Ahead {
  readonly all: readonly Placed[];
  readonly inPlay: readonly Placed[];
  readonly lanes: Lanes;
  readonly select: Select;
}

/** Lists the stack on first use, because most callers only ask `isInPlay`. */
class Placed implements Position {
  readonly member: Member;
  readonly targets: PlacementInput['targets'];
  readonly isFit: boolean;
  readonly isTooDeep: boolean;
  readonly isInPlay: boolean;
  readonly mayBeTested: boolean;
  readonly #index: number;
  #stack: readonly Member[] | null = null;
  #without: readonly Member[] | null = null;

  constructor(
    input: PlacementInput,
    private readonly below: Neighbours | readonly Placed[],
    private readonly ahead: Ahead,
  ) {
    this.member = input.member;
    this.targets = input.targets;
    this.isFit = input.isFit;
    const depth = isListed(below) ? below.length : ahead.lanes.countAheadOf(below);
    this.isTooDeep = depth >= STACK_LIMIT;
    this.isInPlay = input.isStackable && !this.isTooDeep;
    this.mayBeTested = this.isInPlay || (input.isSuspected && !this.isTooDeep);
    this.#index = ahead.all.length;
  }

  get stack(): readonly Member[] {
    this.#stack ??= this.isTooDeep ? [] : this.#belowIt().map(({ member }) => member);
    return this.#stack;
  }

  get without(): readonly Member[] {
    this.#without ??= this.#leftOut();
    return this.#without;
  }

  #leftOut(): readonly Member[] {
    const ahead = this.ahead.all.slice(0, this.#index);
    if (ahead.every(({ isInPlay }) => isInPlay)) return [];
    const below = new Set(this.#belowIt());
    return this.ahead
      .select(ahead, this.targets)
      .filter((one) => !one.isInPlay && !below.has(one))
      .slice(0, WITHOUT_LIMIT)
      .map(({ member }) => member);
  }

  #belowIt(): readonly Placed[] {
    if (isListed(this.below)) return this.below;
    const { upTo, others } = this.ahead.lanes.aheadOf(this.below);
    return [...this.ahead.inPlay.slice(0, upTo), ...others.flatMap((rank) => this.ahead.inPlay[rank] ?? [])];
  }
}
