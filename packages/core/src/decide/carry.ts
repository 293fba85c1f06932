import type { Sha } from '../model/ids.js';
import { doOverlap } from '../model/impacted-targets.js';
import type { Landing } from '../model/queue.js';
import {
  BESIDE_LIMIT,
  isOnTip,
  isSameMember,
  type Member,
  type Run,
  remainingMembers,
} from '../model/run.js';
import type { Draft } from './draft.js';
import { targetsOf } from './positions.js';

/**
 * Carries every run past a landing of ours. What it holds of it stands as tested; what touches nothing of its own, or of
 * what it would have landed after, landed beside it; anything else has overtaken it, and what it tests is not what would
 * land any more.
 */
export const carryRuns = (draft: Draft, landing: Landing, landed: readonly Member[], head: Sha): void => {
  const doTouch = overlaps(draft);
  for (const run of draft.liveRuns())
    if (run.onto === landing.onto) carry(draft, run, { landed, head, doTouch });
};

type Overlaps = (one: Member, other: Member) => boolean;

interface Carried {
  readonly landed: readonly Member[];
  readonly head: Sha;
  readonly doTouch: Overlaps;
}

const carry = (draft: Draft, run: Run, { landed, head, doTouch }: Carried): void => {
  const own = [...run.stack, ...run.batch];
  const mine = landed.filter((member) => own.some((one) => isSameMember(one, member)));
  const others = landed.filter((member) => !mine.includes(member));
  const known: Run = { ...run, onto: head, landed: [...run.landed, ...mine.map((member) => member.pr)] };
  // Those of its own that landed before what lies below them in its trial: their lane was faster.
  const openBelow = (member: Member) => remainingBelow(known, member);
  const early = mine.filter((member) => openBelow(member).length > 0);
  const besides = landed.filter((member) => others.includes(member) || early.includes(member));
  const overlapping = besides.find((one) =>
    (early.includes(one) ? openBelow(one) : remainingMembers(known)).some((open) => doTouch(open, one)),
  );
  const carried: Run =
    besides.length === 0
      ? known
      : { ...known, beside: [...run.beside, { head, prs: besides.map((member) => member.pr) }] };
  const isTooFar = carried.beside.length > BESIDE_LIMIT;
  const overtakenBy = run.overtakenBy ?? overlapping?.pr ?? (isTooFar ? (besides[0]?.pr ?? null) : null);
  const isAsBuilt = besides.length > 0 || overtakenBy !== null || isHeldAsLanded(run, carried);
  if (!isAsBuilt) return;
  // What landed of its own batch, or beside it, becomes the ground of the parts to come.
  const isolation =
    run.isolation === null || overtakenBy !== null ? run.isolation : { ...run.isolation, base: head };
  draft.changeRun(run, { ...carried, overtakenBy, isolation });
};

/** Those below a member in the trial of a run that have not landed. */
const remainingBelow = (run: Run, member: Member): readonly Member[] => {
  const own = [...run.stack, ...run.batch];
  const below = own.slice(
    0,
    own.findIndex((one) => isSameMember(one, member)),
  );
  return below.filter(({ pr }) => !run.landed.includes(pr));
};

/** What one touches is told anew: what its runs were carried past may have touched the same. */
export const doubtBeside = (draft: Draft, concerns: (member: Member) => boolean): void => {
  for (const run of draft.liveRuns()) {
    const beside = run.beside.at(-1)?.prs[0];
    if (beside === undefined || run.overtakenBy !== null) continue;
    if (remainingMembers(run).some(concerns)) draft.changeRun(run, { overtakenBy: beside });
  }
};

/** True where the trial of the run, if there is one, holds exactly what has landed below it. */
const isHeldAsLanded = (run: Run, carried: Run): boolean =>
  run.trial === null ||
  run.isolation !== null ||
  carried.landed.length === 0 ||
  isOnTip(carried) ||
  !isOnTip(run);

/** Whether one touches what a landed one touches: compared once, however many runs hold it. */
const overlaps = (draft: Draft): Overlaps => {
  const known = new Map<number, Map<string, boolean>>();
  return (one, landed) => {
    const ofLanded = known.get(landed.pr) ?? new Map<string, boolean>();
    known.set(landed.pr, ofLanded);
    const key = `${one.pr}@${one.head}`;
    const found = ofLanded.get(key) ?? doOverlap(targetsOf(draft, one), targetsOf(draft, landed));
    ofLanded.set(key, found);
    return found;
  };
};
