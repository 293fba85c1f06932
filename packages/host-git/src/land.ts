import {
  HostError,
  type LandOutcome,
  type LandRequest,
  type PullRequest,
  type Sha,
  type TestRunId,
} from '@mq/core';
import { commitOf, recordIntent } from './landing-intents.js';
import { BRANCHES, branchRef, candidateRef, landedRef, landingRef, PULLS, pullRef } from './names.js';
import { areWhole, containedIn, readCommit } from './objects.js';
import { brokenHead, type PullReader, type StoredPull } from './pulls/read.js';
import {
  type BranchTip,
  branchesInTheWay,
  changeRefs,
  listRefs,
  offerRefs,
  type RefAt,
  type RefChange,
  readBranch,
} from './refs.js';
import type { GitRepository } from './repositories.js';

const TRIES = 3;
/** Number of landings that a repository keeps marks of. An older landing is recognised because the target contains it. */
export const LANDINGS_KEPT = 1000;
const LANDINGS_PER_SWEEP = 100;

/** The preconditions of a landing, from one read. */
interface Situation {
  readonly target: BranchTip | null;
  readonly candidate: Sha | null;
  readonly hasLanded: boolean;
  readonly pulls: readonly StoredPull[];
  /** For each deleted head branch: a branch that keeps git from creating it again, by the ref of the deleted one. */
  readonly inTheWay: ReadonlyMap<string, RefAt>;
  readonly readAt: number;
}

/**
 * Implements `land` of the port; `before` is called right before the branch moves. One ref transaction checks the
 * preconditions and moves the branch. The reads before it only find the reason of a refusal.
 */
export const land = async (
  repo: GitRepository,
  reader: PullReader,
  request: LandRequest,
  before: (request: LandRequest) => Promise<void> = async () => {},
): Promise<LandOutcome> => {
  branchRef(request.branch);
  candidateRef(request.runId);
  for (let tries = 0; tries < TRIES; tries += 1) {
    const seen = await look(repo, reader, request);
    if (seen.hasLanded) return landed(repo, request);
    const obstacle = await obstacleOf(repo, reader, request, seen);
    if (obstacle !== null) return refuse(repo, reader, request, obstacle);
    await recordIntent(repo, request);
    await before(request);
    if (await changeRefs(repo, landing(request, seen))) {
      await sweepLandings(repo, request.runId);
      return landed(repo, request);
    }
  }
  throw new HostError(`The refs of run ${request.runId} changed ${TRIES} times while it landed.`, 'later');
};

const look = async (repo: GitRepository, reader: PullReader, request: LandRequest): Promise<Situation> => {
  const names = [candidateRef(request.runId), landedRef(request.runId)] as const;
  const readAt = Date.now();
  const pulls = await reader.byNumber(request.members.map(({ pr }) => pr));
  const refs = await listRefs(repo, names);
  const target = await readBranch(repo, branchRef(request.branch));
  const head = target?.head ?? null;
  const { commit } = request.candidate;
  const hasLanded =
    refs.get(names[1]) === commit || (head !== null && (await containedIn(repo, head, [commit])).has(commit));
  const deleted = pulls.flatMap(({ meta, headTip }) =>
    headTip === null ? [branchRef(meta.headBranch)] : [],
  );
  const inTheWay = await branchesInTheWay(repo, deleted);
  return { target, candidate: refs.get(names[0]) ?? null, hasLanded, pulls, inTheWay, readAt };
};

/** The reason against landing; null if there is none. */
const obstacleOf = async (
  repo: GitRepository,
  reader: PullReader,
  { candidate, onto, branch, members }: LandRequest,
  seen: Situation,
): Promise<LandOutcome | null> => {
  if (seen.candidate !== candidate.commit) return { kind: 'candidate_gone' };
  if (seen.target?.head !== onto) return { kind: 'base_moved', head: seen.target?.head ?? null };
  const { symbolicRef } = seen.target;
  if (symbolicRef !== null && !symbolicRef.startsWith(BRANCHES)) {
    const message = `${branch} points at ${symbolicRef}, which is not a branch: point it at a branch with git symbolic-ref.`;
    return { kind: 'refused', class: 'setting', pr: null, message };
  }
  const found = new Map(seen.pulls.map((pull) => [pull.refs.number, pull]));
  const changed = members.filter(({ pr, head }) => {
    const pull = found.get(pr);
    return pull === undefined || !isAsSubmitted(pull, head, branch);
  });
  if (changed.length > 0) {
    const pulls: PullRequest[] = [];
    for (const { pr } of changed) {
      const pull = found.get(pr);
      if (pull !== undefined) pulls.push({ ...reader.describe(pull), readAt: seen.readAt });
    }
    return {
      kind: 'members_changed',
      pulls,
      missing: changed.flatMap(({ pr }) => (found.has(pr) ? [] : [pr])),
    };
  }
  const broken = seen.pulls.find(({ isHeadBroken }) => isHeadBroken);
  if (broken !== undefined)
    return {
      kind: 'refused',
      class: 'pull_request',
      pr: broken.refs.number,
      message: brokenHead(broken.meta),
    };
  const commit = await readCommit(repo, candidate.commit);
  if (commit === null) return { kind: 'candidate_gone' };
  if (commit.tree !== candidate.tree) {
    const message = `The commit ${candidate.commit} has the tree ${commit.tree}, not the one that was tested.`;
    return { kind: 'refused', class: 'wait', pr: null, message };
  }
  const fault = await faultOf(repo, candidate.commit, onto);
  return fault === null ? null : { kind: 'refused', class: 'wait', pr: null, message: fault };
};

/** Why the branch must not move between these commits; null if it may. */
const faultOf = async (repo: GitRepository, commit: Sha, onto: Sha): Promise<string | null> => {
  if (!(await containedIn(repo, commit, [onto])).has(onto))
    return `${commit} is not built on ${onto}: landing it would need force.`;
  // Only the top tree was tested. If objects below it are missing, every clone of the branch is broken.
  return (await areWhole(repo, [commit], onto))
    ? null
    : `An object of ${commit} is not in the repository (see git fsck): was git gc or git prune run with --prune=now?`;
};

const isAsSubmitted = ({ meta, head, merged }: StoredPull, wanted: Sha, branch: string): boolean =>
  merged === null && meta.state === 'open' && !meta.draft && meta.base === branch && head === wanted;

/** The target moves first, so that a mark left by a killed transaction is always true. */
const landing = (request: LandRequest, seen: Situation): readonly RefChange[] => {
  const { branch, onto, candidate, runId } = request;
  const changes = new Map<string, RefChange>();
  // Git changes a ref once per transaction. The target is one, by its own name and by that of an alias.
  const add = (change: RefChange) => {
    if (!changes.has(change.ref) && change.ref !== seen.target?.symbolicRef) changes.set(change.ref, change);
  };
  add({ kind: 'update', ref: branchRef(branch), to: candidate.commit, was: onto, through: true });
  for (const { refs, meta, head, headTip } of seen.pulls) {
    add({ kind: 'verify', ref: pullRef(refs.number, 'meta'), was: refs.meta });
    const headRef = branchRef(meta.headBranch);
    add({ kind: 'verify', ...(seen.inTheWay.get(headRef) ?? { ref: headRef, was: headTip }) });
    add({ kind: 'update', ref: pullRef(refs.number, 'head'), to: head });
    add({ kind: 'update', ref: pullRef(refs.number, 'merged'), to: commitOf(candidate, refs.number) });
  }
  add({ kind: 'update', ref: landedRef(runId), to: candidate.commit });
  add({ kind: 'delete', ref: landingRef(runId) });
  add({ kind: 'delete', ref: candidateRef(runId), was: candidate.commit });
  return [...changes.values()];
};

/** Completes a transaction that was killed, and returns the outcome. Idempotent. A deleted pull request stays deleted. */
const landed = async (repo: GitRepository, request: LandRequest): Promise<LandOutcome> => {
  const { candidate, members, runId } = request;
  const mark = (ref: string, to: Sha): RefChange => ({ kind: 'update', ref, to });
  const leftovers = [candidateRef(runId), landingRef(runId)];
  const ofMembers = members.map(({ pr }) => `${PULLS}/${pr}`);
  const refs = await listRefs(repo, [...ofMembers, landedRef(runId), ...leftovers]);
  const present = members.filter(({ pr }) => refs.has(pullRef(pr, 'meta')));
  const wanted = [
    ...present.map(({ pr }) => mark(pullRef(pr, 'merged'), commitOf(candidate, pr))),
    ...present.map(({ pr, head }) => mark(pullRef(pr, 'head'), head)),
    mark(landedRef(runId), candidate.commit),
  ];
  const missing = wanted.filter((change) => change.kind === 'update' && refs.get(change.ref) !== change.to);
  const left = leftovers.filter((ref) => refs.has(ref));
  if (missing.length + left.length > 0)
    await changeRefs(repo, [...missing, ...left.map((ref): RefChange => ({ kind: 'delete', ref }))]);
  const commit = await readCommit(repo, candidate.commit);
  if (commit === null) throw new HostError(`The landed commit ${candidate.commit} is missing.`, 'later');
  return { kind: 'landed', head: commit.sha, tree: commit.tree };
};

/** Each landing is dated no earlier than the previous one, so that commit dates identify the oldest. */
export const sweepLandings = async (repo: GitRepository, latest: TestRunId): Promise<void> => {
  const marks = [...(await listRefs(repo, ['refs/mq/landed'], 'newest first'))];
  if (marks.length < LANDINGS_KEPT + LANDINGS_PER_SWEEP) return;
  const old = marks.slice(LANDINGS_KEPT).filter(([ref]) => ref !== landedRef(latest));
  await offerRefs(
    repo,
    old.map(([ref, was]) => ({ kind: 'delete', ref, was })),
  );
};

/** Drops the candidate first, so that a late duplicate call fails. Then reads again, because a duplicate may have won. */
const refuse = async (
  repo: GitRepository,
  reader: PullReader,
  request: LandRequest,
  obstacle: LandOutcome,
): Promise<LandOutcome> => {
  await dropCandidate(repo, request.runId);
  const after = await look(repo, reader, request);
  return after.hasLanded ? landed(repo, request) : obstacle;
};

export const dropCandidate = async (repo: GitRepository, runId: TestRunId): Promise<void> => {
  const refs = await listRefs(repo, [candidateRef(runId), landingRef(runId)]);
  const changes = [...refs.keys()].map((ref): RefChange => ({ kind: 'delete', ref }));
  if (changes.length > 0 && !(await changeRefs(repo, changes)))
    throw new HostError(`The candidate of test run ${runId} could not be removed.`, 'later');
};
