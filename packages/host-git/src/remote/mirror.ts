import { mkdir } from 'node:fs/promises';
import {
  type BuildCandidateRequest,
  type CandidateOutcome,
  HostError,
  type Sha,
  type TestRunId,
} from '@mq/core';
import { buildCandidate } from '../candidate.js';
import {
  CANDIDATE_BRANCHES,
  candidateBranchRef,
  foldersOf,
  refusalBecauseOf,
  runOfCandidateBranch,
} from '../candidate-branches.js';
import { PRIORITIES, readable, runGit } from '../git.js';
import type { Mergeable } from '../mergeability.js';
import { branchRef, candidateRef, runSegment } from '../names.js';
import { containedIn } from '../objects.js';
import { type MergeQuestion, Merges } from '../pulls/merges.js';
import { changeRefs } from '../refs.js';
import { folderOf, type GitRepository, openRepository } from '../repositories.js';
import { heldLock, pastStaleLocks } from '../stale-locks.js';
import { Fetches, type Unavailable, type WantedCommit } from './fetches.js';
import { Landings } from './landings.js';
import { type RemoteAccess, Transport } from './transport.js';
import { removeUnfinished } from './unfinished.js';

export interface MirrorOptions extends RemoteAccess {
  /** The folder of the mirror, created if missing. Several processes may share it. */
  readonly path: string;
  readonly format: 'sha1' | 'sha256';
  /** Called when a mergeability that was reported as `in_progress` is known. */
  readonly learnt?: () => void;
}

/** Opens the bare mirror of a repository on a server. */
export const openMirror = async (options: MirrorOptions): Promise<Mirror> => {
  const { path, format } = options;
  await mkdir(path, { recursive: true });
  const call = {
    command: 'init',
    args: ['--quiet', '--bare', '--template=', `--object-format=${format}`],
    ...{ gitDir: path, codes: [0, 1, 128] },
  } as const;
  const answer = await pastStaleLocks({ path, folder: folderOf(path) }, () => runGit(call));
  if (answer.code !== 0)
    throw heldLock(answer) ?? new HostError(`git init failed: ${readable(answer.stderr)}`, 'later');
  const repo = await openRepository(path);
  if (repo === null) throw new HostError('The mirror of the repository could not be created.', 'later');
  await removeUnfinished(repo);
  return new Mirror(repo, options);
};

/**
 * A repository on a server, accessed by git only. Merges are computed in a bare local mirror. Candidates are stored as
 * branches of the server, `mq/pr-<n>/<testRunId>`, so that any replica can land what another one has built.
 */
export class Mirror {
  readonly #transport: Transport;
  readonly #merges: Merges;
  readonly #fetches: Fetches;
  readonly landings: Landings;

  constructor(
    readonly repo: GitRepository,
    options: MirrorOptions,
  ) {
    this.#transport = new Transport(repo, options);
    this.#fetches = new Fetches(repo, this.#transport);
    this.#merges = new Merges(options.learnt ?? (() => undefined));
    this.landings = new Landings(this, repo, this.#transport);
  }

  /** The tip of a branch on the server; null if it does not exist. */
  async tip(branch: string): Promise<Sha | null> {
    const ref = branchRef(branch);
    return (await this.#transport.list([ref])).get(ref) ?? null;
  }

  /** See `Fetches`. */
  async ensure(wanted: readonly WantedCommit[]): Promise<ReadonlyMap<Sha, Unavailable>> {
    return this.#fetches.ensure(wanted);
  }

  async contains(head: Sha, commit: Sha): Promise<boolean> {
    const unavailable = await this.ensure([head, commit].map((sha) => ({ commit: sha, pr: null })));
    return unavailable.size === 0 && (await containedIn(this.repo, head, [commit])).has(commit);
  }

  /** The base and the head must be in the mirror. */
  mergeability(question: MergeQuestion, isUrgent: boolean): Promise<Mergeable> {
    return this.#merges.show(this.repo, question, isUrgent ? PRIORITIES.person : PRIORITIES.poll);
  }

  /** Builds a candidate and pushes it as a branch. */
  async build(request: BuildCandidateRequest): Promise<CandidateOutcome> {
    const heads = request.parts.map(({ head, pr }) => ({ commit: head, pr }));
    const unavailable = await this.ensure([{ commit: request.base, pr: null }, ...heads]);
    const obstacle = obstacleOf(request, unavailable);
    if (obstacle !== null) return obstacle;
    const outcome = await buildCandidate(this.repo, request);
    if (outcome.kind !== 'built') return outcome;
    this.#fetches.know(outcome.candidate.commit);
    const ref = candidateBranchRef(request);
    const pushed = await this.#transport.push([{ ref, to: outcome.candidate.commit }]);
    if (pushed.kind === 'refused')
      return {
        kind: 'refused',
        class: 'setting',
        pr: null,
        message: `The host refuses ${ref}: ${pushed.message}`,
      };
    if (pushed.kind === 'pushed') return outcome;
    const folders = foldersOf(request);
    const found = await this.#transport.list(folders);
    const inTheWay = folders.find((folder) => found.has(folder));
    if (inTheWay !== undefined) return refusalBecauseOf(inTheWay, request);
    throw new HostError(`The candidate branch ${ref} could not be written.`, 'later');
  }

  /** The test runs that have a candidate branch. */
  async candidates(): Promise<readonly TestRunId[]> {
    const refs = await this.#transport.list([`${CANDIDATE_BRANCHES}/*`]);
    return [...new Set([...refs.keys()].map(runOfCandidateBranch).filter((runId) => runId !== null))];
  }

  /** Removes the candidate of a test run. Idempotent. */
  async drop(runId: TestRunId): Promise<void> {
    await this.dropBranches(await this.branchesOf(runId));
    await changeRefs(this.repo, [{ kind: 'delete', ref: candidateRef(runId) }]).catch(() => false);
  }

  /** The candidate branches of a test run on the server, with their commits. */
  async branchesOf(runId: TestRunId): Promise<ReadonlyMap<string, Sha>> {
    return candidatesIn(await this.#transport.list([candidatePattern(runId)]), runId);
  }

  async dropBranches(refs: ReadonlyMap<string, Sha>): Promise<void> {
    if (refs.size === 0) return;
    const outcome = await this.#transport.push([...refs].map(([ref, was]) => ({ ref, to: null, was })));
    if (outcome.kind === 'refused')
      throw new HostError(`The host refuses to remove a candidate branch: ${outcome.message}`, 'later');
    if (outcome.kind === 'stale' && (await this.#transport.list([...refs.keys()])).size > 0)
      throw new HostError('A candidate branch could not be removed.', 'later');
  }
}

export const candidatePattern = (runId: TestRunId): string => `${CANDIDATE_BRANCHES}/*/${runSegment(runId)}`;

/** The candidate branches of a test run among refs that were found by its pattern. */
export const candidatesIn = (refs: ReadonlyMap<string, Sha>, runId: TestRunId): ReadonlyMap<string, Sha> =>
  new Map([...refs].filter(([ref]) => runOfCandidateBranch(ref) === runId));

/** What a build answers if a commit of the request is unavailable; null if none is. Throws if the fetch of a head failed. */
const obstacleOf = (
  { base, parts }: BuildCandidateRequest,
  unavailable: ReadonlyMap<Sha, Unavailable>,
): CandidateOutcome | null => {
  if (unavailable.has(base)) {
    const message = `The commit ${base} cannot be fetched from the host.`;
    return { kind: 'refused', class: 'wait', pr: null, message };
  }
  for (const { pr, head } of parts) {
    const found = unavailable.get(head);
    if (found?.kind === 'absent') return { kind: 'head_gone', pr };
    if (found?.kind === 'failed') throw found.error;
    if (found?.kind === 'damaged') {
      const fault = { code: 'PULL_REQUEST_UNREADABLE', message: found.message } as const;
      return { kind: 'faulty', pr, with: 'target', fault };
    }
  }
  return null;
};
