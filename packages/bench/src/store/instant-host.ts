import { createHash } from 'node:crypto';
import {
  type BuildCandidateRequest,
  type Candidate,
  type CandidateOutcome,
  type Check,
  type CodeHost,
  type Instant,
  type LandOutcome,
  type LandRequest,
  type RepoRef,
  repoKey,
  type Sha,
  type TestRunId,
} from '@mq/core';
import { aCheck, aPullRequest, shaOf } from '@mq/testkit';

export interface InstantHostOptions {
  /** The duration of tests; by default they end when they start. */
  readonly testMs?: number;
  // Callbacks for the bench.
  readonly verdictGiven?: (commit: Sha) => void;
  readonly landing?: (commit: Sha) => void;
}

/**
 * A code host that does everything at once, except tests if `testMs` is given, and whose tests pass, so that only the
 * time of engine and store remains. It has no files, but keeps the promises of the port about commits: equal requests
 * have equal answers, and what was tested is what lands.
 */
export const instantHost = ({
  testMs = 0,
  verdictGiven,
  landing,
}: InstantHostOptions = {}): CodeHost & { readonly landed: () => number } => {
  const repositories = new Map<string, Repository>();
  const of = (repo: RepoRef): Repository => {
    const known = repositories.get(repoKey(repo));
    if (known !== undefined) return known;
    const made = new Repository();
    repositories.set(repoKey(repo), made);
    return made;
  };
  return {
    landed: () => [...repositories.values()].reduce((sum, { merged }) => sum + merged.size, 0),
    hasRepository: async () => true,
    getBranch: async (repo) => ({ head: of(repo).tip, requiredChecks: ['build'] }),
    contains: async (repo, head, commit) => of(repo).contains(head, commit),
    getPullRequests: async (repo, numbers) => numbers.map((number) => of(repo).pull(number)),
    findPullRequest: async () => null,
    buildCandidate: async (request) => of(request.repo).build(request),
    startChecks: async ({ repo, commit, runId }) => of(repo).test(commit, runId, testMs),
    getChecks: async (repo, wanted) =>
      new Map(
        wanted.map((commit) => {
          const checks = (of(repo).checks.get(commit) ?? []).map((check) => asOf(Date.now(), check));
          if (checks.some(({ status }) => status === 'completed')) verdictGiven?.(commit);
          return [commit, checks];
        }),
      ),
    land: async (request) => {
      landing?.(request.candidate.commit);
      return of(request.repo).land(request);
    },
    dropCandidate: async ({ repo, runId }) => void of(repo).candidates.delete(runId),
    listCandidates: async (repo) => [...of(repo).candidates],
  };
};

/** A check with a later end is still running. */
const asOf = (at: Instant, check: Check): Check =>
  check.completedAt !== null && check.completedAt <= at
    ? check
    : { ...check, status: 'running', conclusion: null, completedAt: null };

interface Commit {
  readonly parent: Sha | null;
  /** The content as a sum over its heads: equal for equal contents in any order. */
  readonly content: bigint;
}

type Step = Candidate['steps'][number];

const FIRST = shaOf(1);

class Repository {
  tip: Sha = FIRST;
  readonly candidates = new Set<TestRunId>();
  readonly checks = new Map<Sha, readonly Check[]>();
  /** The step of each pull request. */
  readonly merged = new Map<number, Sha>();
  readonly #commits = new Map<Sha, Commit>([[FIRST, { parent: null, content: 0n }]]);
  /** Steps by parent, head and method, so that building a candidate is not measured. */
  readonly #steps = new Map<string, Step>();

  pull(number: number) {
    const commit = this.merged.get(number);
    return commit === undefined
      ? aPullRequest(number)
      : aPullRequest(number, { state: 'merged', merged: { branch: 'main', commit } });
  }

  contains(head: Sha, commit: Sha): boolean {
    for (let at: Sha | null = head; at !== null; at = this.#commits.get(at)?.parent ?? null)
      if (at === commit) return true;
    return false;
  }

  build({ runId, base, parts, method }: BuildCandidateRequest): CandidateOutcome {
    let onto = base;
    const steps = parts.map(({ pr, head }) => {
      const step = this.#step(onto, pr, head, method);
      onto = step.commit;
      return step;
    });
    this.candidates.add(runId);
    const tree = steps.at(-1)?.tree ?? treeOf(this.#contentOf(base));
    return { kind: 'built', candidate: { ref: `candidates/${runId}`, commit: onto, tree, steps } };
  }

  #step(parent: Sha, pr: number, head: Sha, method: string): Step {
    const what = `${parent} ${head} ${method}`;
    const key = `${what} ${pr}`;
    const known = this.#steps.get(key);
    if (known !== undefined) return known;
    const content = this.#contentOf(parent) + contentOf(head);
    const commit = digest(what);
    this.#commits.set(commit, { parent, content });
    const step = { pr, head, headTree: treeOf(contentOf(head)), commit, tree: treeOf(content) };
    this.#steps.set(key, step);
    return step;
  }

  #contentOf(commit: Sha): bigint {
    return this.#commits.get(commit)?.content ?? 0n;
  }

  land({ onto, candidate, members }: LandRequest): LandOutcome {
    const landed = { kind: 'landed', head: candidate.commit, tree: candidate.tree } as const;
    const last = members.at(-1);
    if (last !== undefined && this.merged.get(last.pr) === candidate.commit) return landed;
    if (this.tip !== onto) return { kind: 'base_moved', head: this.tip };
    this.tip = candidate.commit;
    const commits = new Map(candidate.steps.map(({ pr, commit }) => [pr, commit]));
    for (const { pr } of members) this.merged.set(pr, commits.get(pr) ?? candidate.commit);
    return landed;
  }

  /** One test per test run; once it has ended, its check stays the same. */
  test(commit: Sha, runId: TestRunId, testMs: number): void {
    const known = this.checks.get(commit) ?? [];
    if (known.some((check) => check.runId === runId)) return;
    const at = Date.now();
    const check = aCheck({ id: `check-${runId}`, runId, startedAt: at, completedAt: at + testMs });
    this.checks.set(commit, [...known, check]);
  }
}

const digest = (text: string): Sha => createHash('sha1').update(text).digest('hex') as Sha;

const contentOf = (head: Sha): bigint => BigInt(`0x${digest(head)}`);

const treeOf = (content: bigint): string => digest(`tree ${content}`);
