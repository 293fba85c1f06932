import { HostError, isReadable, type LandOutcome, type LandRequest, type PullRequest } from '@mq/core';
import type { LandingSight, Mirror } from '@mq/host-git';
import type { GiteaApi } from './api.js';
import { describe, type Found, type Pulls } from './pulls.js';

const TRIES = 5;
/** Max attempts to mark a pull request as merged, because the host accepts it only once it knows the new tip. */
const MARK_TRIES = 5;
const MARK_PAUSE_MS = 200;

export interface LandingParts {
  readonly api: GiteaApi;
  readonly path: string;
  readonly mirror: Mirror;
  readonly pulls: Pulls;
  /** Called for a pull request that landed but cannot be marked as merged, with the host's reason. */
  readonly onUnmarked: (fault: UnmarkedPull) => void;
}

/** A pull request whose commits are on the target but that the host still shows as open. */
export interface UnmarkedPull {
  readonly pr: number;
  readonly commit: string;
  readonly message: string;
}

/** Implements `land` of the port by a fast-forward push, then marks each pull request as merged. Idempotent. */
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
  for (const { pr, head } of members) {
    const each = found.get(pr);
    const shown = each === undefined ? null : describe(each);
    if (shown === null) missing.push(pr);
    else if (!isReadable(shown))
      throw new HostError(`#${pr} cannot be read: ${shown.fault.message}`, 'later');
    else if (shown.state !== 'open' || shown.draft || shown.base !== branch || shown.head !== head)
      changed.push({ ...shown, readAt });
  }
  if (changed.length + missing.length > 0) return { kind: 'members_changed', pulls: changed, missing };
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
  for (const pull of found)
    if (!('unreadable' in pull) && !pull.merged && pull.state === 'open')
      await mark(parts, request, pull.number);
  return { kind: 'landed', head: candidate.commit, tree: candidate.tree };
};

/**
 * Marks a pull request as merged. 404: it was closed or deleted meanwhile. 405: it is already merged, or the repository
 * does not allow manual merge marks. 409: the host does not know yet that the branch contains the commit.
 */
const mark = async (parts: LandingParts, { candidate }: LandRequest, pr: number): Promise<void> => {
  const { api, path, onUnmarked } = parts;
  const commit = candidate.steps.find((step) => step.pr === pr)?.commit ?? candidate.commit;
  const body = { Do: 'manually-merged', MergeCommitID: commit };
  for (let tries = 1; ; tries += 1) {
    const { status, value } = await api.call(`${path}/pulls/${pr}/merge`, {
      method: 'POST',
      body,
      statuses: [404, 405, 409],
    });
    if (status < 300 || status === 404) return;
    const message = textOf(value);
    if (status === 405 && /already merged/i.test(message)) return;
    if (status === 409 && tries < MARK_TRIES) {
      await new Promise((resolve) => setTimeout(resolve, MARK_PAUSE_MS * tries));
      continue;
    }
    if (status === 409) throw new HostError(`#${pr} has landed and is not marked yet: ${message}`, 'later');
    const [now] = await parts.pulls.read([pr], false);
    if (now === undefined || 'unreadable' in now || !now.merged) onUnmarked({ pr, commit, message });
    return;
  }
};

const textOf = (value: unknown): string =>
  typeof value === 'object' && value !== null && 'message' in value && typeof value.message === 'string'
    ? value.message.slice(0, 300)
    : '';
