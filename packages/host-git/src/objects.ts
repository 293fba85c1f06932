import { HostError, isSha, type Sha } from '@mq/core';
import { type CommitObject, commitBytes, type NewCommit, parseCommit } from './commit-objects.js';
import { readable } from './git.js';
import type { GitRepository } from './repositories.js';

export const BLOB_LIMIT_BYTES = 1024 * 1024;

interface RawObject {
  readonly type: string;
  readonly content: Buffer;
}

/** The read access to a repository, which may be read-only. */
export type ObjectReader = Pick<GitRepository, 'objects'>;

/** Reads whole objects by full id; missing ones are omitted. */
const readObjects = async (repo: ObjectReader, names: readonly string[]): Promise<Map<string, RawObject>> => {
  const found = new Map<string, RawObject>();
  if (names.length === 0) return found;
  const { stdout, stderr } = await repo.objects({
    command: 'cat-file',
    args: ['--batch'],
    input: `${names.join('\n')}\n`,
  });
  refuseDamage(stderr);
  let at = 0;
  for (const name of names) {
    const end = stdout.indexOf(10, at);
    if (end === -1) throw new HostError(`git cat-file ended before ${name}.`, 'later');
    const [, type = '', size = ''] = stdout.toString('latin1', at, end).split(' ');
    at = end + 1;
    if (size === '') continue;
    const bytes = Number(size);
    found.set(name, { type, content: stdout.subarray(at, at + bytes) });
    at += bytes + 1;
  }
  return found;
};

/** Git reports a corrupt object as missing; only stderr distinguishes the two. */
const refuseDamage = (stderr: string): void => {
  if (stderr.trim() !== '')
    throw new HostError(`The repository is damaged (see git fsck): ${readable(stderr)}`, 'later');
};

/** The existing commits among these ids. An object of another type counts as missing. */
export const readCommits = async (
  repo: ObjectReader,
  shas: readonly Sha[],
): Promise<ReadonlyMap<Sha, CommitObject>> => {
  const unique = [...new Set(shas)].filter(isSha);
  const raw = await readObjects(repo, unique);
  const commits = new Map<Sha, CommitObject>();
  for (const sha of unique) {
    const object = raw.get(sha);
    if (object?.type === 'commit') commits.set(sha, parseCommit(sha, object.content));
  }
  return commits;
};

export const readCommit = async (repo: GitRepository, sha: Sha): Promise<CommitObject | null> =>
  (await readCommits(repo, [sha])).get(sha) ?? null;

/** The bytes of a tree; null if it is missing. */
export const readTree = async (repo: ObjectReader, tree: string): Promise<Buffer | null> => {
  const object = (await readObjects(repo, [tree])).get(tree);
  return object?.type === 'tree' ? object.content : null;
};

/** Writes a commit byte for byte. The same arguments give the same id in every process. */
export const writeCommit = (repo: ObjectReader, commit: NewCommit): Promise<Sha> =>
  writeObject(repo, 'commit', commitBytes(commit));

export const writeBlob = (repo: GitRepository, content: string): Promise<Sha> =>
  writeObject(repo, 'blob', Buffer.from(content));

/** Writes a raw tree without checks: old trees, with zero-padded modes for instance, would fail those of git. */
export const writeTree = (repo: GitRepository, content: Buffer): Promise<Sha> =>
  writeObject(repo, 'tree', content, ['--literally']);

const writeObject = async (
  repo: ObjectReader,
  type: 'blob' | 'commit' | 'tree',
  content: Buffer,
  options: readonly string[] = [],
): Promise<Sha> => {
  const { stdout } = await repo.objects({
    command: 'hash-object',
    args: ['-t', type, '-w', '--stdin', '--no-filters', ...options],
    input: content,
  });
  const name = stdout.toString('utf8').trim();
  if (!isSha(name))
    throw new HostError(`git hash-object answered ${JSON.stringify(name.slice(0, 80))}.`, 'later');
  return name;
};

/** The texts of blobs. Missing, non-blob and too large objects are omitted, and large ones are never read. */
export const readBlobs = async (
  repo: GitRepository,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  const unique = [...new Set(names)].filter(isSha);
  if (unique.length === 0) return new Map();
  const { stdout, stderr } = await repo.objects({
    command: 'cat-file',
    args: ['--batch-check'],
    input: `${unique.join('\n')}\n`,
  });
  refuseDamage(stderr);
  const fitting = stdout
    .toString('latin1')
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, type, size]) => type === 'blob' && Number(size) <= BLOB_LIMIT_BYTES)
    .flatMap(([name]) => name ?? []);
  const texts = new Map<string, string>();
  for (let at = 0; at < fitting.length; at += 50)
    for (const [name, { content }] of await readObjects(repo, fitting.slice(at, at + 50)))
      texts.set(name, content.toString('utf8'));
  return texts;
};

/** Which of the commits are reachable from `tip`; missing ones are not. */
export const containedIn = async (
  repo: GitRepository,
  tip: Sha,
  commits: readonly Sha[],
): Promise<ReadonlySet<Sha>> => {
  const there = await readCommits(repo, [tip, ...commits]);
  if (!there.has(tip)) return new Set();
  const asked = [...new Set(commits)].filter((sha) => there.has(sha));
  if (asked.length === 0) return new Set();
  const { stdout } = await repo.objects({
    command: 'rev-list',
    args: ['--stdin'],
    input: `${asked.join('\n')}\n^${tip}\n`,
  });
  const outside = new Set(stdout.toString('latin1').split('\n'));
  return new Set(asked.filter((sha) => !outside.has(sha)));
};

/** Reads every object reachable from these revisions. Fails if one is missing. */
export const objectWalk = (revisions: readonly string[]) =>
  ({
    command: 'rev-list',
    args: ['--objects', '--quiet', '--stdin'],
    usesCommitGraph: false,
    input: `${revisions.join('\n')}\n`,
  }) as const;

/** True if every object reachable from these, and not from `base`, exists. */
export const areWhole = async (repo: GitRepository, tips: readonly Sha[], base: Sha): Promise<boolean> => {
  const { code, stderr } = await repo.objects({ ...objectWalk([...tips, `^${base}`]), codes: [0, 128] });
  if (code === 0) return true;
  if (/missing \w+ object|bad (?:tree )?object|Could not read/.test(stderr)) return false;
  throw new HostError(`git rev-list failed (exit ${code}): ${readable(stderr)}`, 'later');
};

/** The error of git for an unreadable object reachable from `head` and not from `base`; null if all exist. */
export const unreadableIn = async (repo: GitRepository, head: Sha, base: Sha): Promise<string | null> => {
  const { code, stderr } = await repo.objects({ ...objectWalk([head, `^${base}`]), codes: [0, 128] });
  return code === 0 ? null : readable(stderr);
};

/** True if the two histories share a commit. */
export const areRelated = async (repo: ObjectReader, one: Sha, other: Sha): Promise<boolean> => {
  const { code } = await repo.objects({
    command: 'merge-base',
    args: ['--end-of-options', one, other],
    codes: [0, 1],
  });
  return code === 0;
};
