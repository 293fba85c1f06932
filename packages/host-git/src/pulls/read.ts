import type { HostPullRequest, MergeMethod, PullRequestAnswer, Sha } from '@mq/core';
import { BoundedMap } from '../bounded-map.js';
import { PRIORITIES } from '../git.js';
import { type Mergeable, notAsked } from '../mergeability.js';
import { branchRef, isPullNumber, PULLS, pullRef } from '../names.js';
import { readBlobs } from '../objects.js';
import { listRefs, listRefsApart, offerRefs } from '../refs.js';
import type { GitRepository } from '../repositories.js';
import { answersOrElse } from '../settled.js';
import { containedApart } from './contained.js';
import { Merges } from './merges.js';
import { type PullMeta, type PullRefs, parseMeta, pullRefsOf } from './meta.js';

const METAS_KEPT = 20_000;
const ANCESTRIES_KEPT = 50_000;

/** One pull request from its refs, with the present tips of its branches. */
export interface StoredPull {
  readonly refs: PullRefs;
  readonly meta: PullMeta;
  /** The tip of the head branch while it is open; otherwise the last known tip. */
  readonly head: Sha;
  readonly headTip: Sha | null;
  readonly baseTip: Sha | null;
  /** The commit as which it merged; null until then. */
  readonly merged: Sha | null;
  /** Why its head branch or its commits are unreadable; null otherwise. */
  readonly unreadable: string | null;
  readonly isHeadBroken: boolean;
}

/** Why a pull request whose head branch is broken can be neither tested nor merged. */
export const brokenHead = ({ headBranch }: PullMeta): string =>
  `Git cannot read the branch ${headBranch} (the file of the ref is damaged): delete that file in the repository and push the branch again.`;

/** Reads pull requests with few processes. Facts about objects and pairs of commits never change and are cached. */
export class PullReader {
  readonly #metas = new BoundedMap<PullMeta | 'unreadable'>(METAS_KEPT);
  readonly #merges: Merges;
  readonly #ancestries = new BoundedMap<boolean>(ANCESTRIES_KEPT);

  constructor(
    private readonly repo: GitRepository,
    private readonly urlOf: (number: number) => string,
    /** Called when a pending mergeability is known. */
    learnt: () => void = () => undefined,
  ) {
    this.#merges = new Merges(learnt);
  }

  /** `repo` is the same repository with another priority. */
  async byNumber(numbers: readonly number[], repo = this.repo): Promise<readonly StoredPull[]> {
    const wanted = [...new Set(numbers)].filter(isPullNumber).map((number) => `${PULLS}/${number}`);
    return this.#stored(pullRefsOf(await listRefs(repo, wanted)), repo);
  }

  async all(): Promise<readonly StoredPull[]> {
    return this.#stored(pullRefsOf(await listRefs(this.repo, [PULLS])), this.repo);
  }

  /** The newest pull request with this head branch, open ones first. */
  async findByBranch(headBranch: string): Promise<StoredPull | null> {
    if ((await listRefs(this.repo, [branchRef(headBranch)])).size === 0) return null;
    const refs = pullRefsOf(await listRefs(this.repo, [PULLS]));
    const metas = await this.#readMetas(refs, this.repo);
    const same = refs.filter(({ meta }) => metas.get(meta)?.headBranch === headBranch);
    const pulls = await this.#stored(same, this.repo);
    return (
      pulls.findLast(({ meta, merged }) => meta.state === 'open' && merged === null) ?? pulls.at(-1) ?? null
    );
  }

  /** Includes the mergeability if a method is given. */
  async answer(
    pull: StoredPull,
    method: MergeMethod | null,
    repo = this.repo,
    priority: number = PRIORITIES.work,
  ): Promise<PullRequestAnswer> {
    const { number } = pull.refs;
    if (pull.unreadable !== null)
      return { number, fault: { code: 'PULL_REQUEST_UNREADABLE', message: pull.unreadable } };
    return { ...this.describe(pull), ...(await this.#mergeability(pull, method, repo, priority)) };
  }

  /** Several pull requests. One on which the host fails is shown without mergeability; throws if the host fails on all. */
  async answers(
    pulls: readonly StoredPull[],
    method: MergeMethod | null,
    repo = this.repo,
    priority: number = PRIORITIES.work,
  ): Promise<readonly PullRequestAnswer[]> {
    return answersOrElse<StoredPull, PullRequestAnswer>(
      pulls,
      (pull) => this.answer(pull, method, repo, priority),
      (pull) => this.describe(pull),
    );
  }

  /** Everything except mergeability; works for damaged commits too. */
  describe(pull: StoredPull): HostPullRequest {
    const { meta, refs } = pull;
    return {
      number: refs.number,
      title: meta.title,
      body: meta.body,
      author: meta.author,
      url: this.urlOf(refs.number),
      head: pull.head,
      headBranch: pull.headTip === null ? null : meta.headBranch,
      base: meta.base,
      state: pull.merged === null ? meta.state : 'merged',
      merged: pull.merged === null ? null : { branch: meta.base, commit: pull.merged },
      draft: meta.draft,
      fork: false,
      labels: meta.labels,
      ...notAsked,
    };
  }

  async #stored(refs: readonly PullRefs[], repo: GitRepository): Promise<readonly StoredPull[]> {
    const metas = await this.#readMetas(refs, repo);
    const branches = [...metas.values()].flatMap((meta) => [
      branchRef(meta.base),
      branchRef(meta.headBranch),
    ]);
    const { refs: tips, broken } = await listRefsApart(repo, [...new Set(branches)]);
    const stored = refs.flatMap((one) => {
      const meta = metas.get(one.meta);
      if (meta === undefined) return [];
      const headTip = tips.get(branchRef(meta.headBranch)) ?? null;
      const baseTip = tips.get(branchRef(meta.base)) ?? null;
      const head = meta.state === 'open' ? (headTip ?? one.head) : one.head;
      const isHeadBroken = broken.has(branchRef(meta.headBranch));
      return [{ refs: one, meta, head, headTip, baseTip, merged: null, unreadable: null, isHeadBroken }];
    });
    const unreadable = await this.#learnAncestry(stored, repo);
    const pulls = stored.map((pull) => ({
      ...this.#withMerged(pull),
      unreadable: pull.isHeadBroken ? brokenHead(pull.meta) : (unreadable.get(pull.head) ?? null),
    }));
    await this.#follow(pulls, repo);
    return pulls;
  }

  async #readMetas(refs: readonly PullRefs[], repo: GitRepository): Promise<ReadonlyMap<Sha, PullMeta>> {
    const unknown = refs.filter(({ meta }) => this.#metas.get(meta) === undefined).map(({ meta }) => meta);
    const fresh = new Map<string, PullMeta | 'unreadable'>();
    const texts = await readBlobs(repo, unknown);
    for (const name of unknown) {
      const text = texts.get(name);
      fresh.set(name, (text === undefined ? null : parseMeta(text)) ?? 'unreadable');
    }
    for (const [name, meta] of fresh) this.#metas.set(name, meta);
    const found = new Map<Sha, PullMeta>();
    for (const { meta } of refs) {
      const known = fresh.get(meta) ?? this.#metas.get(meta);
      if (known !== undefined && known !== 'unreadable') found.set(meta, known);
    }
    return found;
  }

  /** Uses one process per base branch for all its pull requests. Returns the unreadable ones with the error of git. */
  async #learnAncestry(pulls: readonly StoredPull[], repo: GitRepository): Promise<ReadonlyMap<Sha, string>> {
    const open = new Map<Sha, Set<Sha>>();
    for (const { baseTip, refs, head } of pulls) {
      if (baseTip === null) continue;
      for (const sha of [refs.merged, refs.head, head])
        if (sha !== null && this.#ancestries.get(`${baseTip} ${sha}`) === undefined)
          open.set(baseTip, (open.get(baseTip) ?? new Set()).add(sha));
    }
    const unreadable = new Map<Sha, string>();
    for (const [tip, shas] of open) {
      const found = await containedApart(repo, tip, [...shas]);
      for (const [sha, message] of found.unreadable) unreadable.set(sha, message);
      for (const sha of shas)
        if (!found.unreadable.has(sha)) this.#ancestries.set(`${tip} ${sha}`, found.contained.has(sha));
    }
    return unreadable;
  }

  #isIn(tip: Sha | null, sha: Sha): boolean {
    return tip !== null && this.#ancestries.get(`${tip} ${sha}`) === true;
  }

  /**
   * Trusts a merge mark only if the base contains its commit. A pull request counts as merged by hand if a head that was
   * once seen outside the base is inside it now; a branch that was reset to a commit of the base does not count.
   */
  #withMerged(pull: StoredPull): StoredPull {
    const { refs, meta, baseTip, head } = pull;
    if (refs.merged !== null && this.#isIn(baseTip, refs.merged))
      return { ...pull, head: refs.head, merged: refs.merged };
    const byHand = meta.state === 'open' && this.#isIn(baseTip, refs.head) && this.#isIn(baseTip, head);
    return byHand ? { ...pull, merged: head } : pull;
  }

  /** Stores the last head outside the base, in case the branch is deleted. Losing a race to another reader is harmless. */
  async #follow(pulls: readonly StoredPull[], repo: GitRepository): Promise<void> {
    for (const { refs, meta, head, baseTip, merged, unreadable } of pulls) {
      if (meta.state !== 'open' || refs.head === head || unreadable !== null) continue;
      if (merged === null && this.#isIn(baseTip, head)) continue;
      if (refs.merged !== null && merged === refs.merged) continue;
      await offerRefs(repo, [
        { kind: 'update', ref: pullRef(refs.number, 'head'), to: head, was: refs.head },
      ]);
    }
  }

  async #mergeability(
    { meta, baseTip, head, merged }: StoredPull,
    method: MergeMethod | null,
    repo: GitRepository,
    priority: number,
  ): Promise<Mergeable> {
    const not = (mergeabilityReason: string): Mergeable => ({
      mergeability: 'not_mergeable',
      mergeabilityReason,
      conflicts: false,
    });
    if (merged !== null) return not('It is merged.');
    if (meta.state === 'closed') return not('It is closed.');
    if (baseTip === null) return not(`${meta.base} does not exist.`);
    if (method === null) return notAsked;
    return this.#merges.show(repo, { method, base: meta.base, baseTip, head }, priority);
  }
}
