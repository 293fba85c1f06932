import { HostError, type Sha } from '@mq/core';
import PQueue from 'p-queue';
import { BoundedMap } from '../bounded-map.js';
import { readable } from '../git.js';
import { pullRef } from '../names.js';
import { objectWalk, readCommits } from '../objects.js';
import type { GitRepository } from '../repositories.js';
import type { Transport } from './transport.js';
import { removeUnfinished } from './unfinished.js';

const WHOLE_KEPT = 50_000;

/** A commit that the mirror needs. `pr`: the pull request whose head it is; null if it is not the head of one. */
export interface WantedCommit {
  readonly commit: Sha;
  readonly pr: number | null;
}

/** Why the mirror does not have a commit and everything reachable from it. */
export type Unavailable =
  /** The server does not have it. */
  | { readonly kind: 'absent' }
  /** The server cannot read an object reachable from it. */
  | { readonly kind: 'damaged'; readonly message: string }
  /** Git cannot fetch this head, for another reason, while the server answers. */
  | { readonly kind: 'failed'; readonly error: HostError };

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

  /**
   * Fetches the commits that are missing or not whole. Resolves with those that are unavailable, and why. Throws if the server
   * does not answer, or if the fetch of a commit that is no head of a pull request fails.
   */
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
    if (commits.length === 0 || (await areWholeBesideRefs(this.repo, commits))) return commits;
    if (commits.length === 1) return [];
    const whole: Sha[] = [];
    for (const commit of commits) if (await areWholeBesideRefs(this.repo, [commit])) whole.push(commit);
    return whole;
  }

  async #fetchMissing(missing: readonly WantedCommit[]): Promise<ReadonlyMap<Sha, Unavailable>> {
    const unavailable = new Map<Sha, Unavailable>();
    if (missing.length === 0) return unavailable;
    const unique = [...new Map(missing.map((each) => [each.commit, each])).values()];
    const together = await this.#fetch(unique);
    if (together === null) return unavailable;
    await removeUnfinished(this.repo);
    // All objects of some may have arrived, for instance if only a ref is locked.
    for (const each of await this.#missing(unique)) {
      const said = unique.length === 1 ? together : await this.#fetch([each]);
      if (said !== null) unavailable.set(each.commit, await this.#whyUnavailable(each, said));
    }
    return unavailable;
  }

  /** Resolves with the error, or null if all were fetched. Throws if no retry can help. */
  async #fetch(wanted: readonly WantedCommit[]): Promise<string | HostError | null> {
    const refs = wanted.map(({ commit, pr }) => ({ commit, ref: pr === null ? null : pullRef(pr, 'head') }));
    const said = await this.transport.fetch(refs).catch((error: unknown) => {
      if (error instanceof HostError && error.retry === 'later') return error;
      throw error;
    });
    if (said === null) for (const { commit } of wanted) this.know(commit);
    return said;
  }

  async #whyUnavailable({ commit, pr }: WantedCommit, said: string | HostError): Promise<Unavailable> {
    const fault = typeof said === 'string' ? faultOfServer(commit, said) : null;
    if (fault !== null) return fault;
    const why = typeof said === 'string' ? readable(said) : said.message;
    if (pr === null) throw new HostError(`git fetch failed at the host: ${why}`, 'later');
    // Throws if the server or the connection is the cause, which affects all commits.
    await this.transport.list(['HEAD']);
    const error = new HostError(`The head ${commit} of #${pr} cannot be fetched: ${why}`, 'later');
    return { kind: 'failed', error };
  }
}

/**
 * True if every object reachable from these commits exists. What the refs of the mirror reach does, and is not walked. False
 * also if git fails: then a fetch is tried, which has more time and reports the reason.
 */
const areWholeBesideRefs = async (repo: GitRepository, commits: readonly Sha[]): Promise<boolean> => {
  const { args, ...walk } = objectWalk(commits);
  return repo.refs({ ...walk, args: [...args, '--not', '--all'] }).then(
    () => true,
    (error: unknown) => {
      if (error instanceof HostError) return false;
      throw error;
    },
  );
};

/** Why the server cannot send one commit; null if it names no such reason. */
const faultOfServer = (commit: Sha, said: string): Unavailable | null => {
  if (/not our ref|no such remote ref|couldn't find remote ref/.test(said)) return { kind: 'absent' };
  if (
    /^(?:remote: (?:fatal|error)|fatal: remote error)/m.test(said) &&
    /unable to read|bad object|missing|corrupt|loose object|not found/i.test(said)
  )
    return { kind: 'damaged', message: `The host cannot read ${commit}: ${readable(said)}` };
  return null;
};
