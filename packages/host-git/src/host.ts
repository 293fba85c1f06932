import {
  COMMITS_PER_READ,
  type CodeHost,
  HostError,
  type HostEvent,
  type LandRequest,
  PULL_REQUESTS_PER_READ,
  type RepoRef,
  type RunId,
  repoKey,
  TRIALS_PER_READ,
} from '@mq/core';
import { AfterLanding, type AfterLandingOptions, noteDue } from './after-landing.js';
import { Ci, type CiOptions } from './checks/ci.js';
import { type CheckDefinition, configuredChecks } from './checks/config.js';
import { hideFromPushes } from './hidden-refs.js';
import { hooksNotRun } from './hooks.js';
import { dropTrial, land } from './land.js';
import { finishLandings } from './landing-intents.js';
import { branchFault, branchRef } from './names.js';
import { containedIn } from './objects.js';
import { pullUrl } from './pulls/pull-requests.js';
import { PullReader } from './pulls/read.js';
import { listRefs, readBranch } from './refs.js';
import {
  type GitRepository,
  openRepository,
  type RepositoryFolders,
  repositoryPath,
} from './repositories.js';
import { buildTrial } from './trial.js';

export interface GitHostOptions extends CiOptions {
  /** What to run after each landing, in place of the hooks of the repository, which a landing does not run. */
  readonly afterLanding?: AfterLandingOptions;
  readonly repositories: RepositoryFolders;
  /** `owner/name` to its checks, besides those in the repository's own git config; of two with one name this one counts. */
  readonly checks?: Readonly<Record<string, readonly CheckDefinition[]>>;
  /** Where a person reads about a pull request; by default the repository's own path with a fragment. */
  readonly pullRequestUrl?: (repo: RepoRef, number: number) => string;
}

export interface GitHost extends Required<CodeHost> {
  /**
   * Ends the commands that killed servers left running on this machine, and removes their folders. Meant for start-up;
   * the first check that a host runs does it too.
   */
  sweep(): Promise<void>;
  /** Resolves when no check that this host started is queued or running. */
  checksEnded(): Promise<void>;
  /** Ends running checks, reports them as `infrastructure`, and waits until their processes are gone. Twice is no error. */
  close(): Promise<void>;
}

interface Served {
  readonly git: GitRepository;
  readonly pulls: PullReader;
}

/** Bare git repositories on disk as a code host. Several processes may serve the same repositories. */
export const gitHost = (options: GitHostOptions): GitHost => {
  const known = new Map<string, Promise<Served | null>>();
  const listeners = new Set<(event: HostEvent) => void>();
  const emit = (repo: RepoRef, what: HostEvent['what']): void => {
    for (const listener of listeners) listener({ repo, what });
  };
  const ci = new Ci(options, (repo) => emit(repo, 'checks'));
  const afterLanding = options.afterLanding === undefined ? null : new AfterLanding(options.afterLanding);

  const open = async (repo: RepoRef): Promise<Served | null> => {
    const path = repositoryPath(options.repositories, repo);
    const git = path === null ? null : await openRepository(path);
    if (git === null) return null;
    await hideFromPushes(git);
    void afterLanding?.run(git);
    const url = options.pullRequestUrl;
    return {
      git,
      pulls: new PullReader(git, (number) => url?.(repo, number) ?? pullUrl(git, number)),
    };
  };

  const served = async (repo: RepoRef): Promise<Served> => {
    const key = repoKey(repo);
    const opening = known.get(key) ?? open(repo);
    known.set(key, opening);
    const found = await opening.catch(() => null);
    if (found !== null) return found;
    if (known.get(key) === opening) known.delete(key);
    await opening;
    throw new HostError(`${repo.owner}/${repo.name} is no bare git repository of this server.`, 'never');
  };

  const checksFor = async (repo: RepoRef, git: GitRepository) => {
    const key = `${repo.owner}/${repo.name}`;
    const own = options.checks !== undefined && Object.hasOwn(options.checks, key) ? options.checks[key] : [];
    return configuredChecks(git, own ?? []);
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
    getPullRequests: async (repo, numbers) => {
      refuseMore('pull requests', numbers.length, PULL_REQUESTS_PER_READ);
      const { git, pulls } = await served(repo);
      if (numbers.length === 0) return [];
      await finishLandings(git);
      return Promise.all((await pulls.byNumber(numbers)).map((pull) => pulls.show(pull)));
    },
    findPullRequest: async (repo, headBranch) => {
      const { git, pulls } = await served(repo);
      if (branchFault(headBranch) !== null) return null;
      await finishLandings(git);
      return (await pulls.findByBranch(headBranch))?.refs.number ?? null;
    },
    buildTrial: async (request) => buildTrial((await served(request.repo)).git, request),
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
      if (outcome.kind === 'landed')
        for (const what of ['branch', 'pull_requests'] as const) emit(request.repo, what);
      return outcome;
    },
    dropTrial: async ({ repo, runId }) => dropTrial((await served(repo)).git, runId),
    listTrials: async (repo) => {
      const refs = await listRefs((await served(repo)).git, ['refs/mq/trials', 'refs/mq/landing']);
      const runs = [...refs.keys()].map((ref) => ref.split('/').slice(3).join('/') as RunId);
      return [...new Set(runs)].slice(0, TRIALS_PER_READ);
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
    throw new HostError(`At most ${limit} ${what} a read; ${count} were asked for.`, 'never');
};
