import { execFile } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sha } from '@mq/core';
import type { HeadDamage } from '@mq/testkit';
import { git } from './contributor.js';

/** Entries of a tree that git itself never writes. `blob` and `tree` stand for existing objects, `null` for the null id. */
const entriesOf = {
  slash: ['100644 a/b blob'],
  'a slash in a folder': ['40000 a/b tree'],
  'an empty name': ['100644  blob'],
  dot: ['100644 . blob'],
  'two dots': ['100644 .. blob'],
  '.git': ['100644 .git blob'],
  duplicates: ['100644 a blob', '100644 a tree'],
  'wrong order': ['100644 z blob', '100644 a blob'],
  'a null submodule': ['160000 a null'],
  'a zero-padded mode': ['040000 sub tree'],
} as const;
export type HostileTree = keyof typeof entriesOf;
export const hostileTrees = Object.keys(entriesOf) as readonly HostileTree[];

/** Writes an object without any check, as another program than git may. */
export const writeRaw = (bare: string, type: string, content: Buffer): Promise<Sha> =>
  new Promise((resolve, reject) => {
    const child = execFile(
      'git',
      ['hash-object', '-t', type, '-w', '--stdin', '--literally'],
      { cwd: bare },
      (error, out) => (error === null ? resolve(out.trim() as Sha) : reject(error)),
    );
    child.stdin?.end(content);
  });

export const hostileTree = async (bare: string, kind: HostileTree): Promise<Sha> => {
  const blob = await writeRaw(bare, 'blob', Buffer.from(`${kind}\n`));
  const tree = (await git(bare, 'rev-parse', 'main^{tree}')).trim();
  const readme = (await git(bare, 'rev-parse', 'main:README.md')).trim();
  const entry = (head: string, sha: string) =>
    Buffer.concat([Buffer.from(`${head}\0`), Buffer.from(sha, 'hex')]);
  const hostile = entriesOf[kind].map((text) => {
    const space = text.lastIndexOf(' ');
    if (text.endsWith(' null')) return entry(text.slice(0, space), '0'.repeat(40));
    return entry(text.slice(0, space), /^0?40000 .*tree$/.test(text) ? tree : blob);
  });
  const own = entry('100644 README.md', readme);
  const isBehind = kind === 'a zero-padded mode' || kind === 'a null submodule' || kind === 'wrong order';
  const all = isBehind ? [own, ...hostile] : [...hostile, own];
  return writeRaw(bare, 'tree', Buffer.concat(all));
};

/** The tree of a commit with another tree at the path of a new folder. */
const inFolder = async (bare: string, commit: Sha, folder: string, tree: Sha): Promise<Sha> => {
  const rows = (await git(bare, 'ls-tree', commit)).split('\n').filter(Boolean);
  const content = [...rows, `040000 tree ${tree}\t${folder}`]
    .map((row) => /^0*(\d+) (\w+) (\w+)\t(.*)$/.exec(row) ?? [])
    .map(([, mode, type, id = '', name = '']) => ({
      mode,
      id,
      name,
      key: type === 'tree' ? `${name}/` : name,
    }))
    .sort((one, other) => Buffer.compare(Buffer.from(one.key), Buffer.from(other.key)))
    .flatMap(({ mode, id, name }) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]);
  return writeRaw(bare, 'tree', Buffer.concat(content));
};

/** A commit of such a tree on top of a branch: as the whole tree, or as a new folder in it. */
export const hostileCommit = async (
  bare: string,
  branch: string,
  kind: HostileTree,
  folder: string | null = null,
): Promise<Sha> => {
  const parent = (await git(bare, 'rev-parse', `refs/heads/${branch}`)).trim() as Sha;
  const hostile = await hostileTree(bare, kind);
  const tree = folder === null ? hostile : await inFolder(bare, parent, folder, hostile);
  const text = `tree ${tree}\nparent ${parent}\nauthor Eve <eve@example.org> 1700000000 +0000\ncommitter Eve <eve@example.org> 1700000000 +0000\n\nHostile\n`;
  const commit = await writeRaw(bare, 'commit', Buffer.from(text));
  await git(bare, 'update-ref', `refs/heads/${branch}`, commit);
  return commit;
};

/** Gives a branch a head with which git cannot merge, or with a folder that it can merge only while nothing else changes it. */
export const damageTree = async (
  bare: string,
  branch: string,
  how: Exclude<HeadDamage, 'unreadable'>,
): Promise<void> => {
  const isOnTip = how !== 'merge aborts';
  if (isOnTip) await git(bare, 'update-ref', `refs/heads/${branch}`, 'refs/heads/main');
  if (how === 'hostile folder') await hostileCommit(bare, branch, 'a null submodule', 'hostile');
  else await hostileCommit(bare, branch, 'slash');
};

/** From now on the object can be found but not read. */
export const corrupt = async (bare: string, sha: Sha): Promise<void> => {
  await git(bare, 'cat-file', '-e', sha);
  const packs = (await git(bare, 'count-objects', '-v')).match(/packs: (\d+)/)?.[1];
  if (packs !== '0') {
    // The objects of packs are written out first, so that only this one is damaged.
    const type = (await git(bare, 'cat-file', '-t', sha)).trim();
    throw new Error(`${sha} (${type}) may be in a pack.`);
  }
  const file = join(bare, 'objects', sha.slice(0, 2), sha.slice(2));
  await chmod(file, 0o644);
  await writeFile(file, 'no object');
};
