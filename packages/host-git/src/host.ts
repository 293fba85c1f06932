import {
  CANDIDATES_PER_READ,
  COMMITS_PER_READ,
  type CodeHost,
  HostError,
  type HostEvent,
  type LandRequest,
  PULL_REQUESTS_PER_READ,
  type RepoRef,
  repoKey,
  type TestRunId,
} from '@mq/core';
import { AfterLanding, type AfterLandingOptions, noteDue } from './after-landing.js';
import { buildCandidate } from './candidate.js';
import {
  CANDIDATE_BRANCHES,
  dropCandidateBranch,
  refusalOfCandidateBranch,
  writeCandidateBranch,
} from './candidate-branches.js';
import { Ci, type CiOptions } from './checks/ci.js';
import { type CheckDefinition, configuredChecks } from './checks/config.js';
import { PRIORITIES } from './git.js';
import { guardPushes } from './guarded-pushes.js';
import { hooksNotRun } from './hooks.js';
import { dropCandidate, land } from './land.js';
import { finishLandings } from './landing-intents.js';
import { branchFault, branchRef } from './names.js';
import { containedIn } from './objects.js';
import { GatheredReads } from './pulls/batched-reads.js';
import { pullUrl } from './pulls/pull-requests.js';
import { PullReader } from './pulls/read.js';
import { listRefs, readBranch } from './refs.js';
import {
  type GitRepository,
  identityOf,
  openRepository,
  type RepositoryFolders,
  repositoryPath,
  withPriority,
} from './repositories.js';

export interface GitHostOptions extends CiOptions {
  /** The command to run after each landing, because a landing does not run the hooks of the repository. */
  readonly afterLanding?: AfterLandingOptions;
  readonly repositories: RepositoryFolders;
  /**
   * True shows each candidate also as a branch, `mq/pr-<n>/<testRunId>`, until its test run ends, for a CI that tests what is
   * pushed. Pushes to `mq/*` are then refused. False by default.
   */
  readonly candidateBranches?: boolean;
  /** Checks by `owner/name`, in addition to those in the repository's git config, and preferred on equal names. */
  readonly checks?: Readonly<Record<string, readonly CheckDefinition[]>>;
  /** Time limit of one merge, after which it counts as not computable; default `MERGE_LIMIT_MS`. */
  readonly mergeLimitMs?: number;
  /** The link to a pull request for people; default: the repository's path with a fragment. */
  readonly pullRequestUrl?: (repo: RepoRef, number: number) => string;
}

export interface GitHost
  extends Required<
    Omit<CodeHost, 'identify' | 'ignoresCase' | 'openDraft' | 'canForce' | 'presence' | 'commands'>
  > {
  /**
   * Ends the commands that killed servers left running on this machine, and removes their folders. Meant for start-up;
   * the first check that a host runs does it too.
   */
  sweep(): Promise<void>;
  /** Resolves when no check that this host started is queued or running. */
  checksEnded(): Promise<void>;
  /** Stops running checks, reports them as `infrastructure`, and waits until their processes have ended. Idempotent. */
  close(): Promise<void>;
}

/** Reads of one priority. */
interface ReadLane {
  readonly view: GitRepository;
  readonly priority: number;
  readonly reads: GatheredReads;
}

interface Served {
  readonly git: GitRepository;
  readonly pulls: PullReader;
  readonly persons: ReadLane;
  readonly polls: ReadLane;
}

interface Opened {
  readonly identity: string | null;
  readonly opening: Promise<Served | null>;
}

/** Bare git repositories on disk as a code host. Several processes may serve the same repositories. */
export const gitHost = (options: GitHostOptions): GitHost => {
  const known = new Map<string, Opened>();
  const listeners = new Set<(event: HostEvent) => void>();
  const emit = (repo: RepoRef, what: HostEvent['what']): void => {
    for (const listener of listeners) listener({ repo, what });
  };
  const ci = new Ci(options, (repo) => emit(repo, 'checks'));
  const afterLanding = options.afterLanding === undefined ? null : new AfterLanding(options.afterLanding);

  const open = async (repo: RepoRef): Promise<Served | null> => {
    const path = repositoryPath(options.repositories, repo);
    const git = path === null ? null : await openRepository(path, options.mergeLimitMs);
    if (git === null) return null;
    await guardPushes(git, options.candidateBranches === true ? [CANDIDATE_BRANCHES] : []);
    void afterLanding?.run(git);
    const url = options.pullRequestUrl;
    const learnt = () => emit(repo, 'pull_requests');
    const pulls = new PullReader(git, (number) => url?.(repo, number) ?? pullUrl(git, number), learnt);
    const lane = (priority: number): ReadLane => {
      const view = withPriority(git, priority);
      return { view, priority, reads: new GatheredReads(view, pulls) };
    };
    return { git, pulls, persons: lane(PRIORITIES.person), polls: lane(PRIORITIES.poll) };
  };

  const served = async (repo: RepoRef): Promise<Served> => {
    const path = repositoryPath(options.repositories, repo);
    const identity = path === null ? null : await identityOf(path);
    const key = repoKey(repo);
    const before = known.get(key);
    // Another repository may have been created under the same name, so the caches are invalid.
    const isSame = before !== undefined && (identity === null || before.identity === identity);
    const opened = isSame ? before : { identity, opening: open(repo) };
    known.set(key, opened);
    const found = await opened.opening.catch(() => null);
    if (found !== null) return found;
    if (known.get(key) === opened) known.delete(key);
    await opened.opening;
    throw new HostError(`${repo.owner}/${repo.name} is not a bare git repository of this server.`, 'never');
  };

  const checksFor = async (repo: RepoRef, git: GitRepository) => {
    const key = `${repo.owner}/${repo.name}`;
    const own = options.checks !== undefined && Object.hasOwn(options.checks, key) ? options.checks[key] : [];
    return configuredChecks(git, own ?? []);
  };

  const hideCandidate = async (git: GitRepository, runId: TestRunId): Promise<void> => {
    if (options.candidateBranches === true) await dropCandidateBranch(git, runId);
  };

  return {
    hasRepository: async (repo) => {
      const path = repositoryPath(options.repositories, repo);
      return path !== null && (await openRepository(path)) !== null;
    },
    getBranch: async (repo, branch) => {
      const { git } = await served(repo);
      if (branchFault(branch) !== null) return null;
      const tip = await readBranch(git, branchRef(branch));
      if (tip === null) return null;
      const { head, symbolicRef } = tip;
      const checks = await checksFor(repo, git);
      const names = checks.map(({ name }) => name);
      const digests = Object.fromEntries(checks.map(({ name, digest }) => [name, digest]));
      return {
        ...{ head, requiredChecks: names.length === 0 ? null : names, digests },
        ...(symbolicRef === null ? {} : { symbolicRef }),
      };
    },
    contains: async (repo, head, commit) => {
      const { git } = await served(repo);
      return (await containedIn(git, head, [commit])).has(commit);
    },
    getPullRequests: async (repo, numbers, { merging = null, isUrgent = false } = {}) => {
      refuseMore('pull requests', numbers.length, PULL_REQUESTS_PER_READ);
      const { pulls, persons, polls } = await served(repo);
      if (numbers.length === 0) return [];
      const { reads, view, priority } = isUrgent ? persons : polls;
      const found = await reads.read(numbers);
      return pulls.answers(found, merging, view, priority);
    },
    findPullRequest: async (repo, headBranch) => {
      const { git, pulls } = await served(repo);
      if (branchFault(headBranch) !== null) return null;
      await finishLandings(git);
      return (await pulls.findByBranch(headBranch))?.refs.number ?? null;
    },
    buildCandidate: async (request) => {
      const { git } = await served(request.repo);
      if (options.candidateBranches !== true) return buildCandidate(git, request);
      const refusal = await refusalOfCandidateBranch(git, request);
      if (refusal !== null) return refusal;
      const outcome = await buildCandidate(git, request);
      if (outcome.kind === 'built') await writeCandidateBranch(git, request, outcome.candidate.commit);
      return outcome;
    },
    startChecks: async (request) => {
      const { git } = await served(request.repo);
      await ci.start(request, git, await checksFor(request.repo, git));
    },
    cancelChecks: async ({ repo, runId, commit }) => ci.cancel((await served(repo)).git, runId, commit),
    getChecks: async (repo, commits) => {
      refuseMore('commits', commits.length, COMMITS_PER_READ);
      const { git } = await served(repo);
      return ci.read(repo, git, () => checksFor(repo, git), commits);
    },
    land: async (request) => {
      const { git, pulls } = await served(request.repo);
      const note = (landing: LandRequest) => noteDue(git, landing);
      const outcome = await (afterLanding === null
        ? land(git, pulls, request)
        : land(git, pulls, request, note));
      void afterLanding?.run(git);
      await hideCandidate(git, request.runId);
      if (outcome.kind === 'landed')
        for (const what of ['branch', 'pull_requests'] as const) emit(request.repo, what);
      return outcome;
    },
    dropCandidate: async ({ repo, runId }) => {
      const { git } = await served(repo);
      await hideCandidate(git, runId);
      await dropCandidate(git, runId);
    },
    listCandidates: async (repo) => {
      const refs = await listRefs((await served(repo)).git, ['refs/mq/candidates', 'refs/mq/landing']);
      const runs = [...refs.keys()].map((ref) => ref.split('/').slice(3).join('/') as TestRunId);
      return [...new Set(runs)].slice(0, CANDIDATES_PER_READ);
    },
    hooksNotRun: async (repo) => hooksNotRun((await served(repo)).git),
    onEvent: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    sweep: () => ci.sweep(),
    checksEnded: () => ci.ended(),
    close: async () => {
      listeners.clear();
      await Promise.all([ci.close(), afterLanding?.close()]);
    },
  };
};

const refuseMore = (what: string, count: number, limit: number): void => {
  if (count > limit)
    throw new HostError(`At most ${limit} ${what} per read; ${count} were requested.`, 'never');
};
