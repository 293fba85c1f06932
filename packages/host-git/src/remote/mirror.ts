import { mkdir } from 'node:fs/promises';
import {
  type BuildCandidateRequest,
  type CandidateOutcome,
  HostError,
  type Sha,
  type TestRunId,
} from '@mq/core';
import PQueue from 'p-queue';
import { buildCandidate } from '../candidate.js';
import { CANDIDATE_BRANCHES, candidateBranchRef, runOfCandidateBranch } from '../candidate-branches.js';
import { PRIORITIES, readable, runGit } from '../git.js';
import type { Mergeable } from '../mergeability.js';
import { branchRef, candidateRef, pullRef, runSegment } from '../names.js';
import { containedIn, readCommits } from '../objects.js';
import { type MergeQuestion, Merges } from '../pulls/merges.js';
import { changeRefs } from '../refs.js';
import { type GitRepository, openRepository } from '../repositories.js';
import { Landings } from './landings.js';
import { type RemoteAccess, Transport } from './transport.js';

export interface MirrorOptions extends RemoteAccess {
  /** The folder of the mirror, created if missing. Several processes may share it. */
  readonly path: string;
  readonly format: 'sha1' | 'sha256';
  /** Called when a mergeability that was reported as `in_progress` is known. */
  readonly learnt?: () => void;
}

/** A commit that the mirror needs. `pr`: the pull request whose head it is; null if it is not the head of one. */
export interface WantedCommit {
  readonly commit: Sha;
  readonly pr: number | null;
}

/** Why a commit is not in the mirror: the server does not have it, or cannot read objects reachable from it. */
export type Unavailable =
  | { readonly kind: 'absent' }
  | { readonly kind: 'damaged'; readonly message: string };

/** Opens the bare mirror of a repository on a server. */
export const openMirror = async (options: MirrorOptions): Promise<Mirror> => {
  const { path, format } = options;
  await mkdir(path, { recursive: true });
  await runGit({
    command: 'init',
    args: ['--quiet', '--bare', '--template=', `--object-format=${format}`],
    gitDir: path,
  });
  const repo = await openRepository(path);
  if (repo === null) throw new HostError('The mirror of the repository could not be created.', 'later');
  return new Mirror(repo, options);
};

/**
 * A repository on a server, accessed by git only. Merges are computed in a bare local mirror. Candidates are stored as
 * branches of the server, `mq/pr-<n>/<testRunId>`, so that any replica can land what another one has built.
 */
export class Mirror {
  readonly #transport: Transport;
  readonly #merges: Merges;
  /** Serialises fetches: a concurrent one would request the same objects, and git locks the refs. */
  readonly #fetches = new PQueue({ concurrency: 1 });
  readonly landings: Landings;

  constructor(
    readonly repo: GitRepository,
    options: MirrorOptions,
  ) {
    this.#transport = new Transport(repo.path, options);
    this.#merges = new Merges(options.learnt ?? (() => undefined));
    this.landings = new Landings(this, repo, this.#transport);
  }

  /** The tip of a branch on the server; null if it does not exist. */
  async tip(branch: string): Promise<Sha | null> {
    const ref = branchRef(branch);
    return (await this.#transport.list([ref])).get(ref) ?? null;
  }

  /** Fetches the missing commits. Resolves with those that are unavailable, and why. */
  async ensure(wanted: readonly WantedCommit[]): Promise<ReadonlyMap<Sha, Unavailable>> {
    if ((await this.#missing(wanted)).length === 0) return new Map();
    return this.#fetches.add(async () => this.#fetchMissing(await this.#missing(wanted)));
  }

  async contains(head: Sha, commit: Sha): Promise<boolean> {
    await this.ensure([head, commit].map((sha) => ({ commit: sha, pr: null })));
    return (await containedIn(this.repo, head, [commit])).has(commit);
  }

  /** The base and the head must be in the mirror. */
  mergeability(question: MergeQuestion, isUrgent: boolean): Promise<Mergeable> {
    return this.#merges.show(this.repo, question, isUrgent ? PRIORITIES.person : PRIORITIES.poll);
  }

  /** Builds a candidate and pushes it as a branch. */
  async build(request: BuildCandidateRequest): Promise<CandidateOutcome> {
    const heads = request.parts.map(({ head, pr }) => ({ commit: head, pr }));
    const unavailable = await this.ensure([{ commit: request.base, pr: null }, ...heads]);
    const damaged = request.parts.find(({ head }) => unavailable.get(head)?.kind === 'damaged');
    if (damaged !== undefined) {
      const found = unavailable.get(damaged.head);
      const message = found?.kind === 'damaged' ? found.message : '';
      const fault = { code: 'PULL_REQUEST_UNREADABLE', message } as const;
      return { kind: 'faulty', pr: damaged.pr, with: 'target', fault };
    }
    const outcome = await buildCandidate(this.repo, request);
    if (outcome.kind !== 'built') return outcome;
    const ref = candidateBranchRef(request);
    const pushed = await this.#transport.push([{ ref, to: outcome.candidate.commit }]);
    if (pushed.kind === 'refused')
      return {
        kind: 'refused',
        class: 'setting',
        pr: null,
        message: `The host refuses ${ref}: ${pushed.message}`,
      };
    if (pushed.kind === 'stale')
      throw new HostError(`The candidate branch ${ref} could not be written.`, 'later');
    return outcome;
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

  async #missing(wanted: readonly WantedCommit[]): Promise<readonly WantedCommit[]> {
    const known = await readCommits(
      this.repo,
      wanted.map(({ commit }) => commit),
    );
    return wanted.filter(({ commit }) => !known.has(commit));
  }

  async #fetchMissing(missing: readonly WantedCommit[]): Promise<ReadonlyMap<Sha, Unavailable>> {
    const unavailable = new Map<Sha, Unavailable>();
    if (missing.length === 0) return unavailable;
    const unique = [...new Map(missing.map((each) => [each.commit, each])).values()];
    if ((await this.#fetch(unique)) === null) return unavailable;
    for (const each of unique) {
      const said = await this.#fetch([each]);
      if (said !== null) unavailable.set(each.commit, whyUnavailable(each.commit, said));
    }
    return unavailable;
  }

  #fetch(wanted: readonly WantedCommit[]): Promise<string | null> {
    return this.#transport.fetch(
      wanted.map(({ commit, pr }) => ({ commit, ref: pr === null ? null : pullRef(pr, 'head') })),
    );
  }
}

export const candidatePattern = (runId: TestRunId): string => `${CANDIDATE_BRANCHES}/*/${runSegment(runId)}`;

/** The candidate branches of a test run among refs that were found by its pattern. */
export const candidatesIn = (refs: ReadonlyMap<string, Sha>, runId: TestRunId): ReadonlyMap<string, Sha> =>
  new Map([...refs].filter(([ref]) => runOfCandidateBranch(ref) === runId));

/** Why a fetch of one commit failed. Throws for a fault of the server or the connection, which affects all commits. */
const whyUnavailable = (commit: Sha, said: string): Unavailable => {
  if (/not our ref|no such remote ref|couldn't find remote ref/.test(said)) return { kind: 'absent' };
  if (
    /^(?:remote: (?:fatal|error)|fatal: remote error)/m.test(said) &&
    /unable to read|bad object|missing|corrupt|loose object|not found/i.test(said)
  )
    return { kind: 'damaged', message: `The host cannot read ${commit}: ${readable(said)}` };
  throw new HostError(`git fetch failed at the host: ${readable(said)}`, 'later');
};
