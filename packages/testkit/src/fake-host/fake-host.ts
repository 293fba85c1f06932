import {
  type BranchState,
  CANDIDATES_PER_READ,
  type Check,
  type Clock,
  COMMITS_PER_READ,
  type CodeHost,
  type CommandHost,
  HostError,
  type HostEvent,
  type PresenceHost,
  PULL_REQUESTS_PER_READ,
  type RepoRef,
  repoKey,
  type Sha,
  type TestRunId,
} from '@mq/core';
import { type FakeCheck, FakeCi, type FakeCiOptions } from './fake-ci.js';
import { fakeCommands } from './fake-commands.js';
import type { FakeCommit, Files } from './fake-git.js';
import { fakePresence } from './fake-presence.js';
import { FakeRepository } from './fake-repository.js';
import type { BranchMove, FakePull } from './pull-request.js';

export interface PortCall {
  readonly method:
    | Exclude<keyof CodeHost, 'onEvent' | 'ignoresCase' | 'canForce' | 'presence' | 'commands'>
    | keyof CommandHost
    | Exclude<keyof PresenceHost, 'installationOf'>;
  readonly args: unknown;
}

/** Wraps each call of the port. May wait, fail before the call, or fail after it took effect. */
export type Intercept = (call: PortCall, perform: () => Promise<unknown>) => Promise<unknown>;

export interface FakeHostOptions {
  /** Must be the clock of engine and store; the system clock by default. */
  readonly clock?: Pick<Clock, 'now'>;
  readonly ci?: FakeCiOptions;
  readonly intercept?: Intercept;
  /** True: repositories are found in any letter case, and shown in that of `createRepository`. */
  readonly ignoresCase?: boolean;
}

export interface NewRepository {
  readonly ref: RepoRef;
  /** `main` by default. */
  readonly branch?: string;
  readonly files?: Files;
  /** Null, the default: the host does not say. */
  readonly isPublic?: boolean | null;
  /** The checks of its CI, all of them required on every branch; `['test']` by default. */
  readonly checks?: readonly string[];
}

export interface RepositorySnapshot {
  readonly ref: RepoRef;
  /** Each branch with its first parents, tip first. */
  readonly branches: readonly { readonly name: string; readonly history: readonly FakeCommit[] }[];
  readonly moves: readonly BranchMove[];
  readonly pulls: readonly FakePull[];
  readonly candidates: readonly { readonly runId: TestRunId; readonly commit: FakeCommit }[];
  readonly checks: readonly FakeCheck[];
  readonly runningChecks: readonly FakeCheck[];
}

export type FakeHost = Required<CodeHost> & {
  /** Calls with another `id` than that of the `ref` are refused; without one, the repository has none. */
  createRepository(wanted: NewRepository): FakeRepository;
  /** Does nothing if the repository does not exist. */
  deleteRepository(ref: RepoRef): void;
  /** Throws if the repository does not exist. */
  repository(ref: RepoRef): FakeRepository;
  /** False: every call of the port fails with a retryable `HostError`, and no hints are given. */
  setReachable(reachable: boolean): void;
  /** Every call of the port fails with this error; null ends it. */
  refuseAll(error: HostError | null): void;
  /** True: no hints are given. */
  setSilent(silent: boolean): void;
  /** The current state of all repositories. */
  snapshot(): readonly RepositorySnapshot[];
};

/**
 * A code host in memory with real file contents: merges are computed, and a check fails because of what is in the tree.
 * It meets the whole contract of the port. Safe for concurrent use: each call takes effect at once.
 */
export const fakeHost = (options: FakeHostOptions = {}): FakeHost => {
  const clock = options.clock ?? { now: () => Date.now() };
  const { ignoresCase = false } = options;
  const repositories = new Map<string, FakeRepository>();
  const keyOf = ({ host, owner, name }: RepoRef): string =>
    repoKey({ host, owner, name, ...(ignoresCase ? { ignoresCase } : {}) });
  const listeners = new Set<(event: HostEvent) => void>();
  let reachable = true;
  let silent = false;
  let refusal: HostError | null = null;
  let checkCount = 0;

  const emit = (event: HostEvent): void => {
    if (reachable && !silent) for (const listener of listeners) listener(event);
  };

  const perform: Perform = async (method, args, effect) => {
    const act = async () => {
      if (refusal !== null) throw refusal;
      if (!reachable) throw new HostError('The fake host is unreachable.', 'later');
      return effect();
    };
    return (await (options.intercept?.({ method, args }, act) ?? act())) as ReturnType<typeof effect>;
  };

  const servedRepository = (ref: RepoRef): FakeRepository => {
    const found = repositories.get(keyOf(ref));
    if (found === undefined) {
      const sentence = `There is no repository ${ref.owner}/${ref.name}.`;
      throw new HostError(sentence, 'never', null, { reach: 'repository' });
    }
    const { id } = found.ref;
    if (ref.id !== undefined && ref.id !== id) {
      const sentence = `${ref.owner}/${ref.name} is another repository now (id ${id}, not ${ref.id}).`;
      throw new HostError(sentence, 'never', null, { reach: 'repository' });
    }
    return found;
  };

  return {
    createRepository: ({
      ref,
      branch = 'main',
      files = { 'README.md': 'begin\n' },
      checks = ['test'],
      ...rest
    }) => {
      if (repositories.has(keyOf(ref))) throw new Error(`${ref.owner}/${ref.name} exists already.`);
      const nextId = () => {
        checkCount += 1;
        return `check-${String(checkCount).padStart(8, '0')}`;
      };
      const ci = new FakeCi(clock, options.ci ?? {}, nextId, () => emit({ repo: ref, what: 'checks' }));
      const repository = new FakeRepository(ref, ci, checks, clock, emit);
      repository.createBranch(branch, files);
      repository.isPublic = rest.isPublic ?? null;
      repositories.set(keyOf(ref), repository);
      return repository;
    },
    deleteRepository: (ref) => void repositories.delete(keyOf(ref)),
    repository: (ref) => {
      const found = repositories.get(keyOf(ref));
      if (found === undefined) throw new Error(`There is no repository ${ref.owner}/${ref.name}.`);
      return found;
    },
    setReachable: (wanted) => {
      reachable = wanted;
    },
    refuseAll: (error) => {
      refusal = error;
    },
    setSilent: (wanted) => {
      silent = wanted;
    },
    snapshot: () => [...repositories.values()].map(snapshotOf),
    onEvent: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    ...portOf(perform, (repo) => repositories.get(keyOf(repo)) ?? null, servedRepository),
    ignoresCase,
    canForce: true,
    presence: fakePresence(perform, servedRepository),
    commands: fakeCommands(perform, servedRepository),
  };
};

type Perform = <Answer>(method: PortCall['method'], args: unknown, effect: () => Answer) => Promise<Answer>;
type Port = Omit<Required<CodeHost>, 'onEvent' | 'ignoresCase' | 'canForce' | 'presence' | 'commands'>;

const portOf = (
  perform: Perform,
  find: (ref: RepoRef) => FakeRepository | null,
  of: (ref: RepoRef) => FakeRepository,
): Port => ({
  hasRepository: (repo) =>
    perform('hasRepository', { repo }, () => {
      const found = find(repo);
      return found !== null && (repo.id === undefined || repo.id === found.ref.id);
    }),
  identify: (repo) =>
    perform('identify', { repo }, () => {
      const found = find(repo);
      if (found === null) return null;
      const { ref, isPublic } = found;
      const seen = isPublic === null ? {} : { isPublic };
      return { id: ref.id ?? null, owner: ref.owner, name: ref.name, ...seen };
    }),
  getBranch: (repo, branch) => perform('getBranch', { repo, branch }, () => branchOf(of(repo), branch)),
  contains: (repo, head, commit) =>
    perform('contains', { repo, head, commit }, () => of(repo).git.isAncestor(commit, head)),
  getPullRequests: (repo, numbers, options) =>
    perform('getPullRequests', { repo, numbers, options }, () => {
      refuseMore('pull requests', numbers.length, PULL_REQUESTS_PER_READ);
      const { faults } = of(repo);
      return [...new Set(numbers)].flatMap((number) => faults.answer(of(repo).shown(number), options) ?? []);
    }),
  findPullRequest: (repo, headBranch) =>
    perform('findPullRequest', { repo, headBranch }, () => newestOf(of(repo), headBranch)),
  buildCandidate: (request) => perform('buildCandidate', request, () => of(request.repo).build(request)),
  startChecks: (request) =>
    perform('startChecks', request, () => {
      const { ci, git, checkNames } = of(request.repo);
      if (ci.startsBy === 'error') throw new HostError('The CI does not answer.', 'later');
      ci.start(request.runId, git.get(request.commit), request.names, checkNames);
    }),
  cancelChecks: (request) =>
    perform('cancelChecks', request, () => {
      const { ci } = of(request.repo);
      if (!ci.canCancel) throw new HostError('The CI does not answer.', 'later');
      ci.cancel(request.runId);
    }),
  getChecks: (repo, commits) =>
    perform('getChecks', { repo, commits }, (): ReadonlyMap<Sha, readonly Check[]> => {
      refuseMore('commits', commits.length, COMMITS_PER_READ);
      const { ci } = of(repo);
      return new Map(commits.map((commit) => [commit, ci.checksOf(commit)]));
    }),
  land: (request) =>
    perform('land', request, () => {
      of(request.repo).drafts.close(request.runId);
      return of(request.repo).land(request);
    }),
  dropCandidate: ({ repo, runId }) =>
    perform('dropCandidate', { repo, runId }, () => {
      of(repo).candidates.delete(runId);
      of(repo).drafts.close(runId);
    }),
  openDraft: (request) => perform('openDraft', request, () => of(request.repo).drafts.open(request)),
  hooksNotRun: (repo) => perform('hooksNotRun', { repo }, () => [...of(repo).hooks]),
  listCandidates: (repo) =>
    perform('listCandidates', { repo }, () => [...of(repo).candidates.keys()].slice(0, CANDIDATES_PER_READ)),
});

const branchOf = (repository: FakeRepository, branch: string): BranchState | null => {
  const head = repository.headOf(branch);
  if (head === null) return null;
  const symbolicRef = repository.aliases.get(branch);
  const requiredChecks = repository.requiredChecks(branch);
  return { head, requiredChecks, ...(symbolicRef === undefined ? {} : { symbolicRef }) };
};

const newestOf = (repository: FakeRepository, headBranch: string): number | null => {
  const found = [...repository.pulls.values()].filter((pull) => pull.headBranch === headBranch);
  const open = found.filter((pull) => pull.state === 'open');
  const numbers = (open.length > 0 ? open : found).map((pull) => pull.number);
  return numbers.length === 0 ? null : Math.max(...numbers);
};

const refuseMore = (what: string, count: number, limit: number): void => {
  if (count > limit)
    throw new HostError(`At most ${limit} ${what} per read; ${count} were requested.`, 'never');
};

const snapshotOf = (repository: FakeRepository): RepositorySnapshot => {
  const checks = repository.ci.checks();
  return {
    ref: repository.ref,
    branches: [...repository.branches].map(([name, head]) => ({
      name,
      history: repository.git.firstParents(head),
    })),
    moves: [...repository.moves],
    pulls: [...repository.pulls.values()],
    candidates: [...repository.candidates].map(([runId, sha]) => ({
      runId,
      commit: repository.git.get(sha),
    })),
    checks,
    runningChecks: checks.filter(({ status }) => status !== 'completed'),
  };
};
