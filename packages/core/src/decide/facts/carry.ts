import type { Sha } from '../../model/ids.js';
import { doOverlap } from '../../model/impacted-targets.js';
import type { Landing } from '../../model/queue.js';
import {
  BESIDE_LIMIT,
  isOnTip,
  isSameMember,
  type Member,
  type Run,
  remainingMembers,
} from '../../model/run.js';
import type { Draft } from '../draft.js';
import { targetsOf } from '../positions.js';

/**
 * Carries every run past a landing of ours. What it holds of it stands as tested; what touches nothing of its own landed
 * beside it; anything else has overtaken it, and what it tests is not what would land any more.
 */
export const carryRuns = (draft: Draft, landing: Landing, landed: readonly Member[], head: Sha): void => {
  for (const run of draft.liveRuns())
    if (run.id !== landing.runId && run.onto === landing.onto) carry(draft, run, landed, head);
};

const carry = (draft: Draft, run: Run, landed: readonly Member[], head: Sha): void => {
  const own = run.isolation === null ? run.stack : [...run.stack, ...run.batch];
  const mine = landed.filter((member) => own.some((one) => isSameMember(one, member)));
  const others = landed.filter((member) => !mine.includes(member));
  const carried: Run = {
    ...run,
    onto: head,
    landed: [...run.landed, ...mine.map((member) => member.pr)],
    ...(others.length === 0
      ? {}
      : { beside: [...run.beside, { head, prs: others.map((member) => member.pr) }] }),
  };
  const overlapping = others.find((other) => doTouch(draft, carried, other));
  const isTooFar = carried.beside.length > BESIDE_LIMIT;
  const overtakenBy = run.overtakenBy ?? overlapping?.pr ?? (isTooFar ? (others[0]?.pr ?? null) : null);
  const isAsBuilt = others.length > 0 || overtakenBy !== null || isHeldAsLanded(run, carried);
  if (!isAsBuilt) return;
  const isolation = isolationAfter(run, mine, overtakenBy, head);
  draft.changeRun(run, { ...carried, overtakenBy, isolation });
};

/** True where the trial of the run, if there is one, holds exactly what has landed below it. */
const isHeldAsLanded = (run: Run, carried: Run): boolean =>
  run.trial === null ||
  run.isolation !== null ||
  carried.landed.length === 0 ||
  isOnTip(carried) ||
  !isOnTip(run);

/** What landed of its own batch becomes the ground of the parts to come; so does what landed beside it. */
const isolationAfter = (run: Run, mine: readonly Member[], overtakenBy: number | null, head: Sha) => {
  if (run.isolation === null) return null;
  const own = mine.filter((member) => run.batch.some((one) => isSameMember(one, member)));
  const landed = run.isolation.landed + own.length;
  return { ...run.isolation, landed, base: overtakenBy === null ? head : run.isolation.base };
};

const doTouch = (draft: Draft, run: Run, other: Member): boolean => {
  const targets = targetsOf(draft, other);
  const below = run.isolation === null ? remainingMembers(run) : run.batch;
  return below.some((member) => doOverlap(targetsOf(draft, member), targets));
};
