import type { HostPullRequest, Sha } from '@mq/core';
import { BoundedMap } from '../bounded-map.js';
import { mergeTrees } from '../merge.js';
import { branchRef, isPullNumber, PULLS, pullRef } from '../names.js';
import { containedIn, readBlobs } from '../objects.js';
import { listRefs, offerRefs } from '../refs.js';
import type { GitRepository } from '../repositories.js';
import { type PullMeta, type PullRefs, parseMeta, pullRefsOf } from './meta.js';

const METAS_KEPT = 20_000;
const MERGES_KEPT = 20_000;
const ANCESTRIES_KEPT = 50_000;

/** One pull request as its refs say, with what its branches point at now. */
export interface StoredPull {
  readonly refs: PullRefs;
  readonly meta: PullMeta;
  /** The head branch's tip while it is open; else the last one known. */
  readonly head: Sha;
  readonly headTip: Sha | null;
  readonly baseTip: Sha | null;
  /** The commit that it was merged as; null while it is not. */
  readonly merged: Sha | null;
}

type Mergeable = Pick<HostPullRequest, 'mergeability' | 'mergeabilityReason' | 'conflicts'>;

/** Reads pull requests with few processes: what an object or a pair of commits says never changes, and is kept. */
export class PullReader {
  readonly #metas = new BoundedMap<PullMeta | 'unreadable'>(METAS_KEPT);
  readonly #merges = new BoundedMap<Promise<Mergeable>>(MERGES_KEPT);
  readonly #ancestries = new BoundedMap<boolean>(ANCESTRIES_KEPT);

  constructor(
    private readonly repo: GitRepository,
    private readonly urlOf: (number: number) => string,
  ) {}

  async byNumber(numbers: readonly number[]): Promise<readonly StoredPull[]> {
    const wanted = [...new Set(numbers)].filter(isPullNumber).map((number) => `${PULLS}/${number}`);
    return this.#stored(pullRefsOf(await listRefs(this.repo, wanted)));
  }

  async all(): Promise<readonly StoredPull[]> {
    return this.#stored(pullRefsOf(await listRefs(this.repo, [PULLS])));
  }

  /** The newest with this head branch, open ones first. */
  async findByBranch(headBranch: string): Promise<StoredPull | null> {
    if ((await listRefs(this.repo, [branchRef(headBranch)])).size === 0) return null;
    const refs = pullRefsOf(await listRefs(this.repo, [PULLS]));
    const metas = await this.#readMetas(refs);
    const same = refs.filter(({ meta }) => metas.get(meta)?.headBranch === headBranch);
    const pulls = await this.#stored(same);
    return (
      pulls.findLast(({ meta, merged }) => meta.state === 'open' && merged === null) ?? pulls.at(-1) ?? null
    );
  }

  async show(pull: StoredPull): Promise<HostPullRequest> {
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
      ...(await this.#mergeability(pull)),
    };
  }

  async #stored(refs: readonly PullRefs[]): Promise<readonly StoredPull[]> {
    const metas = await this.#readMetas(refs);
    const branches = [...metas.values()].flatMap((meta) => [
      branchRef(meta.base),
      branchRef(meta.headBranch),
    ]);
    const tips = await listRefs(this.repo, [...new Set(branches)]);
    const stored = refs.flatMap((one) => {
      const meta = metas.get(one.meta);
      if (meta === undefined) return [];
      const headTip = tips.get(branchRef(meta.headBranch)) ?? null;
      const baseTip = tips.get(branchRef(meta.base)) ?? null;
      const head = meta.state === 'open' ? (headTip ?? one.head) : one.head;
      return [{ refs: one, meta, head, headTip, baseTip, merged: null }];
    });
    await this.#learnAncestry(stored);
    const pulls = stored.map((pull) => this.#withMerged(pull));
    await this.#follow(pulls);
    return pulls;
  }

  async #readMetas(refs: readonly PullRefs[]): Promise<ReadonlyMap<Sha, PullMeta>> {
    const unknown = refs.filter(({ meta }) => this.#metas.get(meta) === undefined).map(({ meta }) => meta);
    const fresh = new Map<string, PullMeta | 'unreadable'>();
    const texts = await readBlobs(this.repo, unknown);
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

  /** One process per base branch asks for all its pull requests. */
  async #learnAncestry(pulls: readonly StoredPull[]): Promise<void> {
    const open = new Map<Sha, Set<Sha>>();
    for (const { baseTip, refs, head } of pulls) {
      if (baseTip === null) continue;
      for (const sha of [refs.merged, refs.head, head])
        if (sha !== null && this.#ancestries.get(`${baseTip} ${sha}`) === undefined)
          open.set(baseTip, (open.get(baseTip) ?? new Set()).add(sha));
    }
    for (const [tip, shas] of open) {
      const contained = await containedIn(this.repo, tip, [...shas]);
      for (const sha of shas) this.#ancestries.set(`${tip} ${sha}`, contained.has(sha));
    }
  }

  #isIn(tip: Sha | null, sha: Sha): boolean {
    return tip !== null && this.#ancestries.get(`${tip} ${sha}`) === true;
  }

  /**
   * A mark is believed only if the base contains its commit. Merged by hand is what was once seen outside the base and
   * is inside now; a branch that was set back to a commit of the base is not.
   */
  #withMerged(pull: StoredPull): StoredPull {
    const { refs, meta, baseTip, head } = pull;
    if (refs.merged !== null && this.#isIn(baseTip, refs.merged))
      return { ...pull, head: refs.head, merged: refs.merged };
    const byHand = meta.state === 'open' && this.#isIn(baseTip, refs.head) && this.#isIn(baseTip, head);
    return byHand ? { ...pull, merged: head } : pull;
  }

  /** Keeps the last head that is not in the base, for when the branch is gone. Losing a race to another reader is fine. */
  async #follow(pulls: readonly StoredPull[]): Promise<void> {
    for (const { refs, meta, head, baseTip, merged } of pulls) {
      if (meta.state !== 'open' || refs.head === head) continue;
      if (merged === null && this.#isIn(baseTip, head)) continue;
      if (refs.merged !== null && merged === refs.merged) continue;
      await offerRefs(this.repo, [
        { kind: 'update', ref: pullRef(refs.number, 'head'), to: head, was: refs.head },
      ]);
    }
  }

  async #mergeability(pull: StoredPull): Promise<Mergeable> {
    const { meta, baseTip, head } = pull;
    if (pull.merged !== null || meta.state === 'closed') {
      const mergeabilityReason = pull.merged === null ? 'It is closed.' : 'It is merged.';
      return { mergeability: 'not_mergeable', mergeabilityReason, conflicts: false };
    }
    if (baseTip === null) {
      return {
        mergeability: 'not_mergeable',
        mergeabilityReason: `${meta.base} does not exist.`,
        conflicts: false,
      };
    }
    return this.#mergeOnce(meta.base, baseTip, head);
  }

  /** Those who ask for one pair at once share the answer; a failure is not kept. */
  #mergeOnce(base: string, baseTip: Sha, head: Sha): Promise<Mergeable> {
    const key = `${base} ${baseTip} ${head}`;
    const known = this.#merges.get(key);
    if (known !== undefined) return known;
    const asked = mergeTrees(this.repo, baseTip, head).then((merge) => mergeableOf(base, merge));
    this.#merges.set(key, asked);
    asked.catch(() => this.#merges.delete(key));
    return asked;
  }
}

const mergeableOf = (base: string, merge: Awaited<ReturnType<typeof mergeTrees>>): Mergeable => {
  switch (merge.kind) {
    case 'merged':
      return { mergeability: 'mergeable', mergeabilityReason: null, conflicts: false };
    case 'unrelated':
      return {
        mergeability: 'not_mergeable',
        mergeabilityReason: `It has no commit in common with ${base}.`,
        conflicts: false,
      };
    case 'conflicted': {
      const shown = merge.paths.slice(0, 5).join(', ');
      return {
        mergeability: 'not_mergeable',
        mergeabilityReason: `It conflicts with ${base} in ${shown}${merge.paths.length > 5 ? ', …' : ''}.`,
        conflicts: true,
      };
    }
  }
};
