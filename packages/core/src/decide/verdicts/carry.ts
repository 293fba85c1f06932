import type { Sha } from '../../model/ids.js';
import { doOverlap } from '../../model/impacted-targets.js';
import type { Landing } from '../../model/queue.js';
import {
  BESIDE_LIMIT,
  BESIDE_PRS_LIMIT,
  type Beside,
  groundOf,
  hasFailed,
  isOnTip,
  isSameMember,
  type Member,
  memberAt,
  remainingMembers,
  type TestRun,
} from '../../model/run.js';
import type { Draft } from '../draft/draft.js';
import { targetsOf } from '../line/standpoint.js';
import { hasComeAhead, isVoidOnceLanded } from './blame.js';

/**
 * Carries every run past a landing of ours. What it holds of it stands as tested; what touches nothing of its own, or of
 * what it would have landed after, landed beside it; anything else has overtaken it, and what it tests is not what would
 * land any more.
 */
export const carryRuns = (draft: Draft, landing: Landing, landed: readonly Member[], head: Sha): void => {
  const past: Past = {
    landed,
    byPr: new Map(landed.map((member) => [member.pr, member])),
    head,
    doTouch: overlaps(draft),
  };
  for (const run of draft.openRuns()) if (run.onto === landing.onto) carry(draft, run, past);
};

type Overlaps = (one: Member, other: Member) => boolean;

/** What a run is carried past. */
interface Past {
  readonly landed: readonly Member[];
  readonly byPr: ReadonlyMap<number, Member>;
  readonly head: Sha;
  readonly doTouch: Overlaps;
}

const carry = (draft: Draft, run: TestRun, past: Past): void => {
  const { head } = past;
  const { mine, besides, early } = ownOf(run, past);
  const landed = run.landed.concat(prsOf(mine));
  const beside =
    besides.length === 0 ? run.beside : withinLimit([...run.beside, { head, prs: prsOf(besides) }]);
  const left = besides.length === 0 ? [] : remainingMembers({ ...run, landed });
  const overlapping = besides.filter((one) =>
    (early.get(one) ?? left).some((member) => past.doTouch(member, one)),
  );
  const isTooFar = countOf(beside) > BESIDE_PRS_LIMIT;
  const without = leftOutOf(draft, run, overlapping);
  const overtaker = overtakerOf(draft, { ...run, without }, overlapping);
  const overtakenBy = overtaker ?? run.overtakenBy ?? (isTooFar ? (besides[0]?.pr ?? null) : null);
  const isOvertakerKnown = overtaker !== null || (run.overtakenBy !== null && run.isOvertakerKnown);
  // The parts to come stand on what its own batch landed, as it was tested, and on nothing that landed beside it.
  const base = groundOf({ base: run.base, landed, candidate: run.candidate });
  const bisection = run.bisection === null || base === null ? run.bisection : { ...run.bisection, base };
  // Its candidate holds another commit than what has landed: it stays on the tip of before, where nothing lands any more.
  const isOtherCommit = besides.length === 0 && overtakenBy === null && !isHeldAsLanded(run, landed, head);
  if (isOtherCommit) return;
  draft.changeRun(run, { onto: head, landed, without, beside, overtakenBy, isOvertakerKnown, bisection });
};

/** Of a failed run also those that have come to stand ahead of it since, and landed. */
const leftOutOf = (draft: Draft, run: TestRun, overlapping: readonly Member[]): readonly Member[] => {
  if (!hasFailed(run)) return run.without;
  const ahead = overlapping.filter(
    (one) => !isVoidOnceLanded(draft, run, one.pr) && hasComeAhead(draft, run, one),
  );
  return ahead.length === 0 ? run.without : [...run.without, ...ahead];
};

/** The first that overtakes it now; of one that is overtaken already, the first that voids a failure of it. */
const overtakerOf = (draft: Draft, run: TestRun, overlapping: readonly Member[]): number | null => {
  const voiding = overlapping.find(({ pr }) => isVoidOnceLanded(draft, run, pr));
  if (run.overtakenBy === null) return (voiding ?? overlapping[0])?.pr ?? null;
  return run.isOvertakerKnown ? (voiding?.pr ?? null) : null;
};

const prsOf = (members: readonly Member[]): readonly number[] => members.map(({ pr }) => pr);

/** However many landings a long test is carried past: the first of them are told together. */
const withinLimit = (beside: readonly Beside[]): readonly Beside[] => {
  const [first, second, ...rest] = beside;
  if (first === undefined || second === undefined || beside.length <= BESIDE_LIMIT) return beside;
  return [{ head: second.head, prs: [...first.prs, ...second.prs] }, ...rest];
};

const countOf = (beside: readonly Beside[]): number => beside.reduce((sum, { prs }) => sum + prs.length, 0);

interface Own {
  readonly mine: readonly Member[];
  readonly besides: readonly Member[];
  readonly early: ReadonlyMap<Member, readonly Member[]>;
}

/**
 * What landed of those that a run holds, as it landed; of these each that landed before others that lie below it in the
 * candidate, because its lane was faster, with those others; and what landed beside it, which these count among.
 */
const ownOf = (run: TestRun, past: Past): Own =>
  holdsNext(run, past.landed) ? { mine: past.landed, besides: [], early: new Map() } : sortedOut(run, past);

/** True where what landed is what lay at the bottom of it: in one lane that is so of all. */
const holdsNext = (run: TestRun, landed: readonly Member[]): boolean =>
  run.landed.every((pr, place) => pr === memberAt(run, place)?.pr) &&
  landed.every((one, place) => isSameMember(one, memberAt(run, run.landed.length + place)));

const sortedOut = (run: TestRun, { landed, byPr }: Past): Own => {
  const before = new Set(run.landed);
  const held = new Set<Member>();
  const early = new Map<Member, readonly Member[]>();
  const leftBelow: Member[] = [];
  const take = (own: Member): void => {
    const one = byPr.get(own.pr);
    if (one !== undefined && isSameMember(own, one)) {
      held.add(one);
      if (leftBelow.length > 0) early.set(one, [...leftBelow]);
    } else if (!before.has(own.pr)) leftBelow.push(own);
  };
  for (const own of run.stack) take(own);
  for (const own of run.batch) take(own);
  return {
    mine: landed.filter((member) => held.has(member)),
    besides: landed.filter((member) => early.has(member) || !held.has(member)),
    early,
  };
};

/** What one touches is told anew: what its runs were carried past may have touched the same. */
export const doubtBeside = (draft: Draft, concerns: (member: Member) => boolean): void => {
  for (const run of draft.openRuns()) {
    const beside = run.beside.at(-1)?.prs[0];
    if (beside === undefined || run.overtakenBy !== null) continue;
    if (remainingMembers(run).some(concerns)) draft.changeRun(run, { overtakenBy: beside });
  }
};

/** True where the candidate of the run, if there is one, holds exactly what has landed below it. */
const isHeldAsLanded = (run: TestRun, landed: readonly number[], head: Sha): boolean =>
  run.candidate === null ||
  run.bisection !== null ||
  landed.length === 0 ||
  isOnTip({ ...run, landed, onto: head }) ||
  !isOnTip(run);

/** Whether one touches what a landed one touches: compared once, however many runs hold it. They hold the same object, mostly. */
const overlaps = (draft: Draft): Overlaps => {
  const known = new Map<Member, Map<Member, boolean>>();
  return (one, landed) => {
    const ofLanded = known.get(landed) ?? new Map<Member, boolean>();
    known.set(landed, ofLanded);
    const found = ofLanded.get(one) ?? doOverlap(targetsOf(draft, one), targetsOf(draft, landed));
    ofLanded.set(one, found);
    return found;
  };
};
