import { createHash } from 'node:crypto';
import type { Instant, Sha } from '@mq/core';
import { mergeText } from './merge-text.js';

/** Path to content. */
export type Files = Readonly<Record<string, string>>;

export interface FakeCommit {
  readonly sha: Sha;
  /** The digest of the files. */
  readonly tree: string;
  readonly files: Files;
  readonly parents: readonly Sha[];
  readonly message: string;
  readonly author: string;
  readonly committedAt: Instant;
  /** The pull request whose change it adds to its first parent; null for a pushed commit. */
  readonly pr: number | null;
}

export type FileMerge =
  | { readonly kind: 'merged'; readonly files: Files }
  | { readonly kind: 'conflicted'; readonly paths: readonly string[] };

const digest = (value: unknown): string => createHash('sha1').update(JSON.stringify(value)).digest('hex');

const sorted = (files: Files): Files =>
  Object.fromEntries(Object.entries(files).sort(([one], [other]) => (one < other ? -1 : 1)));

export const treeOf = (files: Files): string => digest(['tree', Object.entries(sorted(files))]);

/** The files after edits; null removes a file. */
export const edited = (files: Files, edits: Readonly<Record<string, string | null>>): Files => {
  const all: Record<string, string | null> = { ...files, ...edits };
  return Object.fromEntries(
    Object.entries(all).flatMap(([path, text]) => (text === null ? [] : [[path, text]])),
  );
};

/** Applies the change from `base` to `theirs` to `ours`, file by file and line by line. */
export const mergeFiles = (base: Files, ours: Files, theirs: Files): FileMerge => {
  const merged: Record<string, string> = {};
  const conflicts: string[] = [];
  for (const path of new Set([...Object.keys(base), ...Object.keys(ours), ...Object.keys(theirs)])) {
    const content = mergeOne(base[path], ours[path], theirs[path]);
    if (content === null) conflicts.push(path);
    else if (content !== undefined) merged[path] = content;
  }
  if (conflicts.length > 0) return { kind: 'conflicted', paths: conflicts.sort() };
  return { kind: 'merged', files: sorted(merged) };
};

/** Null on a conflict; undefined if the file is removed. */
const mergeOne = (
  base: string | undefined,
  ours: string | undefined,
  theirs: string | undefined,
): string | null | undefined => {
  if (ours === theirs || theirs === base) return ours;
  if (ours === base) return theirs;
  if (base === undefined || ours === undefined || theirs === undefined) return null;
  return mergeText(base, ours, theirs);
};

/** Commits and trees of one repository in memory. Ids are digests of the content, so equal inputs give equal ids. */
export class FakeGit {
  readonly #commits = new Map<Sha, FakeCommit>();

  has(sha: Sha): boolean {
    return this.#commits.has(sha);
  }

  get(sha: Sha): FakeCommit {
    const commit = this.#commits.get(sha);
    if (commit === undefined) throw new Error(`The fake repository has no commit ${sha}.`);
    return commit;
  }

  commit(part: Omit<FakeCommit, 'sha' | 'tree'>, salt: string | number = ''): FakeCommit {
    const files = sorted(part.files);
    const tree = treeOf(files);
    const sha = digest([
      ...['commit', tree, part.parents, part.message, part.author],
      ...[part.committedAt, salt],
    ]) as Sha;
    const known = this.#commits.get(sha);
    if (known !== undefined) return known;
    const commit: FakeCommit = { ...part, files, sha, tree };
    this.#commits.set(sha, commit);
    return commit;
  }

  /** The commit itself and all its ancestors. */
  ancestors(sha: Sha): ReadonlySet<Sha> {
    const found = new Set<Sha>();
    const open = [sha];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (found.has(next)) continue;
      found.add(next);
      open.push(...this.get(next).parents);
    }
    return found;
  }

  isAncestor(ancestor: Sha, of: Sha): boolean {
    return this.has(ancestor) && this.has(of) && this.ancestors(of).has(ancestor);
  }

  /** From the tip back to the root along first parents. */
  firstParents(tip: Sha): readonly FakeCommit[] {
    const line: FakeCommit[] = [];
    for (let next: Sha | undefined = tip; next !== undefined; next = this.get(next).parents[0]) {
      line.push(this.get(next));
    }
    return line;
  }

  /** The commits reachable from `head` but not from `exclude`, parents before children. */
  ownCommits(head: Sha, exclude: Sha): readonly FakeCommit[] {
    const known = this.ancestors(exclude);
    const seen = new Set<Sha>();
    const line: FakeCommit[] = [];
    const visit = (sha: Sha): void => {
      if (known.has(sha) || seen.has(sha)) return;
      seen.add(sha);
      const commit = this.get(sha);
      for (const parent of commit.parents) visit(parent);
      line.push(commit);
    };
    visit(head);
    return line;
  }

  /** True if a merge commit is the automatic merge of its parents. */
  isAutomatic({ parents, tree }: FakeCommit): boolean {
    const [ours, theirs, ...more] = parents;
    if (ours === undefined || theirs === undefined || more.length > 0) return false;
    const merged = this.merge(ours, theirs);
    return merged.kind === 'merged' && treeOf(merged.files) === tree;
  }

  merge(ours: Sha, theirs: Sha): FileMerge | { readonly kind: 'unrelated' } {
    const base = this.#mergeBase(ours, theirs);
    if (base === null) return { kind: 'unrelated' };
    return mergeFiles(base, this.get(ours).files, this.get(theirs).files);
  }

  /** Several best common ancestors are merged first, as git does; on a conflict the next one is ignored. */
  #mergeBase(one: Sha, other: Sha): Files | null {
    const [first, ...more] = this.#bestCommonAncestors(one, other);
    if (first === undefined) return null;
    let files = this.get(first).files;
    for (const next of more) {
      const merged = mergeFiles(this.#mergeBase(first, next) ?? {}, files, this.get(next).files);
      if (merged.kind === 'merged') files = merged.files;
    }
    return files;
  }

  #bestCommonAncestors(one: Sha, other: Sha): readonly Sha[] {
    const theirs = this.ancestors(other);
    const common = [...this.ancestors(one)].filter((sha) => theirs.has(sha));
    const lesser = new Set(common.flatMap((sha) => this.get(sha).parents));
    return common.filter((sha) => !lesser.has(sha)).sort();
  }
}
