import { type RepoRef, repoKey, VERDICTS_PER_TREE, type Verdict } from '@mq/core';

/** Passes by repository and tree, newest first. Trees written longest ago are pruned first. */
export class VerdictTable {
  readonly #byTree = new Map<string, readonly Verdict[]>();
  #count = 0;

  constructor(readonly limit: number) {}

  /** Replaces an earlier pass of the same check and source. */
  add(repo: RepoRef, verdict: Verdict): void {
    const key = keyOf(repo, verdict.tree);
    const { id, source } = verdict.check;
    const others = (this.#byTree.get(key) ?? []).filter(
      ({ check }) => check.id !== id || check.source !== source,
    );
    this.#drop(key);
    const kept = [verdict, ...others].slice(0, Math.min(VERDICTS_PER_TREE, this.limit));
    this.#byTree.set(key, kept);
    this.#count += kept.length;
    for (const oldest of this.#byTree.keys()) {
      if (this.#count <= this.limit) return;
      this.#drop(oldest);
    }
  }

  of(repo: RepoRef, tree: string): readonly Verdict[] {
    return [...(this.#byTree.get(keyOf(repo, tree)) ?? [])];
  }

  all(): readonly Verdict[] {
    return [...this.#byTree.values()].flat();
  }

  #drop(key: string): void {
    this.#count -= this.#byTree.get(key)?.length ?? 0;
    this.#byTree.delete(key);
  }
}

const keyOf = (repo: RepoRef, tree: string): string => `${repoKey(repo)}\n${tree}`;
