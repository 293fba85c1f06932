import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isSha, type Sha } from '@mq/core';
import { runGit } from '../git.js';
import type { ObjectReader } from '../objects.js';
import { makeView } from '../repositories.js';
import { VerifyError } from './verify-error.js';

/** Read-only access to any git repository, bare or with a work tree. */
export interface ReadableRepository extends ObjectReader {
  /** The commit that a ref points at; null if there is no such ref. */
  commitOf(ref: string): Promise<Sha | null>;
  /** Calls `use` with a temporary repository that shares these objects, to compute merges. Removes it afterwards. */
  withScratch<Value>(use: (scratch: ObjectReader) => Promise<Value>): Promise<Value>;
}

export const readableRepository = async (path: string): Promise<ReadableRepository> => {
  const folder = resolve(path);
  const inside = join(folder, '.git');
  const place: { readonly gitDir: string; readonly workTree?: string } = existsSync(inside)
    ? { gitDir: inside, workTree: folder }
    : { gitDir: folder };
  const objects: ObjectReader['objects'] = (call) => runGit({ ...call, ...place });
  const asked = existsSync(folder)
    ? await objects({ command: 'rev-parse', args: ['--git-dir'], codes: [0, 128] })
    : null;
  if (asked?.code !== 0)
    throw new VerifyError('REPOSITORY_UNKNOWN', `there is no git repository at ${folder}.`);
  return {
    objects,
    commitOf: async (ref) => {
      const args = ['--verify', '--quiet', '--end-of-options', `${ref}^{commit}`];
      const { code, stdout } = await objects({ command: 'rev-parse', args, codes: [0, 1, 128] });
      const name = stdout.toString('latin1').trim();
      return code === 0 && isSha(name) ? name : null;
    },
    withScratch: async (use) => {
      const scratch = await mkdtemp(join(tmpdir(), 'mq-verify-'));
      try {
        await layOut(scratch, objects, place.workTree ?? place.gitDir);
        return await use({ objects: (call) => runGit({ ...call, gitDir: scratch }) });
      } finally {
        await rm(scratch, { recursive: true, force: true });
      }
    },
  };
};

/** Creates a repository that borrows the objects of another one, without its settings and drivers. */
const layOut = async (scratch: string, objects: ObjectReader['objects'], folder: string): Promise<void> => {
  const { stdout } = await objects({
    command: 'rev-parse',
    args: ['--show-object-format', '--git-path', 'objects'],
  });
  const [format, path = ''] = stdout.toString('utf8').split('\n');
  await makeView(scratch, format === 'sha256' ? 'sha256' : 'sha1');
  await mkdir(join(scratch, 'objects', 'info'));
  await writeFile(join(scratch, 'objects', 'info', 'alternates'), `${resolve(folder, path)}\n`);
};

export interface Tip {
  readonly ref: string;
  readonly commit: Sha;
}

/** The tip of a branch; null if there is none. Prefers `origin`, because the local branch of a clone may be older. */
export const tipOf = async (repo: ReadableRepository, branch: string): Promise<Tip | null> => {
  const refs = branch.startsWith('refs/')
    ? [branch]
    : [`refs/remotes/origin/${branch}`, `refs/heads/${branch}`];
  for (const ref of refs) {
    const commit = await repo.commitOf(ref);
    if (commit !== null) return { ref, commit };
  }
  return null;
};
