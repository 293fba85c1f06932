import { createHash } from 'node:crypto';
import type { CandidateOutcome, Effect, LandOutcome, PullRequest, Sha, TestRun } from '@mq/core';
import { aPullRequest, shaOf } from '@mq/testkit';
import { type Content, NOTHING, type Verdicts } from '../verdicts.js';

interface Commit {
  readonly content: Content;
  readonly pr: number | null;
  /** Null if everything below is on the target. */
  parent: Commit | null;
  /** The number of landed pull requests up to this commit, if the target was at it. */
  landed: number | null;
}

type BuildCandidate = Extract<Effect, { type: 'build_candidate' }>;
type Land = Extract<Effect, { type: 'land' }>;

/**
 * A repository in which a commit is identified by its content. There are no textual conflicts, and landing does not
 * check what it lands.
 */
export class Repository {
  tip: Sha = shaOf(1);
  readonly #verdicts: Verdicts;
  readonly #pulls = new Map<number, PullRequest>();
  /** The ordinal of each landing. */
  readonly #landed = new Map<number, number>();
  readonly #commits = new Map<Sha, Commit>([
    [this.tip, { content: NOTHING, pr: null, parent: null, landed: 0 }],
  ]);

  constructor(verdicts: Verdicts) {
    this.#verdicts = verdicts;
  }

  pull(pr: number, readAt: number): PullRequest {
    const pull = this.#pulls.get(pr) ?? aPullRequest(pr);
    this.#pulls.set(pr, pull);
    return { ...pull, readAt };
  }

  contentOf(sha: Sha): Content {
    return this.#at(sha).content;
  }

  build({ runId, base, parts }: BuildCandidate): CandidateOutcome {
    let sha = base;
    const steps = parts.map(({ pr, head }) => {
      const parent = this.#at(sha);
      sha = createHash('sha1').update(sha).update(head).digest('hex') as Sha;
      const isHeld = (other: number) => this.#holds(parent, other + 1);
      const content = this.#verdicts.adding(parent.content, pr - 1, isHeld);
      if (!this.#commits.has(sha)) this.#commits.set(sha, { content, pr, parent, landed: null });
      return { pr, head, headTree: `d${pr}`, commit: sha, tree: treeOf(content) };
    });
    const tree = treeOf(this.contentOf(sha));
    return { kind: 'built', candidate: { ref: `candidates/${runId}`, commit: sha, tree, steps } };
  }

  land({ onto, candidate, members }: Land, now: number): LandOutcome {
    if (this.tip !== onto) return { kind: 'base_moved', head: this.tip };
    const commit = this.#commits.get(candidate.commit);
    if (commit === undefined) return { kind: 'candidate_gone' };
    this.tip = candidate.commit;
    for (const { pr } of members) {
      this.#landed.set(pr, this.#landed.size + 1);
      const merged = { branch: 'main', commit: this.tip };
      this.#pulls.set(pr, { ...this.pull(pr, now), state: 'merged', merged });
    }
    this.#expectLanded(commit);
    commit.landed = this.#landed.size;
    commit.parent = null;
    return { kind: 'landed', head: candidate.commit, tree: candidate.tree };
  }

  /** Drops commits that these test runs and tips do not need, so that long races stay small. */
  forget(runs: Iterable<TestRun>, tips: readonly (Sha | null)[]): (sha: Sha) => boolean {
    const needed = new Set<Sha | null>([this.tip, ...tips]);
    for (const { base, onto, bisection, candidate } of runs) {
      for (const sha of [base, onto, bisection?.base ?? null]) needed.add(sha);
      for (const { commit } of candidate?.steps ?? []) needed.add(commit);
    }
    for (const sha of this.#commits.keys()) if (!needed.has(sha)) this.#commits.delete(sha);
    return (sha) => needed.has(sha);
  }

  #at(sha: Sha): Commit {
    const commit = this.#commits.get(sha);
    if (commit === undefined) throw new Error(`The repository does not have ${sha} any more.`);
    return commit;
  }

  #holds(from: Commit, pr: number): boolean {
    for (let commit: Commit | null = from; commit !== null; commit = commit.parent) {
      if (commit.landed !== null) return (this.#landed.get(pr) ?? Number.POSITIVE_INFINITY) <= commit.landed;
      if (commit.pr === pr) return true;
    }
    return false;
  }

  /** Throws if a commit contains more than the members that it lands, since something untested would land. */
  #expectLanded(from: Commit): void {
    for (let commit: Commit | null = from; commit !== null && commit.landed === null; commit = commit.parent)
      if (commit.pr !== null && !this.#landed.has(commit.pr))
        throw new Error(`#${commit.pr} is in a commit that landed without it.`);
  }
}

const treeOf = ({ key }: Content): string => `d${key.toString(16).padStart(39, '0')}`;
