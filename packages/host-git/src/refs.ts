import { HostError, isSha, type Sha } from '@mq/core';
import { readable } from './git.js';
import type { GitRepository } from './repositories.js';
import { heldLock, pastStaleLocks } from './stale-locks.js';

/** Maps full ref names to their targets. A pattern is a full name or a prefix up to a slash. */
export const listRefs = async (
  repo: GitRepository,
  patterns: readonly string[],
  order: 'by name' | 'newest first' = 'by name',
): Promise<ReadonlyMap<string, Sha>> => (await listRefsApart(repo, patterns, order)).refs;

interface ListedRefs {
  readonly refs: ReadonlyMap<string, Sha>;
  /** Refs whose file git cannot read: after a loss of power, such a file is often empty. */
  readonly broken: ReadonlySet<string>;
}

export const listRefsApart = async (
  repo: GitRepository,
  patterns: readonly string[],
  order: 'by name' | 'newest first' = 'by name',
): Promise<ListedRefs> => {
  const refs = new Map<string, Sha>();
  if (patterns.length === 0) return { refs, broken: new Set() };
  const sorting = order === 'by name' ? [] : ['--sort=-creatordate'];
  // Names of refs cannot contain brackets, stars or backslashes, so they need no escaping in a pattern.
  const { stdout, stderr } = await repo.refs({
    command: 'for-each-ref',
    args: ['--format=%(objectname) %(refname)', ...sorting, '--', ...patterns],
  });
  for (const line of stdout.toString('utf8').split('\n')) {
    const space = line.indexOf(' ');
    const name = line.slice(0, space);
    if (space > 0 && isSha(name)) refs.set(line.slice(space + 1), name);
  }
  const broken = [...stderr.matchAll(/ignoring broken ref (.+)$/gm)].map(([, ref = '']) => ref);
  return { refs, broken: new Set(broken) };
};

export const readRef = async (repo: GitRepository, ref: string): Promise<Sha | null> =>
  (await listRefs(repo, [ref])).get(ref) ?? null;

export interface BranchTip {
  readonly head: Sha;
  /** For a symbolic ref, the full name of the ref at the end of the chain. */
  readonly symbolicRef: string | null;
}

/** Null if the branch does not exist or points at nothing. */
export const readBranch = async (repo: GitRepository, ref: string): Promise<BranchTip | null> => {
  const { stdout } = await repo.refs({
    command: 'for-each-ref',
    args: ['--format=%(objectname) %(refname) %(symref)', '--', ref],
  });
  for (const line of stdout.toString('utf8').split('\n')) {
    const [head = '', name, symbolicRef = ''] = line.split(' ');
    if (name === ref && isSha(head)) return { head, symbolicRef: symbolicRef === '' ? null : symbolicRef };
  }
  return null;
};

export interface RefAt {
  readonly ref: string;
  readonly was: Sha;
}

/**
 * For each of these missing branches, one whose name git cannot keep beside it: `a` and `a/b` exclude each other. Git fails
 * to verify that `a` is missing while `a/b` exists; that `a/b` still exists proves the same. Omits branches without one.
 */
export const branchesInTheWay = async (
  repo: GitRepository,
  missing: readonly string[],
): Promise<ReadonlyMap<string, RefAt>> => {
  const found = new Map<string, RefAt>();
  const near = await listRefs(repo, [...new Set(missing.flatMap((ref) => [ref, ...parentsOf(ref)]))]);
  for (const ref of missing) {
    const parents = parentsOf(ref);
    for (const [other, was] of near)
      if (other.startsWith(`${ref}/`) || parents.includes(other)) found.set(ref, { ref: other, was });
  }
  return found;
};

/** The names above a branch: `refs/heads/a` and `refs/heads/a/b` for `refs/heads/a/b/c`. */
const parentsOf = (ref: string): readonly string[] => {
  const parts = ref.split('/');
  return parts.slice(3).map((_, index) => parts.slice(0, index + 3).join('/'));
};

/**
 * `was`: the expected target; null if the ref must not exist; undefined for any state. `through`: true updates the target of
 * a symbolic ref; otherwise the symbolic ref itself is replaced.
 */
export type RefChange =
  | {
      readonly kind: 'update';
      readonly ref: string;
      readonly to: Sha;
      readonly was?: Sha | null;
      readonly through?: true;
    }
  | { readonly kind: 'delete'; readonly ref: string; readonly was?: Sha }
  | { readonly kind: 'verify'; readonly ref: string; readonly was: Sha | null };

/**
 * Applies all changes, or none and returns false if an expected target does not match. Applies them in the given order, so
 * that a killed process leaves a prefix of the list behind.
 */
export const changeRefs = async (repo: GitRepository, changes: readonly RefChange[]): Promise<boolean> => {
  const answer = await pastStaleLocks(repo, () => transact(repo, changes));
  const { code, stderr } = answer;
  if (code === 0) return true;
  if (/cannot lock ref .*(?:is at|but expected|already exists|unable to resolve)/s.test(stderr)) return false;
  const message = `git update-ref failed (exit ${code}): ${readable(stderr)}`;
  throw heldLock(answer) ?? new HostError(message, 'later');
};

const transact = (repo: GitRepository, changes: readonly RefChange[]) => {
  const lines = changes.map((change) => {
    const was = change.was === null ? repo.zero : (change.was ?? '');
    const itself = change.kind === 'update' && change.through === true ? '' : 'option no-deref\0';
    if (change.kind === 'update') return `${itself}update ${change.ref}\0${change.to}\0${was}\0`;
    return `${itself}${change.kind} ${change.ref}\0${was}\0`;
  });
  // Without `start`, git would execute a truncated input.
  return repo.refs({
    command: 'update-ref',
    args: ['--stdin', '-z'],
    input: `start\0${lines.join('')}prepare\0commit\0`,
    codes: [0, 1, 128],
  });
};

/** Tries to apply changes and ignores a failure: for updates that other readers may also make, or the next one repeats. */
export const offerRefs = async (repo: GitRepository, changes: readonly RefChange[]): Promise<void> => {
  await changeRefs(repo, changes).catch((error: unknown) => {
    if (!(error instanceof HostError)) throw error;
  });
};
