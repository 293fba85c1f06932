import {
  HostError,
  isReadable,
  type LandOutcome,
  type LandRequest,
  type PullRequest,
  type Sha,
  type UnreadablePullRequest,
} from '@mq/core';
import type { LandingSight, Mirror } from '@mq/host-git';
import { type MarkingParts, markMerged } from './mark.js';
import { describe, type Found } from './pulls.js';

const TRIES = 5;

export interface LandingParts extends Omit<MarkingParts, 'isOnTarget'> {
  readonly mirror: Pick<Mirror, 'dropBranches' | 'tip' | 'contains'> & {
    readonly landings: Pick<Mirror['landings'], keyof Mirror['landings']>;
  };
}

/**
 * Implements `land` of the port by a fast-forward push, then marks each pull request as merged, also if another one cannot
 * be marked. Idempotent.
 */
export const land = async (parts: LandingParts, request: LandRequest): Promise<LandOutcome> => {
  const { landings } = parts.mirror;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const sight = await landings.look(request);
    if (sight.hasLanded) return landed(parts, request, sight);
    const obstacle = await obstacleOf(parts, request, sight);
    if (obstacle !== null) return refuse(parts, request, sight, obstacle);
    const outcome = await landings.advance(request, sight);
    if (outcome.kind === 'pushed') return landed(parts, request, null);
    if (outcome.kind === 'refused') {
      const message = `The host refuses the push to ${request.branch}: ${outcome.message}`;
      return refuse(parts, request, sight, { kind: 'refused', class: 'setting', pr: null, message });
    }
  }
  throw new HostError(`The branch ${request.branch} changed ${TRIES} times while it was landed on.`, 'later');
};

const obstacleOf = async (
  { mirror, pulls }: LandingParts,
  request: LandRequest,
  sight: LandingSight,
): Promise<LandOutcome | null> => {
  const { candidate, onto, branch, members } = request;
  if (sight.candidates.size === 0 || [...sight.candidates.values()].some((sha) => sha !== candidate.commit))
    return { kind: 'candidate_gone' };
  if (sight.tip !== onto) return { kind: 'base_moved', head: sight.tip };
  const readAt = Date.now();
  const found = new Map(
    (
      await pulls.read(
        members.map(({ pr }) => pr),
        true,
      )
    ).map((each): [number, Found] => [each.number, each]),
  );
  const changed: PullRequest[] = [];
  const missing: number[] = [];
  const unreadable: UnreadablePullRequest[] = [];
  for (const { pr, head } of members) {
    const each = found.get(pr);
    const shown = each === undefined ? null : describe(each);
    if (shown === null) missing.push(pr);
    else if (!isReadable(shown)) unreadable.push(shown);
    else if (shown.state !== 'open' || shown.draft || shown.base !== branch || shown.head !== head)
      changed.push({ ...shown, readAt });
  }
  if (changed.length + missing.length > 0) return { kind: 'members_changed', pulls: changed, missing };
  const [broken] = unreadable;
  if (broken !== undefined) {
    const { number, fault } = broken;
    return {
      kind: 'refused',
      class: 'wait',
      pr: number,
      message: `#${number} cannot be read: ${fault.message}`,
    };
  }
  const fault = await mirror.landings.fault(request);
  return fault === null ? null : { kind: 'refused', class: 'wait', pr: null, message: fault };
};

/** Drops the candidate first, so that a late duplicate call fails. Then reads again, because a duplicate may have won. */
const refuse = async (
  parts: LandingParts,
  request: LandRequest,
  { candidates }: LandingSight,
  obstacle: LandOutcome,
): Promise<LandOutcome> => {
  await parts.mirror.dropBranches(candidates);
  const after = await parts.mirror.landings.look(request);
  return after.hasLanded ? landed(parts, request, after) : obstacle;
};

const landed = async (
  parts: LandingParts,
  request: LandRequest,
  sight: LandingSight | null,
): Promise<LandOutcome> => {
  const { candidate, members, runId } = request;
  const { mirror } = parts;
  await mirror.landings.remember(runId, candidate.commit);
  if (sight !== null) await mirror.dropBranches(sight.candidates);
  const found = await parts.pulls.read(
    members.map(({ pr }) => pr),
    false,
  );
  const isOnTarget = async (commit: Sha): Promise<boolean> => {
    const tip = await mirror.tip(request.branch);
    return tip !== null && mirror.contains(tip, commit);
  };
  let fault: unknown = null;
  for (const pull of found) {
    const commit = stepOf(request, pull.number);
    if ('unreadable' in pull) parts.onUnmarked({ pr: pull.number, commit, message: pull.unreadable });
    else if (!pull.merged && pull.state === 'open')
      await markMerged({ ...parts, isOnTarget }, { pr: pull.number, commit }).catch((error: unknown) => {
        fault ??= error;
      });
  }
  if (fault !== null) throw fault;
  return { kind: 'landed', head: candidate.commit, tree: candidate.tree };
};

const stepOf = ({ candidate }: LandRequest, pr: number): Sha =>
  candidate.steps.find((step) => step.pr === pr)?.commit ?? candidate.commit;
