import type { Sha } from '../../model/ids.js';
import { doOverlap } from '../../model/impacted-targets.js';
import type { Landing } from '../../model/queue.js';
import {
  actualBaseOf,
  BESIDE_LIMIT,
  BESIDE_PRS_LIMIT,
  type Beside,
  hasFailed,
  isOnTip,
  isSameMember,
  type Member,
  memberAt,
  remainingBatch,
  remainingMembers,
  remainingStack,
  type TestRun,
} from '../../model/run.js';
import type { Draft } from '../draft/draft.js';
import { isVoidOnceLanded } from '../line/overtaking.js';
import { holdsOnlyDirect, targetsOf } from '../line/placement-input.js';
import { hasComeAhead } from './blame.js';

/**
 * Updates all open runs after a landing by this queue. Members of a run that landed as tested stay part of it. Pull
 * requests that do not overlap with the rest of it landed beside it. If an overlapping one landed, the run is
 * overtaken: it no longer tests what would land.
 */
export const updateRunsAfterLanding = (
  draft: Draft,
  landing: Landing,
  landed: readonly Member[],
  head: Sha,
): void => {
  const move: TargetMove = {
    landed,
    byPr: new Map(landed.map((member) => [member.pr, member])),
    head,
    doTouch: overlaps(draft),
  };
  for (const run of draft.openRuns()) if (run.onto === landing.onto) updateRun(draft, run, move);
};

type Overlaps = (one: Member, other: Member) => boolean;

/** The landing after which a run is updated. */
interface TargetMove {
  readonly landed: readonly Member[];
  readonly byPr: ReadonlyMap<number, Member>;
  readonly head: Sha;
  readonly doTouch: Overlaps;
}

const updateRun = (draft: Draft, run: TestRun, move: TargetMove): void => {
  const { head } = move;
  const { own: landedOwn, beside: landedBeside, early: landedEarly } = splitOf(run, move);
  const landed = run.landed.concat(prsOf(landedOwn));
  const beside =
    landedBeside.length === 0 ? run.beside : withinLimit([...run.beside, { head, prs: prsOf(landedBeside) }]);
  const inQuestion = landedBeside.length === 0 ? [] : membersInQuestion(draft, { ...run, landed });
  const overlapping = landedBeside.filter((one) =>
    (landedEarly.get(one) ?? inQuestion).some((member) => move.doTouch(member, one)),
  );
  const isTooFar = countOf(beside) > BESIDE_PRS_LIMIT;
  const without = leftOutOf(draft, run, overlapping);
  const overtaker = overtakerOf(draft, { ...run, without }, overlapping);
  const overtakenBy = overtaker ?? run.overtakenBy ?? (isTooFar ? (landedBeside[0]?.pr ?? null) : null);
  const isOvertakerKnown = overtaker !== null || (run.overtakenBy !== null && run.isOvertakerKnown);
  // The next prefix runs stand on what its own batch landed, and not on what landed beside it.
  const base = actualBaseOf({ base: run.base, landed, candidate: run.candidate });
  const bisection = run.bisection === null || base === null ? run.bisection : { ...run.bisection, base };
  // Its candidate holds another commit than what landed. The run stays on the old tip, where nothing can land any more.
  const isOtherCommit =
    landedBeside.length === 0 && overtakenBy === null && !isHeldAsLanded(run, landed, head);
  if (isOtherCommit) return;
  const missing = run.missingBelow ?? missingBelow(run, move, landedBeside);
  draft.changeRun(run, {
    ...{ onto: head, landed, without, beside, overtakenBy, isOvertakerKnown, bisection },
    ...(missing === undefined ? {} : { missingBelow: missing }),
  });
};

/**
 * The members with which a pull request that lands beside the run must not overlap: only the batch, if the candidate
 * holds only direct dependencies.
 */
const membersInQuestion = (draft: Draft, run: TestRun): readonly Member[] =>
  run.purpose.kind === 'test' && holdsOnlyDirect(draft) ? remainingBatch(run) : remainingMembers(run);

/** The number of a pull request that landed beside the run although a member of the run's stack depends on it. */
const missingBelow = (
  run: TestRun,
  { landed, doTouch }: TargetMove,
  besides: readonly Member[],
): number | undefined => {
  const stack = besides.length === 0 || run.purpose.kind !== 'test' ? [] : remainingStack(run);
  const indexOf = (member: Member): number => landed.findIndex((one) => isSameMember(one, member));
  const isBelow = (one: Member, member: Member): boolean => {
    const index = indexOf(member);
    return (index < 0 || indexOf(one) < index) && doTouch(member, one);
  };
  const isHeld = (one: Member): boolean => stack.some((member) => isSameMember(member, one));
  return besides.find((one) => !isHeld(one) && stack.some((member) => isBelow(one, member)))?.pr;
};

/**
 * The run's `without`. For a failed run, adds the pull requests that moved ahead after it was built and have landed
 * now.
 */
const leftOutOf = (draft: Draft, run: TestRun, overlapping: readonly Member[]): readonly Member[] => {
  if (!hasFailed(run)) return run.without;
  const ahead = overlapping.filter(
    (one) => !isVoidOnceLanded(draft, run, one.pr) && hasComeAhead(draft, run, one),
  );
  return ahead.length === 0 ? run.without : [...run.without, ...ahead];
};

/**
 * The first pull request that overtakes the run now. If the run is overtaken already: the first that makes its failure
 * stale.
 */
const overtakerOf = (draft: Draft, run: TestRun, overlapping: readonly Member[]): number | null => {
  const voiding = overlapping.find(({ pr }) => isVoidOnceLanded(draft, run, pr));
  if (run.overtakenBy === null) return (voiding ?? overlapping[0])?.pr ?? null;
  return run.isOvertakerKnown ? (voiding?.pr ?? null) : null;
};

const prsOf = (members: readonly Member[]): readonly number[] => members.map(({ pr }) => pr);

/**
 * Joins the two oldest entries at the limit, so that the list stays short however many landings happen during a test.
 */
const withinLimit = (beside: readonly Beside[]): readonly Beside[] => {
  const [first, second, ...later] = beside;
  if (first === undefined || second === undefined || beside.length <= BESIDE_LIMIT) return beside;
  return [{ head: second.head, prs: [...first.prs, ...second.prs] }, ...later];
};

const countOf = (beside: readonly Beside[]): number => beside.reduce((sum, { prs }) => sum + prs.length, 0);

interface Split {
  readonly own: readonly Member[];
  readonly beside: readonly Member[];
  readonly early: ReadonlyMap<Member, readonly Member[]>;
}

/**
 * Splits what landed: `own` are members of the run, `beside` are not. A member that landed before others that lie
 * below it in the candidate, because its lane was faster, counts as `beside`; `early` maps it to those others.
 */
const splitOf = (run: TestRun, move: TargetMove): Split =>
  holdsNext(run, move.landed) ? { own: move.landed, beside: [], early: new Map() } : splitByMember(run, move);

/** True if exactly the lowest remaining members of the run landed, in order. Always true with a single lane. */
const holdsNext = (run: TestRun, landed: readonly Member[]): boolean =>
  run.landed.every((pr, index) => pr === memberAt(run, index)?.pr) &&
  landed.every((one, index) => isSameMember(one, memberAt(run, run.landed.length + index)));

const splitByMember = (run: TestRun, { landed, byPr }: TargetMove): Split => {
  const before = new Set(run.landed);
  const ownLanded = new Set<Member>();
  const landedEarly = new Map<Member, readonly Member[]>();
  const leftBelow: Member[] = [];
  const sortIn = (own: Member): void => {
    const one = byPr.get(own.pr);
    if (one !== undefined && isSameMember(own, one)) {
      ownLanded.add(one);
      if (leftBelow.length > 0) landedEarly.set(one, [...leftBelow]);
    } else if (!before.has(own.pr)) leftBelow.push(own);
  };
  for (const own of run.stack) sortIn(own);
  for (const own of run.batch) sortIn(own);
  return {
    own: landed.filter((member) => ownLanded.has(member)),
    beside: landed.filter((member) => landedEarly.has(member) || !ownLanded.has(member)),
    early: landedEarly,
  };
};

/** Marks runs as overtaken after the targets of a pull request changed: what landed beside them may overlap now. */
export const doubtBeside = (draft: Draft, concerns: (member: Member) => boolean): void => {
  for (const run of draft.openRuns()) {
    const beside = run.beside.at(-1)?.prs[0];
    if (beside === undefined || run.overtakenBy !== null) continue;
    if (remainingMembers(run).some(concerns)) draft.changeRun(run, { overtakenBy: beside });
  }
};

/** True if there is no candidate yet, or if it holds exactly what has landed below it. */
const isHeldAsLanded = (run: TestRun, landed: readonly number[], head: Sha): boolean =>
  run.candidate === null ||
  run.bisection !== null ||
  landed.length === 0 ||
  isOnTip({ ...run, landed, onto: head }) ||
  !isOnTip(run);

/** Returns a cached overlap check. Most runs share their member objects, so each pair is compared once. */
const overlaps = (draft: Draft): Overlaps => {
  const cache = new Map<Member, Map<Member, boolean>>();
  return (one, landed) => {
    const ofLanded = cache.get(landed) ?? new Map<Member, boolean>();
    cache.set(landed, ofLanded);
    const doesOverlap = ofLanded.get(one) ?? doOverlap(targetsOf(draft, one), targetsOf(draft, landed));
    ofLanded.set(one, doesOverlap);
    return doesOverlap;
  };
};
