import { HostError, type Sha } from '@mq/core';
import PQueue from 'p-queue';
import { BoundedMap } from '../bounded-map.js';
import { readable } from '../git.js';
import { pullRef } from '../names.js';
import { readCommits } from '../objects.js';
import type { GitRepository } from '../repositories.js';
import type { Transport } from './transport.js';

const WHOLE_KEPT = 50_000;

/** A commit that the mirror needs. `pr`: the pull request whose head it is; null if it is not the head of one. */
export interface WantedCommit {
  readonly commit: Sha;
  readonly pr: number | null;
}

/** Why a commit is not in the mirror: the server does not have it, or cannot read objects reachable from it. */
export type Unavailable =
  | { readonly kind: 'absent' }
  | { readonly kind: 'damaged'; readonly message: string };

/**
 * Fetches commits. That a commit exists in the mirror proves nothing: git writes it before its trees, and a fetch may end in
 * between. So each commit is checked once, unless it was just fetched: after a fetch, git makes the same check.
 */
export class Fetches {
  /** Commits whose reachable objects all exist. */
  readonly #whole = new BoundedMap<true>(WHOLE_KEPT);
  /** Serialises fetches: a concurrent one would request the same objects, and git locks the refs. */
  readonly #queue = new PQueue({ concurrency: 1 });

  constructor(
    private readonly repo: GitRepository,
    private readonly transport: Transport,
  ) {}

  /** Fetches the commits that are missing or not whole. Resolves with those that are unavailable, and why. */
  async ensure(wanted: readonly WantedCommit[]): Promise<ReadonlyMap<Sha, Unavailable>> {
    if ((await this.#missing(wanted)).length === 0) return new Map();
    return this.#queue.add(async () => this.#fetchMissing(await this.#missing(wanted)));
  }

  /** States that every object reachable from the commit exists. */
  know(commit: Sha): void {
    this.#whole.set(commit, true);
  }

  async #missing(wanted: readonly WantedCommit[]): Promise<readonly WantedCommit[]> {
    const isUnknown = ({ commit }: WantedCommit): boolean => this.#whole.get(commit) === undefined;
    const unknown = wanted.filter(isUnknown).map(({ commit }) => commit);
    if (unknown.length === 0) return [];
    for (const commit of await this.#wholeAmong([...(await readCommits(this.repo, unknown)).keys()]))
      this.know(commit);
    return wanted.filter(isUnknown);
  }

  async #wholeAmong(commits: readonly Sha[]): Promise<readonly Sha[]> {
    if (commits.length === 0 || (await areWhole(this.repo, commits))) return commits;
    if (commits.length === 1) return [];
    const whole: Sha[] = [];
    for (const commit of commits) if (await areWhole(this.repo, [commit])) whole.push(commit);
    return whole;
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

  async #fetch(wanted: readonly WantedCommit[]): Promise<string | null> {
    const said = await this.transport.fetch(
      wanted.map(({ commit, pr }) => ({ commit, ref: pr === null ? null : pullRef(pr, 'head') })),
    );
    if (said === null) for (const { commit } of wanted) this.know(commit);
    return said;
  }
}

/**
 * True if every object reachable from these commits exists. What the refs of the mirror reach does, and is not walked. False
 * also if git fails: then a fetch is tried, which has more time and reports the reason.
 */
const areWhole = async (repo: GitRepository, commits: readonly Sha[]): Promise<boolean> => {
  const call = {
    command: 'rev-list',
    args: ['--objects', '--quiet', '--stdin', '--not', '--all'],
    usesCommitGraph: false,
    input: `${commits.join('\n')}\n`,
  } as const;
  return repo.refs(call).then(
    () => true,
    (error: unknown) => {
      if (error instanceof HostError) return false;
      throw error;
    },
  );
};

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
